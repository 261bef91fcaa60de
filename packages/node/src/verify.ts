import { types } from 'node:util'
import type { EndpointVerification } from './challenge.ts'
import type { MintmarkEvent } from './event-types.ts'
import { signedParts, type WebhookHeaders } from './headers.ts'
import { keyOf, sameText, signatureOf } from './signature.ts'
import { type VerificationCode, WebhookVerificationError } from './verification-error.ts'

export type { WebhookHeaders } from './headers.ts'
export { type VerificationCode, WebhookVerificationError } from './verification-error.ts'

/** The bytes of the request, as they came. */
export type WebhookBody = string | Uint8Array | ArrayBuffer

/**
 * What arrives at an endpoint. `type` says which; the service may know kinds that this version does not list, so let the
 * `default` of a `switch` be a 2xx that does nothing.
 */
export type WebhookEvent = MintmarkEvent | EndpointVerification

export interface VerifyOptions {
  /** How far the time of the signature may be from now, in either direction. Default: 300. */
  toleranceSeconds?: number
  /** The time to compare with, for tests. Default: now. */
  now?: Date
}

const TOLERANCE_SECONDS = 300
const MAX_TOLERANCE_SECONDS = 3_600

/**
 * Returns the event of a request that Mintmark signed with one of the secrets, and throws `WebhookVerificationError` for any
 * other. `body` must be the bytes as they were sent.
 */
export function verifyWebhook(
  body: WebhookBody,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: VerifyOptions = {},
): WebhookEvent {
  const bytes = bytesOf(body)
  const keys = keysOf(secrets)
  const { id, timestamp, signatures } = signedParts(headers)
  // The signature first: what an unsigned request says of its time is not the service's word.
  let known = false
  for (const key of keys) {
    const expected = signatureOf(key, id, timestamp, bytes)
    for (const signature of signatures) known = sameText(signature, expected) || known
  }
  if (!known) fail('SIGNATURE_MISMATCH')
  checkTime(timestamp, now, toleranceSeconds)
  return parse(bytes)
}

function bytesOf(body: unknown): string | Uint8Array {
  // Not `instanceof`: test runners give each test classes of its own, and a Buffer that Node made is of none of them.
  if (typeof body === 'string' || types.isUint8Array(body)) return body
  if (types.isAnyArrayBuffer(body)) return new Uint8Array(body)
  fail('BODY_PARSED')
}

function keysOf(secrets: string | readonly string[]): Buffer[] {
  const all = [secrets].flat().filter((secret) => secret !== '' && secret !== undefined && secret !== null)
  if (all.length === 0) fail('SECRET_MISSING')
  return all.map(keyOf)
}

function checkTime(timestamp: string, now: Date, tolerance: number): void {
  if (!(tolerance > 0 && tolerance <= MAX_TOLERANCE_SECONDS)) fail('TOLERANCE_INVALID')
  if (!/^\d{1,12}$/.test(timestamp)) fail('TIMESTAMP_INVALID')
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp)
  // Written so that a time that is no number is refused as well.
  if (!(age <= tolerance)) fail('TIMESTAMP_TOO_OLD')
  if (!(age >= -tolerance)) fail('TIMESTAMP_TOO_NEW')
}

function parse(bytes: string | Uint8Array): WebhookEvent {
  let event: Partial<WebhookEvent> | null
  try {
    event = JSON.parse(typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8'))
  } catch (cause) {
    throw new WebhookVerificationError('BODY_INVALID', { cause })
  }
  if (typeof event?.id !== 'string' || typeof event.type !== 'string') fail('BODY_INVALID')
  return event as WebhookEvent
}

function fail(code: VerificationCode): never {
  throw new WebhookVerificationError(code)
}
