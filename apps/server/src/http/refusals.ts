import { setTimeout as delay } from 'node:timers/promises'
import { type DeclaredError, PublicError } from '../platform/errors.ts'
import { rateLimited } from './errors.ts'
import type { Limit } from './limit.ts'
import type { Counted, Fullness, RateLimiter } from './rate-limit.ts'

/**
 * Answers that tell a guesser something: of these errors only so many are given, counted by several keys at the same time.
 * The number of requests is not what counts: who is right is never slowed down.
 */
export interface Refusals<Caller> {
  errors: readonly DeclaredError[]
  limits: readonly Limit<Caller>[]
}

/** From this share of a limit on each further try waits, up to the longest wait when the limit is reached. */
const SLOW_FROM = 0.5
const LONGEST_WAIT_MILLIS = 3_000

/** Does the work, slowed down and then refused while too many of its answers were refusals. */
export async function countingRefusals<T>(
  limiter: RateLimiter,
  { errors, keys }: { errors: Refusals<never>['errors']; keys: readonly Counted[] },
  /** What was seen of the keys when the row's own limit was counted; null: it was not looked at, and is now. */
  seen: Fullness | null,
  work: () => Promise<T>,
): Promise<T> {
  const { share, resetSeconds } = seen ?? (await limiter.fullest(keys))
  if (share >= 1) throw rateLimited({ retryAfterSeconds: resetSeconds })
  if (share > SLOW_FROM) await delay((LONGEST_WAIT_MILLIS * (share - SLOW_FROM)) / (1 - SLOW_FROM))
  try {
    return await work()
  } catch (error) {
    const isCounted = error instanceof PublicError && errors.some(({ code }) => code === error.code)
    // Tries at the same time all passed the look above: beyond the limit their answers are withheld.
    if (isCounted) await count(limiter, keys)
    throw error
  }
}

/** A point of each. The store is asked once: what the first needs of it brings the points of the others along. */
async function count(limiter: RateLimiter, keys: readonly Counted[]): Promise<void> {
  for (const [place, [limit, key]] of keys.entries()) {
    await limiter.consume(limit, key, { look: [], ahead: keys.slice(place + 1) })
  }
}
