import {
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
} from 'node:crypto'
import type { EncryptedPayload } from '../api-types.ts'
import { asKeyObject, type PrivateKey } from './key.ts'

/** A single-use card, and what it is for. Keep it no longer than the payment takes, and out of logs and models. */
export interface AgentCredential {
  token: string
  dynamicCvv: string
  expiryMonth: string
  expiryYear: string
  mandateId: string
  transactionId: string
  billing?: { name?: string; address?: unknown }
}

/** `malformed`: these are not the four pieces. `not_opened`: the key is another one, or a piece was changed. */
export type PayloadProblem = 'malformed' | 'not_opened'

/** A payload that cannot be opened. Says nothing of what is in it. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError'
  readonly code: PayloadProblem

  constructor(code: PayloadProblem, message: string) {
    super(message)
    this.code = code
  }
}

const PIECE = /^[A-Za-z0-9_-]+$/
const SPKI_PREFIX = Buffer.from('302a300506032b656e032100', 'hex')
const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex')
const SIZES = { ephemeral_public_key: 32, iv: 12, auth_tag: 16 } as const

/**
 * Opens what a charge returned to an agent. The key is the agent's X25519 key, or, where it was linked without one, its Ed25519 key: as PEM
 * (PKCS #8), as a JWK, or a `KeyObject`. Throws a `PayloadError`, and a `TypeError` for a key of another kind.
 */
export function openPayload(payload: EncryptedPayload, privateKey: PrivateKey): AgentCredential {
  const key = asX25519(asKeyObject(privateKey))
  const pieces = readPieces(payload)
  const { ephemeral_public_key: x } = payload
  const header = JSON.stringify({ alg: 'ECDH-ES', enc: 'A256GCM', epk: { kty: 'OKP', crv: 'X25519', x } })
  let text: string
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, pieces.x]), format: 'der', type: 'spki' })
    const shared = diffieHellman({ privateKey: key, publicKey })
    const decipher = createDecipheriv('aes-256-gcm', derivedKey(shared), pieces.iv, { authTagLength: SIZES.auth_tag })
    decipher.setAAD(Buffer.from(Buffer.from(header).toString('base64url'))).setAuthTag(pieces.tag)
    text = Buffer.concat([decipher.update(pieces.data), decipher.final()]).toString('utf8')
  } catch {
    // Without the cause: it may say what was opened.
    throw new PayloadError('not_opened', 'The payload does not open: it is for another key, or it was changed.')
  }
  return readCredential(text)
}

function readCredential(text: string): AgentCredential {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && 'token' in value) return value as AgentCredential
  } catch {
    // Said below, without what is in the text.
  }
  throw new PayloadError('malformed', 'The payload opens, and what is in it is no credential.')
}

function readPieces(payload: EncryptedPayload) {
  const [x, iv, tag, data] = (['ephemeral_public_key', 'iv', 'auth_tag', 'data'] as const).map((name) => {
    const text: unknown = payload?.[name]
    const bytes = typeof text === 'string' && PIECE.test(text) ? Buffer.from(text, 'base64url') : undefined
    const hasSize = name === 'data' || bytes?.length === SIZES[name]
    if (bytes === undefined || !hasSize || bytes.toString('base64url') !== text) {
      throw new PayloadError('malformed', `The payload has no right ${name}.`)
    }
    return bytes
  }) as [Buffer, Buffer, Buffer, Buffer]
  return { x, iv, tag, data }
}

/** An Ed25519 key is one of X25519 as well: the first half of the hash of its seed (RFC 8032, 5.1.5). */
function asX25519(key: KeyObject): KeyObject {
  if (key.type === 'private' && key.asymmetricKeyType === 'x25519') return key
  if (key.type !== 'private' || key.asymmetricKeyType !== 'ed25519') {
    throw new TypeError('The privateKey is not a private key of X25519 or Ed25519.')
  }
  const seed = Buffer.from(String(key.export({ format: 'jwk' }).d), 'base64url')
  const scalar = createHash('sha512').update(seed).digest().subarray(0, 32)
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, scalar]), format: 'der', type: 'pkcs8' })
}

/** RFC 7518, 4.6.2: one round of the Concat KDF, without names of the parties. */
function derivedKey(shared: Buffer): Buffer {
  const info = Buffer.concat([word(7), Buffer.from('A256GCM'), word(0), word(0), word(256)])
  return createHash('sha256').update(word(1)).update(shared).update(info).digest()
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
