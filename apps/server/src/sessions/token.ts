import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../platform/secret.ts'
import { sessionTokenInvalid } from './errors.ts'

const ALGORITHM = 'HS256'
const TYPE = 'mintmark-session+jwt'
const AUDIENCE = 'mintmark-surface'

/** Whose session a token names. */
export interface SurfaceCaller {
  merchantId: string
  sessionId: string
  customerId: string
  /** The session enrolls a card, and orders nothing. */
  enrolls: boolean
}

export interface TokenSubject {
  merchantId: string
  sessionId: string
  customerId: string
  /** Null: the session is not about an order. */
  orderId: string | null
  issuedAt: Date
  expiresAt: Date
}

export interface SessionTokens {
  sign(subject: TokenSubject): Promise<string>
  /** The token's word for whose session it is. Whether that session is still alive is read from the database. */
  verify(token: string): Promise<SurfaceCaller>
}

/**
 * Session tokens: JWTs of one pinned algorithm, type, audience and issuer. The key is used for nothing else, and the
 * issuer names the environment, so a token of the sandbox opens nothing in production.
 */
export function createSessionTokens(deps: { key: Secret<Buffer>; environment: string }): SessionTokens {
  const key = createSecretKey(deps.key.reveal())
  const header = encode({ alg: ALGORITHM, typ: TYPE })
  const issuer = `mintmark:${deps.environment}`
  // By hand: a library signs and verifies on other threads, for twenty times the cost of this hash.
  const signatureOf = (claims: string) => createHmac('sha256', key).update(`${header}.${claims}`).digest('base64url')
  return {
    async sign(subject) {
      const claims = encode({
        iss: issuer,
        aud: AUDIENCE,
        sub: subject.sessionId,
        mid: subject.merchantId,
        cus: subject.customerId,
        ...(subject.orderId !== null && { ord: subject.orderId }),
        iat: seconds(subject.issuedAt),
        exp: seconds(subject.expiresAt),
      })
      return `${header}.${claims}.${signatureOf(claims)}`
    },
    async verify(token) {
      const [head, claims = '', signature = '', ...rest] = token.split('.')
      // The one header that is signed here, letter for letter: what a token says of its algorithm is never followed.
      if (head !== header || rest.length > 0 || !equals(signature, signatureOf(claims))) throw sessionTokenInvalid()
      const said: Record<string, unknown> = JSON.parse(Buffer.from(claims, 'base64url').toString())
      const { iss, aud, exp, sub, mid, cus, ord } = said
      // The session's row decides about time and revocation, on every call and with the environment's clock.
      if (iss !== issuer || aud !== AUDIENCE || typeof exp !== 'number') throw sessionTokenInvalid()
      if (typeof sub !== 'string' || typeof mid !== 'string' || typeof cus !== 'string') throw sessionTokenInvalid()
      return { merchantId: mid, sessionId: sub, customerId: cus, enrolls: ord === undefined }
    },
  }
}

/** Compared as text: another spelling of the same bytes is another token. */
function equals(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function encode(part: Record<string, string | number>): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
