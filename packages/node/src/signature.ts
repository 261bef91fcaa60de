import { createHmac, timingSafeEqual } from 'node:crypto'
import { WebhookVerificationError } from './verification-error.ts'

/** A line end behind it is of the file that it was read from. */
const SECRET = /^whsec_([A-Za-z0-9+/_-]{22,}={0,2})(?:\r?\n)?$/

/** The bytes that a `whsec_…` text encodes. */
export function keyOf(secret: unknown): Buffer {
  const [, encoded] = typeof secret === 'string' ? (SECRET.exec(secret) ?? []) : []
  if (encoded === undefined) throw new WebhookVerificationError('SECRET_INVALID')
  return Buffer.from(encoded, 'base64')
}

/** What Standard Webhooks signs: id, time and the bytes of the body, with a full stop between them. */
export function signatureOf(key: Buffer, id: string, timestamp: string, body: string | Uint8Array): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

/**
 * Whether the texts are equal, in a time that does not depend on where they differ. Texts and not decoded bytes are
 * compared: several base64 texts decode to the same bytes, and only one of them was sent.
 */
export function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
