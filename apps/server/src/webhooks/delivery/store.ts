import { DISABLED_REASONS } from '@mintmark/contract'
import { bool, bytes, columns, int, json, nullable, oneOf, type RowOf, text, texts, time, times } from '../../db/row.ts'
import { execute, many, one } from '../../db/statement.ts'
import { FREE } from '../../jobs/due.ts'
import { dueWorkAt, LISTED_INSIDE } from '../../jobs/fragments.ts'
import { dueWork } from '../../jobs/work.ts'
import { originList } from '../../platform/states.ts'
import { DELIVERY_TRANSITIONS } from './states.ts'

// Locks are taken in the order application, work of the endpoint, endpoint, deliveries.

/** An endpoint, as what is sent to it depends on it. */
const ENDPOINT = {
  url: text,
  revision: int,
  enabled: bool,
  verifiedAt: nullable(time),
  disabledReason: nullable(oneOf(DISABLED_REASONS)),
  failures: int,
  circuitUntil: nullable(time),
  deletedAt: nullable(time),
  id: text,
  isAccount: bool,
  seal: nullable(bytes),
  secretSealed: nullable(bytes),
  secretKeyId: nullable(text),
  formerSecretSealed: nullable(bytes),
  formerSecretKeyId: nullable(text),
  formerSecretUntil: nullable(time),
}

/**
 * What there is to do for each endpoint that has something queued. The lease is what keeps a second request to the same endpoint from
 * being sent.
 */
export const endpointWork = dueWork('webhooks', 'endpoint', { shape: {} })
export type EndpointClaim = Awaited<ReturnType<typeof endpointWork.claim>>['rows'][number]

export type Endpoint = RowOf<typeof ENDPOINT>

const QUEUE = {
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
 * What an endpoint has queued, but for the delivery `$except`: the next one of the live revision, what was left behind by an earlier
 * one, and when the first window ends. It costs the same however much there is: each part says in which order it looks, and so by which
 * index. Asked whether an earlier revision exists, servers of some versions read the whole queue by another one. `endpoint` and `revision`
 * are SQL.
 */
const queueOf = <const Endpoint extends string, const Revision extends string>(
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

/** An endpoint and its queue, as they are seen without a lock: what has to be known before one is taken. */
const TURN = { ...ENDPOINT, ...QUEUE }
export type Turn = RowOf<typeof TURN>
const LIVE_REVISION = 'endpoint.revision + (endpoint.deleted_at is not null)::int'
const TURN_OF = `lateral (${queueOf('endpoint.id', LIVE_REVISION)}) queue` as const

/** Endpoints of a merchant that are due, besides those that this process is at. */
export const listTurns = many(
  'webhooks.list_turns',
  `select ${columns(ENDPOINT, 'endpoint')}, queue.* from (
     select id from open_work
     where merchant_id = $merchantId and merchant_id >= $merchantId and kind = 'endpoint' and ${LISTED_INSIDE} and due_at <= $at
       and ${FREE}
       and id <> all ($inHand)
     order by due_at limit $limit) work
   cross join lateral (
     select * from webhook_endpoints where merchant_id = $merchantId and id = work.id offset 0) endpoint
   cross join ${TURN_OF}`,
  TURN,
)

export const findTurn = one(
  'webhooks.find_turn',
  `select ${columns(ENDPOINT, 'endpoint')}, queue.*
   from (select * from webhook_endpoints where merchant_id = $merchantId and id = $endpointId) endpoint cross join ${TURN_OF}`,
  TURN,
)

/** Every claim of the merchant waits here for the one before it, so that what is decided of the pace is true when it is written. */
export const lockApplication = one(
  'webhooks.lock_application',
  `select last_claims, flights, waiting from webhook_applications where merchant_id = $merchantId for update`,
  { lastClaims: times, flights: json<Record<string, number>>(), waiting: texts },
)

/** A row that is not there cannot be locked. */
export const insertApplication = execute(
  'webhooks.insert_application',
  `insert into webhook_applications (merchant_id, last_claims, flights, waiting) values ($merchantId, '{}', '{}', '{}')
   on conflict on constraint webhook_applications_pkey do nothing`,
)

export const updateApplication = execute(
  'webhooks.update_application',
  `update webhook_applications set last_claims = $lastClaims, flights = $flights::jsonb, waiting = $waiting
   where merchant_id = $merchantId`,
)

/**
 * The endpoint and its work, while the caller has its lease. The holder of both locks sees all that was queued before, and a process
 * that queues more finds the work as the holder leaves it.
 */
export const lockEndpoint = one(
  'webhooks.lock_endpoint',
  `select ${columns(ENDPOINT, 'endpoint')} from open_work work
   join webhook_endpoints endpoint on endpoint.merchant_id = $merchantId and endpoint.id = $endpointId
   where work.merchant_id = $merchantId and work.kind = 'endpoint' and work.id = $endpointId
     and work.lease_fence = $leaseFence and work.lease_until is not null for update`,
  ENDPOINT,
)

export const findQueue = one('webhooks.find_queue', queueOf('$endpointId', '$revision'), QUEUE)

/** The endpoint alone, for who claims its work in the same transaction. */
export const lockOnlyEndpoint = one(
  'webhooks.lock_only_endpoint',
  `select ${columns(ENDPOINT)} from webhook_endpoints
   where merchant_id = $merchantId and id = $endpointId for update`,
  ENDPOINT,
)

/** Until the end of the transaction it stays where it is: rows of the net are moved to partitions of their own. */
export const lockDelivery = one(
  'webhooks.lock_delivery',
  `select id from webhook_deliveries where merchant_id = $merchantId and id = $deliveryId and day = $day for update`,
  { id: text },
)

/** How many other endpoints of the merchant have something to send now, or are being sent to. At most four. */
export const countOthersDue = one(
  'webhooks.count_others_due',
  `select count(*)::int as count from open_work
   where merchant_id = $merchantId and kind = 'endpoint' and ${LISTED_INSIDE} and due_at <= $soon and id <> $endpointId`,
  { count: int },
)

/**
 * Counts a try and takes a place for it, before anything is sent: a try that is lost with its worker counts. None: the delivery is
 * not where it was, and nothing is counted.
 */
export const insertAttempt = one(
  'webhooks.insert_attempt',
  `with delivery as (
     update webhook_deliveries set attempts = attempts + 1
     where merchant_id = $merchantId and id = $deliveryId and day = $day and state in ('queued')
     returning attempts
   ), application as (
     update webhook_applications set last_claims = $lastClaims, flights = $flights::jsonb, waiting = $waiting
     where merchant_id = $merchantId and exists (select 1 from delivery)
   )
   insert into webhook_attempts (merchant_id, delivery_id, day, number, started_at)
   select $merchantId, $deliveryId, $day, attempts, $at from delivery
   returning number`,
  { number: int },
)

/** What became of a try, and of its delivery. */
export const updateAttempt = execute(
  'webhooks.update_attempt',
  `with attempt as (
     update webhook_attempts set finished_at = $at, http_status = $httpStatus, category = $category
     where merchant_id = $merchantId and delivery_id = $deliveryId and number = $number and day = $day
   )
   update webhook_deliveries set state = $state, send_at = $sendAt, finished_at = $finishedAt
   where merchant_id = $merchantId and id = $deliveryId and day = $day
     and state in (${originList(DELIVERY_TRANSITIONS, 'delivered')})`,
)

/** What a try changes about its endpoint. */
export const updateCircuit = execute(
  'webhooks.update_circuit',
  `update webhook_endpoints set failures = $failures, circuit_until = $circuitUntil, disabled_reason = $disabledReason,
     revision = $revision, seal = $seal, updated_at = $at
   where merchant_id = $merchantId and id = $endpointId`,
)

/** Endpoints that found no place among the requests of their application are due now. One that is being sent to stays as it is. */
export const updateWaiting = many(
  'webhooks.update_waiting',
  `${dueWorkAt('endpoint', 'any ($waiting)', '$at')} and due_at > $at and lease_until is null
   returning id`,
  { id: text },
)

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
