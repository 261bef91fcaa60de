import type { AddressInfo } from 'node:net'
import { brandedNames } from '@mintmark/contract'
import { agentCredentials } from '../../apps/server/src/agents/credential.ts'
import { createAgentService } from '../../apps/server/src/agents/service.ts'
import { CHARGE_EXAMPLE } from '../../apps/server/src/charges/examples.ts'
import { chargeRoutes } from '../../apps/server/src/charges/routes.ts'
import { createChargeService } from '../../apps/server/src/charges/service.ts'
import { createDelegations } from '../../apps/server/src/checkout/delegations/service.ts'
import type { ShopService } from '../../apps/server/src/checkout/shops/service.ts'
import { type Connection, createPool } from '../../apps/server/src/db/pool.ts'
import { createAsking } from '../../apps/server/src/escalations/service.ts'
import { createEventSink } from '../../apps/server/src/events/service.ts'
import { LIMITS } from '../../apps/server/src/hosts/limits.ts'
import { open } from '../../apps/server/src/http/credential.ts'
import { createDoor } from '../../apps/server/src/http/door.ts'
import { PLAIN_ENVELOPE } from '../../apps/server/src/http/envelope.ts'
import { buildHost } from '../../apps/server/src/http/host.ts'
import { createRateLimiter } from '../../apps/server/src/http/rate-limit.ts'
import type { Route } from '../../apps/server/src/http/route.ts'
import { queueAskedMail } from '../../apps/server/src/mail/service.ts'
import { mandateCredentials } from '../../apps/server/src/mandates/credential.ts'
import { createMandateService } from '../../apps/server/src/mandates/service.ts'
import { createMerchantService } from '../../apps/server/src/merchants/service.ts'
import type { CardNetwork } from '../../apps/server/src/network/port.ts'
import { addSeconds } from '../../apps/server/src/platform/clock.ts'
import { createLocalKeyProvider } from '../../apps/server/src/platform/key-provider.ts'
import { deriveKeys, loadRootKey } from '../../apps/server/src/platform/keys.ts'
import { createLog } from '../../apps/server/src/platform/log.ts'
import { createRowSeals } from '../../apps/server/src/platform/row-seals.ts'
import { secret } from '../../apps/server/src/platform/secret.ts'
import { createVault } from '../../apps/server/src/vault/service.ts'
import { serveTasks } from './tasks.ts'

/** The host of charges with a network that answers immediately; or the same host, whose rows do nothing. */
export type HostTask = { kind: 'charges'; home: string; connection: Connection } | { kind: 'bare' }

/** As the service has by default. */
const CONNECTIONS = 16
const PLACES = 64
const NEVER = 1_000_000_000

const log = createLog({ level: 'warn' })
const clock = { now: () => new Date() }
const neverRestored = { ...clock, agentsHeldSince: () => null, signaturesSince: () => null }
const brand = brandedNames('acme')

serveTasks<HostTask, { url: string }>(async (task) => {
  const app = await (task.kind === 'bare' ? bareHost() : chargeHost(task))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` }
})

const host = {
  name: 'bench',
  envelope: PLAIN_ENVELOPE,
  door: createDoor({ places: PLACES, log }),
  log,
  environment: 'sandbox',
  brand,
} as const

async function chargeHost({ home, connection }: Extract<HostTask, { kind: 'charges' }>) {
  const pool = createPool({ connection, max: CONNECTIONS, log })
  const rootKey = await loadRootKey({ home, createIfMissing: false })
  const keys = deriveKeys(rootKey)
  const seals = createRowSeals({ key: keys.rowSeals, log })
  const common = {
    pool,
    clock,
    events: createEventSink({ environment: 'sandbox', log }),
    seals,
    log,
    callerWaitMillis: 8_000,
    leaseSeconds: 20,
  }
  const provider = createLocalKeyProvider(rootKey)
  const vault = createVault({ keys: provider, fingerprintKey: keys.fingerprints, pool, network: NETWORK })
  const mandates = createMandateService({ ...common, network: NETWORK })
  const merchants = createMerchantService({ ...common, apiKeysKey: keys.apiKeys, environment: 'sandbox', vault })
  const escalations = createAsking({
    pool,
    clock,
    seals,
    mandates,
    ownerUrl: 'http://localhost',
    tellOwner: queueAskedMail,
  })
  const asked = { mandates, escalations, delegations: NO_SHOPS }
  const charges = createChargeService({ ...common, ...asked, vault, network: NETWORK })
  const agents = createAgentService({
    ...{ ...common, ...NO_OWNERS, merchantId: merchants.operatorMerchantId, ownersKey: keys.agentOwners },
    ...{ ownerUrl: 'http://localhost', apiUrl: 'http://localhost', ticketsKey: keys.agentTickets, asking: escalations },
  })
  return buildHost({
    ...host,
    routes: chargeRoutes(charges, brand),
    credentials: [
      ...mandateCredentials(merchants),
      ...agentCredentials(agents, { clock: neverRestored, apiUrl: 'http://localhost', isSandbox: true }),
    ],
    limiter: createRateLimiter({ pool, limits: LIMITS, points: { merchant: NEVER, agent: NEVER } }),
  })
}

const NO_SHOPS = createDelegations({ shops: {} as ShopService, isClosed: () => false })
/** Agents were linked before. */
const NO_OWNERS = { approvals: null as never, passkeys: null as never, ensureAccount: async () => {} }

const CREDENTIAL = {
  ...{ token: secret('4895370000000008'), dynamicCvv: secret('123'), expiryMonth: '12', expiryYear: '2099' },
  validUntil: addSeconds(clock.now(), 30 * 24 * 60 * 60),
}
/** Answers at the next turn of the loop. */
const NETWORK = { mint: async () => ({ outcome: 'ok', value: CREDENTIAL }) } as unknown as CardNetwork

/** Reads, checks and renders the same bodies, and does nothing between. */
function bareHost() {
  const limiter = { consume: async () => null } as never
  // The services are asked for nothing while rows are made.
  const rows = chargeRoutes(null as never, brand).map((row): Route => {
    const auth = open('It does nothing.')
    return { ...row, auth, limit: null, handler: async () => CHARGE_EXAMPLE.response }
  })
  return buildHost({ ...host, routes: rows, credentials: [], limiter })
}
