import { brandedNames } from '@mintmark/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import { createCardService } from './cards/service.ts'
import { createChargeService } from './charges/service.ts'
import type { Config } from './config.ts'
import type { DatabaseClock } from './db/clock.ts'
import type { Connection } from './db/pool.ts'
import { createEventService } from './events/service.ts'
import { healthRoutes } from './http/health.ts'
import { buildHost } from './http/host.ts'
import { createRateLimiter } from './http/rate-limit.ts'
import type { Route } from './http/route.ts'
import { housekeepingJobs } from './jobs/housekeeping.ts'
import type { Job } from './jobs/loop.ts'
import { createMandateService } from './mandates/service.ts'
import { createMerchantService, type MerchantService } from './merchants/service.ts'
import { createSimulatedNetwork } from './network/simulator/simulator.ts'
import { createPasskeyService } from './passkeys/service.ts'
import { createLocalKeyProvider } from './platform/key-provider.ts'
import { deriveKeys } from './platform/keys.ts'
import type { Log } from './platform/log.ts'
import type { Secret } from './platform/secret.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import { createSandboxService } from './sandbox/service.ts'
import { sessionJobs } from './sessions/jobs.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { createSessionService } from './sessions/service.ts'
import { createSessionTokens } from './sessions/token.ts'
import { sessionTokenAuthenticator } from './surface/authentication.ts'
import { servePage } from './surface/host.ts'
import { loadSurfacePage } from './surface/page.ts'
import { surfaceRoutes } from './surface/routes.ts'
import { createSurfaceService } from './surface/service.ts'
import { createVault } from './vault/service.ts'

export interface Foundation {
  config: Config
  pool: Pool
  connection: Connection
  clock: DatabaseClock
  rootKey: Secret<Buffer>
  log: Log
}

export interface Wired {
  merchants: MerchantService
  apiRoutes: readonly Route[]
  surfaceRoutes: readonly Route[]
  jobs: readonly Job[]
  buildApiHost(): Promise<FastifyInstance>
  buildSurfaceHost(): Promise<FastifyInstance>
}

/** Builds every service once and hands each what it needs. What is missing here does not compile. */
export function wire(foundation: Foundation): Wired {
  const services = wireServices(foundation)
  return { merchants: services.merchants, jobs: services.jobs, ...wireHosts(foundation, services) }
}

function wireServices({ config, pool, clock, rootKey, log }: Foundation) {
  const { environment, leaseSeconds, surfaceUrl } = config
  const keys = deriveKeys(rootKey)
  const rpId = new URL(surfaceUrl).hostname
  const rp = { rpId, rpName: 'Mintmark', surfaceOrigin: surfaceUrl, challengeTtlSeconds: 300 }
  const timeoutMs = config.networkTimeoutMillis
  const network = createSimulatedNetwork({ pool, clock, key: keys.simulatedNetwork, timeoutMs })
  const keyProvider = createLocalKeyProvider(rootKey)
  const vault = createVault({ keys: keyProvider, fingerprintKey: keys.fingerprints, network, pool })
  const merchants = createMerchantService({ pool, clock, apiKeysKey: keys.apiKeys, environment, vaultSealer: vault })
  const passkeys = createPasskeyService({ pool, clock, ...rp })
  const cards = createCardService({ pool, clock, vault, network })
  const mandates = createMandateService({ pool, clock, network, leaseSeconds })
  const tokens = createSessionTokens({ key: keys.sessionTokens, environment })
  const sessions = createSessionService({
    pool,
    clock,
    environment,
    log,
    vault,
    cards,
    charges: createChargeService({ pool, clock, vault, network, leaseSeconds }),
    mandates,
    passkeys,
    events: createEventService({ environment }),
    tokens,
    launchSecretsKey: keys.launchSecrets,
    lifetimeSeconds: config.sessionLifetimeSeconds,
    surfaceUrl,
  })
  const surface = createSurfaceService({ pool, clock, environment, sessions, cards, passkeys, vault, merchants })
  const sandbox = createSandboxService({
    clock,
    sessions,
    surface,
    authenticatorKey: keys.softwareAuthenticator,
    ...rp,
  })
  const jobs = [...sessionJobs(sessions), ...housekeepingJobs({ mandates, cards, passkeys })]
  return { network, merchants, tokens, sessions, surface, sandbox, jobs }
}

type Services = ReturnType<typeof wireServices>

function wireHosts({ config, pool, clock, connection, log }: Foundation, services: Services) {
  const { environment, trustProxy } = config
  const { merchants, sessions, sandbox, network, surface, tokens } = services
  const brand = brandedNames(config.networkBrand)
  const health = healthRoutes({ connection })
  const apiRoutes = [...sessionRoutes(sessions, brand), ...sandboxRoutes({ sandbox, clock, network }), ...health]
  const pageRoutes = [...surfaceRoutes(surface), ...health]
  const limiter = createRateLimiter({ pool, limits: config.limits })
  const common = { limiter, log, environment, brand, trustProxy }
  return {
    apiRoutes,
    surfaceRoutes: pageRoutes,
    buildApiHost: () =>
      buildHost({
        ...common,
        name: 'api',
        routes: apiRoutes,
        authenticators: { secret_key: (header) => merchants.authenticateKey(header, 'secret') },
        docs: API_DOCUMENT,
      }),
    async buildSurfaceHost() {
      const page = await loadSurfacePage()
      return buildHost({
        ...common,
        name: 'surface',
        routes: pageRoutes,
        authenticators: { session_token: sessionTokenAuthenticator(tokens) },
        extra: servePage({ page, merchants, limiter, pool }),
      })
    },
  }
}

const API_DOCUMENT = {
  title: 'Mintmark API',
  version: '1.0.0',
  description: 'Single-use virtual card credentials, bounded by what a cardholder approved with a passkey.',
}
