import type { AgentDirectory } from '../agents/directory.ts'
import type { AgentService } from '../agents/service.ts'
import type { CommandDeps } from '../db/command.ts'
import type { EscalationService } from '../escalations/service.ts'
import type { MailService } from '../mail/service.ts'
import type { MandateService } from '../mandates/service.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { SessionService } from '../sessions/service.ts'

export interface OwnerDeps extends CommandDeps {
  seals: RowSeals
  passkeys: PasskeyService
  agents: AgentService
  directory: Pick<AgentDirectory, 'preview'>
  escalations: EscalationService
  sessions: Pick<SessionService, 'openEscalation' | 'denyEscalation'>
  mandates: Pick<MandateService, 'find' | 'listOfAgents'>
  mail: Pick<MailService, 'ownerAddress' | 'sendsMail'>
  /** The operator's own account, whose customers the owners are. */
  merchantId: string
  /** Makes that account, unless it is there. */
  ensureAccount(): Promise<void>
}

/** An owner who is signed in. */
export interface OwnerCaller {
  merchantId: string
  customerId: string
  /** The hash of the token of the session. */
  digest: Buffer
  /** When the session ends by itself. */
  expiresAt: Date
}
