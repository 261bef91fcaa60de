import { DISABLED_REASONS } from '@mintmark/contract'
import { bool, columns, int, nullable, oneOf, text, texts, time } from '../../db/row.ts'
import { execute, many, one } from '../../db/statement.ts'
import { DUE_EARLIER, insertWorkValues } from '../../jobs/fragments.ts'

const LOCKED = {
  id: text,
  events: texts,
  revision: int,
  enabled: bool,
  verifiedAt: nullable(time),
  disabledReason: nullable(oneOf(DISABLED_REASONS)),
  deletedAt: nullable(time),
}

/**
 * Opens or holds the work of an endpoint, before anything is queued for it: a worker that is about to close the work waits, and sees
 * what was queued. Also when it may be sent to again: what waited while it was paused is due. Its holder keeps the work: if taken
 * from one whose request is on its way, two would be in flight.
 */
export const openWork = execute(
  'webhooks.open_endpoint_work',
  `${insertWorkValues('endpoint', '$endpointId', '$at')}
   ${DUE_EARLIER}`,
)

/** Until the end of the transaction the endpoint stays as it is. */
export const lockEndpoint = one(
  'webhooks.lock_queue_endpoint',
  `select ${columns(LOCKED)} from webhook_endpoints
   where merchant_id = $merchantId and id = $endpointId for no key update`,
  LOCKED,
)

/** Queues one event once more, or a test. */
export const insertReplay = execute(
  'webhooks.insert_replay',
  `insert into webhook_deliveries (merchant_id, id, day, endpoint_id, revision, event_id, event_type, body, replay_of, state,
     send_at, attempts, window_ends_at, created_at)
   values ($merchantId, $deliveryId, $day, $endpointId, $revision, $eventId, $eventType, $body, $replayOf, 'queued',
     $at, 0, $windowEndsAt, $at)`,
)

/** Queues some events for one endpoint. Each id has its event at the same place. */
export const insertRecovered = many(
  'webhooks.insert_recovered',
  `insert into webhook_deliveries (merchant_id, id, day, endpoint_id, revision, event_id, event_type, state, send_at, attempts,
     window_ends_at, created_at)
   select $merchantId, one.id, $day, $endpointId, $revision, one.event_id, one.event_type, 'queued', $at, 0, $windowEndsAt, $at
   from unnest($ids::text[], $eventIds::text[], $eventTypes::text[]) one (id, event_id, event_type)
   returning id`,
  { id: text },
)
