import type {
  RecoverBody,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookRecovery,
} from '@mintmark/contract/wire/deliveries'
import { fieldErrors } from '../../platform/errors.ts'
import { isOrderedId } from '../../platform/ids.ts'
import { pauseReasonOf, stateOf } from '../rules.ts'
import type { DeliveryPage, Shown } from './history.ts'
import type { AttemptRow } from './history-store.ts'
import type { Range } from './recover.ts'
import type { RecoveryRow } from './recovery-store.ts'
import { takesDeliveries } from './rules.ts'

/** The last delivery of a page. Encoded, so that no client builds on what is in it. */
function toWireCursor(id: string): string {
  return Buffer.from(id, 'utf8').toString('base64url')
}

export function fromWireCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  const id = Buffer.from(cursor, 'base64url').toString('utf8')
  if (isOrderedId('delivery', id) && toWireCursor(id) === cursor) return id
  throw fieldErrors({ cursor: 'must be the next_cursor of the page before' })
}

export function fromWireRange({ from, to }: RecoverBody): Range {
  return { from: new Date(from), to: to === undefined ? undefined : new Date(to) }
}

export function toWireList({ deliveries, next, queue }: DeliveryPage): WebhookDeliveryList {
  return {
    data: deliveries.map(toWireDelivery),
    next_cursor: next === null ? null : toWireCursor(next),
    queue: { waiting_count: queue.count, empty_at: queue.emptyAt?.toISOString() ?? null },
  }
}

export function toWireDelivery({ delivery, endpoint }: Shown): WebhookDelivery {
  const { state, tries, sendAt, finishedAt } = delivery
  const last = tries.at(-1)
  const isQueued = state === 'queued'
  const { circuitUntil } = endpoint
  const next = circuitUntil !== null && circuitUntil > sendAt ? circuitUntil : sendAt
  return {
    id: delivery.id,
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    test: delivery.body !== null,
    state,
    replay_of: delivery.replayOf,
    attempt_count: delivery.attempts,
    last_attempt: last === undefined ? null : toWireAttempt(last),
    next_attempt_at: isQueued && takesDeliveries(endpoint) ? next.toISOString() : null,
    pause_reason: isQueued ? pauseReasonOf(endpoint) : null,
    created_at: delivery.createdAt.toISOString(),
    expires_at: delivery.windowEndsAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  }
}

function toWireAttempt({ number, startedAt, finishedAt, httpStatus, category }: AttemptRow): WebhookAttempt {
  return {
    number,
    started_at: startedAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
    http_status: httpStatus,
    category,
  }
}

export function toWireDetail({ body, ...shown }: Shown & { body: string | undefined }): WebhookDeliveryDetail {
  const { endpoint } = shown
  return {
    ...toWireDelivery(shown),
    attempts: shown.delivery.tries.map(toWireAttempt),
    endpoint: endpoint.deletedAt === null ? toWireEndpoint(endpoint) : null,
    event: body === undefined ? null : JSON.parse(body),
  }
}

function toWireEndpoint(endpoint: Shown['endpoint']): NonNullable<WebhookDeliveryDetail['endpoint']> {
  const { incidentId: id, incidentReason: reason, incidentOpenedAt: openedAt } = endpoint
  const isOpen = id !== null && reason !== null && openedAt !== null
  return {
    state: stateOf(endpoint),
    pause_reason: pauseReasonOf(endpoint),
    open_incident: isOpen ? { id, reason, opened_at: openedAt.toISOString() } : null,
  }
}

export function toWireRecovery(recovery: RecoveryRow): WebhookRecovery {
  return {
    id: recovery.id,
    endpoint_id: recovery.endpointId,
    from: recovery.fromAt.toISOString(),
    to: recovery.toAt.toISOString(),
    state: recovery.state,
    queued_count: recovery.queuedCount,
    created_at: recovery.createdAt.toISOString(),
    finished_at: recovery.finishedAt?.toISOString() ?? null,
  }
}
