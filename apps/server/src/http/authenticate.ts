import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CheckedCredential, type CredentialRequest, credentialsOf } from './credential.ts'
import type { AuthenticationGuard } from './failed-authentication.ts'
import type { Route } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; null before the credential was checked, and on open rows. */
    caller: unknown
    /** The credential that is used for this request; null as long as `caller` is. */
    credential: CheckedCredential | null
    /** SHA-256 of the body's bytes as sent; only for credentials that cover the body. */
    bodyDigest: Buffer | null
  }
}

type Step = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** At least one, in the order of the row. */
export type Checks = readonly [CheckedCredential, ...CheckedCredential[]]

/** The host's checks for the credentials of a row; null for an open row. Throws when the host lacks one. */
export function checksOf(row: Route, credentials: readonly CheckedCredential[]): Checks | null {
  const [first, ...others] = credentialsOf(row.auth).map((wanted) => {
    const found = credentials.find(({ credential }) => credential === wanted)
    if (found !== undefined) return found
    throw new Error(`Route ${row.operationId} accepts ${wanted.name}, which this host cannot check.`)
  })
  return first === undefined ? null : [first, ...others]
}

/** Finds out who is calling. The first credential of the row that applies decides; if none does, the first one's error. */
export function authenticate(checks: Checks, guard: AuthenticationGuard): Step {
  const [first] = checks
  return async function authenticateCaller(request, reply) {
    const { headers } = request
    const chosen = checks.length === 1 ? first : (checks.find(({ credential }) => credential.applies(headers)) ?? first)
    const checking = guard.check(request, chosen.credential, reply)
    if (checking !== undefined) await checking
    try {
      request.caller = await chosen.check(seenBy(request))
      request.credential = chosen
      noteTenant(request)
    } catch (error) {
      throw await guard.failed(request, chosen.credential, reply, error)
    }
    if (chosen.spend === undefined) guard.succeeded(request, chosen.credential)
  }
}

/**
 * Uses up a credential that is good once. One that was used already takes no point of the limits of whose it is: else whoever has read a
 * request could send it again until its owner is refused.
 */
export function spendCredential(guard: AuthenticationGuard, giveBack: (request: FastifyRequest) => void): Step {
  return async function spendCredentialOfCaller(request, reply) {
    const { credential: chosen, caller } = request
    if (chosen?.spend === undefined) return
    try {
      request.caller = await chosen.spend(caller)
    } catch (error) {
      giveBack(request)
      throw await guard.failed(request, chosen.credential, reply, error)
    }
    guard.succeeded(request, chosen.credential)
  }
}

/** Whose account a caller who is known acts for, if their credential says so. */
export function tenantOf({ credential: used, caller }: FastifyRequest): string | undefined {
  return used?.credential.tenantOf?.(caller)
}

function noteTenant(request: FastifyRequest): void {
  const tenant = tenantOf(request)
  if (tenant !== undefined && request.place !== null) request.place.bounds.tenant = tenant
}

/** The second half of a credential that covers the body. An empty body has the digest of no bytes. */
export function checkBodyProof(guard: AuthenticationGuard): Step {
  return async function checkProofOfBody(request, reply) {
    const { credential: chosen, bodyDigest, caller } = request
    if (chosen?.checkBody === undefined) return
    try {
      await chosen.checkBody(seenBy(request), bodyDigest ?? digestOf(NO_BYTES), caller)
    } catch (error) {
      throw await guard.failed(request, chosen.credential, reply, error)
    }
  }
}

const NO_BYTES = Buffer.alloc(0)

/** Keeps the digest of a body that a credential covers. Called by the parser, which alone sees the bytes. */
export function keepBodyDigest(request: FastifyRequest, body: Buffer): void {
  if (request.credential?.checkBody !== undefined) request.bodyDigest = digestOf(body)
}

function digestOf(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer')
}

function seenBy(request: FastifyRequest): CredentialRequest {
  const { method, url = '' } = request.raw
  const end = url.indexOf('?')
  return {
    method: method ?? '',
    path: end === -1 ? url : url.slice(0, end),
    query: end === -1 ? '' : url.slice(end + 1),
    headers: request.headers,
    rawHeaders: request.raw.rawHeaders ?? [],
  }
}
