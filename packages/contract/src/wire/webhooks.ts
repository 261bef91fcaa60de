import { type Static, Type } from 'typebox'
import { EVENT_TYPES } from '../events.ts'
import { ATTEMPT_FAILURES, ENDPOINT_STATES, INCIDENT_REASONS, PAUSE_REASONS } from '../webhooks.ts'
import { dateTime, displayName } from './common.ts'
import { nullable, oneOf, STRICT, text } from './schema.ts'

const EventKind = oneOf(EVENT_TYPES, { title: 'EventType', description: 'A kind of event.' })

const WebhookEventKind = Type.Object(
  {
    type: EventKind,
    description: text('When it is captured.'),
    schema: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'JSON schema of the whole body.',
    }),
    example: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'A body with nothing real in it.',
    }),
  },
  { title: 'WebhookEventType', description: 'A kind of event, and what its body looks like.' },
)
export const WebhookEventKindList = Type.Object(
  {
    data: Type.Array(WebhookEventKind, { description: 'All kinds.' }),
    next_cursor: Type.Null({ description: 'Always null: the list is whole.' }),
  },
  { title: 'WebhookEventTypeList', description: 'All kinds of events.' },
)
export type WebhookEventKindList = Static<typeof WebhookEventKindList>

export const WebhookIncident = Type.Object(
  {
    id: text('The incident.', 'whi_06gq2w9k5v8c3x1t7n4m0r2hzd'),
    reason: oneOf(INCIDENT_REASONS, {
      title: 'WebhookIncidentReason',
      description:
        '`circuit_open`: five attempts in a row were not acknowledged. `gone`: it answered 410. `forbidden_address`: its name leads to an address that nothing may be sent to.',
    }),
    opened_at: dateTime('Since when.'),
  },
  { title: 'WebhookIncident', description: 'A time in which an endpoint does not get what it should.' },
)

const events = Type.Array(EventKind, {
  description: 'The kinds it is sent.',
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  examples: [['payment.succeeded', 'payment.failed']],
})
const enabled = Type.Boolean({ description: 'Whether its owner wants it to be sent to.' })

export const WebhookEndpoint = Type.Object(
  {
    id: text('The endpoint.', 'we_06gq2w9k5v8c3x1t7n4m0r2hzd'),
    name: text('Your name for it.', 'Orders'),
    url: text('Where it is.', 'https://shop.example/webhooks'),
    events: Type.Array(EventKind, { description: 'The kinds it is sent.' }),
    enabled,
    verified: Type.Boolean({ description: 'Whether it has returned the challenge of its present URL.' }),
    state: oneOf(ENDPOINT_STATES, {
      title: 'WebhookEndpointState',
      description:
        'How it stands. Only `active` is sent to. `unverified`: verify it. `paused`: enable it. `circuit_open`: it failed five times in a row and rests for five minutes, then one probe is sent. `disabled`: by the service; verify it anew.',
    }),
    pause_reason: nullable(
      oneOf(PAUSE_REASONS, { title: 'WebhookPauseReason', description: 'Why it is not sent to.' }),
      'Null while it is `active`.',
    ),
    revision: Type.Integer({
      minimum: 1,
      description:
        'Of its destination. It rises when the URL changes and when the endpoint is disabled; what was queued for an earlier one is cancelled.',
    }),
    open_incident: nullable(
      WebhookIncident,
      'Null unless it is `circuit_open` or `disabled`, or was paused in such a time.',
    ),
    created_at: dateTime('When it was created.'),
    updated_at: dateTime('When it was last changed.'),
  },
  { title: 'WebhookEndpoint', description: 'Where events are sent.' },
)
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

export const WebhookEndpointList = Type.Object(
  {
    data: Type.Array(WebhookEndpoint, { description: 'The oldest first; at most five.' }),
    next_cursor: Type.Null({ description: 'Always null: the list is whole.' }),
  },
  { title: 'WebhookEndpointList', description: 'All endpoints of the account.' },
)
export type WebhookEndpointList = Static<typeof WebhookEndpointList>

export const EndpointParams = Type.Object({
  endpointId: text('The endpoint.', 'we_06gq2w9k5v8c3x1t7n4m0r2hzd'),
})

const name = displayName(100, 'Your name for it.', 'Orders')
/** What a URL may be is for the service to say, with a reason each. */
const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  format: 'clean-text',
  description: 'Where it is: HTTPS on port 443 of a public host, without credentials and fragment.',
  examples: ['https://shop.example/webhooks'],
})

export const CreateEndpointBody = Type.Object(
  { name, url, events },
  { ...STRICT, title: 'CreateWebhookEndpointRequest', description: 'A new endpoint.' },
)
export type CreateEndpointBody = Static<typeof CreateEndpointBody>

export const UpdateEndpointBody = Type.Object(
  {
    name: Type.Optional(name),
    url: Type.Optional(url),
    events: Type.Optional(events),
    enabled: Type.Optional(enabled),
  },
  {
    ...STRICT,
    title: 'UpdateWebhookEndpointRequest',
    description: 'What is to change; what is absent stays.',
    minProperties: 1,
  },
)
export type UpdateEndpointBody = Static<typeof UpdateEndpointBody>

const signingSecret = Type.Optional(
  text(
    'What its requests are signed with. Shown once: not when the request is repeated with the same key.',
    'whsec_bm90IGEgc2VjcmV0LCBvbmx5IGFuIGV4YW1wbGUhISE=',
  ),
)

export const CreatedEndpoint = Type.Object(
  { endpoint: WebhookEndpoint, signing_secret: signingSecret },
  { title: 'CreatedWebhookEndpoint', description: 'The endpoint, paused and unverified, and its secret.' },
)
export type CreatedEndpoint = Static<typeof CreatedEndpoint>

export const RotatedSecret = Type.Object(
  {
    endpoint: WebhookEndpoint,
    signing_secret: signingSecret,
    former_secret_expires_at: dateTime('Until then the secret before this one signs as well.'),
  },
  { title: 'RotatedWebhookSecret', description: 'The new secret of an endpoint.' },
)
export type RotatedSecret = Static<typeof RotatedSecret>

export const DeletedEndpoint = Type.Object(
  {
    id: text('The endpoint.', 'we_06gq2w9k5v8c3x1t7n4m0r2hzd'),
    deleted: Type.Literal(true, { description: 'Always `true`. Nothing is sent there any more.' }),
  },
  { title: 'DeletedWebhookEndpoint', description: 'That an endpoint was deleted.' },
)
export type DeletedEndpoint = Static<typeof DeletedEndpoint>

export const TestEventBody = Type.Object(
  {
    type: EventKind,
    queued: Type.Optional(
      Type.Boolean({
        default: false,
        description: '`true`: it goes the way of every event, with history and retries. `false`: it is sent now, once.',
      }),
    ),
  },
  { ...STRICT, title: 'TestWebhookRequest', description: 'Which kind of event to send as a test.' },
)
export type TestEventBody = Static<typeof TestEventBody>

export const TestResult = Type.Object(
  {
    event_id: text('The `id` of the test event. It is in no feed.', 'evt_06gq2w9k5v8c3x1t7n4m0r2hzd'),
    delivery_id: text('The `webhook-delivery-id` it is sent with.', 'whd_06gq2w9k5v8c3x1t7n4m0r2hzd'),
    queued: Type.Boolean({ description: 'Whether it was queued. Its delivery then tells what became of it.' }),
    result: nullable(
      Type.Object(
        {
          acknowledged: Type.Boolean({ description: 'Whether the endpoint answered with a 2xx status.' }),
          http_status: nullable(Type.Integer(), 'The status; null when no answer came.'),
          category: nullable(
            oneOf(ATTEMPT_FAILURES, { title: 'WebhookAttemptFailure', description: 'Why it was not acknowledged.' }),
            'Null when it was acknowledged.',
          ),
          duration_ms: Type.Integer({ minimum: 0, description: 'How long the request took, in milliseconds.' }),
        },
        { description: 'What came of it.' },
      ),
      'Null when it was queued.',
    ),
  },
  { title: 'WebhookTestResult', description: 'What came of a test event.' },
)
export type TestResult = Static<typeof TestResult>
