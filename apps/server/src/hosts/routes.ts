import type { BrandedNames } from '@mintmark/contract'
import { agentKey, reportingAgentKey } from '../agents/credential.ts'
import { agentRoutes } from '../agents/routes.ts'
import type { AgentService } from '../agents/service.ts'
import { customerRoutes } from '../cardholder/routes.ts'
import type { CardholderService } from '../cardholder/service.ts'
import { cardRoutes } from '../cards/routes.ts'
import type { CardService } from '../cards/service.ts'
import { chargeRoutes } from '../charges/routes.ts'
import type { ChargeService } from '../charges/service.ts'
import { quoteRoutes } from '../checkout/quotes/routes.ts'
import type { QuoteService } from '../checkout/quotes/service.ts'
import type { EnrollmentService } from '../enrollment/service.ts'
import { eventRoutes } from '../events/routes.ts'
import type { EventService } from '../events/service.ts'
import type { HostCookie } from '../http/cookie.ts'
import { credentialsOf } from '../http/credential.ts'
import { healthRoutes, type Readiness } from '../http/health.ts'
import type { Route } from '../http/route.ts'
import type { MailService } from '../mail/service.ts'
import { mandateRoutes } from '../mandates/routes.ts'
import type { MandateService } from '../mandates/service.ts'
import type { OwnerService } from '../owners/service.ts'
import type { PasskeyRecovery } from '../passkeys/release.ts'
import { type SandboxRouteDeps, sandboxRoutes } from '../sandbox/routes.ts'
import { sessionRoutes } from '../sessions/routes.ts'
import { agentSessionRoutes } from '../sessions/routes-of-agents.ts'
import { enrollmentRoutes } from '../sessions/routes-of-enrollments.ts'
import type { SessionService } from '../sessions/service.ts'
import { type WalletRouteDeps, walletRoutes } from '../wallets/accounts/routes.ts'
import { type CartRouteDeps, cartRoutes } from '../wallets/carts/routes.ts'
import { type CustomerRouteDeps, walletCustomerRoutes } from '../wallets/customers/routes.ts'
import { type OrderRouteDeps, orderRoutes } from '../wallets/orders/routes.ts'
import { type StoreRouteDeps, storeRoutes } from '../wallets/store/routes.ts'
import { deliveryRoutes } from '../webhooks/delivery/routes.ts'
import type { DeliveryService } from '../webhooks/delivery/service.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import type { WebhookService } from '../webhooks/service.ts'
import { ownerRoutes } from './owner/routes.ts'
import { surfaceRoutes } from './surface/routes.ts'

export interface RouteTableDeps
  extends SandboxRouteDeps,
    Pick<CustomerRouteDeps, 'walletCustomers'>,
    WalletRouteDeps,
    StoreRouteDeps,
    CartRouteDeps,
    OrderRouteDeps {
  sessions: SessionService
  agents: AgentService
  quotes: QuoteService
  cardholder: CardholderService
  readiness: Readiness
  cards: CardService
  /** The main API's own address. */
  apiUrl: string
  enrollments: EnrollmentService
  mandates: MandateService
  charges: ChargeService
  recovery: PasskeyRecovery
  events: EventService
  webhooks: WebhookService
  deliveries: DeliveryService
  brand: BrandedNames
  owners: OwnerService
  mail: MailService
  /** Null: there is no page of owners, and so there are no agents. */
  ownerCookie: HostCookie | null
}

/** The rows of every host: the one list that the hosts, the documentation and the table tests are made from. */
export function routeTables(deps: RouteTableDeps): Record<'api' | 'wallet' | 'surface' | 'owner', readonly Route[]> {
  const health = healthRoutes(deps.readiness)
  const { ownerCookie } = deps
  const agents: Route[] = [
    ...agentRoutes(deps.agents, {
      operations: () => operationsOfAgents(tables.api),
      waitingSessions: (caller) => deps.sessions.listWaiting(caller),
    }),
    ...agentSessionRoutes(deps.sessions, deps.clock, deps.brand),
  ]
  const tables = {
    api: [
      ...sessionRoutes(deps.sessions, deps.clock, deps.brand),
      ...quoteRoutes(deps.quotes),
      ...cardRoutes(deps.cards, deps.apiUrl),
      ...enrollmentRoutes(deps),
      ...mandateRoutes(deps.mandates),
      ...chargeRoutes(deps.charges, deps.brand),
      ...(ownerCookie === null ? [] : agents),
      ...customerRoutes(deps.recovery),
      ...eventRoutes(deps.events),
      ...webhookRoutes(deps.webhooks),
      ...deliveryRoutes(deps.deliveries),
      ...sandboxRoutes(deps),
      ...health,
    ],
    wallet: [
      ...walletCustomerRoutes(deps),
      ...walletRoutes(deps),
      ...storeRoutes(deps),
      ...cartRoutes(deps),
      ...orderRoutes(deps),
      ...health,
    ],
    surface: [...surfaceRoutes(deps.cardholder, deps.sessions), ...health],
    owner: ownerCookie === null ? [] : [...ownerRoutes(deps.owners, deps.mail, ownerCookie), ...health],
  }
  return tables
}

function operationsOfAgents(rows: readonly Route[]): string[] {
  const isForAgents = ({ auth }: Route) => credentialsOf(auth).some((by) => by === agentKey || by === reportingAgentKey)
  return rows.filter(isForAgents).map(({ operationId }) => operationId)
}
