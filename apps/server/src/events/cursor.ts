import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../platform/secret.ts'

/** Where a reader of a feed stands: everything up to `position` was read, as it was numbered in `epoch`. */
export interface Cursor {
  epoch: bigint
  position: bigint
}

/** Version 1: one byte of it, eight of the epoch, eight of the position, and eight that only the service can make. */
const VERSION = 1
const CONTENT_BYTES = 17
const MAC_BYTES = 8

export interface Cursors {
  encode(merchantId: string, cursor: Cursor): string
  /** Undefined: the service has given no such cursor to this merchant. */
  decode(merchantId: string, text: string): Cursor | undefined
}

/**
 * Cursors are texts that a merchant keeps for ever and hands back. Authenticated with the merchant's id: one of another merchant,
 * or one that a caller made up, is found out without a look at the database.
 */
export function createCursors(secret: Secret<Buffer>): Cursors {
  const key = createSecretKey(secret.reveal())
  return {
    encode(merchantId, { epoch, position }) {
      const content = Buffer.alloc(CONTENT_BYTES)
      content.writeUInt8(VERSION)
      content.writeBigInt64BE(epoch, 1)
      content.writeBigInt64BE(position, 9)
      return Buffer.concat([content, mac(key, merchantId, content)]).toString('base64url')
    },
    decode(merchantId, text) {
      const bytes = Buffer.from(text, 'base64url')
      // One text for each cursor: the decoder would also take other letters at the end, and paddings.
      if (bytes.length !== CONTENT_BYTES + MAC_BYTES || bytes.toString('base64url') !== text) return undefined
      const content = bytes.subarray(0, CONTENT_BYTES)
      if (!timingSafeEqual(bytes.subarray(CONTENT_BYTES), mac(key, merchantId, content))) return undefined
      if (content.readUInt8() !== VERSION) return undefined
      return { epoch: content.readBigInt64BE(1), position: content.readBigInt64BE(9) }
    },
  }
}

function mac(key: KeyObject, merchantId: string, content: Buffer): Buffer {
  return createHmac('sha256', key).update(content).update(merchantId).digest().subarray(0, MAC_BYTES)
}
