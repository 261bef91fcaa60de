import { createHmac, randomBytes } from 'node:crypto'
import { type MintmarkEvent, signWebhook } from '@mintmark/node'
import manifest from '../package.json' with { type: 'json' }
import { oneLine } from './terminal.ts'

/** As long as the service waits for a receiver. */
const TIMEOUT_MILLIS = 10_000

/** What became of one event. */
export interface Forwarded {
  acknowledged: boolean
  /** In a few words, with how long it took. */
  outcome: string
}

/** The headers of a delivery. `listen` is the only thing that tells it from one of the service. */
export function deliveryHeaders(body: string, id: string, secret: string, now = new Date()): Record<string, string> {
  const signed = signWebhook(body, { id, secrets: secret, now })
  const deliveryId = `whd_${randomBytes(13).toString('hex')}`
  const seconds = signed['webhook-timestamp']
  return {
    'content-type': 'application/json',
    'user-agent': `Mintmark/${manifest.version} (listen)`,
    ...signed,
    'webhook-delivery-id': deliveryId,
    // The older form: hexadecimal, over the time and the body, with the whole text of the secret as key.
    'Mintmark-Signature': `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`,
    'Mintmark-Event-Id': id,
    'Mintmark-Delivery-Id': deliveryId,
  }
}

/** Sends an event once, as a delivery does: no redirect is followed, and any 2xx is an acknowledgement. */
export async function forward(
  event: MintmarkEvent,
  url: URL,
  secret: string,
  stopped: AbortSignal,
): Promise<Forwarded> {
  const started = performance.now()
  const body = JSON.stringify(event)
  const headers = deliveryHeaders(body, event.id, secret)
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MILLIS)])
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    const took = `${Math.round(performance.now() - started)} ms`
    if (response.ok) {
      await response.body?.cancel()
      return { acknowledged: true, outcome: `${response.status} in ${took}` }
    }
    const said = oneLine(await response.text().catch(() => ''))
    return { acknowledged: false, outcome: `${response.status} in ${took}${said === '' ? '' : `: ${said}`}` }
  } catch (error) {
    stopped.throwIfAborted()
    return { acknowledged: false, outcome: reasonOf(error, url) }
  }
}

function reasonOf(error: unknown, url: URL): string {
  const { cause, name } = error as { cause?: { code?: string; message?: string }; name?: string }
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT_MILLIS / 1000} s`
  if (cause?.code === 'ECONNREFUSED') return `nothing listens at ${url.host}`
  return cause?.code ?? oneLine(cause?.message ?? 'no connection')
}
