import {
  createCipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import type { EncryptedPayload } from '@mintmark/contract/agent-payload'
import { ed25519 } from '@noble/curves/ed25519.js'
import { type Secret, secret } from '../platform/secret.ts'
import type { WireCredential } from './service.ts'

// What leaves for an agent: a JWE (RFC 7516) in four pieces, `ECDH-ES` over X25519 with `A256GCM`, so that any JOSE library opens it. The
// protected header is not sent: the agent that opens it writes it again, and it is part of what is authenticated, byte for byte.

const ENCRYPTION = 'A256GCM'
const KEY_BITS = 256
const IV_BYTES = 12
const SPKI_PREFIX = Buffer.from('302a300506032b656e032100', 'hex')

/** The agent that a payload is for: the 32 bytes of an X25519 key. */
export type Recipient = Uint8Array

/** The X25519 key of an agent that has none but its Ed25519 key: the same point, on the other curve. */
export function mappedRecipient(ed25519Key: Uint8Array): Recipient {
  return ed25519.utils.toMontgomery(ed25519Key)
}

/** A credential as its agent gets it. */
export function payloadOf(
  { token, dynamic_cvv, expiry_month, expiry_year }: WireCredential,
  payment: { mandateId: string; transactionId: string },
  recipient: Recipient,
): EncryptedPayload {
  const card = { token, dynamicCvv: dynamic_cvv, expiryMonth: expiry_month, expiryYear: expiry_year }
  return encryptPayload(secret(JSON.stringify({ ...card, ...payment })), recipient)
}

interface Chance {
  ephemeral: { privateKey: KeyObject; publicKey: KeyObject }
  iv: Buffer
}

/** `chance` is for vectors alone: a key or an iv that is used twice gives both texts away. */
export function encryptPayload(
  text: Secret,
  recipient: Recipient,
  { ephemeral, iv }: Chance = { ephemeral: generateKeyPairSync('x25519'), iv: randomBytes(IV_BYTES) },
): EncryptedPayload {
  const publicKey = publicKeyOf(recipient)
  const x = String(ephemeral.publicKey.export({ format: 'jwk' }).x)
  const header = JSON.stringify({ alg: 'ECDH-ES', enc: ENCRYPTION, epk: { kty: 'OKP', crv: 'X25519', x } })
  const key = derivedKey(diffieHellman({ privateKey: ephemeral.privateKey, publicKey }))
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(Buffer.from(header).toString('base64url')))
  const data = Buffer.concat([cipher.update(text.reveal(), 'utf8'), cipher.final()])
  key.fill(0)
  return {
    ephemeral_public_key: x,
    iv: iv.toString('base64url'),
    auth_tag: cipher.getAuthTag().toString('base64url'),
    data: data.toString('base64url'),
  }
}

/** A fifth of what a payload costs is to read the key it is for, which the same agents name again. */
const publicKeys = new WeakMap<Recipient, KeyObject>()

function publicKeyOf(recipient: Recipient): KeyObject {
  const known = publicKeys.get(recipient)
  if (known !== undefined) return known
  const read = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, recipient]), format: 'der', type: 'spki' })
  publicKeys.set(recipient, read)
  return read
}

/** RFC 7518, 4.6.2: one round of the Concat KDF, without names of the parties. */
function derivedKey(shared: Buffer): Buffer {
  const key = hash(
    'sha256',
    Buffer.concat([word(1), shared, lengthAnd(ENCRYPTION), word(0), word(0), word(KEY_BITS)]),
    'buffer',
  )
  shared.fill(0)
  return key
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const lengthAnd = (text: string) => Buffer.concat([word(text.length), Buffer.from(text)])
