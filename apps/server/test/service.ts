import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Pool } from 'pg'
import type { CreateCheckout } from '../src/checkout/shops/service.ts'
import { type App, compose } from '../src/compose/app.ts'
import type { Ground } from '../src/compose/ground.ts'
import { openKeys } from '../src/compose/keys.ts'
import { type Config, readConfig } from '../src/config.ts'
import { type DatabaseClock, startDatabaseClock } from '../src/db/clock.ts'
import type { MerchantSecrets } from '../src/merchants/service.ts'
import { deriveKeys } from '../src/platform/keys.ts'
import { createLog, type Log } from '../src/platform/log.ts'
import type { Metrics } from '../src/platform/metrics.ts'
import { createRowSeals } from '../src/platform/row-seals.ts'
import { secret } from '../src/platform/secret.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { freePort } from './processes/spawn.ts'

/** A JSON answer, with what every test looks at. */
export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers as a caller would, without types.
  body: any
}

/** One merchant of a test service, with calls under its secret key. */
export interface TestMerchant extends Pick<MerchantSecrets, 'merchantId'> {
  secretKey: string
  publishableKey: string
  /** Calls of the wallet API under the merchant's wallet key. */
  wallet: WalletCaller
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  /** Any request; `headers` beside those of the key and the body. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** A key of the wallet API, and calls with it. */
export interface WalletCaller {
  key: string
  get(path: string): Promise<Answer>
  /** With a new `Idempotency-Key`, unless it is given. */
  post(path: string, body?: unknown, idempotencyKey?: string): Promise<Answer>
  /** Any request; `headers` beside those of the key and the body. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** The whole service on a database of its own, answering real HTTP on free ports; background work runs when told. */
export interface TestService {
  apiUrl: string
  walletUrl: string
  surfaceUrl: string
  ownerUrl: string
  config: Config
  database: TestDatabase
  pool: Pool
  clock: DatabaseClock
  app: App
  merchant: TestMerchant
  addMerchant(settings?: { sessionAllowance?: number | null; networkProfile?: string | null }): Promise<TestMerchant>
  /** Runs every background task until none has work, but drops no events: tests look at those of a year ago. */
  runJobs(): Promise<void>
  /** One background task, to run a single round of it. Throws if none has that name. */
  job(name: string): App['jobs'][number]
  close(): Promise<void>
}

interface TestServiceOptions {
  /** Environment variables of the service. */
  env?: Record<string, string>
  log?: Log
  /** Where it counts. */
  metrics?: Metrics
  /** The directory of key files. */
  keys?: string
  /** How shops are spoken to, in place of the adapters. */
  createCheckout?: CreateCheckout
  /** How long its callers wait for a system that is not ours. */
  callerWaitMillis?: number
  /** How long an answer is waited for that the simulated network loses. */
  lostMillis?: number
  /** How long servers of others are waited for, where a test is about that. */
  outside?: Ground['outside']
  /**
   * Requests wait for connections, locks and each other as long as it takes: where a crowd of them comes at once, a busy machine must not look
   * like an outage.
   */
  isForCrowds?: boolean
  /** Why its rows may contradict themselves when it is closed. */
  contradicts?: string
  /** Another node on a database that is there already; the test that made it closes it. */
  database?: TestDatabase
}

/** What never comes need not be waited for as long as what may come late. Others still meet the one who waits. */
const LOST_MILLIS = 1_500

/** A busy machine must not look like a receiver or a shop that cannot be reached, a worker that was stopped, or a client without a document. */
const PATIENT_OUTSIDE = { connect: 300_000, stale: 300_000, document: 300_000 }

/** How long requests go on where crowds come: less than a connection may be still. */
const CROWD_MILLIS = 25_000
export const CROWD_LIMITS = {
  ...{ connect: CROWD_MILLIS, lock: CROWD_MILLIS, statement: CROWD_MILLIS, query: CROWD_MILLIS },
  idleInTransaction: CROWD_MILLIS,
}

/** The longest there is: a busy machine must not look like a silent network. What a test card loses is not waited for that long. */
export const PATIENT = { NETWORK_TIMEOUT_MS: '10000' }

/** The keeper of the cards, as operators have to name it in production. */
export const OPERATOR = {
  OPERATOR_NAME: 'Northpay',
  OPERATOR_PRIVACY_URL: 'https://northpay.example/privacy',
  OPERATOR_TERMS_URL: 'https://northpay.example/terms',
  OPERATOR_SUPPORT_URL: 'https://northpay.example/help',
}

/** A deployment in production, with a page of owners; without its `OWNER_URL` there is none, as before there were agents. */
export const PRODUCTION = {
  MINTMARK_ENVIRONMENT: 'production',
  NETWORK_ADAPTER: 'simulator',
  ROOT_KEY_FILE: '/nonexistent',
  API_URL: 'https://api.pay.example',
  WALLET_API_URL: 'https://wallet.pay.example',
  SURFACE_URL: 'https://pay.example',
  OWNER_URL: 'https://owners.pay.example',
  ...OPERATOR,
}

/** Every key of a test service is derived from it. */
export const TEST_ROOT_KEY = secret(Buffer.alloc(32, 7))

/** For rows that a test writes past the program. */
export const TEST_SEALS = createRowSeals({
  key: deriveKeys(TEST_ROOT_KEY).rowSeals,
  log: createLog({ level: 'silent' }),
})

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const database =
    options.database ??
    (await createTestDatabase({
      max: 16,
      limits: options.isForCrowds ? CROWD_LIMITS : undefined,
      contradicts: options.contradicts,
    }))
  const [surfacePort, ownerPort] = [await freePort(), await freePort()]
  const config = configOf(options, database, { surfacePort, ownerPort })
  const clock = await startDatabaseClock(database.pool)
  const ground = await groundOf(options, { config, clock, database })
  const app = compose(ground, options.metrics)
  const [api, wallet, surface] = [await app.buildApiHost(), await app.buildWalletHost(), await app.buildSurfaceHost()]
  // Where tests name it as a program on this machine does, it listens there; another node of it beside it.
  const { hostname, port } = new URL(config.apiUrl)
  const isNamed = options.env?.API_URL !== undefined && hostname === 'localhost' && options.database === undefined
  const listening = await api.listen({ host: '127.0.0.1', port: isNamed ? Number(port) : 0 })
  const apiUrl = isNamed ? config.apiUrl : listening
  const walletUrl = await wallet.listen({ host: '127.0.0.1', port: 0 })
  await surface.listen({ host: '127.0.0.1', port: surfacePort })
  const owner = await app.buildOwnerHost()
  await owner?.listen({ host: '127.0.0.1', port: ownerPort })
  const addMerchant = async (settings: { sessionAllowance?: number | null; networkProfile?: string | null } = {}) => {
    const made = await app.merchants.createMerchant({
      name: 'Test Shop',
      allowedOrigins:
        config.environment === 'sandbox' ? ['http://localhost:*', 'http://127.0.0.1:*'] : ['https://shop.example'],
      networkProfile: 'simulator',
      sessionAllowance: null,
      ...settings,
    })
    return testMerchant({ apiUrl, walletUrl }, made)
  }
  const jobs = app.jobs.filter(({ name }) => name !== 'events.keep_partitions')
  return {
    apiUrl,
    walletUrl,
    surfaceUrl: config.surfaceUrl,
    ownerUrl: `http://localhost:${ownerPort}`,
    config,
    database,
    pool: database.pool,
    clock,
    app,
    merchant: await addMerchant(),
    addMerchant,
    async runJobs() {
      for (let worked = true; worked; ) {
        worked = false
        for (const job of jobs) worked = (await job.run()).taken > 0 || worked
        for (const job of jobs) await job.settled?.()
      }
    },
    job(name) {
      const found = app.jobs.find((job) => job.name === name)
      if (found === undefined) throw new Error(`no background task is called ${name}`)
      return found
    },
    async close() {
      await api.close()
      await wallet.close()
      await surface.close()
      await owner?.close()
      clock.stop()
      if (options.database === undefined) await database.close()
    },
  }
}

/** Three nodes of one service, which are asked at the same moment. The first is `service`. */
export async function startTestNodes(options: TestServiceOptions = { isForCrowds: true }) {
  const service = await startTestService(options)
  const more = { ...options, database: service.database }
  const others = await Promise.all([1, 2].map(() => startTestService(more)))
  const nodes = [service, ...others]
  return {
    ...{ service, others, nodes },
    nodeAt: (index: number): TestService => nodes[index % nodes.length] ?? service,
    async close() {
      await Promise.all(others.map((other) => other.close()))
      await service.close()
    },
  }
}

function configOf(
  { env, isForCrowds = false }: TestServiceOptions,
  database: TestDatabase,
  { surfacePort, ownerPort }: { surfacePort: number; ownerPort: number },
): Config {
  return readConfig({
    MINTMARK_HOME: '/nonexistent',
    DATABASE_URL: database.url,
    SURFACE_URL: `http://localhost:${surfacePort}`,
    ...(env?.MINTMARK_ENVIRONMENT === 'production' ? {} : { OWNER_URL: `http://localhost:${ownerPort}` }),
    ...PATIENT,
    // A busy machine must not look like an overload; the door has tests of its own.
    REQUESTS_PER_CONNECTION: '1000',
    // Nor like a worker that died.
    ...(isForCrowds && { LEASE_SECONDS: '30' }),
    ...env,
  })
}

async function groundOf(
  options: TestServiceOptions,
  { config, clock, database }: Pick<TestService, 'config' | 'clock' | 'database'>,
): Promise<Ground> {
  const log = options.log ?? createLog({ level: 'silent' })
  const rootKeyFile = join(options.keys ?? '/nonexistent', 'root.key')
  const { pool, connection } = database
  return {
    config,
    keys: await openKeys({ config, pool, log, rootKey: TEST_ROOT_KEY, rootKeyFile }),
    pool,
    connection,
    clock,
    rootKey: TEST_ROOT_KEY,
    log,
    createCheckout: options.createCheckout,
    callerWaitMillis: options.callerWaitMillis ?? (options.isForCrowds ? CROWD_MILLIS : undefined),
    lostMillis: options.lostMillis ?? LOST_MILLIS,
    outside: { ...PATIENT_OUTSIDE, ...options.outside },
    deadlineMillis: options.isForCrowds ? CROWD_MILLIS : undefined,
  }
}

type TestUrls = Pick<TestService, 'apiUrl' | 'walletUrl'>

function testMerchant({ apiUrl, walletUrl }: TestUrls, made: MerchantSecrets): TestMerchant {
  const secretKey = made.secretKey.reveal()
  const authorization = `Bearer ${secretKey}`
  return {
    merchantId: made.merchantId,
    secretKey,
    publishableKey: made.publishableKey.reveal(),
    wallet: walletCaller(walletUrl, made.walletApiKey.reveal()),
    get: (path) => call(apiUrl + path, { headers: { authorization } }),
    post: (path, body) => call(apiUrl + path, jsonRequest(authorization, body)),
    send(method, path, body, headers) {
      const request = jsonRequest(authorization, body)
      return call(apiUrl + path, { ...request, method, headers: { ...request.headers, ...headers } })
    },
  }
}

/** Calls of the wallet API under a key. */
export function walletCaller(walletUrl: string, key: string): WalletCaller {
  const send: WalletCaller['send'] = (method, path, body, headers) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const init = { method, headers: { 'api-key': key, ...json, ...headers } }
    return call(walletUrl + path, body === undefined ? init : { ...init, body: text })
  }
  return {
    key,
    send,
    get: (path) => send('GET', path),
    post: (path, body, idempotencyKey = randomUUID()) =>
      send('POST', path, body, { 'idempotency-key': idempotencyKey }),
  }
}

/** A POST with a JSON body, or without one. */
export function jsonRequest(authorization: string, body?: unknown): RequestInit {
  if (body === undefined) return { method: 'POST', headers: { authorization } }
  return {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

export async function call(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init)
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

/** The body of a plain session; `changes` replaces top-level fields. */
export function sessionBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    user_id: 'user-1',
    user_email: 'ann@example.com',
    total_amount: '40.00',
    currency: 'USD',
    purchase_context: { custom: customPurchase() },
    ...changes,
  }
}

export function customPurchase(): Record<string, unknown> {
  return {
    merchant_details: { name: 'Tea House', url: 'https://tea.example', country_code_iso2: 'US' },
    product_details: [{ description: 'Tea', unit_price: '40.00' }],
  }
}
