import { AsyncLocalStorage } from 'node:async_hooks'
import { type ClientBase, Pool, type PoolClient, types } from 'pg'
import { checkBounds, remainingMillis } from '../platform/bounds.ts'
import { isUseless, ReadOnlyDatabaseError, sqlState } from './errors.ts'

/** Where a database is: a `postgres://` URL, or its parts (`host` may be the directory of a unix socket). */
export type Connection =
  | string
  | { host: string; port: number; user: string; password?: string | undefined; database: string; ssl?: false }

/** What the pool writes about; the program's log fits. */
export interface PoolLog {
  warn(message: string, fields: { sql_state: string }): void
}

export interface PoolSettings {
  connection: Connection
  /** Most connections at the same time; callers beyond that queue for `CONNECT_TIMEOUT_MILLIS`, then fail. */
  max?: number
  log: PoolLog
  /** Other limits than the product's: in tests that are about something else. */
  limits?: PoolLimits | undefined
}

/** All in milliseconds. */
export interface PoolLimits {
  /** How long a caller waits for a free or a new connection. */
  connect: number
  lock: number
  statement: number
  query: number
  idleInTransaction: number
}

const CONNECT_TIMEOUT_MILLIS = 3_000
/**
 * Each limit is longer than the one before it, so that the most precise error comes first: a lock wait ends as 55P03, a
 * slow statement as 57014, and only a server that no longer answers at all (half-open TCP) meets our own timer. All
 * stay well below the 15 s of `faults.md` A11.
 */
const LOCK_TIMEOUT_MILLIS = 3_000
export const STATEMENT_TIMEOUT_MILLIS = 5_000
export const QUERY_TIMEOUT_MILLIS = 7_000
const LIMITS: PoolLimits = {
  connect: CONNECT_TIMEOUT_MILLIS,
  lock: LOCK_TIMEOUT_MILLIS,
  statement: STATEMENT_TIMEOUT_MILLIS,
  query: QUERY_TIMEOUT_MILLIS,
  idleInTransaction: 10_000,
}
/**
 * A connection is kept however long it rests: plans and parsed statements are its own, and the first payment after a quiet time would pay
 * for all of them again. It ends after an hour nevertheless, as soon as it is free: what the server keeps for it is given back, and a name
 * that leads elsewhere by then is followed. One that dies while it rests is found by keep-alives, and taken out (`error` below).
 */
const LIFETIME_SECONDS = 3_600

export const SEARCH_PATH = 'public,pg_temp'

/**
 * Sent with the connection, so they cost no round trip and no `alter role` can change them. `pg_temp` last: a temporary
 * table never shadows a real one. No sequential scans: a prepared plan outlives the statistics it was made from, and one
 * that scans a table of a hundred rows goes on scanning it, foreign key checks included, until the next analyze finds a
 * hundred thousand. Every statement has its index (`statements.test.ts`). No compiling of plans: where a table is so small that it
 * has nothing but a scan, servers before 18 take the forbidden scan for one that costs ten thousand million, and compile each
 * execution for half a second. One plan a statement, whatever the values (`plans-at-scale.test.ts`): once a table is analyzed, a plan
 * for the values alone may look cheaper, and from then on each execution would plan, for more than it costs to run.
 */
const SESSION_OPTIONS = [
  `search_path=${SEARCH_PATH}`,
  'TimeZone=UTC',
  'DateStyle=ISO,MDY',
  'enable_seqscan=off',
  'jit=off',
  'plan_cache_mode=force_generic_plan',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')

/** The pool every part of the program shares. Opens nothing until first used. */
export function createPool({ connection, max = 10, log, limits = LIMITS }: PoolSettings): Pool {
  const pool = new BoundedPool({
    ...targetOf(connection),
    max,
    application_name: 'mintmark',
    options: SESSION_OPTIONS,
    types: typeParsers,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    // Never.
    idleTimeoutMillis: 0,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    connectionTimeoutMillis: limits.connect,
    query_timeout: limits.query,
    statement_timeout: limits.statement,
    lock_timeout: limits.lock,
    idle_in_transaction_session_timeout: limits.idleInTransaction,
    verify: (client, done) => {
      refuseReadOnly(client).then(() => done(), done)
    },
  })
  pool.on('error', (error) => {
    // Not the error itself: it carries the client with all its settings.
    if (!pool.ending) log.warn('an idle database connection was lost', { sql_state: sqlState(error) })
  })
  // A client in use has no listener of the pool: without this one, a server that dies in mid-transaction would end the
  // program with an uncaught 'error'. The query in flight still rejects.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const holder = new AsyncLocalStorage<{ isHolding: boolean }>()

/**
 * Runs work that holds a connection. It cannot get a second one: where as many do that as there are connections, each waits for
 * another, and everything stands still until their time is over.
 */
export async function holdingConnection<T>(work: () => Promise<T>): Promise<T> {
  const held = { isHolding: true }
  try {
    return await holder.run(held, work)
  } finally {
    // What it began and left behind, a timer for instance, may ask for one from now on.
    held.isHolding = false
  }
}

/** A connection for some work; one that an error has made useless is closed, never handed to the next caller. */
export async function lend<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    return await work(client)
  } catch (error) {
    if (isUseless(error)) broken = error
    throw error
  } finally {
    client.release(broken ?? abandoned.has(client))
  }
}

const abandoned = new WeakSet<object>()

/** A connection that is lent is given to no caller after this one. */
export function abandon(client: object): void {
  abandoned.add(client)
}

type OnClient = (error: Error | undefined, client: PoolClient | undefined, done: (release?: unknown) => void) => void

/** The wait for a connection also ends with the time of the request it is for; no caller waits for a second one. */
class BoundedPool extends Pool {
  override connect(): Promise<PoolClient>
  override connect(callback: OnClient): void
  override connect(callback?: OnClient): Promise<PoolClient> | undefined {
    const connecting = this.#connect()
    if (callback === undefined) return connecting
    connecting.then(
      (client) => callback(undefined, client, (release?: unknown) => client.release(release !== undefined)),
      (error: Error) => callback(error, undefined, () => undefined),
    )
    return undefined
  }

  async #connect(): Promise<PoolClient> {
    if (holder.getStore()?.isHolding) throw new Error('Who holds a connection must not ask for another one.')
    checkBounds()
    const millis = remainingMillis()
    return millis < (this.options.connectionTimeoutMillis ?? 0)
      ? withinMillis(millis, super.connect())
      : super.connect()
  }
}

/** A connection that comes too late goes back to the pool. */
async function withinMillis(millis: number, connecting: Promise<PoolClient>): Promise<PoolClient> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('timeout exceeded when trying to connect')), millis)
  try {
    return await Promise.race([connecting, late])
  } catch (error) {
    connecting.then(
      (client) => client.release(),
      () => undefined,
    )
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Closes the pool, waiting for clients in use at most `waitMillis`. False when some were never given back: their work is
 * cut off when the process ends.
 */
export async function closePool(pool: Pool, waitMillis = 5_000): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(resolve, waitMillis, false)
  try {
    return await Promise.race([pool.end().then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Where to connect to, as the driver takes it. */
export function targetOf(connection: Connection): object {
  if (typeof connection !== 'string') return connection
  // The driver lets the URL win over our settings, which would unpin search_path and time zone.
  if (/[?&]options=/.test(connection)) throw new Error('The database URL must not carry an "options" parameter.')
  return { connectionString: connection }
}

/**
 * A standby, or a server that takes no writes, reads stale and never recovers by itself: such a connection is closed, and
 * the next one may reach the new primary (`faults.md` A6). A connection that turns read-only later is closed where the
 * 25006 appears (`transaction`, `pool.query`).
 */
export async function refuseReadOnly(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ readOnly: boolean }>(
    `select pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as "readOnly"`,
  )
  if (rows[0]?.readOnly !== false) throw new ReadOnlyDatabaseError()
}

const INT8 = 20
const INT8_ARRAY = 1016
const DATE = 1082

/**
 * For this pool only; the driver's own table is global and other code may rely on it. int8 is money or a position in the
 * feed: exact or nothing. A `date` stays text: the driver would make it midnight of the machine's time zone.
 */
export const typeParsers = { getTypeParser }

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (format !== 'binary') {
    if (oid === INT8) return BigInt
    if (oid === INT8_ARRAY) return parseInt8Array
    if (oid === DATE) return String
  }
  return types.getTypeParser(oid, format)
}

/** One dimension, as `array_agg` gives it: `{1,NULL,3}`. */
function parseInt8Array(text: string): (bigint | null)[] {
  const inner = text.slice(1, -1)
  if (inner === '') return []
  return inner.split(',').map((item) => (item === 'NULL' ? null : BigInt(item)))
}
