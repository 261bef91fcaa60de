import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import { openBox, sealBox } from '../../platform/sealed-box.ts'
import { type Secret, secret } from '../../platform/secret.ts'

/** The columns that hold ciphertext. */
export type SealedField = 'number' | 'cvv'

/** Where a ciphertext belongs; it opens nowhere else. */
export interface Place {
  chargeId: string
  field: SealedField
}

export interface NetworkCipher {
  /** Keyed hash of a real card number for one card id: a dump does not show that two cards are one number. */
  fingerprint(cardNumber: Secret, cardId: string): Buffer
  /** Keyed hash of a minted number, under a key of its own. */
  lookup(virtualNumber: Secret): Buffer
  seal(value: Secret, place: Place): Buffer
  /** Throws when the ciphertext was changed or moved. */
  unseal(sealed: Buffer, place: Place): Secret
  /** The signature of a message that the network sends. */
  sign(message: Buffer): string
  isSigned(message: Buffer, signature: string): boolean
  /** Compares without telling by its duration how much was right. */
  same(left: Secret, right: Secret): boolean
}

const VERSION = 1

/** The simulator's cryptography. One key comes in; each use gets its own, so that no hash helps against another. */
export function createNetworkCipher(key: Secret<Buffer>): NetworkCipher {
  if (key.reveal().length !== 32) throw new Error('The key of the simulated network must have 32 bytes.')
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', key.reveal(), '', `mintmark simnet ${use}`, 32))
  // Key objects: Node takes 10 µs to find out that a buffer is not one.
  const hashKeyOf = (use: string) => createSecretKey(derive(use))
  const keys = {
    card: hashKeyOf('card'),
    number: hashKeyOf('number'),
    compare: hashKeyOf('compare'),
    message: hashKeyOf('message'),
    seal: derive('seal'),
  }
  const hash = (hashKey: KeyObject, value: Secret) => createHmac('sha256', hashKey).update(value.reveal()).digest()
  return {
    fingerprint: (cardNumber, cardId) =>
      createHmac('sha256', keys.card).update(`${cardId}:`).update(cardNumber.reveal()).digest(),
    lookup: (virtualNumber) => hash(keys.number, virtualNumber),
    seal: (value, place) => seal(keys.seal, value, place),
    unseal: (sealed, place) => unseal(keys.seal, sealed, place),
    sign: (message) => signatureOf(keys.message, message).toString('hex'),
    isSigned(message, signature) {
      const given = Buffer.from(signature, 'hex')
      const right = signatureOf(keys.message, message)
      return given.length === right.length && timingSafeEqual(given, right)
    },
    same: (left, right) => timingSafeEqual(hash(keys.compare, left), hash(keys.compare, right)),
  }
}

function signatureOf(key: KeyObject, message: Buffer): Buffer {
  return createHmac('sha256', key).update(message).digest()
}

/** Layout: version, sealed box. */
function seal(key: Buffer, value: Secret, place: Place): Buffer {
  const plaintext = Buffer.from(value.reveal(), 'utf8')
  return Buffer.concat([Buffer.from([VERSION]), sealBox(key, plaintext, associatedData(place))])
}

function unseal(key: Buffer, sealed: Buffer, place: Place): Secret {
  if (sealed[0] !== VERSION) throw new Error('Not a sealed value.')
  return secret(openBox(key, sealed.subarray(1), associatedData(place)).toString('utf8'))
}

/** Binds a ciphertext to its table, row and column: swapped between charges or fields it does not open. */
function associatedData(place: Place): Buffer {
  return Buffer.from(JSON.stringify(['simnet.mints', place.chargeId, place.field]))
}
