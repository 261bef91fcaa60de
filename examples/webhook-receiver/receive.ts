import type { IncomingHttpHeaders } from 'node:http'
import { challengeAnswer, type MintmarkEvent, verifyWebhook, WebhookVerificationError } from '@mintmark/node'

export interface Answer {
  status: number
  body: string
}

interface Receiver {
  /** Asked for each request: they change when the endpoint's secret is rotated. */
  secrets: () => string[]
  /** Keeps the event durably; returns whether it is new. */
  add: (event: MintmarkEvent) => boolean
  log: (line: string) => void
}

/**
 * One request to the endpoint: verify, keep, acknowledge. The work comes later, so that a slow mail server or a slow
 * database of ours never looks like an endpoint that is down. If keeping fails, so does the request, and it is sent
 * again.
 */
export function receive({ secrets, add, log }: Receiver, body: Buffer, headers: IncomingHttpHeaders): Answer {
  try {
    const event = verifyWebhook(body, headers, secrets())
    const answer = challengeAnswer(event)
    if (answer !== undefined) return { status: 200, body: JSON.stringify(answer) }
    if (event.type !== 'webhook.endpoint_verification') {
      log(`${add(event) ? 'received' : 'received again'}  ${event.type}  ${event.id}`)
    }
    return { status: 204, body: '' }
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    log(`refused  ${error.code}: ${error.message}`)
    return { status: 400, body: JSON.stringify({ code: error.code }) }
  }
}
