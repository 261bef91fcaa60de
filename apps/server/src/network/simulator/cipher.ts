import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Secret, secret } from '../../platform/secret.ts'

/** The columns that hold ciphertext. */
export type SealedField = 'number' | 'cvv'

/** Where a ciphertext belongs; it opens nowhere else. */
export interface Place {
  readonly chargeId: string
  readonly field: SealedField
}

export interface NetworkCipher {
  /** Keyed hash of a real card number. */
  fingerprint(cardNumber: Secret): Buffer
  /** Keyed hash of a minted number, under a key of its own. */
  lookup(virtualNumber: Secret): Buffer
  seal(value: Secret, place: Place): Buffer
  /** Throws when the ciphertext was changed or moved. */
  open(sealed: Buffer, place: Place): Secret
  /** Compares without telling by its duration how much was right. */
  same(left: Secret, right: Secret): boolean
}

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The simulator's cryptography. One key comes in; each use gets its own, so that no hash helps against another. */
export function createNetworkCipher(key: Secret<Buffer>): NetworkCipher {
  if (key.reveal().length !== 32) throw new Error('The key of the simulated network must have 32 bytes.')
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', key.reveal(), '', `mintmark simnet ${use}`, 32))
  const keys = { card: derive('card'), number: derive('number'), compare: derive('compare'), seal: derive('seal') }
  const hash = (hashKey: Buffer, value: Secret) => createHmac('sha256', hashKey).update(value.reveal()).digest()
  return Object.freeze({
    fingerprint: (cardNumber) => hash(keys.card, cardNumber),
    lookup: (virtualNumber) => hash(keys.number, virtualNumber),
    seal: (value, place) => seal(keys.seal, value, place),
    open: (sealed, place) => open(keys.seal, sealed, place),
    same: (left, right) => timingSafeEqual(hash(keys.compare, left), hash(keys.compare, right)),
  } satisfies NetworkCipher)
}

/** Layout: version, nonce, tag, ciphertext. */
function seal(key: Buffer, value: Secret, place: Place): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associatedData(place))
  const body = Buffer.concat([cipher.update(value.reveal(), 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), body])
}

function open(key: Buffer, sealed: Buffer, place: Place): Secret {
  if (sealed[0] !== VERSION || sealed.length <= 1 + NONCE_BYTES + TAG_BYTES) throw new Error('Not a sealed value.')
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(associatedData(place)).setAuthTag(tag)
  const body = decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES))
  return secret(Buffer.concat([body, decipher.final()]).toString('utf8'))
}

/** Binds a ciphertext to its table, row and column: swapped between charges or fields it does not open. */
function associatedData(place: Place): Buffer {
  return Buffer.from(JSON.stringify(['simnet.mints', place.chargeId, place.field]))
}
