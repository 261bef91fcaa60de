import type { AttemptFailure, EventType } from '@mintmark/contract'
import { EVENT_KINDS } from '@mintmark/contract/wire/events'
import { checkActive } from '../merchants/service.ts'
import { newOrderedId } from '../platform/ids.ts'
import { checkDelivering } from './delivering.ts'
import type { WebhookDeps } from './deps.ts'
import { endpointNotVerified } from './errors.ts'
import type { EndpointRef } from './ref.ts'
import { failureOf } from './rules.ts'
import { getForSending, sendNow } from './send.ts'

export interface TestResult {
  eventId: string
  deliveryId: string
  /** Null: it was queued. */
  result: { httpStatus: number | null; category: AttemptFailure | null; durationMillis: number } | null
}

/** The body of a test: the example of its kind, as of now and of this account, and marked. */
function testBody(
  { clock, environment }: Pick<WebhookDeps, 'clock' | 'environment'>,
  { merchantId }: Pick<EndpointRef, 'merchantId'>,
  { type, id }: { type: EventType; id: string },
): string {
  const occurredAt = clock.now().toISOString()
  const own = { id, occurred_at: occurredAt, environment, account_id: merchantId }
  return JSON.stringify({ ...EVENT_KINDS[type].example, ...own, test: true })
}

/**
 * Sends one event of example data now, and returns what came of it. To verified endpoints only: a server that has not asked for
 * requests gets none but the challenge. It changes nothing about the endpoint, so that it can be tried before it is enabled. Queued,
 * it goes the way of every event.
 */
export async function sendTest(
  deps: WebhookDeps,
  ref: EndpointRef,
  { type, queued = false }: { type: EventType; queued?: boolean | undefined },
): Promise<TestResult> {
  checkDelivering(deps)
  await checkActive(deps.pool, ref.merchantId)
  if (queued) return queueTest(deps, ref, type)
  const endpoint = await getForSending(deps, ref)
  if (endpoint.verifiedAt === null || endpoint.disabledReason !== null) throw endpointNotVerified()
  const at = deps.clock.now()
  const message = { id: newOrderedId('event', at), deliveryId: newOrderedId('delivery', at) }
  const body = testBody(deps, ref, { type, id: message.id })
  const { outcome, durationMillis } = await sendNow(deps, endpoint, { ...message, body })
  const httpStatus = outcome.kind === 'answered' ? outcome.status : null
  const result = { httpStatus, category: failureOf(outcome), durationMillis }
  return { eventId: message.id, deliveryId: message.deliveryId, result }
}

async function queueTest(deps: WebhookDeps, ref: EndpointRef, type: EventType): Promise<TestResult> {
  const eventId = newOrderedId('event', deps.clock.now())
  const body = testBody(deps, ref, { type, id: eventId })
  const deliveryId = await deps.deliveries.insertTest({ ...ref, eventId, eventType: type, body })
  return { eventId, deliveryId, result: null }
}
