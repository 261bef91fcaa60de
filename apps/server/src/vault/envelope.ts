import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { unavailable } from '../platform/errors.ts'
import { type KeyProvider, KeyProviderUnavailable } from '../platform/key-provider.ts'

/** The one cell of the database a sealed value belongs to. It opens nowhere else. */
export interface SealPlace {
  readonly table: string
  readonly merchantId: string
  readonly id: string
  readonly field: string
}

/** A sealed value and the key-encryption key that wraps its data key: two columns, so that rotation can count. */
export interface SealedField {
  readonly sealed: Buffer
  readonly keyId: string
}

/**
 * A sealed value did not open: changed, cut, moved to another row, tenant or field, or wrapped by an unknown key.
 * One text for every reason and no cause: an attacker who edits rows must not learn which check he passed.
 */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'

  constructor() {
    super('A sealed value failed authentication.')
  }
}

// Layout, version 1: version (1 byte), length of the wrapped data key (2, big endian), wrapped data key, IV (12),
// tag (16), ciphertext. Rotation replaces the wrapped key alone, so nothing after it may depend on it.
const VERSION = 1
const HEADER_BYTES = 3
const IV_BYTES = 12
const TAG_BYTES = 16
const DATA_KEY_BYTES = 32

// Keys go to the ciphers as key objects: Node takes 10 µs to find out that a buffer is not one.

/** Seals under a fresh data key. The caller zeroes `plaintext`. */
export async function seal(keys: KeyProvider, place: SealPlace, plaintext: Buffer): Promise<SealedField> {
  const context = contextOf(place)
  const dataKey = randomBytes(DATA_KEY_BYTES)
  try {
    const { keyId, wrapped } = await wrap(keys, dataKey, context)
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', createSecretKey(dataKey), iv, { authTagLength: TAG_BYTES })
    cipher.setAAD(context)
    const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
    const header = Buffer.alloc(HEADER_BYTES)
    header.writeUInt8(VERSION, 0)
    header.writeUInt16BE(wrapped.length, 1)
    return { keyId, sealed: Buffer.concat([header, wrapped, iv, cipher.getAuthTag(), ciphertext]) }
  } finally {
    dataKey.fill(0)
  }
}

/** Opens what `seal` made for the same place. The caller zeroes the result. Throws `SealBroken`, whatever is wrong. */
export async function open(keys: KeyProvider, place: SealPlace, field: SealedField): Promise<Buffer> {
  const context = contextOf(place)
  const parts = split(field.sealed)
  const dataKey = await unwrap(keys, field.keyId, parts.wrapped, context)
  try {
    return decrypt(dataKey, parts, context)
  } catch {
    throw new SealBroken()
  } finally {
    dataKey.fill(0)
  }
}

async function wrap(keys: KeyProvider, dataKey: Buffer, context: Buffer) {
  try {
    return await keys.wrap(dataKey, context)
  } catch (error) {
    throw error instanceof KeyProviderUnavailable ? keysUnavailable(error) : error
  }
}

async function unwrap(keys: KeyProvider, keyId: string, wrapped: Buffer, context: Buffer): Promise<Buffer> {
  try {
    return await keys.unwrap(keyId, wrapped, context)
  } catch (error) {
    throw error instanceof KeyProviderUnavailable ? keysUnavailable(error) : new SealBroken()
  }
}

interface Parts {
  readonly wrapped: Buffer
  readonly iv: Buffer
  readonly tag: Buffer
  readonly ciphertext: Buffer
}

function split(sealed: Buffer): Parts {
  if (sealed.length < HEADER_BYTES || sealed.readUInt8(0) !== VERSION) throw new SealBroken()
  const ivAt = HEADER_BYTES + sealed.readUInt16BE(1)
  const tagAt = ivAt + IV_BYTES
  const textAt = tagAt + TAG_BYTES
  if (sealed.length < textAt) throw new SealBroken()
  return {
    wrapped: sealed.subarray(HEADER_BYTES, ivAt),
    iv: sealed.subarray(ivAt, tagAt),
    tag: sealed.subarray(tagAt, textAt),
    ciphertext: sealed.subarray(textAt),
  }
}

function decrypt(dataKey: Buffer, parts: Parts, context: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', createSecretKey(dataKey), parts.iv, { authTagLength: TAG_BYTES })
  decipher.setAAD(context)
  decipher.setAuthTag(parts.tag)
  const opened = decipher.update(parts.ciphertext)
  try {
    decipher.final()
    return opened
  } catch (error) {
    // Bytes that failed authentication are nobody's to see, not even a heap dump's.
    opened.fill(0)
    throw error
  }
}

/** Associated data. Each part carries its length: `("ab", "c")` and `("a", "bc")` must never read alike. */
function contextOf(place: SealPlace): Buffer {
  const parts = [place.table, place.merchantId, place.id, place.field].flatMap((part) => {
    const bytes = Buffer.from(part, 'utf8')
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length, 0)
    return [length, bytes]
  })
  return Buffer.concat([Buffer.from([VERSION]), ...parts])
}

/** There is no fallback to plain text and none to an older key: without its key provider the vault answers 503. */
function keysUnavailable(cause: KeyProviderUnavailable): Error {
  return unavailable({ cause })
}
