import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { PublicError, unavailable } from '../platform/errors.ts'
import type { RateLimitName } from './route.ts'

/** The limits rows may name, and the one every host applies to credentials that are refused. */
export type LimitName = Exclude<RateLimitName, 'none'> | 'failed_authentication'

export interface Limit {
  readonly points: number
  readonly windowSeconds: number
}

/** How much of a limit is used; `remaining` is what this node knows, other nodes may hold some of it. */
export interface RateUsage {
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
}

export interface RateLimiter {
  /** Takes one point, or throws RATE_LIMITED. Null: the store is down and this limit lets requests through. */
  consume(name: LimitName, key: string): Promise<RateUsage | null>
  limitOf(name: LimitName): Limit
}

export interface RateLimiterDeps {
  readonly pool: Pool
  readonly limits: Readonly<Record<LimitName, Limit>>
}

const TABLE = 'rate_limits'
/** The table's key column holds 255 characters, the limit's name among them. */
const LONGEST_KEY = 200
/** A block of points taken from the store serves this fraction of the limit without another round trip. */
const BLOCKS_PER_LIMIT = 100
const MOST_SHARES = 20_000

/**
 * Without the store these refuse: they stand between a guesser and a launch secret, a card or a step-up code. The others
 * let requests through: a limit protects the service, and its own outage must not be one. (What the request then needs of
 * the database fails by itself, so little is gained by passing.)
 */
const REFUSED_WITHOUT_STORE: ReadonlySet<LimitName> = new Set(['launch', 'surface_secret_entry'])

/** Rate limits that hold over all nodes together, counted in PostgreSQL. */
export function createRateLimiter({ pool, limits }: RateLimiterDeps): RateLimiter {
  const names = Object.keys(limits) as LimitName[]
  const counters = new Map(names.map((name, place) => [name, createCounter(pool, name, limits[name], place === 0)]))
  return Object.freeze({
    limitOf: (name: LimitName) => limits[name],
    consume: async (name: LimitName, key: string) => {
      const counter = counters.get(name)
      if (counter === undefined) throw new Error(`There is no rate limit "${name}".`)
      try {
        return await counter.take(key)
      } catch (error) {
        if (error instanceof PublicError) throw error
        if (REFUSED_WITHOUT_STORE.has(name)) throw unavailable({ cause: error, retryAfterSeconds: 2 })
        return null
      }
    },
  })
}

/** This node's part of one key's points in the current window. */
interface Share {
  points: number
  /** Points the store still had when asked last. */
  inStore: number
  exhausted: boolean
  /** On the monotonic timer, in milliseconds. */
  endsAt: number
  /** Set while more points are being fetched; everybody waits for the one fetch. */
  fetching: Promise<void> | null
  waiting: number
}

function createCounter(pool: Pool, name: LimitName, limit: Limit, sweeps: boolean) {
  const store = createStore(pool, name, limit, sweeps)
  const block = Math.max(1, Math.floor(limit.points / BLOCKS_PER_LIMIT))
  const shares = new Map<string, Share>()

  async function take(key: string): Promise<RateUsage> {
    const id = key.length > LONGEST_KEY ? createHash('sha256').update(key).digest('base64url') : key
    const share = shares.get(id) ?? openShare(shares, id)
    let waits = false
    try {
      for (;;) {
        if (performance.now() < share.endsAt) {
          if (share.points > 0) return use(share, limit)
          if (share.exhausted) throw rateLimited(secondsLeft(share))
        }
        if (!waits) {
          waits = true
          share.waiting += 1
        }
        share.fetching ??= fetchPoints(store, id, share, block, limit).finally(() => {
          share.fetching = null
        })
        await share.fetching
      }
    } finally {
      if (waits) share.waiting -= 1
    }
  }
  return { take }
}

/** Forgetting a share gives up its points until the window ends: stricter for that key, never looser. */
function openShare(shares: Map<string, Share>, id: string): Share {
  if (shares.size >= MOST_SHARES) shares.delete(shares.keys().next().value ?? '')
  const share = { points: 0, inStore: 0, exhausted: false, endsAt: 0, fetching: null, waiting: 0 }
  shares.set(id, share)
  return share
}

/** The store grants points in one atomic statement, so all nodes together never hold more than the limit. */
async function fetchPoints(store: RateLimiterPostgres, id: string, share: Share, block: number, limit: Limit) {
  const asked = Math.max(block, share.waiting)
  const answer = await store.consume(id, asked).catch((refused: unknown) => {
    // The library rejects with a result when the limit is passed, with an error when the store fails.
    if (refused instanceof RateLimiterRes) return refused
    throw refused
  })
  const before = answer.consumedPoints - asked
  const granted = Math.max(0, Math.min(asked, limit.points - before))
  // Nothing is left over to add to: points are fetched only when there are none or their window has ended.
  share.points = granted
  share.inStore = Math.max(0, limit.points - answer.consumedPoints)
  share.exhausted = granted === 0
  share.endsAt = performance.now() + answer.msBeforeNext
}

function use(share: Share, limit: Limit): RateUsage {
  share.points -= 1
  return { limit: limit.points, remaining: share.points + share.inStore, resetSeconds: secondsLeft(share) }
}

function secondsLeft(share: Share): number {
  return Math.max(1, Math.ceil((share.endsAt - performance.now()) / 1000))
}

function rateLimited(seconds: number): PublicError {
  return new PublicError('RATE_LIMITED', 'Too many requests. Try again later.', { retryAfterSeconds: seconds })
}

function createStore(pool: Pool, name: LimitName, limit: Limit, sweeps: boolean): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: numericExpiry(pool),
    storeType: 'client',
    tableName: TABLE,
    // A migration makes it.
    tableCreated: true,
    keyPrefix: name,
    points: limit.points,
    duration: limit.windowSeconds,
    // One of the counters deletes the whole table's outdated rows, every five minutes.
    clearExpiredByTimeout: sweeps,
  })
}

/** Our pool reads int8 as bigint; the library calculates with numbers. Milliseconds fit. */
function numericExpiry(pool: Pool) {
  return {
    query: async (query: { text: string; values: unknown[] }) => {
      const result = await pool.query<{ expire?: bigint | number }>(query)
      for (const row of result.rows) if (row.expire != null) row.expire = Number(row.expire)
      return result
    },
  }
}
