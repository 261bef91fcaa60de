import { DISABLED_REASONS } from '@mintmark/contract'
import { bool, columns, int, nullable, oneOf, type RowOf, text, texts, time } from '../../db/row.ts'
import { execute, many, one } from '../../db/statement.ts'
import { DUE_EARLIER, insertWorkValues } from '../../jobs/fragments.ts'
import { originList } from '../../platform/states.ts'
import { DELIVERY_TRANSITIONS } from './states.ts'

// What is queued for an endpoint: how it is read and ended, and how more is queued.

export const QUEUE = {
  deliveryId: nullable(text),
  eventId: nullable(text),
  body: nullable(text),
  attempts: nullable(int),
  sendAt: nullable(time),
  windowEndsAt: nullable(time),
  isStale: bool,
  firstEnd: nullable(time),
}
export type Queue = RowOf<typeof QUEUE>

/**
 * What an endpoint has queued, but for the delivery `$except`: the next one of the live revision, what was left behind
 * by an earlier one, and when the first window ends. It costs the same however much there is: each part says in which
 * order it reads, and so by which index. Asked whether an earlier revision exists, servers of some versions read the
 * whole queue by another one. `endpoint` and `revision` are SQL.
 */
export const queueOf = <const Endpoint extends string, const Revision extends string>(
  endpoint: Endpoint,
  revision: Revision,
) =>
  `select next.*, queue.is_stale, queue.first_end
   from (select coalesce((
       select revision from webhook_deliveries
       where merchant_id = $merchantId and endpoint_id = ${endpoint} and state = 'queued' and id <> $except
       order by revision limit 1
     ) < ${revision}, false) as is_stale, (
       select window_ends_at from webhook_deliveries
       where merchant_id = $merchantId and endpoint_id = ${endpoint} and state = 'queued' and id <> $except
       order by window_ends_at limit 1
     ) as first_end) queue
   left join lateral (
     select id as delivery_id, event_id, body, attempts, send_at, window_ends_at from webhook_deliveries
     where merchant_id = $merchantId and endpoint_id = ${endpoint} and revision = ${revision} and state = 'queued'
       and id <> $except
     order by send_at limit 1) next on true` as const

/** No delivery has this id. */
export const NONE = ''

export const findQueue = one('webhooks.find_queue', queueOf('$endpointId', '$revision'), QUEUE)

/** Some that an earlier revision left behind. */
export const listStale = many(
  'webhooks.list_stale',
  `select id from webhook_deliveries
   where merchant_id = $merchantId and endpoint_id = $endpointId and revision < $revision and state = 'queued'
   order by revision limit $limit`,
  { id: text },
)

/** Some whose window is over. */
export const listOver = many(
  'webhooks.list_over',
  `select id from webhook_deliveries
   where merchant_id = $merchantId and endpoint_id = $endpointId and state = 'queued' and window_ends_at <= $at
   order by window_ends_at limit $limit`,
  { id: text },
)

export const updateCancelled = execute(
  'webhooks.update_cancelled',
  `update webhook_deliveries set state = 'cancelled', finished_at = $at
   where merchant_id = $merchantId and id = any ($ids) and day = any ($days)
     and state in (${originList(DELIVERY_TRANSITIONS, 'cancelled')})`,
)

export const updateFailed = execute(
  'webhooks.update_failed',
  `update webhook_deliveries set state = 'failed', finished_at = $at
   where merchant_id = $merchantId and id = any ($ids) and day = any ($days)
     and state in (${originList(DELIVERY_TRANSITIONS, 'failed')})`,
)

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
 * Opens or holds the work of an endpoint, before anything is queued for it: a worker that is about to close the work
 * waits, and sees what was queued. Also when it may be sent to again: what was queued while it was paused is due. A
 * worker that holds the work keeps it: taken from a holder whose request is on its way, two would be in flight.
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
