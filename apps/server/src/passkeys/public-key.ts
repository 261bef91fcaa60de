import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { PasskeyJwk } from '@mintmark/contract/wire/receipts'
import { decodeCredentialPublicKey } from '@simplewebauthn/server/helpers'

/** COSE algorithms offered at registration and accepted ever after, most wanted first: ES256, EdDSA, RS256. */
export const ALGORITHMS = [-7, -8, -257] as const
const [ES256, EDDSA, RS256] = ALGORITHMS

/** Labels of a COSE key (RFC 9053); what -1, -2 and -3 mean depends on the key type. */
const KTY = 1
const ALG = 3
const CRV_OR_N = -1
const X_OR_E = -2
const Y = -3

const RSA_BITS = { min: 2048, max: 4096 }

/**
 * Why a new credential's key is not acceptable, or null. Without attestation the key has signed nothing yet: a point
 * off the curve, an ES256 key on another curve or a 512-bit modulus would be stored as the one passkey of a customer
 * and either never verify or be forged.
 */
export function publicKeyProblem(cose: Uint8Array): string | null {
  const members: unknown = decodeCredentialPublicKey(new Uint8Array(cose))
  const jwk = members instanceof Map ? toJwk(members) : undefined
  if (jwk === undefined) return 'key type, algorithm and curve do not fit together'
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    return key.asymmetricKeyType === 'rsa' ? rsaProblem(key) : null
  } catch {
    return 'the key is not valid'
  }
}

/** The key of a passkey as others verify with it. Throws for one that was never accepted. */
export function publicJwkOf(cose: Uint8Array): PasskeyJwk {
  const members: unknown = decodeCredentialPublicKey(new Uint8Array(cose))
  const jwk = members instanceof Map ? toJwk(members) : undefined
  if (jwk === undefined) throw new Error('The key of a passkey is none of the kinds that are accepted.')
  return jwk as PasskeyJwk
}

function toJwk(members: ReadonlyMap<unknown, unknown>): JsonWebKey | undefined {
  const first = members.get(CRV_OR_N)
  const second = text(members.get(X_OR_E))
  const third = text(members.get(Y))
  switch (`${members.get(KTY)}/${members.get(ALG)}`) {
    case `2/${ES256}`:
      return first === 1 && second && third ? { kty: 'EC', crv: 'P-256', x: second, y: third } : undefined
    case `1/${EDDSA}`:
      return first === 6 && second ? { kty: 'OKP', crv: 'Ed25519', x: second } : undefined
    case `3/${RS256}`: {
      const modulus = text(first)
      return modulus && second ? { kty: 'RSA', n: modulus, e: second } : undefined
    }
    default:
      return undefined
  }
}

function text(value: unknown): string | undefined {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64url') : undefined
}

function rsaProblem(key: KeyObject): string | null {
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {}
  if (modulusLength < RSA_BITS.min || modulusLength > RSA_BITS.max) return `the modulus has ${modulusLength} bits`
  return publicExponent === 65_537n ? null : 'the public exponent is not 65537'
}
