import type { FastifyReply, FastifyRequest } from 'fastify'
import { PublicError } from '../platform/errors.ts'
import { rateLimited } from './errors.ts'
import type { AnyLimit } from './limit.ts'
import type { Along, Counted, Fullness, RateLimiter } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** How full the limits of refusals were when the row's own limit was counted; null when it was not looked at. */
    fullest: Fullness | null
  }
}

/**
 * A step that takes one point of a limit by the limit's own key, and looks at the limits of refusals in the same question.
 * The host is not built when the limiter lacks a limit.
 */
export function limitStep(limiter: RateLimiter, limit: AnyLimit, refusals: readonly AnyLimit[] = []) {
  const ahead = limit.ahead === undefined ? [] : [limit.ahead]
  for (const each of [limit, ...ahead, ...refusals]) limiter.quotaOf(each)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // The types were checked where the row was declared: a limit counts callers of its own row.
    const count = (of: AnyLimit): Counted => [of, of.by(request.caller as never, request)]
    const along = { look: refusals.map(count), ahead: ahead.map(count) }
    request.fullest = await applyRateLimit(limiter, count(limit), reply, along)
  }
}

/** Gives back the point that `limitStep` has taken for a request. */
export function givingBack(limiter: RateLimiter, limit: AnyLimit | null): (request: FastifyRequest) => void {
  return (request) => {
    if (limit !== null) limiter.giveBack(limit, limit.by(request.caller as never, request))
  }
}

/**
 * Takes a point and tells the caller how much is left, in the fields of draft-ietf-httpapi-ratelimit-headers-09:
 * `RateLimit-Policy: "orders";q=600;w=60` and `RateLimit: "orders";r=42;t=17`. Returns what was seen of the keys to look at.
 */
export async function applyRateLimit(
  limiter: RateLimiter,
  [limit, key]: Counted,
  reply: FastifyReply,
  along?: Along,
): Promise<Fullness | null> {
  try {
    const usage = await limiter.consume(limit, key, along)
    if (usage !== null) writeFields(limiter, limit, usage.remaining, usage.resetSeconds, reply)
    return usage?.fullest ?? null
  } catch (error) {
    if (error instanceof PublicError && error.code === rateLimited.code) {
      writeFields(limiter, limit, 0, error.retryAfterSeconds ?? 1, reply)
    }
    throw error
  }
}

function writeFields(
  limiter: RateLimiter,
  limit: AnyLimit,
  remaining: number,
  seconds: number,
  reply: FastifyReply,
): void {
  const { points, windowSeconds } = limiter.quotaOf(limit)
  reply.header('ratelimit-policy', `"${limit.name}";q=${points};w=${windowSeconds}`)
  reply.header('ratelimit', `"${limit.name}";r=${remaining};t=${seconds}`)
}
