import { EVENT_SCHEMA_VERSION, EVENT_TYPES, type EventType } from '@mintmark/contract'
import { paymentEvent } from '../../apps/server/src/charges/events.ts'
import { bodyOf, createEventSink } from '../../apps/server/src/events/service.ts'
import { code, type Page, page, table } from './markdown.ts'

/** Keyed by the union, so a new kind does not compile until it is explained here. */
const EVENT_TEXTS: Readonly<Record<EventType, string>> = {
  'payment.credentials_ready':
    'The network minted. The session is `awaiting_result`. Of a charge against a mandate, `session_id` is null and `mandate_id` is not.',
  'payment.succeeded': 'Reported as approved, and the network answered. The session is `completed`.',
  'payment.failed':
    'The session is `failed`: refused, declined, expired, cancelled or lapsed. `error_code` is one of the [payment failures](declines.md#payment-failures).',
  'charge.report_overdue':
    'The credential of a charge against a mandate lapsed without a report. It can be reported for 30 days more, and then fails with `REPORT_TIMEOUT`.',
  'session.revoked':
    'The merchant revoked the session. `error_code` is `SESSION_REVOKED`; there is no `payment.failed` beside it.',
  'mandate.created':
    'A standing mandate was approved, and the network registered it. `resource` of every `creation` kind: the `mandate_setup` of the session; `terms`: what was allowed, null where nothing was.',
  'mandate.creation_failed': 'The network refused to register an approved mandate.',
  'mandate.creation_cancelled': 'The cardholder gave up before approving.',
  'mandate.creation_expired': 'The session expired before the cardholder approved.',
  'mandate.paused': 'Its owner paused it. `data` of every kind of mandate: its `status` and `terms`.',
  'mandate.resumed': 'Its owner resumed it.',
  'mandate.cancelled': 'Its owner cancelled it. The end of a payment that ends its mandate too is told by the payment.',
  'mandate.consumed': 'The payment it was for was made. Mandates for more than one stay as they are.',
  'mandate.expired': 'Its time passed. Reads say so from that moment on, the event follows within seconds.',
}

const FIELDS: readonly (readonly [string, string])[] = [
  ['id', 'The event. Unique, prefix `evt_`.'],
  ['type', 'The kind, from the table above.'],
  ['schema_version', 'The date of the shape of this body.'],
  ['occurred_at', 'When it happened, UTC.'],
  ['environment', '`sandbox` or `production`.'],
  ['account_id', 'The merchant account.'],
  ['resource', 'What changed. `version` rises by one with each captured change of that resource.'],
  ['data', 'Public facts. Never a credential, card number, CVV, vault reference, email, address or network message.'],
]

/** docs/reference/events.md: the kinds that are captured, and one body made by the product's own code. */
export function eventsPage(): Page {
  const sample: unknown = JSON.parse(sampleBody())
  return page('docs/reference/events.md', 'packages/contract/src/events.ts and apps/server/src/events', [
    '# Events',
    INTRODUCTION,
    table(
      ['Kind', 'When'],
      EVENT_TYPES.map((type) => [code(type), EVENT_TEXTS[type]]),
    ),
    '## Body',
    `The schema version is ${code(EVENT_SCHEMA_VERSION)}. The bytes are fixed when the event is captured.`,
    ['```json', JSON.stringify(sample, null, 2), '```'].join('\n'),
    table(
      ['Field', 'Meaning'],
      FIELDS.map(([name, meaning]) => [code(name), meaning]),
    ),
  ])
}

/** The fields the page explains; a test compares them with the sample's. */
export function explainedFields(): string[] {
  return FIELDS.map(([name]) => name)
}

const INTRODUCTION = `An event is captured in the database transaction of its cause: one event for each committed change, and
none for a change that was rolled back. **This version only captures.** There is no feed (\`GET /v1/events\`) and no
webhook delivery yet. Poll the payment result instead.`

/** The body the service would store for one event, with ids that are easy to read. */
export function sampleBody(): string {
  const charge = {
    merchantId: 'ma_cfwwbr254gzbywfja0rf14rfwf',
    id: 'txn_5vt707nn6pwg7he6emscbbb1q8',
    version: 2,
    orderId: 'ord_94h48g1mrdgy1b3dwvj7n9mc4r',
    externalOrderRef: 'order-1001',
    openedBy: 'sess_1h2da3b72smgkd1e0bdxhrvg88',
    standingMandateId: null,
  }
  const captured = createEventSink({ environment: 'sandbox' }).prepare(
    paymentEvent('payment.credentials_ready', charge),
  )
  const { merchantId } = charge
  const occurredAt = new Date('2026-11-21T12:30:15.000Z')
  return bodyOf({ ...captured, eventId: 'evt_6ak1hg4nnn5r3a1grb5xh5nxsr', merchantId, occurredAt })
}
