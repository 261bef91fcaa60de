import { createHmac } from 'node:crypto'
import type { Secret } from '../platform/secret.ts'
import { VERSION } from '../platform/version.ts'

const SECRET_PREFIX = 'whsec_'

export interface Message {
  /** The event: the same in every delivery and attempt. */
  id: string
  /** The generation: a replay has another one. */
  deliveryId: string
  /** The bytes that are sent, as they are stored. */
  body: Buffer | string
  /** The newest first. For a day after a rotation there are two, and the receiver may know either. */
  secrets: readonly Secret[]
  /** The time of the machine, never that of the sandbox: receivers compare it with their own clocks, and refuse five minutes. */
  at: Date
  /** What the names of the older headers begin with. */
  prefix: string
}

/**
 * All headers of one request to a receiver. Standard Webhooks (`webhook-…`) is what libraries verify; beside it stands the older
 * form, for receivers that were written before. The signature is over the time of the attempt, so that no attacker can send an
 * old one again later.
 */
export function signedHeaders({ id, deliveryId, body, secrets, at, prefix }: Message): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000)
  const standard = secrets.map((key) => `v1,${hmac(keyBytes(key), `${id}.${seconds}.`, body).toString('base64')}`)
  const older = secrets.map((key) => `v1=${hmac(key.reveal(), `${seconds}.`, body).toString('hex')}`)
  return {
    'content-type': 'application/json',
    'user-agent': `Mintmark/${VERSION}`,
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.join(' '),
    'webhook-delivery-id': deliveryId,
    [`${prefix}-Signature`]: [`t=${seconds}`, ...older].join(','),
    [`${prefix}-Event-Id`]: id,
    [`${prefix}-Delivery-Id`]: deliveryId,
  }
}

function hmac(key: Buffer | string, head: string, body: Buffer | string): Buffer {
  return createHmac('sha256', key).update(head).update(body).digest()
}

/** Standard Webhooks signs with the bytes that the text after the prefix encodes; the older form with the whole text. */
function keyBytes(key: Secret): Buffer {
  return Buffer.from(key.reveal().slice(SECRET_PREFIX.length), 'base64')
}
