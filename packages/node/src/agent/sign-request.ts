import { randomBytes } from 'node:crypto'
import type { PrivateKey } from './key.ts'
import { checkSigningKey, lifetimeOf, partsOf, type RequestToSign, signatureOver, thumbprintOf } from './signature.ts'

export interface RequestSigning {
  /** An Ed25519 key: as PEM (PKCS #8), as a JWK, or a `KeyObject`. */
  privateKey: PrivateKey
  /** The agent's id. Default: the thumbprint of the key (RFC 7638), which is its name before it is linked. */
  keyId?: string
  /** When it is signed. Default: now. */
  now?: Date
  /** How long the signature is good: 1 to 300. Default: 300. */
  lifetimeSeconds?: number
}

const TAG = 'agent-payer-auth'
const LIFETIME_SECONDS = 300
const KEY_ID = /^[\w-]{1,64}$/

/**
 * Returns the headers that sign a request as an agent's, to be sent with it: `signature-input`, `signature`, and with a
 * body `content-digest`. A signature is good for one request: sign again to repeat it. Throws a `TypeError` for what
 * cannot be signed.
 */
export function signRequest(
  request: RequestToSign,
  { privateKey, keyId, now = new Date(), lifetimeSeconds = LIFETIME_SECONDS }: RequestSigning,
): Record<string, string> {
  const key = checkSigningKey(privateKey)
  const keyid = keyId ?? thumbprintOf(key)
  if (!KEY_ID.test(keyid)) throw new TypeError('The keyId is neither the id of an agent nor the thumbprint of a key.')
  const lifetime = lifetimeOf(now, lifetimeSeconds, LIFETIME_SECONDS)
  const { digest, method, authority, path, query, content } = partsOf(request)
  const nonce = randomBytes(16).toString('base64url')
  return {
    ...(digest === undefined ? {} : { 'content-digest': digest }),
    ...signatureOver(
      [method, authority, path, query, ...content],
      { label: 'sig', ...lifetime, nonce, keyid, tag: TAG },
      key,
    ),
  }
}
