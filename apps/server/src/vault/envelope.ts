import { randomBytes } from 'node:crypto'
import { unavailable } from '../platform/errors.ts'
import { type KeyProvider, KeyProviderUnavailable } from '../platform/key-provider.ts'
import { openBox, sealBox } from '../platform/sealed-box.ts'

/** The one cell of the database a sealed value belongs to. It opens nowhere else. */
export interface CellRef {
  table: string
  merchantId: string
  id: string
  field: string
}

/** A sealed value and the key-encryption key that wraps its data key: two columns, so that rotation can count. */
export interface SealedField {
  sealed: Buffer
  keyId: string
}

/**
 * A sealed value did not open: changed, cut, moved to another row, tenant or field, or wrapped by an unknown key.
 * One text for every reason and no cause: an attacker who edits rows must not learn which check passed.
 */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'

  constructor() {
    super('A sealed value failed authentication.')
  }
}

// Layout, version 1: version (1 byte), length of the wrapped data key (2, big endian), wrapped data key, sealed box.
// Rotation replaces the wrapped key alone, so nothing after it may depend on it.
const VERSION = 1
const HEADER_BYTES = 3
const DATA_KEY_BYTES = 32

/** Seals under a fresh data key. The caller zeroes `plaintext`. */
export async function seal(keys: KeyProvider, cell: CellRef, plaintext: Buffer): Promise<SealedField> {
  const context = contextOf(cell)
  const dataKey = randomBytes(DATA_KEY_BYTES)
  try {
    const { keyId, wrapped } = await wrap(keys, dataKey, context)
    return { keyId, sealed: join(wrapped, sealBox(dataKey, plaintext, context)) }
  } finally {
    dataKey.fill(0)
  }
}

/** Opens what `seal` made for the same cell. The caller zeroes the result. Throws `SealBroken` for every reason. */
export async function unseal(keys: KeyProvider, cell: CellRef, field: SealedField): Promise<Buffer> {
  const context = contextOf(cell)
  const { wrapped, box } = split(field.sealed)
  const dataKey = await unwrap(keys, field.keyId, wrapped, context)
  try {
    return openBox(dataKey, box, context)
  } catch {
    throw new SealBroken()
  } finally {
    dataKey.fill(0)
  }
}

/**
 * The same value, its data key wrapped by the key that is current now. Nothing is opened but the data key, whose
 * wrapping proves that it belongs to this cell. Throws `SealBroken` when it does not.
 */
export async function rewrap(keys: KeyProvider, cell: CellRef, field: SealedField): Promise<SealedField> {
  const context = contextOf(cell)
  const { wrapped, box } = split(field.sealed)
  const dataKey = await unwrap(keys, field.keyId, wrapped, context)
  try {
    const fresh = await wrap(keys, dataKey, context)
    return { keyId: fresh.keyId, sealed: join(fresh.wrapped, box) }
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

function join(wrapped: Buffer, box: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt8(VERSION, 0)
  header.writeUInt16BE(wrapped.length, 1)
  return Buffer.concat([header, wrapped, box])
}

function split(sealed: Buffer): { wrapped: Buffer; box: Buffer } {
  if (sealed.length < HEADER_BYTES || sealed.readUInt8(0) !== VERSION) throw new SealBroken()
  const boxAt = HEADER_BYTES + sealed.readUInt16BE(1)
  return { wrapped: sealed.subarray(HEADER_BYTES, boxAt), box: sealed.subarray(boxAt) }
}

/** Associated data. Each part carries its length: `("ab", "c")` and `("a", "bc")` must never read alike. */
function contextOf({ table, merchantId, id, field }: CellRef): Buffer {
  const parts = [table, merchantId, id, field]
  const context = Buffer.alloc(parts.reduce((size, part) => size + 4 + Buffer.byteLength(part), 1))
  let at = context.writeUInt8(VERSION, 0)
  for (const part of parts) {
    at = context.writeUInt32BE(Buffer.byteLength(part), at)
    at += context.write(part, at)
  }
  return context
}

/**
 * There is no fallback to plain text and none to an older key: without its key provider the vault is unavailable (503).
 */
function keysUnavailable(cause: KeyProviderUnavailable): Error {
  return unavailable({ cause })
}
