import { waitAway } from '../platform/bounds.ts'
import { type DeclaredError, PublicError } from '../platform/errors.ts'
import { rateLimited } from './errors.ts'
import type { Limit } from './limit.ts'
import type { Counted, Fullness, RateLimiter } from './rate-limit.ts'

/**
 * Answers that tell a guesser something: only so many of these errors are given, counted by several keys at the same time.
 * The number of requests is not what counts: a try that is right uses up nothing.
 */
export interface Refusals<Caller> {
  errors: readonly DeclaredError[]
  limits: readonly Limit<Caller>[]
}

/** From this share of a limit on each further try waits, up to the longest wait when the limit is reached. */
const SLOW_FROM = 0.5
const MAX_WAIT_MILLIS = 3_000
/**
 * So many tries wait at a time in one process; more are told to come again. Each holds a place among the requests in hand: from a few
 * addresses, with a key that everyone can read, all places could be held by waiting.
 */
const MAX_WAITING = 8
let waiting = 0

/**
 * A look at the counters is good for so long. A body may take seconds to arrive: a guesser who had many tries looked
 * at, and then sent them one after the other, would be told of each.
 */
const LOOK_MILLIS = 250

/** Does the work, slowed down and then refused while too many of its answers were refusals. */
export async function countingRefusals<T>(
  limiter: RateLimiter,
  { errors, keys }: { errors: Refusals<never>['errors']; keys: readonly Counted[] },
  /** What was seen of the keys when the row's own limit was counted; null: it was not looked at, and is now. */
  seen: Fullness | null,
  work: () => Promise<T>,
): Promise<T> {
  const look = async () => refuseWhenFull(await limiter.fullest(keys))
  const share = seen !== null && isFresh(seen) ? refuseWhenFull(seen) : await look()
  if (share > SLOW_FROM) {
    await slowDown((MAX_WAIT_MILLIS * (share - SLOW_FROM)) / (1 - SLOW_FROM))
    await look()
  }
  try {
    return await work()
  } catch (error) {
    const isCounted = error instanceof PublicError && errors.some(({ code }) => code === error.code)
    // Tries at the same time all passed the look above: beyond the limit their answers are withheld.
    if (isCounted) await count(limiter, keys)
    throw error
  }
}

async function slowDown(millis: number): Promise<void> {
  if (waiting >= MAX_WAITING) throw rateLimited({ retryAfterSeconds: Math.ceil(millis / 1000) })
  waiting += 1
  try {
    await waitAway(millis)
  } finally {
    waiting -= 1
  }
}

function isFresh({ seenAt }: Fullness): boolean {
  return performance.now() - seenAt < LOOK_MILLIS
}

/** Returns the share that is used. */
function refuseWhenFull({ share, resetSeconds }: Fullness): number {
  if (share >= 1) throw rateLimited({ retryAfterSeconds: resetSeconds })
  return share
}

/**
 * A point of each, also when one of them has none left. The store is asked once: what the first needs of it brings the points
 * of the others along.
 */
async function count(limiter: RateLimiter, keys: readonly Counted[]): Promise<void> {
  const refusals: unknown[] = []
  for (const [place, [limit, key]] of keys.entries()) {
    await limiter.consume(limit, key, { look: [], ahead: keys.slice(place + 1) }).catch((error) => refusals.push(error))
  }
  if (refusals.length > 0) throw refusals[0]
}
