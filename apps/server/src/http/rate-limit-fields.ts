import type { FastifyReply, FastifyRequest } from 'fastify'
import { PublicError } from '../platform/errors.ts'
import type { LimitName, RateLimiter } from './rate-limit.ts'

/**
 * Takes a point and tells the caller where it stands, in the fields of draft-ietf-httpapi-ratelimit-headers-09:
 * `RateLimit-Policy: "merchant";q=600;w=60` and `RateLimit: "merchant";r=42;t=17`.
 */
export async function applyRateLimit(
  limiter: RateLimiter,
  name: LimitName,
  key: string,
  reply: FastifyReply,
): Promise<void> {
  try {
    const usage = await limiter.consume(name, key)
    if (usage !== null) writeFields(limiter, name, usage.remaining, usage.resetSeconds, reply)
  } catch (error) {
    if (error instanceof PublicError && error.code === 'RATE_LIMITED') {
      writeFields(limiter, name, 0, error.retryAfterSeconds ?? 1, reply)
    }
    throw error
  }
}

function writeFields(
  limiter: RateLimiter,
  name: LimitName,
  remaining: number,
  seconds: number,
  reply: FastifyReply,
): void {
  const { points, windowSeconds } = limiter.limitOf(name)
  reply.header('ratelimit-policy', `"${name}";q=${points};w=${windowSeconds}`)
  reply.header('ratelimit', `"${name}";r=${remaining};t=${seconds}`)
}

/** What each limit counts by: the merchant, the session, or the client's address. */
export function limitKey(name: LimitName, request: FastifyRequest): string {
  const { caller } = request
  switch (name) {
    case 'merchant':
      return caller?.merchantId ?? request.ip
    case 'surface':
    case 'surface_secret_entry':
      return caller !== null && 'sessionId' in caller ? `${caller.merchantId}:${caller.sessionId}` : request.ip
    case 'launch':
    case 'document':
    case 'failed_authentication':
      return request.ip
  }
}
