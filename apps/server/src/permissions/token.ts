import { createSecretKey } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../platform/clock.ts'
import type { Secret } from '../platform/secret.ts'
import { visitInvalid, visitOver } from './errors.ts'

const ALGORITHM = 'HS256'
const TYPE = 'mintmark-visit+jwt'
const AUDIENCE = 'mintmark-permissions'

/** The visitor of the page of permissions, by their passkey. */
export interface Visitor {
  merchantId: string
  customerId: string
  expiresAt: Date
}

export interface VisitTokens {
  sign(visitor: Visitor): Promise<string>
  /** Throws for one that was not given, or that is over. */
  verify(token: string): Promise<Visitor>
}

/**
 * Tokens of visits: JWTs of one pinned algorithm, type, audience and issuer, for some minutes. No row holds them: every
 * node knows by itself when they are over, and what they open is only read, or stopped.
 */
export function createVisitTokens(deps: { key: Secret<Buffer>; environment: string; clock: Clock }): VisitTokens {
  const key = createSecretKey(deps.key.reveal())
  const issuer = `mintmark:${deps.environment}`
  return {
    sign: ({ merchantId, customerId, expiresAt }) =>
      new SignJWT({ mid: merchantId, cus: customerId })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setExpirationTime(expiresAt)
        .sign(key),
    async verify(token) {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        typ: TYPE,
        audience: AUDIENCE,
        issuer,
        requiredClaims: ['exp', 'mid', 'cus'],
        currentDate: deps.clock.now(),
      }).catch((cause: unknown) => {
        throw cause instanceof errors.JWTExpired ? visitOver({ cause }) : visitInvalid({ cause })
      })
      const { mid, cus, exp } = payload
      if (typeof mid !== 'string' || typeof cus !== 'string' || exp === undefined) throw visitInvalid()
      return { merchantId: mid, customerId: cus, expiresAt: new Date(exp * 1000) }
    },
  }
}
