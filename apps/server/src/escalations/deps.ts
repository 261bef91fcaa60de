import type { ApprovalService } from '../approvals/service.ts'
import type { Change, CommandDeps } from '../db/command.ts'
import type { AskedOwner } from '../mail/service.ts'
import type { MandateService } from '../mandates/service.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import type { RowSeals } from '../platform/row-seals.ts'

/** What charges, which ask, need to know of an owner's word. */
export interface AskingDeps {
  pool: CommandDeps['pool']
  clock: CommandDeps['clock']
  seals: RowSeals
  mandates: Pick<MandateService, 'look'>
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
