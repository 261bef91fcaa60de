import { keyOf, signatureOf } from './signature.ts'

export interface SignOptions {
  /** The event's id, for `webhook-id`. */
  id: string
  /** `whsec_…`; several during a rotation. */
  secrets: string | readonly string[]
  /** When it is signed. Default: now. */
  now?: Date
}

/** The headers that a delivery is verified by. */
export interface SignedHeaders {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
  [name: string]: string
}

/** Signs a body as Mintmark does: for tests of your receiver. */
export function signWebhook(body: string | Uint8Array, { id, secrets, now = new Date() }: SignOptions): SignedHeaders {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const all = typeof secrets === 'string' ? [secrets] : secrets
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': all.map((secret) => signatureOf(keyOf(secret), id, timestamp, body)).join(' '),
  }
}
