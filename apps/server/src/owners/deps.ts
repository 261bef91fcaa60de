import type { AgentDirectory } from '../agents/directory.ts'
import type { AgentService } from '../agents/service.ts'
import type { ApprovalService } from '../approvals/service.ts'
import type { CardService } from '../cards/service.ts'
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
  approvals: Pick<ApprovalService, 'requestDevice' | 'verifyDevice' | 'evidenceOf'>
  agents: AgentService
  directory: Pick<AgentDirectory, 'preview'>
  escalations: EscalationService
  sessions: Pick<SessionService, 'openEscalation' | 'denyEscalation'>
  mandates: Pick<MandateService, 'find' | 'refresh' | 'list' | 'listLive' | 'pause' | 'cancel'>
  cards: Pick<CardService, 'list' | 'prove' | 'verify'>
  mail: Pick<
    MailService,
    | 'ownerAddress'
    | 'formerAddresses'
    | 'askOwnerAddress'
    | 'confirmOwnerAddress'
    | 'removeOwnerAddress'
    | 'sendsMail'
    | 'openVisit'
    | 'proveVisit'
    | 'provenEmail'
    | 'ownerOf'
    | 'recoveryMail'
    | 'recoveryOfLink'
    | 'deleteOverVisits'
    | 'deleteFormerAddresses'
  >
  /** The operator's own account, whose customers the owners are. */
  merchantId: string
  /** Makes that account, unless it is there. */
  ensureAccount(): Promise<void>
}

/** An owner who is signed in. */
export interface OwnerCaller {
  merchantId: string
  customerId: string
  passkeyId: string
  sessionId: string
  /** The hash of the session's token. */
  digest: Buffer
  /** When that ends at the latest. */
  expiresAt: Date
}
