import type { BrandedNames, Environment } from '@mintmark/contract'
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
import type { ConsoleService } from '../console/service.ts'
import type { EnrollmentService } from '../enrollment/service.ts'
import { eventRoutes } from '../events/routes.ts'
import type { EventService } from '../events/service.ts'
import type { HostCookie } from '../http/cookie.ts'
import { credentialsOf } from '../http/credential.ts'
import { healthRoutes, type Readiness } from '../http/health.ts'
import type { Route } from '../http/route.ts'
import { mandateRoutes } from '../mandates/routes.ts'
import type { MandateService } from '../mandates/service.ts'
import { type NetworkCapabilities, UNLIMITED } from '../network/capabilities.ts'
import type { OwnerService } from '../owners/service.ts'
import type { PasskeyRecovery } from '../passkeys/release.ts'
import type { PermissionService } from '../permissions/service.ts'
import type { ReceiptService } from '../receipts/service.ts'
import { type SandboxRouteDeps, sandboxRoutes } from '../sandbox/routes.ts'
import { agentSessionRoutes } from '../sessions/agents/routes.ts'
import { enrollmentRoutes } from '../sessions/kinds/enrollment/routes.ts'
import { sessionRoutes } from '../sessions/routes.ts'
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
import { consoleRoutes } from './console/routes.ts'
import { ownerRoutes } from './owner/routes.ts'
import { receiptRoutes } from './owner/routes-of-receipts.ts'
import { surfaceRoutes } from './surface/routes.ts'
import { permissionRoutes } from './surface/routes-of-permissions.ts'

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
  permissions: PermissionService
  readiness: Readiness
  cards: CardService
  /** Absent: the rows of a service whose network can do everything, as they are published. */
  capabilities?: NetworkCapabilities
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
  receipts: ReceiptService
  /** Null: there is no page of owners, and so there are no agents. */
  ownerCookie: HostCookie | null
  console: ConsoleService
  environment: Environment
  /** Null: there is no console. */
  consoleCookie: HostCookie | null
}

export type HostName = 'api' | 'wallet' | 'surface' | 'owner' | 'console'

/** The rows of every host: the one list that the hosts, the documentation and the table tests are made from. */
export function routeTables(deps: RouteTableDeps): Record<HostName, readonly Route[]> {
  const health = healthRoutes(deps.readiness)
  const { ownerCookie, consoleCookie } = deps
  const { capabilities = UNLIMITED } = deps
  const agents: Route[] = [
    ...agentRoutes(deps.agents, () => operationsOfAgents(tables.api)),
    ...agentSessionRoutes(deps.sessions, { ...deps, capabilities }),
  ]
  const tables = {
    api: [
      ...sessionRoutes(deps.sessions, { ...deps, capabilities }),
      ...quoteRoutes(deps.quotes),
      ...cardRoutes(deps.cards, { ...deps, capabilities }),
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
    surface: [...surfaceRoutes(deps.cardholder), ...permissionRoutes(deps.permissions), ...health],
    owner:
      ownerCookie === null
        ? []
        : [...receiptRoutes(deps.receipts), ...ownerRoutes(deps.owners, ownerCookie), ...health],
    console: consoleCookie === null ? [] : [...consoleRoutes(deps, consoleCookie), ...health],
  }
  return tables
}

function operationsOfAgents(rows: readonly Route[]): string[] {
  const isForAgents = ({ auth }: Route) => credentialsOf(auth).some((by) => by === agentKey || by === reportingAgentKey)
  return rows.filter(isForAgents).map(({ operationId }) => operationId)
}
