import { text } from '../../db/row.ts'
import { many } from '../../db/statement.ts'
import { DUE_EARLIER, insertWork } from '../../jobs/fragments.ts'

/** 64 random bits for the id of a delivery, in characters that its alphabet has, from a column `random` with a UUID. */
const RANDOM = `right(random, 12) || left(random, 4)` as const

/** The columns that a queued delivery of an event begins with. */
const QUEUED =
  `merchant_id, id, day, endpoint_id, revision, event_id, event_type, state, send_at, attempts, window_ends_at,
       created_at` as const

/** Work of an endpoint that has something queued: due at `due`, or earlier if it was. Its holder keeps it, and looks again. */
const OPEN_ENDPOINT_WORK = `${insertWork('endpoint', 'endpoint_id', 'greatest($at, circuit_until)', '0', 'null')}
   from queued group by endpoint_id, circuit_until order by endpoint_id
   ${DUE_EARLIER}
   returning id` as const

/**
 * Queues the events of some positions of the feed for every endpoint that wants them and takes deliveries now, and opens the
 * endpoints' work, in one statement. An endpoint that rests is due when its rest ends. Returns the endpoints.
 */
export const insertFannedOut = many(
  'webhooks.insert_fanned_out',
  `with endpoint as materialized (
     select id, revision, events, circuit_until from webhook_endpoints
     where merchant_id = $merchantId and deleted_at is null and enabled and verified_at is not null
       and disabled_reason is null
   ), delivery as (
     insert into webhook_deliveries (${QUEUED})
     select $merchantId, $idStart || ${RANDOM}, $day, endpoint.id, endpoint.revision, event.id, event.type, 'queued', $at, 0,
       $windowEndsAt, $at
     from endpoint cross join lateral (
       select id, type, replace(gen_random_uuid()::text, '-', '') as random from events
       where merchant_id = $merchantId and feed_pos > $after and feed_pos <= $upTo and type = any (endpoint.events)
       order by feed_pos) event
     returning endpoint_id
   ), queued as (
     select endpoint.id as endpoint_id, circuit_until from endpoint where id in (select endpoint_id from delivery)
   )
   ${OPEN_ENDPOINT_WORK}`,
  { id: text },
)
