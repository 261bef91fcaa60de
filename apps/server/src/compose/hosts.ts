import { brandedNames } from '@mintmark/contract'
import type { FastifyInstance } from 'fastify'
import { agentCredentials } from '../agents/credential.ts'
import type { AgentDirectory } from '../agents/directory.ts'
import { serveAgentDirectory } from '../hosts/agent-directory.ts'
import { apiDocument } from '../hosts/api-document.ts'
import { serveCardArt } from '../hosts/card-art.ts'
import { readDemoKey } from '../hosts/demo-key.ts'
import { guidesForReaders, serveGuides } from '../hosts/guides.ts'
import { LIMITS } from '../hosts/limits.ts'
import { serveMcp } from '../hosts/mcp.ts'
import { serveOAuth } from '../hosts/oauth.ts'
import { ownerErrorPage } from '../hosts/owner/error-page.ts'
import { loadOwnerPage, serveOwnerPage } from '../hosts/owner/host.ts'
import { routeTables } from '../hosts/routes.ts'
import { serveContactPage } from '../hosts/surface/contact-page.ts'
import { perDocument, surfaceCredentials } from '../hosts/surface/credential.ts'
import { errorPage } from '../hosts/surface/error-page.ts'
import { servePage } from '../hosts/surface/host.ts'
import { serveLogos } from '../hosts/surface/logo.ts'
import { loadSurfacePage, type SurfacePage } from '../hosts/surface/page.ts'
import { walletApiDocument } from '../hosts/wallet-api/document.ts'
import { walletEnvelope } from '../hosts/wallet-api/envelope.ts'
import type { ApiReference } from '../http/api-reference.ts'
import { type HostCookie, hostCookie } from '../http/cookie.ts'
import { createDoor } from '../http/door.ts'
import { PLAIN_ENVELOPE } from '../http/envelope.ts'
import { createReadiness, type Readiness } from '../http/health.ts'
import { buildHost, type HostOptions } from '../http/host.ts'
import { observeRequests } from '../http/observe.ts'
import type { ApiDocumentInfo } from '../http/openapi.ts'
import { createRateLimiter, type RateLimiter } from '../http/rate-limit.ts'
import type { Route } from '../http/route.ts'
import type { JobsWatch } from '../jobs/failing.ts'
import { mandateCredentials } from '../mandates/credential.ts'
import type { ToolService } from '../mcp/service.ts'
import { merchantCredentials, secretKey, walletCredentials, walletKey } from '../merchants/credential.ts'
import { ownerCredentials } from '../owners/credential.ts'
import { type Metrics, NO_METRICS } from '../platform/metrics.ts'
import type { Features } from './features.ts'
import type { Ground } from './ground.ts'
import { addGroundMetrics, refusalCounter } from './metrics.ts'

export interface Hosts {
  readiness: Readiness
  apiRoutes: readonly Route[]
  walletRoutes: readonly Route[]
  surfaceRoutes: readonly Route[]
  ownerRoutes: readonly Route[]
  buildApiHost(): Promise<FastifyInstance>
  buildWalletHost(): Promise<FastifyInstance>
  buildSurfaceHost(): Promise<FastifyInstance>
  /** Null: there is no page of owners. */
  buildOwnerHost(): Promise<FastifyInstance> | null
}

function doorOf({ config, log, deadlineMillis }: Ground, metrics: Metrics) {
  const places = config.databasePoolSize * config.requestsPerConnection
  // A request that may take so long is not slow before, and waits for a place as long.
  const times =
    deadlineMillis === undefined ? {} : { deadlineMillis, slowMillis: deadlineMillis, burstMillis: deadlineMillis }
  return createDoor({ places, log, onRefused: refusalCounter(metrics), ...times })
}

/** A host is its routes, its credentials, its envelope, and its page with its policy. */
export function composeHosts(
  ground: Ground,
  features: Features,
  watch: Pick<JobsWatch, 'failing'>,
  metrics: Metrics,
): Hosts {
  const { config, pool, clock, connection, log } = ground
  const { agents, directory, mail, merchants, tokens, tools } = features
  const brand = brandedNames(config.networkBrand)
  const door = doorOf(ground, metrics)
  addGroundMetrics(metrics, ground, door)
  const isClosed = () => clock.closedSince() !== null
  const readiness = createReadiness({ connection, pool, failingJobs: watch.failing, isShut: isClosed })
  const owner = ownerPlace(config)
  const routes = routeTables({
    ...features,
    clock,
    readiness,
    brand,
    apiUrl: config.apiUrl,
    ownerCookie: owner?.cookie ?? null,
  })
  const limiter = createRateLimiter({ pool, limits: LIMITS, points: config.limits })
  const common = {
    limiter,
    isClosed,
    door,
    envelope: PLAIN_ENVELOPE,
    log,
    observe: metrics === NO_METRICS ? undefined : observeRequests(metrics),
    environment: config.environment,
    brand,
    trustProxy: config.trustProxy,
    onClose: readiness.close,
  }
  return {
    readiness,
    apiRoutes: routes.api,
    walletRoutes: routes.wallet,
    surfaceRoutes: routes.surface,
    ownerRoutes: routes.owner,
    buildApiHost: () =>
      buildHost({
        ...common,
        name: 'api',
        routes: routes.api,
        credentials: [
          ...merchantCredentials(merchants),
          ...mandateCredentials(merchants),
          ...agentCredentials(agents, { clock, ...ownAddress(config) }),
        ],
        docs: referenceOf(
          config,
          apiDocument(config),
          { field: 'secret_key', scheme: secretKey.name },
          guidesForReaders,
        ),
        extra: besideTheApi({ ground, tools, limiter }, documentsOf(ground, limiter, owner && directory)),
        crossOrigin: { isAllowed: merchants.isKnownOrigin, limit: perDocument },
      }),
    buildWalletHost: () =>
      buildHost({
        ...common,
        name: 'wallet-api',
        routes: routes.wallet,
        envelope: walletEnvelope(clock.now),
        credentials: walletCredentials(merchants),
        docs: referenceOf(config, walletApiDocument(config), { field: 'wallet_api_key', scheme: walletKey.name }),
      }),
    async buildSurfaceHost() {
      const page = await loadSurfacePage()
      return buildHost({
        ...common,
        name: 'surface',
        routes: routes.surface,
        credentials: surfaceCredentials(tokens),
        errorPage,
        extra: besideTheSurface(ground, page, { merchants, mail, limiter }),
      })
    },
    buildOwnerHost: () =>
      owner === null ? null : buildOwnerHost({ ...common, ...owner, routes: routes.owner }, features.owners),
  }
}

/** The reference of a host, where it is on; in the sandbox with the key of the demo merchant. */
function referenceOf(
  { apiReference, environment, home }: Ground['config'],
  info: ApiDocumentInfo,
  key: Parameters<typeof readDemoKey>[1],
  guides?: ApiReference['guides'],
): ApiReference | undefined {
  if (apiReference !== 'on') return undefined
  return {
    ...{ info, limit: perDocument },
    ...(guides !== undefined && { guides }),
    ...(environment === 'sandbox' && { demoKey: () => readDemoKey(home, key) }),
  }
}

/** What the surface serves to everybody, beside its routes. */
function besideTheSurface(
  { operatorLogo }: Ground,
  page: SurfacePage,
  { merchants, mail, limiter }: Pick<Features, 'merchants' | 'mail'> & { limiter: RateLimiter },
) {
  return (app: FastifyInstance): void => {
    servePage({ page, merchants, limiter })(app)
    serveContactPage({ mail, limiter })(app)
    serveLogos({ merchants, limiter, operatorLogo: operatorLogo ?? null })(app)
  }
}

/** Which requests are for this server. */
function ownAddress({ apiUrl, environment }: Ground['config']) {
  return { apiUrl, isSandbox: environment === 'sandbox' }
}

/** What the main API serves to everybody, beside its description; where agents exist, their directory. */
function documentsOf({ config, clock }: Ground, limiter: RateLimiter, directory: AgentDirectory | null) {
  const isHeld = () => clock.agentsHeldSince() !== null
  return async (app: FastifyInstance) => {
    serveCardArt({ limiter })(app)
    if (directory !== null) serveAgentDirectory({ directory, limiter, isHeld, ...ownAddress(config) })(app)
    if (config.apiReference === 'on') await serveGuides({ limiter })(app)
  }
}

/** What the host of the API serves beside its table. Tools only where there is a page on which owners let them in. */
function besideTheApi(
  { ground, tools, limiter }: { ground: Ground; tools: ToolService; limiter: RateLimiter },
  documents: (app: FastifyInstance) => Promise<void>,
) {
  const { config, log } = ground
  const own = { apiUrl: config.apiUrl, isSandbox: config.environment === 'sandbox', limiter }
  return async (app: FastifyInstance): Promise<void> => {
    await documents(app)
    if (config.ownerUrl === null) return
    await serveOAuth({ ...tools, ...own })(app)
    serveMcp({ tools, log, ...own })(app)
  }
}

/** Where the page of owners is, and the cookie of its host; null: there is none. */
function ownerPlace({ ownerUrl, operatorName }: Ground['config']) {
  return ownerUrl === null ? null : { ownPages: ownerUrl, cookie: hostCookie('mintmark_owner', ownerUrl), operatorName }
}

type OwnerHost = Omit<HostOptions, 'name' | 'credentials'> & { cookie: HostCookie; operatorName: string }

async function buildOwnerHost(
  { cookie, operatorName, ...options }: OwnerHost,
  owners: Features['owners'],
): Promise<FastifyInstance> {
  const page = await loadOwnerPage(operatorName)
  return buildHost({
    ...options,
    name: 'owner',
    credentials: ownerCredentials(owners, cookie),
    errorPage: ownerErrorPage,
    extra: serveOwnerPage({ page, limiter: options.limiter }),
  })
}
