import type { Environment } from '@mintmark/contract'
import type { AgentService } from '../agents/service.ts'
import type { ApprovalService } from '../approvals/service.ts'
import type { CardService } from '../cards/service.ts'
import type { ChargeService } from '../charges/service.ts'
import type { PurchaseService } from '../checkout/purchases/service.ts'
import type { QuoteService } from '../checkout/quotes/service.ts'
import type { CreateOnceDeps } from '../db/create-once.ts'
import type { EnrollmentService } from '../enrollment/service.ts'
import type { EscalationService } from '../escalations/service.ts'
import type { MandateService } from '../mandates/service.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { Secret } from '../platform/secret.ts'
import type { SessionTokens } from './token.ts'

/** What the use cases of a session depend on. */
export interface SessionDeps extends CreateOnceDeps {
  environment: Environment
  /** The account whose customers the owners of agents are. */
  agents: Pick<AgentService, 'merchantId' | 'lockActive'>
  escalations: EscalationService
  cards: CardService
  charges: ChargeService
  purchases: PurchaseService
  quotes: Pick<QuoteService, 'usable' | 'untouched'>
  mandates: MandateService
  enrollments: EnrollmentService
  approvals: ApprovalService
  passkeys: PasskeyService
  seals: RowSeals
  tokens: SessionTokens
  log: Log
  /** How long one process holds due work before another may take it over. */
  leaseSeconds: number
  launchSecretsKey: Secret<Buffer>
  lifetimeSeconds: number
  /** The operator forbids mandates that renew and are good at any merchant. */
  recurringMustBeScoped: boolean
  surfaceUrl: string
  /** The operator, who keeps the cards, by the name that statements say. */
  operatorName: string
  /** How long a session is kept after what it was for has ended. */
  retentionDays: number
}

export interface SessionRef {
  merchantId: string
  sessionId: string
}

/** A session of the caller's: an agent's where one is named, the merchant's own otherwise. */
export interface OwnSessionRef extends SessionRef {
  agentId?: string
}
