import { createHmac, createSecretKey, hash } from 'node:crypto'
import { jwtVerify } from 'jose'
import { remember } from '../platform/remember.ts'
import type { Secret } from '../platform/secret.ts'
import { sessionTokenInvalid } from './errors.ts'
import { READ_AS, type ReadAs } from './rules.ts'

const ALGORITHM = 'HS256'
const TYPE = 'mintmark-session+jwt'
const AUDIENCE = 'mintmark-surface'
/** Good tokens, of a process; the oldest makes room. */
const MAX_REMEMBERED = 10_000

/** Whose session a token names. */
export interface SurfaceCaller {
  merchantId: string
  sessionId: string
  customerId: string
  /** How the session is read; absent in a token of before there was a word for it. */
  readAs?: ReadAs | undefined
}

export interface TokenSubject {
  merchantId: string
  sessionId: string
  customerId: string
  /** Null: the session is not about an order. */
  orderId: string | null
  readAs: ReadAs
  issuedAt: Date
  expiresAt: Date
}

export interface SessionTokens {
  sign(subject: TokenSubject): Promise<string>
  /** The same for a page that has just been opened: its calls will bring this token, and it is known to be good. */
  signLaunched(subject: TokenSubject): Promise<string>
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
  // A session's calls all bring the same token, and the library looks at it on another thread. What it said of one does not
  // change: a token says nothing of the time. By hash, so that no token lies in memory.
  const good = new Map<string, SurfaceCaller>()
  const keep = (token: string, caller: SurfaceCaller): void =>
    remember(good, MAX_REMEMBERED, hash('sha256', token, 'base64'), Object.freeze(caller))
  const sign = (subject: TokenSubject): string => {
    const claims = encode({
      iss: issuer,
      aud: AUDIENCE,
      sub: subject.sessionId,
      mid: subject.merchantId,
      cus: subject.customerId,
      ...(subject.orderId !== null && { ord: subject.orderId }),
      knd: subject.readAs,
      iat: seconds(subject.issuedAt),
      exp: seconds(subject.expiresAt),
    })
    // By hand: the library signs on another thread, for twenty times the cost of this hash. It verifies, which is harder.
    const signature = createHmac('sha256', key).update(`${header}.${claims}`).digest('base64url')
    return `${header}.${claims}.${signature}`
  }
  return {
    sign: async (subject) => sign(subject),
    async signLaunched(subject) {
      const token = sign(subject)
      const { merchantId, sessionId, customerId, readAs } = subject
      keep(token, { merchantId, sessionId, customerId, readAs })
      return token
    },
    async verify(token) {
      const known = good.get(hash('sha256', token, 'base64'))
      if (known !== undefined) return known
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        typ: TYPE,
        audience: AUDIENCE,
        issuer,
        requiredClaims: ['sub', 'exp', 'mid', 'cus'],
        // The session's row decides about time and revocation, on every call and with the environment's clock.
        currentDate: new Date(0),
      }).catch((cause: unknown) => {
        throw sessionTokenInvalid({ cause })
      })
      const { sub, mid, cus, knd } = payload
      if (typeof sub !== 'string' || typeof mid !== 'string' || typeof cus !== 'string') throw sessionTokenInvalid()
      const readAs = READ_AS.find((word) => word === knd)
      const caller = { merchantId: mid, sessionId: sub, customerId: cus, readAs }
      keep(token, caller)
      return caller
    },
  }
}

function encode(part: Record<string, string | number | boolean>): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
