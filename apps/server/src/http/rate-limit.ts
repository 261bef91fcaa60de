import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { unbounded } from '../platform/bounds.ts'
import { PublicError, unavailable } from '../platform/errors.ts'
import { rateLimited } from './errors.ts'
import type { AnyLimit, Quota } from './limit.ts'

/** How much of a limit is used; `remaining` is what this node knows, other nodes may hold some of it. */
export interface RateUsage {
  limit: number
  remaining: number
  resetSeconds: number
}

export interface RateLimiter {
  /** Takes one point, or throws RATE_LIMITED. Null: the store is down and this limit lets requests through. */
  consume(limit: AnyLimit, key: string): Promise<RateUsage | null>
  /** How much the fullest of these is used, from 0 to 1, in one question. Takes nothing. */
  fullest(keys: readonly (readonly [AnyLimit, string])[]): Promise<{ share: number; resetSeconds: number }>
  /** The numbers in force. Throws for a limit the limiter was not built with. */
  quotaOf(limit: AnyLimit): Quota
}

export interface RateLimiterDeps {
  pool: Pool
  limits: readonly AnyLimit[]
  /** Configured points by the limit's name; the declared ones where a name is absent. */
  points?: Readonly<Record<string, number>>
}

const TABLE = 'rate_limits'
/** The table's key column holds 255 characters, the limit's name among them. */
const LONGEST_KEY = 200
/** A block of points taken from the store serves this fraction of the limit without another round trip. */
const BLOCKS_PER_LIMIT = 100
const MOST_SHARES = 20_000

/** Rate limits that hold over all nodes together, counted in PostgreSQL. */
export function createRateLimiter({ pool, limits, points = {} }: RateLimiterDeps): RateLimiter {
  const counters = new Map<AnyLimit, Counter>()
  for (const [place, limit] of limits.entries()) {
    const quota = { points: points[limit.name] ?? limit.points, windowSeconds: limit.windowSeconds }
    counters.set(limit, createCounter(pool, limit.name, quota, place === 0))
  }
  const counterOf = (limit: AnyLimit): Counter => {
    const counter = counters.get(limit)
    if (counter === undefined) throw new Error(`The rate limiter was built without the limit "${limit.name}".`)
    return counter
  }
  return {
    quotaOf: (limit) => counterOf(limit).quota,
    async fullest(keys) {
      const quotas = new Map(keys.map(([limit, key]) => [`${limit.name}:${idOf(key)}`, counterOf(limit).quota.points]))
      try {
        return await readFullest(pool, quotas)
      } catch (error) {
        if (keys.every(([limit]) => limit.withoutStore === 'pass')) return { share: 0, resetSeconds: 0 }
        throw unavailable({ cause: error, retryAfterSeconds: 2 })
      }
    },
    async consume(limit, key) {
      const counter = counterOf(limit)
      try {
        return await counter.take(key)
      } catch (error) {
        if (error instanceof PublicError) throw error
        if (limit.withoutStore === 'refuse') throw unavailable({ cause: error, retryAfterSeconds: 2 })
        return null
      }
    },
  }
}

async function readFullest(pool: Pool, quotas: ReadonlyMap<string, number>) {
  const now = Date.now()
  const { rows } = await pool.query<{ key: string; points: number; expire: bigint }>({
    name: 'rate_limits.fullest',
    text: `select key, points, expire from ${TABLE} where key = any($1) and expire > $2`,
    values: [[...quotas.keys()], now],
  })
  let [share, resetSeconds] = [0, 0]
  for (const { key, points, expire } of rows) {
    const used = points / (quotas.get(key) ?? points)
    if (used >= 1) resetSeconds = Math.max(resetSeconds, Math.ceil((Number(expire) - now) / 1000))
    share = Math.max(share, used)
  }
  return { share, resetSeconds }
}

/** The key as it is stored: long ones as a hash. */
function idOf(key: string): string {
  return key.length > LONGEST_KEY ? createHash('sha256').update(key).digest('base64url') : key
}

interface Counter {
  quota: Quota
  take(key: string): Promise<RateUsage>
}

/** This node's part of one key's points in the current window. */
interface Share {
  points: number
  /** Points the store still had when asked last. */
  inStore: number
  exhausted: boolean
  /** On the monotonic timer, in milliseconds. */
  endsAt: number
  /** Set while more points are being fetched; all callers wait for the one fetch. */
  fetching: Promise<void> | null
  waiting: number
}

function createCounter(pool: Pool, name: string, quota: Quota, sweeps: boolean): Counter {
  const store = createStore(pool, name, quota, sweeps)
  const block = Math.max(1, Math.floor(quota.points / BLOCKS_PER_LIMIT))
  const shares = new Map<string, Share>()

  async function take(key: string): Promise<RateUsage> {
    const id = idOf(key)
    const share = shares.get(id) ?? openShare(shares, id)
    let waits = false
    try {
      for (;;) {
        if (performance.now() < share.endsAt) {
          if (share.points > 0) return use(share, quota)
          if (share.exhausted) throw rateLimited({ retryAfterSeconds: secondsLeft(share) })
        }
        if (!waits) {
          waits = true
          share.waiting += 1
        }
        share.fetching ??= fetchPoints(store, id, share, block, quota).finally(() => {
          share.fetching = null
        })
        await share.fetching
      }
    } finally {
      if (waits) share.waiting -= 1
    }
  }
  return { quota, take }
}

/** Forgetting a share gives up its points until the window ends: stricter for that key, never looser. */
function openShare(shares: Map<string, Share>, id: string): Share {
  if (shares.size >= MOST_SHARES) shares.delete(shares.keys().next().value ?? '')
  const share = { points: 0, inStore: 0, exhausted: false, endsAt: 0, fetching: null, waiting: 0 }
  shares.set(id, share)
  return share
}

/** The store grants points in one atomic statement, so all nodes together never hold more than the limit. */
async function fetchPoints(store: RateLimiterPostgres, id: string, share: Share, block: number, quota: Quota) {
  const asked = Math.max(block, share.waiting)
  // Others wait for the same points: they must not end with the first caller.
  const answer = await unbounded(() => store.consume(id, asked)).catch((refused: unknown) => {
    // The library rejects with a result when the limit is passed, with an error when the store fails.
    if (refused instanceof RateLimiterRes) return refused
    throw refused
  })
  const before = answer.consumedPoints - asked
  const granted = Math.max(0, Math.min(asked, quota.points - before))
  // Nothing is left over to add to: points are fetched only when there are none or their window has ended.
  share.points = granted
  share.inStore = Math.max(0, quota.points - answer.consumedPoints)
  share.exhausted = granted === 0
  share.endsAt = performance.now() + answer.msBeforeNext
}

function use(share: Share, quota: Quota): RateUsage {
  share.points -= 1
  return { limit: quota.points, remaining: share.points + share.inStore, resetSeconds: secondsLeft(share) }
}

function secondsLeft(share: Share): number {
  return Math.max(1, Math.ceil((share.endsAt - performance.now()) / 1000))
}

function createStore(pool: Pool, name: string, quota: Quota, sweeps: boolean): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: numericExpiry(pool),
    storeType: 'client',
    tableName: TABLE,
    // A migration makes it.
    tableCreated: true,
    keyPrefix: name,
    points: quota.points,
    duration: quota.windowSeconds,
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
