import type { MandateStatus } from '@mintmark/contract'
import type { ApprovalService } from '../approvals/service.ts'
import type { Change, CommandDeps } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import type { AskedOwner } from '../mail/service.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import type { RowSeals } from '../platform/row-seals.ts'

/** The mandate that carries what was asked, as it stands. */
export interface Carrier {
  status: MandateStatus
  isApproved: boolean
}

/** What charges, which ask, need to know of an owner's word. */
export interface AskingDeps {
  pool: CommandDeps['pool']
  clock: CommandDeps['clock']
  seals: RowSeals
  /** Mandates look, which know the agents that ask: not the other way round. */
  mandates: {
    look(scope: { merchantId: string; agentId: string }, id: string): Promise<Carrier>
    /** Several at once; without those that were edited outside the program. */
    lookAtAll(
      on: Queryable,
      mandates: { merchantId: string; ids: readonly string[] },
    ): Promise<ReadonlyMap<string, Carrier & { agentId: string | null }>>
  }
  ownerUrl: string
}

/** What a charge that asks needs besides. */
export interface TellingDeps extends AskingDeps {
  /** Tells the owner by mail, in the transaction in which they are asked. */
  tellOwner(change: Change, asked: AskedOwner): Promise<void>
}

/** What an owner who answers needs. */
export interface AnsweringDeps extends AskingDeps, CommandDeps {
  approvals: ApprovalService
  passkeys: PasskeyService
}
