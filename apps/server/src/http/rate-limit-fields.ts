import type { FastifyReply, FastifyRequest } from 'fastify'
import { PublicError } from '../platform/errors.ts'
import { rateLimited } from './errors.ts'
import type { AnyLimit } from './limit.ts'
import type { RateLimiter } from './rate-limit.ts'

/** A step that takes one point of a limit by the limit's own key. The host is not built when the limiter lacks the limit. */
export function limitStep(limiter: RateLimiter, limit: AnyLimit) {
  limiter.quotaOf(limit)
  return (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    // The types were checked where the row was declared: a limit counts callers of its own row.
    applyRateLimit(limiter, limit, limit.by(request.caller as never, request), reply)
}

/**
 * Takes a point and tells the caller how much is left, in the fields of draft-ietf-httpapi-ratelimit-headers-09:
 * `RateLimit-Policy: "orders";q=600;w=60` and `RateLimit: "orders";r=42;t=17`.
 */
export async function applyRateLimit(
  limiter: RateLimiter,
  limit: AnyLimit,
  key: string,
  reply: FastifyReply,
): Promise<void> {
  try {
    const usage = await limiter.consume(limit, key)
    if (usage !== null) writeFields(limiter, limit, usage.remaining, usage.resetSeconds, reply)
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
