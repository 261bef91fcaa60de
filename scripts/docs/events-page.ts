import {
  type CardDeletedEventData,
  type EnrollmentEventData,
  EVENT_SCHEMA_VERSION,
  EVENT_TYPES,
  type EventType,
  type MandateEventData,
  OUTCOME_SOURCES,
  type OutcomeSource,
  type PasskeyResetEventData,
  type PaymentEventData,
  type RevokedEventData,
  type SetupEventData,
} from '@mintmark/contract'
import { paymentEvent } from '../../apps/server/src/charges/events.ts'
import { bodyOf, createEventSink } from '../../apps/server/src/events/service.ts'
import { code, type Page, page, table } from './markdown.ts'

/** Keyed by the union, so a new kind does not compile until it is explained here. */
const EVENT_TEXTS: Readonly<Record<EventType, string>> = {
  'payment.credentials_ready':
    'The network minted. The session is `awaiting_result`. Of a charge against a mandate, `session_id` is null and `mandate_id` is not.',
  'payment.succeeded': 'Reported as approved, and the network answered. The session is `completed`.',
  'payment.failed':
    'Nothing was paid, and nothing will be: refused, declined, expired, cancelled, above a limit, or not reported in time. The session, or the charge against a mandate, is `failed`.',
  'charge.report_overdue':
    'The credential of a charge against a mandate lapsed without a report. It can be reported for 30 days more, and then fails with `REPORT_TIMEOUT`.',
  'session.revoked': 'The merchant revoked the session. There is no event of what it was for beside it.',
  'card_enrollment.completed': 'Card and passkey are there.',
  'card_enrollment.failed':
    'It cannot come to an end: the card is not accepted, or the passkey can no longer be used. A revoke is told by `session.revoked` alone.',
  'card_enrollment.cancelled': 'The cardholder gave up. `card_id` names the card where one was provisioned by then.',
  'card_enrollment.expired': 'The session expired before the enrollment was completed.',
  'mandate.created': 'A standing mandate was approved, and the network registered it.',
  'mandate.creation_failed':
    'The network refused to register an approved mandate, or its card was deleted before it had.',
  'mandate.creation_cancelled': 'The cardholder gave up before approving.',
  'mandate.creation_expired': 'The session expired before the cardholder approved.',
  'mandate.paused': 'Its owner paused it.',
  'mandate.resumed': 'Its owner resumed it.',
  'mandate.cancelled':
    'Its owner cancelled it, or its card was deleted. The end of a payment that ends its mandate too is told by the payment.',
  'mandate.consumed': 'The payment it was for was made. Mandates for more than one stay as they are.',
  'card.deleted':
    'The merchant deleted a card. The mandates that it paid are cancelled, each with an event of its own.',
  'passkey.reset_allowed':
    'A customer who lost the passkey may replace it: with the CVV of a card and the code of its issuer, and not by a link alone.',
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

interface DataTexts {
  title: string
  note: string
  fields: Readonly<Record<string, string>>
}

const ORDER_TEXTS = {
  order_id: 'Of the session; of a charge against a mandate, of the session that set the mandate up.',
  external_order_ref: 'Your own reference of that order, or null.',
}
const CATEGORY_TEXT =
  'Null, or one of the [failure categories](declines.md#failure-categories). Each `error_code` has one category.'
const TERMS_TEXT =
  '`recurring_frequency`, `merchant_scope`, `max_charges`, `amount` (the cap, as `value` and `currency`) and `valid_until`'

/** Keyed by the fields, so a new one does not compile until it is explained here. */
const DATA_TEXTS: readonly DataTexts[] = [
  {
    title: 'Of a payment',
    note: '`payment.*` and `charge.report_overdue`. The resource is the `payment`, its id the `txn_id` of the payment result or the `transactionId` of the charge.',
    fields: {
      session_id: 'Null for a charge against a standing mandate.',
      mandate_id: 'Null unless the mandate is a standing one.',
      ...ORDER_TEXTS,
      status: 'How the [transaction](states.md#transaction-and-line-item) stands.',
      amount: '`value`, a decimal string, and `currency`: what was to be paid.',
      outcome_source: 'Who says so, from the table below.',
      failure_category: CATEGORY_TEXT,
      error_code: 'Null, or one of the [payment failures](declines.md#payment-failures).',
    } satisfies Record<keyof PaymentEventData, string>,
  },
  {
    title: 'Of the enrollment of a card',
    note: '`card_enrollment.*`. The resource is the `card_enrollment`, its id the session. What they say is what the [status](states.md#enrollment-of-a-card) says then.',
    fields: {
      session_id: 'The session.',
      status: '`completed`, `failed`, `cancelled` or `expired`.',
      outcome: 'How far the card came.',
      card_id: 'The card. Null where the network has accepted none.',
      passkey: '`registered` or `existing`; null unless it is completed.',
      consent_status: '`provided` or `not_provided`.',
      card: '`last4`, `brand`, `exp_month` and `exp_year`. Null where `card_id` is.',
      failure_category:
        'Null, or one of the [failure categories](declines.md#failure-categories). Which rule refused a card is in the status alone.',
    } satisfies Record<keyof EnrollmentEventData, string>,
  },
  {
    title: 'Of the setup of a mandate',
    note: '`mandate.created` and `mandate.creation_*`. The resource is the `mandate_setup`, its id the session.',
    fields: {
      session_id: 'The session that set it up.',
      order_id: 'Of the session.',
      status: '`completed` or `failed`.',
      mandate_id: 'The mandate.',
      terms: `What was allowed: ${TERMS_TEXT}. Null where nothing was.`,
      failure_category: CATEGORY_TEXT,
    } satisfies Record<keyof SetupEventData, string>,
  },
  {
    title: 'Of a mandate',
    note: 'The other kinds of `mandate.*`. The resource is the `mandate`.',
    fields: {
      mandate_id: 'The mandate.',
      order_id: 'Of the session that set it up. Null for the mandate of an ordinary checkout.',
      status: 'How the [mandate](states.md#mandate) stands.',
      terms: `What it allows: ${TERMS_TEXT}.`,
    } satisfies Record<keyof MandateEventData, string>,
  },
  {
    title: 'Of a revoked session',
    note: '`session.revoked`. The resource is the `session`.',
    fields: {
      session_id: 'The session.',
      txn_id: 'Its transaction. Null unless it was a payment.',
      mandate_id: 'The mandate that is not to be. Null unless it was to set up one.',
      order_id: 'Of the session. Null for the enrollment of a card.',
      external_order_ref: ORDER_TEXTS.external_order_ref,
      status: '`failed`.',
      failure_category: '`revoked`.',
      error_code: '`SESSION_REVOKED`.',
    } satisfies Record<keyof RevokedEventData, string>,
  },
  {
    title: 'Of a deleted card',
    note: '`card.deleted`. The resource is the `card`.',
    fields: {
      card_id: 'The card.',
      status: '`deleted`.',
      reason: 'As it was asked for.',
      was_default: 'Whether it was the default card.',
      new_default_card_id: 'The card that became the default in its place, or null.',
      network_token_deleted: 'Whether the card network deleted its token.',
      card: '`last4`, `brand`, `exp_month` and `exp_year`.',
    } satisfies Record<keyof CardDeletedEventData, string>,
  },
  {
    title: 'Of a passkey that may be replaced',
    note: '`passkey.reset_allowed`. The resource is the `customer`.',
    fields: {
      customer_id: 'The customer.',
      allowed_by: '`merchant` over the API, or `operator` of the service.',
      expires_at: 'Until when.',
    } satisfies Record<keyof PasskeyResetEventData, string>,
  },
]

const SOURCE_TEXTS: Readonly<Record<OutcomeSource, string>> = {
  service_issued: 'The service: it issued a credential, or ended the payment.',
  merchant_reported: 'Your report.',
  merchant_observed: 'What the service saw at a merchant where it bought by itself. Not captured by this version.',
}

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
    '## Data',
    ...DATA_TEXTS.flatMap(({ title, note, fields }) => [
      `### ${title}`,
      note,
      table(
        ['Field', 'Meaning'],
        Object.entries(fields).map(([name, meaning]) => [code(name), meaning]),
      ),
    ]),
    '### Outcome sources',
    table(
      ['`outcome_source`', 'Who says that the payment stands so'],
      OUTCOME_SOURCES.map((source) => [code(source), SOURCE_TEXTS[source]]),
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
    amountMinor: 4_000n,
    currency: 'USD',
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
