import { DISABLED_REASONS } from '@mintmark/contract'
import { bool, bytes, columns, int, nullable, oneOf, type RowOf, text, time } from '../../db/row.ts'
import { execute, many, one, type Queryable } from '../../db/statement.ts'
import { FREE } from '../../jobs/due.ts'
import { LISTED } from '../../jobs/fragments.ts'
import { dueWork } from '../../jobs/work.ts'
import { originList } from '../../platform/states.ts'
import { QUEUE, queueOf } from './queue-store.ts'
import { DELIVERY_TRANSITIONS } from './states.ts'

// Locks are taken in the order application, work of the endpoint, endpoint, deliveries.

/** An endpoint, as what is sent to it depends on it. */
const STORED = {
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
 * The revision of what is still to be sent: of a deleted endpoint nothing is. Said once, for every decision about it.
 */
const LIVE_REVISION = 'endpoint.revision + (endpoint.deleted_at is not null)::int'
const ENDPOINT = { ...STORED, liveRevision: int }
const ENDPOINT_LIST = `${columns(STORED, 'endpoint')}, ${LIVE_REVISION} as live_revision` as const

/**
 * What there is to do for endpoints: of each that has something queued. The lease is what keeps a second request to the
 * same endpoint from being sent.
 */
export const endpointWork = dueWork('webhooks', 'endpoint', { shape: {} })
export type EndpointClaim = Awaited<ReturnType<typeof endpointWork.claim>>['rows'][number]

export type Endpoint = RowOf<typeof ENDPOINT>

/** An endpoint and its queue, as they are seen without a lock: what has to be known before one is taken. */
const TURN = { ...ENDPOINT, ...QUEUE }
export type Turn = RowOf<typeof TURN>
const TURN_OF = `lateral (${queueOf('endpoint.id', LIVE_REVISION)}) queue` as const

/** Endpoints of a merchant that are due, besides those that this process is at. */
export const listTurns = many(
  'webhooks.list_turns',
  `select ${ENDPOINT_LIST}, queue.* from (
     select id from open_work
     where merchant_id = $merchantId and merchant_id >= $merchantId and kind = 'endpoint' and ${LISTED} and due_at <= $at
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
  `select ${ENDPOINT_LIST}, queue.*
   from (select * from webhook_endpoints where merchant_id = $merchantId and id = $endpointId) endpoint cross join ${TURN_OF}`,
  TURN,
)

/**
 * The endpoint and its work, while the caller has its lease. A holder of both locks sees all that was queued before,
 * and whoever queues more finds the work as the holder leaves it. None: the lease went to another worker.
 */
const lockEndpoint = one(
  'webhooks.lock_endpoint',
  `select ${ENDPOINT_LIST} from open_work work
   join webhook_endpoints endpoint on endpoint.merchant_id = $merchantId and endpoint.id = $endpointId
   where work.merchant_id = $merchantId and work.kind = 'endpoint' and work.id = $endpointId
     and work.lease_fence = $leaseFence and work.lease_until is not null for update`,
  ENDPOINT,
)

export const lockHeld = (tx: Queryable, { merchantId, id: endpointId, leaseFence }: EndpointClaim) =>
  lockEndpoint(tx, { merchantId, endpointId, leaseFence })

/** The endpoint alone, for a worker that claims its work in the same transaction. */
export const lockOnlyEndpoint = one(
  'webhooks.lock_only_endpoint',
  `select ${ENDPOINT_LIST} from webhook_endpoints endpoint
   where merchant_id = $merchantId and id = $endpointId for update`,
  ENDPOINT,
)

/** Until the end of the transaction it stays where it is: rows of the net are moved to partitions of their own. */
export const lockDelivery = one(
  'webhooks.lock_delivery',
  `select id from webhook_deliveries where merchant_id = $merchantId and id = $deliveryId and day = $day for update`,
  { id: text },
)

/**
 * Counts a try and takes a slot for it, before anything is sent: a try that is lost with its worker counts. None: the
 * delivery is not where it was, and nothing is counted.
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
