import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PublicError } from '../platform/errors.ts'
import { remember } from '../platform/remember.ts'
import type { AnyCredential } from './credential.ts'
import { byAddress, limit } from './limit.ts'
import type { RateLimiter } from './rate-limit.ts'
import { applyRateLimit } from './rate-limit-fields.ts'

/** Counts credentials that are refused, on every host. */
export const failedAuthentication = limit('failed_authentication', {
  points: 300,
  // A sandbox guards nothing worth guessing, and test suites are refused often on purpose.
  sandboxPoints: 5_000,
  windowSeconds: 60,
  by: byAddress,
  withoutStore: 'pass',
  meaning: 'Refused credentials.',
  countedBy: 'client address',
})

const MAX_REMEMBERED = 10_000

/** Slows down clients that guess credentials. Each refusal counts against the client's address. */
export interface AuthenticationGuard {
  /** Throws RATE_LIMITED while the address is blocked, unless this very credential was good a moment ago. */
  check(request: FastifyRequest, credential: AnyCredential, reply: FastifyReply): Promise<void> | undefined
  /** Called with what the check of the credential threw; resolves to the error to throw instead. */
  failed(request: FastifyRequest, credential: AnyCredential, reply: FastifyReply, error: unknown): Promise<unknown>
  succeeded(request: FastifyRequest, credential: AnyCredential): void
}

/**
 * An address may be a proxy or an office shared by an attacker and honest callers. So once an address has failed, the
 * credentials that succeed from it are remembered (hashed), and stay welcome while the address is blocked: one attacker
 * cannot lock out other users of the same address. The common case, an address without failures, costs one map look-up.
 */
export function createAuthenticationGuard(limiter: RateLimiter): AuthenticationGuard {
  /** Addresses that failed; true once the limit refused one. */
  const suspects = new Map<string, boolean>()
  const welcome = new Map<string, true>()

  async function count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const address = byAddress(null, request)
    remember(suspects, MAX_REMEMBERED, address, true)
    await applyRateLimit(limiter, [failedAuthentication, address], reply)
    remember(suspects, MAX_REMEMBERED, address, false)
  }

  return {
    check(request, credential, reply) {
      if (
        suspects.size === 0 ||
        suspects.get(byAddress(null, request)) !== true ||
        welcome.has(credentialHash(request, credential))
      )
        return undefined
      // Throws until the window is over.
      return count(request, reply)
    },
    async failed(request, credential, reply, error) {
      if (!isGuess(credential, error)) return error
      return count(request, reply).then(
        () => error,
        (limited: unknown) => limited,
      )
    },
    succeeded(request, credential) {
      if (suspects.size > 0 && suspects.has(byAddress(null, request)))
        remember(welcome, MAX_REMEMBERED, credentialHash(request, credential), true)
    },
  }
}

/** A credential whose time is over was a real one, and no guess. */
function isGuess({ errors }: AnyCredential, error: unknown): boolean {
  if (!(error instanceof PublicError) || error.status !== 401) return false
  return !errors.ended?.some(({ code }) => code === error.code)
}

function credentialHash(request: FastifyRequest, { header }: AnyCredential): string {
  return hash('sha256', String(request.headers[header] ?? ''), 'base64')
}
