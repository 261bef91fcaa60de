import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PublicError } from '../platform/errors.ts'
import type { RateLimiter } from './rate-limit.ts'
import { applyRateLimit } from './rate-limit-fields.ts'

/** Refused with these, the credential was a real one: an expired or revoked session is no guess. */
const NOT_A_GUESS: ReadonlySet<string> = new Set(['AUTH_1003', 'AUTH_1004'])
const MOST_REMEMBERED = 10_000

/** Slows down whoever tries credentials. Each refusal counts against the client's address. */
export interface AuthenticationGuard {
  /** Throws RATE_LIMITED while the address is blocked, unless this very credential was good a moment ago. */
  check(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined
  /** Called with what the authenticator threw; resolves to what to throw instead. */
  failed(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<unknown>
  succeeded(request: FastifyRequest): void
}

/**
 * An address may be a proxy or an office shared by an attacker and honest merchants. So once an address has failed, the
 * credentials that succeed from it are remembered (hashed), and stay welcome while the address is blocked: one prankster
 * cannot lock the others out. The common case, an address without failures, costs one map look-up.
 */
export function createAuthenticationGuard(limiter: RateLimiter): AuthenticationGuard {
  /** Addresses that failed; true once the limit refused one. */
  const suspects = new Map<string, boolean>()
  const welcome = new Map<string, true>()

  async function count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    remember(suspects, request.ip, true)
    await applyRateLimit(limiter, 'failed_authentication', request.ip, reply)
    remember(suspects, request.ip, false)
  }

  return {
    check(request, reply) {
      if (suspects.get(request.ip) !== true || welcome.has(credentialHash(request))) return undefined
      // Throws until the window is over.
      return count(request, reply)
    },
    async failed(request, reply, error) {
      if (!(error instanceof PublicError) || error.status !== 401 || NOT_A_GUESS.has(error.code)) return error
      return count(request, reply).then(
        () => error,
        (limited: unknown) => limited,
      )
    },
    succeeded(request) {
      if (suspects.has(request.ip)) remember(welcome, credentialHash(request), true)
    },
  }
}

function credentialHash(request: FastifyRequest): string {
  return hash('sha256', request.headers.authorization ?? '', 'base64')
}

/** Bounded: the oldest entry makes room. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size >= MOST_REMEMBERED && !map.has(key)) map.delete(map.keys().next().value ?? '')
  map.set(key, value)
}
