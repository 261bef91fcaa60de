import type { ApprovalService } from '../approvals/service.ts'
import type { CommandDeps } from '../db/command.ts'
import type { Asking } from '../escalations/service.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { Secret } from '../platform/secret.ts'

export interface AgentDeps extends CommandDeps {
  log: Log
  seals: RowSeals
  approvals: ApprovalService
  passkeys: PasskeyService
  /** The operator's own account, whose customers the owners are. */
  merchantId: string
  /** Makes that account, unless it is there. */
  ensureAccount(): Promise<void>
  /** What the names of owners that agents see are made with. */
  ownersKey: Secret<Buffer>
  ownerUrl: string
  /** The public origin of the API. */
  apiUrl: string
  /** What shows that a browser is the one that decided. */
  ticketsKey: Secret<Buffer>
  asking: Pick<Asking, 'listWaiting' | 'urlOf'>
}

/** In lines of the log that say who has changed an agent. */
export const OWNER = 'owner'

/** An agent of the operator's account. */
export interface AgentRef {
  merchantId: string
  agentId: string
}
