import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import type { Queryable } from '../db/statement.ts'
import { unbounded } from '../platform/bounds.ts'
import { PublicError, unavailable } from '../platform/errors.ts'
import { remember } from '../platform/remember.ts'
import { rateLimited } from './errors.ts'
import type { AnyLimit, Quota } from './limit.ts'
import { BEYOND_ANY_MILLIS, deleteEnded, listCounts, takePoints } from './rate-limit-store.ts'

/** How much of a limit is used; `remaining` is what this node knows, other nodes may hold some of it. */
export interface RateUsage {
  limit: number
  remaining: number
  resetSeconds: number
  /** How full the keys to look at are, when the store was asked for this very point; else null. */
  fullest: Fullness | null
}

/** How much the fullest of several keys is used, from 0 to 1, and when the used up ones are whole again. */
export interface Fullness {
  share: number
  resetSeconds: number
  /** On the monotonic timer, in milliseconds. */
  seenAt: number
}

/** What a limit counts, and by which key. */
export type Counted = readonly [limit: AnyLimit, key: string]

/** What the store is asked along with a point, in the same question. When the point is at hand it is not asked at all. */
export interface Along {
  /** Nothing is taken of these; `fullest` tells of them. */
  look: readonly Counted[]
  /** This node takes its next block of these, for the calls that follow. */
  ahead: readonly Counted[]
}

export interface RateLimiter {
  /** Takes one point, or throws RATE_LIMITED. Null: the store is down and this limit lets requests through. */
  consume(limit: AnyLimit, key: string, along?: Along): Promise<RateUsage | null>
  /** Gives back a point that was taken for nothing, while its window lasts. */
  giveBack(limit: AnyLimit, key: string): void
  /** How much the fullest of these is used, in one question. Takes nothing. */
  fullest(keys: readonly Counted[]): Promise<Fullness>
  /** The numbers in force. Throws for a limit the limiter was not built with. */
  quotaOf(limit: AnyLimit): Quota
}

export interface RateLimiterDeps {
  pool: Pool
  limits: readonly AnyLimit[]
  /** Configured points by the limit's name; the declared ones where a name is absent. */
  points?: Readonly<Record<string, number>>
}

/** The table's key column holds 255 characters, the limit's name among them. */
const MAX_KEY_LENGTH = 200
/** A block of points taken from the store serves this fraction of the limit without another round trip. */
const BLOCKS_PER_LIMIT = 100
const MAX_SHARES = 20_000
const SWEEP_MILLIS = 300_000
export const KEPT_AFTER_END_MILLIS = 3_600_000
/** Rows that one statement of a sweep looks at. */
const SWEPT_AT_ONCE = 10_000

/** Rate limits that hold over all nodes together, counted in PostgreSQL. */
export function createRateLimiter({ pool, limits, points = {} }: RateLimiterDeps): RateLimiter {
  const counters = new Map(limits.map((limit) => [limit, createCounter(limit, points[limit.name] ?? limit.points)]))
  const counterOf = (limit: AnyLimit): Counter => {
    const counter = counters.get(limit)
    if (counter === undefined) throw new Error(`The rate limiter was built without the limit "${limit.name}".`)
    return counter
  }
  const quotasOf = (keys: readonly Counted[]) =>
    new Map(keys.map(([limit, key]) => [storedKey(limit, key), counterOf(limit).quota]))
  const store = storeOf(pool)
  let isSweeping = false
  const sweeping = setInterval(() => {
    // After the service there is nothing to sweep, and no other code would end this timer.
    if (pool.ended) return clearInterval(sweeping)
    if (isSweeping) return
    isSweeping = true
    // Rows that stay are harmless, and the next sweep begins anew.
    sweep(store)
      .catch(() => undefined)
      .finally(() => {
        isSweeping = false
      })
  }, SWEEP_MILLIS).unref()
  return {
    quotaOf: (limit) => counterOf(limit).quota,
    giveBack(limit, key) {
      const share = counterOf(limit).shares.get(storedKey(limit, key))
      if (share !== undefined && performance.now() < share.endsAt) share.points += 1
    },
    async fullest(keys) {
      const quotas = quotasOf(keys)
      try {
        return fullestOf(await listCounts(store, { keys: [...quotas.keys()] }), quotas)
      } catch (error) {
        if (keys.every(([limit]) => limit.withoutStore === 'pass'))
          return { share: 0, resetSeconds: 0, seenAt: performance.now() }
        throw unavailable({ cause: error, retryAfterSeconds: 2 })
      }
    },
    async consume(limit, key, { look, ahead } = { look: [], ahead: [] }) {
      const shares = [[limit, key] as const, ...ahead].map(([of, by]) => shareOf(counterOf(of), by))
      try {
        return await take(store, shares, quotasOf(look))
      } catch (error) {
        if (error instanceof PublicError) throw error
        if (limit.withoutStore === 'refuse') throw unavailable({ cause: error, retryAfterSeconds: 2 })
        return null
      }
    },
  }
}

/** Each write is one statement. A count is no change that a command would record. */
function storeOf(pool: Pool): Queryable {
  return { query: pool.query.bind(pool) } as Queryable
}

/** All of the table, a page at a time: a caller who is refused leaves a row for each address. */
async function sweep(store: Queryable): Promise<void> {
  let page = await sweepPage(store, '')
  while (page?.lookedAt === SWEPT_AT_ONCE && page.lastKey !== null) page = await sweepPage(store, page.lastKey)
}

function sweepPage(store: Queryable, after: string) {
  return deleteEnded(store, { after, keptMillis: KEPT_AFTER_END_MILLIS, limit: SWEPT_AT_ONCE })
}

/** The key as it is stored: long ones as a hash. */
function storedKey({ name }: AnyLimit, key: string): string {
  return `${name}:${key.length > MAX_KEY_LENGTH ? createHash('sha256').update(key).digest('base64url') : key}`
}

interface Counter {
  limit: AnyLimit
  quota: Quota
  /** How many points are taken from the store at a time. */
  block: number
  shares: Map<string, Share>
}

/** This node's part of one key's points in the current window. */
interface Share {
  key: string
  counter: Counter
  points: number
  /** Points the store still had when asked last. */
  inStore: number
  exhausted: boolean
  /** On the monotonic timer, in milliseconds. */
  endsAt: number
  /** Set while more points are being fetched; all callers wait for the one fetch. */
  fetching: Promise<unknown> | null
  waiting: number
}

function createCounter(limit: AnyLimit, points: number): Counter {
  const quota = { points, windowSeconds: limit.windowSeconds }
  return {
    limit,
    quota,
    block: Math.max(1, Math.floor(points / (limit.blocks ?? BLOCKS_PER_LIMIT))),
    shares: new Map(),
  }
}

/** Forgetting a share gives up its points until the window ends: stricter for that key, never looser. */
function shareOf(counter: Counter, by: string): Share {
  const { shares, limit } = counter
  const key = storedKey(limit, by)
  const known = shares.get(key)
  if (known !== undefined) return known
  const share = { key, counter, points: 0, inStore: 0, exhausted: false, endsAt: 0, fetching: null, waiting: 0 }
  remember(shares, MAX_SHARES, key, share)
  return share
}

/** One point of the first share. When the store has to be asked for it, the others are filled with the same question. */
async function take(store: Queryable, shares: Share[], looked: ReadonlyMap<string, Quota>): Promise<RateUsage> {
  const [share, ...ahead] = shares as [Share, ...Share[]]
  let waits = false
  let fullest: Fullness | null = null
  try {
    for (;;) {
      if (performance.now() < share.endsAt) {
        if (share.points > 0) return use(share, fullest)
        if (share.exhausted) throw rateLimited({ retryAfterSeconds: secondsLeft(share) })
      }
      if (!waits) {
        waits = true
        share.waiting += 1
      }
      if (share.fetching === null) fullest = await fetchPoints(store, [share, ...ahead.filter(isEmpty)], looked)
      else await share.fetching
    }
  } finally {
    if (waits) share.waiting -= 1
  }
}

function isEmpty({ points, exhausted, endsAt, fetching }: Share): boolean {
  return fetching === null && (performance.now() >= endsAt || (points === 0 && !exhausted))
}

/** The store counts in one atomic statement, so all nodes together never hold more than the limit. */
async function fetchPoints(store: Queryable, shares: readonly Share[], looked: ReadonlyMap<string, Quota>) {
  const asked = shares.map((share) => ({ share, points: Math.max(share.counter.block, share.waiting) }))
  // Others wait for the same points: they must not end with the first caller.
  const question = unbounded(() =>
    takePoints(store, {
      keys: shares.map(({ key }) => key),
      points: asked.map(({ points }) => points),
      windows: shares.map(({ counter }) => counter.quota.windowSeconds * 1000),
      looked: [...looked.keys()],
    }),
  )
  for (const share of shares) share.fetching = question
  try {
    const rows = await question
    const taken = new Map(rows.filter(({ wasTaken }) => wasTaken).map((row) => [row.key, row]))
    for (const { share, points } of asked) fill(share, points, taken.get(share.key))
    return fullestOf(
      rows.filter(({ wasTaken }) => !wasTaken),
      looked,
    )
  } finally {
    for (const share of shares) share.fetching = null
  }
}

interface Count {
  points: number
  leftMillis: bigint
}

function fill(share: Share, asked: number, count: Count | undefined): void {
  if (count === undefined) throw new Error('A count was not returned.')
  const { quota } = share.counter
  const granted = Math.max(0, Math.min(asked, quota.points - (count.points - asked)))
  // Nothing is left over to add to: points are fetched only when there are none or their window has ended.
  share.points = granted
  share.inStore = Math.max(0, quota.points - count.points)
  share.exhausted = granted === 0
  share.endsAt = performance.now() + Math.max(0, Number(count.leftMillis))
}

function fullestOf(counts: readonly (Count & { key: string })[], quotas: ReadonlyMap<string, Quota>): Fullness {
  const seenAt = performance.now()
  let [share, resetSeconds] = [0, 0]
  for (const { key, points, leftMillis } of counts) {
    const quota = quotas.get(key)
    if (quota === undefined || leftMillis > quota.windowSeconds * 1000 + BEYOND_ANY_MILLIS) continue
    const used = points / quota.points
    if (used >= 1) resetSeconds = Math.max(resetSeconds, Math.ceil(Number(leftMillis) / 1000))
    share = Math.max(share, used)
  }
  return { share, resetSeconds, seenAt }
}

function use(share: Share, fullest: Fullness | null): RateUsage {
  share.points -= 1
  const { quota } = share.counter
  return { limit: quota.points, remaining: share.points + share.inStore, resetSeconds: secondsLeft(share), fullest }
}

function secondsLeft(share: Share): number {
  return Math.max(1, Math.ceil((share.endsAt - performance.now()) / 1000))
}
