import { ATTEMPT_FAILURES, DELIVERY_STATES, DISABLED_REASONS, EVENT_TYPES, INCIDENT_REASONS } from '@mintmark/contract'
import { bool, columns, int, nullable, objectOf, objects, oneOf, type RowOf, text, texts, time } from '../../db/row.ts'
import { many, one } from '../../db/statement.ts'

const DELIVERY = {
  id: text,
  endpointId: text,
  revision: int,
  eventId: text,
  eventType: oneOf(EVENT_TYPES),
  body: nullable(text),
  replayOf: nullable(text),
  state: oneOf(DELIVERY_STATES),
  sendAt: time,
  attempts: int,
  windowEndsAt: time,
  createdAt: time,
  finishedAt: nullable(time),
}

/** A try, as it comes in a column of its delivery. */
export const ATTEMPT = {
  number: int,
  startedAt: time,
  finishedAt: nullable(time),
  httpStatus: nullable(int),
  category: nullable(oneOf(ATTEMPT_FAILURES)),
}
export type AttemptRow = RowOf<typeof ATTEMPT>

const tries = objects(ATTEMPT)
const WITH_TRIES = { ...DELIVERY, tries }
export type DeliveryRow = RowOf<typeof WITH_TRIES>

/** A page of the history of an endpoint, newest first, each with its newest try. */
export const listDeliveries = many(
  'webhooks.list_deliveries',
  `select ${columns(DELIVERY, 'delivery')}, coalesce(attempt.tries, '[]') as tries
   from webhook_deliveries delivery
   left join lateral (
     select json_agg(${objectOf(ATTEMPT, 'attempt')}) as tries from webhook_attempts attempt
     where merchant_id = $merchantId and delivery_id = delivery.id and number = delivery.attempts and day = delivery.day
     offset 0) attempt on true
   where delivery.merchant_id = $merchantId and delivery.endpoint_id = $endpointId and delivery.id < $before
     and delivery.id > $oldest
   order by delivery.id desc limit $limit`,
  WITH_TRIES,
)

/** How much waits to be sent to an account, up to a bound. */
export const countQueued = one(
  'webhooks.count_queued',
  `select count(*)::int as count from (
     select 1 as one from webhook_deliveries where merchant_id = $merchantId and state = 'queued' limit $most) first`,
  { count: int },
)

/** A delivery with all its tries. */
export const findDelivery = one(
  'webhooks.find_delivery',
  `select ${columns(DELIVERY, 'delivery')}, coalesce(attempt.tries, '[]') as tries
   from webhook_deliveries delivery
   left join lateral (
     select json_agg(${objectOf(ATTEMPT, 'attempt')} order by number) as tries from webhook_attempts attempt
     where merchant_id = $merchantId and delivery_id = delivery.id and day = delivery.day offset 0) attempt on true
   where delivery.merchant_id = $merchantId and delivery.id = $deliveryId and delivery.day = $day`,
  WITH_TRIES,
)

const ENDPOINT = {
  id: text,
  events: texts,
  revision: int,
  enabled: bool,
  verifiedAt: nullable(time),
  disabledReason: nullable(oneOf(DISABLED_REASONS)),
  failures: int,
  circuitUntil: nullable(time),
  updatedAt: time,
  deletedAt: nullable(time),
}
const INCIDENT = {
  incidentId: nullable(text),
  incidentReason: nullable(oneOf(INCIDENT_REASONS)),
  incidentOpenedAt: nullable(time),
}

/** An endpoint with its open incident, also one that is deleted. */
export const findEndpoint = one(
  'webhooks.find_history_endpoint',
  `select ${columns(ENDPOINT, 'endpoint')}, ${columns(INCIDENT, 'incident')}
   from webhook_endpoints endpoint
   left join lateral (
     select id as incident_id, reason as incident_reason, opened_at as incident_opened_at from webhook_incidents
     where merchant_id = $merchantId and endpoint_id = $endpointId and closed_at is null offset 0) incident on true
   where endpoint.merchant_id = $merchantId and endpoint.id = $endpointId`,
  { ...ENDPOINT, ...INCIDENT },
)
export type EndpointRow = NonNullable<Awaited<ReturnType<typeof findEndpoint>>>
