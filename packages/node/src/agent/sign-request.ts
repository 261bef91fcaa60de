import { createHash, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import { types } from 'node:util'
import { asKeyObject, type PrivateKey } from './key.ts'

/** A request as it will be sent. */
export interface RequestToSign {
  method: string
  /** The whole address. Send the request to this address, and let nothing rewrite it. */
  url: string | URL
  /** The bytes that will be sent, or their text in UTF-8. */
  body?: string | Uint8Array | ArrayBuffer | null
}

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
 * Returns the headers that sign a request as an agent's, to be sent with it: `signature-input`, `signature`, and with a body
 * `content-digest`. A signature is good for one request: sign again to repeat it. Throws a `TypeError` for what cannot be signed.
 */
export function signRequest(
  { method, url, body }: RequestToSign,
  { privateKey, keyId, now = new Date(), lifetimeSeconds = LIFETIME_SECONDS }: RequestSigning,
): Record<string, string> {
  const key = checkSigningKey(privateKey)
  const name = keyId ?? thumbprintOf(key)
  if (!KEY_ID.test(name)) throw new TypeError('The keyId is neither the id of an agent nor the thumbprint of a key.')
  if (!(Number.isInteger(lifetimeSeconds) && lifetimeSeconds >= 1 && lifetimeSeconds <= LIFETIME_SECONDS)) {
    throw new TypeError(`lifetimeSeconds is not a whole number from 1 to ${LIFETIME_SECONDS}.`)
  }
  const created = Math.floor(now.getTime() / 1000)
  if (!(created >= 0)) throw new TypeError('now is not a time.')
  const bytes = bytesOf(body)
  const digest = bytes.length > 0 ? `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:` : undefined
  const covered = coveredParts(method, url, digest)
  const nonce = randomBytes(16).toString('base64url')
  const input =
    `(${covered.map(([part]) => `"${part}"`).join(' ')});created=${created};expires=${created + lifetimeSeconds}` +
    `;nonce="${nonce}";keyid="${name}";alg="ed25519";tag="${TAG}"`
  const base = [...covered, ['@signature-params', input]].map(([part, value]) => `"${part}": ${value}`).join('\n')
  return {
    ...(digest === undefined ? {} : { 'content-digest': digest }),
    'signature-input': `sig=${input}`,
    signature: `sig=:${sign(null, Buffer.from(base), key).toString('base64')}:`,
  }
}

/** The parts of the request that are signed, as RFC 9421 writes them. */
function coveredParts(method: string, url: string | URL, digest: string | undefined): [string, string][] {
  if (!/^[A-Za-z]+$/.test(method)) throw new TypeError('The method is not a word.')
  // What clients send for an address is what this class makes of it. A string that is none is its TypeError.
  const { protocol, host, pathname, search } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('The url is not one of https or http.')
  const parts: [string, string][] = [
    ['@method', method.toUpperCase()],
    ['@authority', host],
    ['@path', pathname],
    ['@query', search || '?'],
  ]
  return digest === undefined ? parts : [...parts, ['content-digest', digest]]
}

export function checkSigningKey(given: PrivateKey): KeyObject {
  const key = asKeyObject(given)
  if (key.type !== 'private' || key.asymmetricKeyType !== 'ed25519') {
    throw new TypeError('The privateKey is not a private key of Ed25519.')
  }
  return key
}

/** RFC 7638, of the public half. */
export function thumbprintOf(key: KeyObject): string {
  const { crv, kty, x } = createPublicKey(key).export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
}

function bytesOf(body: RequestToSign['body']): Uint8Array {
  if (body === undefined || body === null) return new Uint8Array()
  if (typeof body === 'string') return Buffer.from(body)
  if (types.isUint8Array(body)) return body
  if (types.isAnyArrayBuffer(body)) return new Uint8Array(body)
  throw new TypeError('The body is no text and no bytes.')
}
