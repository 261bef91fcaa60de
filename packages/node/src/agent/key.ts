import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { types } from 'node:util'

/** A private key: PEM (PKCS #8), a JWK, or a `KeyObject`. */
export type PrivateKey = string | JsonWebKey | KeyObject

export function asKeyObject(given: PrivateKey): KeyObject {
  if (types.isKeyObject(given)) return given
  try {
    return typeof given === 'string' ? createPrivateKey(given) : createPrivateKey({ key: given, format: 'jwk' })
  } catch {
    // Without the cause: it may say what is in the key.
    throw new TypeError('The privateKey cannot be read: PEM of PKCS #8, a JWK or a KeyObject is right.')
  }
}
