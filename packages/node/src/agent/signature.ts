import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto'
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

/** A part of a request that is signed, as RFC 9421 names it, and its value. */
export type Covered = readonly [component: string, value: string]

interface Parameters {
  label: string
  created: number
  expires: number
  nonce: string
  keyid: string
  tag: string
}

/** The two headers of one signature (RFC 9421). */
export function signatureOver(covered: readonly Covered[], { label, ...given }: Parameters, key: KeyObject) {
  const { created, expires, nonce, keyid, tag } = given
  const parts = `(${covered.map(([component]) => component).join(' ')})`
  const input = `${parts};created=${created};expires=${expires};nonce="${nonce}";keyid="${keyid}";alg="ed25519";tag="${tag}"`
  const base = [...covered, ['"@signature-params"', input] as const].map((line) => line.join(': ')).join('\n')
  return {
    'signature-input': `${label}=${input}`,
    signature: `${label}=:${sign(null, Buffer.from(base), key).toString('base64')}:`,
  }
}

/** The parts of a request, as they are signed. Throws a `TypeError` for what is none. */
export function partsOf({ method, url, body }: RequestToSign) {
  if (!/^[A-Za-z]+$/.test(method)) throw new TypeError('The method is not a word.')
  // What clients send for an address is what this class makes of it. A string that is none is its TypeError.
  const { protocol, host, pathname, search } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('The url is not one of https or http.')
  const bytes = bytesOf(body)
  const digest = bytes.length > 0 ? `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:` : undefined
  return {
    digest,
    method: ['"@method"', method.toUpperCase()] as const,
    authority: ['"@authority"', host] as const,
    path: ['"@path"', pathname] as const,
    query: ['"@query"', search || '?'] as const,
    content: digest === undefined ? [] : [['"content-digest"', digest] as const],
  }
}

/** When a signature begins and ends, in seconds. */
export function lifetimeOf(now: Date, lifetimeSeconds: number, longest: number) {
  if (!(Number.isInteger(lifetimeSeconds) && lifetimeSeconds >= 1 && lifetimeSeconds <= longest)) {
    throw new TypeError(`lifetimeSeconds is not a whole number from 1 to ${longest}.`)
  }
  const created = Math.floor(now.getTime() / 1000)
  if (!(created >= 0)) throw new TypeError('now is not a time.')
  return { created, expires: created + lifetimeSeconds }
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
