import { type Static, Type } from 'typebox'
import { EVENT_TYPES } from '../events.ts'
import {
  ATTEMPT_FAILURES,
  DELIVERIES_ON_A_PAGE,
  DELIVERY_STATES,
  ENDPOINT_STATES,
  PAUSE_REASONS,
  RECOVERY_STATES,
} from '../webhooks.ts'
import { dateTime } from './common.ts'
import { nullable, oneOf, STRICT, text } from './schema.ts'
import { WebhookIncident } from './webhooks.ts'

const category = nullable(
  oneOf(ATTEMPT_FAILURES, { title: 'WebhookAttemptFailure', description: 'Why it was not acknowledged.' }),
  'Null when it was acknowledged, or has no end.',
)

export const WebhookAttempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Which one it is of the delivery.' }),
    started_at: dateTime('When it began.'),
    finished_at: nullable(
      dateTime('When its end was known.'),
      'Null while it is on its way, and for ever if the process that sent it died: it counts all the same.',
    ),
    http_status: nullable(Type.Integer(), 'The status of the answer; null when none came.'),
    category,
  },
  { title: 'WebhookAttempt', description: 'One request to an endpoint.' },
)
export type WebhookAttempt = Static<typeof WebhookAttempt>

const DELIVERY = {
  id: text('The delivery: the `webhook-delivery-id` of its requests.', 'whd_06gq2w9k5v8c3x1t7n4m0r2hzd'),
  endpoint_id: text('Where it goes.', 'we_06gq2w9k5v8c3x1t7n4m0r2hzd'),
  event_id: text('The event: the `webhook-id` of its requests, the same in every replay.'),
  event_type: oneOf(EVENT_TYPES, { title: 'EventType', description: 'A kind of event.' }),
  test: Type.Boolean({ description: 'Whether it is a test event, which is in no feed.' }),
  state: oneOf(DELIVERY_STATES, {
    title: 'WebhookDeliveryState',
    description:
      '`queued`: it is sent, or sent again. `delivered`: the endpoint answered 2xx. `failed`: its nine attempts or its 72 hours are used up. `cancelled`: its destination was deleted, disabled or moved to another URL.',
  }),
  replay_of: nullable(Type.String(), 'The delivery that it repeats; null for the first one of an event.'),
  attempt_count: Type.Integer({ minimum: 0, maximum: 9, description: 'How many requests were begun; at most nine.' }),
  last_attempt: nullable(WebhookAttempt, 'The newest one; null when there was none.'),
  next_attempt_at: nullable(
    dateTime('When it is sent next, at the earliest.'),
    'Null unless it is `queued` and its endpoint takes deliveries.',
  ),
  pause_reason: nullable(
    oneOf(PAUSE_REASONS, { title: 'WebhookPauseReason', description: 'Why it is not sent to.' }),
    'Why its endpoint is not sent to now; null unless it is `queued` and waits for that.',
  ),
  created_at: dateTime('When it was queued.'),
  expires_at: dateTime('The end of its 72 hours: no request begins later.'),
  finished_at: nullable(dateTime('When it came to its end.'), 'Null while it is `queued`.'),
}

export const WebhookDelivery = Type.Object(DELIVERY, {
  title: 'WebhookDelivery',
  description: 'One event on its way to one endpoint.',
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

const DeliveryQueue = Type.Object(
  {
    waiting_count: Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'Deliveries of the account that are `queued`, to all its endpoints; counted up to 10,000.',
    }),
    empty_at: nullable(
      dateTime('When all of them have been begun at the earliest, at five a second.'),
      'Null when none waits.',
    ),
  },
  { title: 'WebhookDeliveryQueue', description: 'What waits to be sent to the account.' },
)

export const WebhookDeliveryList = Type.Object(
  {
    data: Type.Array(WebhookDelivery, { description: `Newest first, ${DELIVERIES_ON_A_PAGE} at most.` }),
    next_cursor: nullable(Type.String(), 'The `cursor` of the next page; null when this is the last one.'),
    queue: DeliveryQueue,
  },
  { title: 'WebhookDeliveryList', description: 'One page of the deliveries to an endpoint.' },
)
export type WebhookDeliveryList = Static<typeof WebhookDeliveryList>

export const WebhookDeliveryDetail = Type.Object(
  {
    ...DELIVERY,
    attempts: Type.Array(WebhookAttempt, { maxItems: 9, description: 'Its requests, the first one first.' }),
    endpoint: nullable(
      Type.Object(
        {
          state: oneOf(ENDPOINT_STATES, { description: 'How it stands now.' }),
          pause_reason: nullable(oneOf(PAUSE_REASONS), 'Why it is not sent to; null while it is `active`.'),
          open_incident: nullable(WebhookIncident, 'Null unless there is one.'),
        },
        { description: 'Its endpoint, as it stands now.' },
      ),
      'Its endpoint, as it stands now; null once it is deleted.',
    ),
    event: nullable(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'What is sent: the body of the event, as it was captured.',
      }),
      'Null once the body is not kept any more: that of an old event, of which no delivery can be sent. A replay is shown for longer.',
    ),
  },
  { title: 'WebhookDeliveryDetail', description: 'A delivery with its attempts and its body.' },
)
export type WebhookDeliveryDetail = Static<typeof WebhookDeliveryDetail>

export const DeliveryParams = Type.Object({
  deliveryId: text('The delivery.', 'whd_06gq2w9k5v8c3x1t7n4m0r2hzd'),
})

export const ListDeliveriesQuery = Type.Object(
  {
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'The `next_cursor` of the page before.' }),
    ),
  },
  STRICT,
)
export type ListDeliveriesQuery = Static<typeof ListDeliveriesQuery>

export const RecoverBody = Type.Object(
  {
    from: dateTime('The time of the first event, within the last 30 days.'),
    to: Type.Optional(dateTime('The time of the last event; now when it is absent.')),
  },
  { ...STRICT, title: 'RecoverWebhookEndpointRequest', description: 'A range of time.' },
)
export type RecoverBody = Static<typeof RecoverBody>

export const WebhookRecovery = Type.Object(
  {
    id: text('The recovery.', 'whr_06gq2w9k5v8c3x1t7n4m0r2hzd'),
    endpoint_id: text('The endpoint.', 'we_06gq2w9k5v8c3x1t7n4m0r2hzd'),
    from: dateTime('The time of the first event.'),
    to: dateTime('The time of the last event.'),
    state: oneOf(RECOVERY_STATES, {
      title: 'WebhookRecoveryState',
      description:
        '`running`: events are being queued. `completed`: all of the range are. `cancelled`: the endpoint was deleted, disabled or moved to another URL.',
    }),
    queued_count: Type.Integer({ minimum: 0, description: 'How many events are queued so far.' }),
    created_at: dateTime('When it was asked for.'),
    finished_at: nullable(dateTime('When it came to its end.'), 'Null while it is `running`.'),
  },
  { title: 'WebhookRecovery', description: 'The catching up of an endpoint with a range of time.' },
)
export type WebhookRecovery = Static<typeof WebhookRecovery>
