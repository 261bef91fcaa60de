import { type Static, type TObject, Type } from 'typebox'
import { ENVIRONMENTS } from '../accounts.ts'
import { EVENT_SCHEMA_VERSION, type EventType } from '../events.ts'
import { dateTime } from './common.ts'
import {
  CardDeletedEventData,
  enrollmentData,
  mandateData,
  PasskeyResetEventData,
  paymentData,
  RevokedEventData,
  setupData,
} from './event-data.ts'
import * as examples from './event-examples.ts'
import { oneOf, text } from './schema.ts'

// The registry of kinds. Everything that lists them (the reference, the API, the types of receivers, test events) is
// made from this one table, and a kind that is missing in it does not compile.

/** What events are about: the `type` of their `resource`. */
export const EVENT_RESOURCES = [
  'payment',
  'session',
  'card_enrollment',
  'mandate_setup',
  'mandate',
  'card',
  'customer',
] as const
export type EventResource = (typeof EVENT_RESOURCES)[number]

/** The body around the data of one kind. */
const bodySchema = <Kind extends EventType, Resource extends EventResource, Data extends TObject>(
  type: Kind,
  resource: Resource,
  data: Data,
) =>
  Type.Object(
    {
      id: text('The event. Unique; a receiver that knows it has seen the event.', 'evt_06gq2w9k5v8c3x1t7n4m0r2hzd'),
      type: oneOf([type], { description: 'The kind.' }),
      schema_version: text('The date of the shape of this body.', EVENT_SCHEMA_VERSION),
      occurred_at: dateTime('When it happened, UTC.'),
      environment: oneOf(ENVIRONMENTS, { description: 'Where it happened.' }),
      account_id: text('The merchant account.'),
      resource: Type.Object(
        {
          type: oneOf([resource], { description: 'What changed.' }),
          id: text('Its id.'),
          version: Type.Integer({
            minimum: 1,
            description:
              'Rises with each captured change of the resource: of two events about it, the greater is the newer.',
          }),
        },
        { description: 'What changed.' },
      ),
      data,
      test: Type.Optional(
        Type.Literal(true, { description: 'Only in events that you asked for as a test: their data is an example.' }),
      ),
    },
    { description: `The body of \`${type}\`.` },
  )

/** One entry of the table. */
const kind = <Kind extends EventType, Resource extends EventResource, Data extends TObject>(
  type: Kind,
  { resource, data, description, example }: KindSpec<Resource, Data>,
) => ({
  description,
  resource,
  data,
  /** JSON schema of the whole body. */
  schema: bodySchema(type, resource, data),
  /** A body with nothing real in it. */
  example: { ...examples.envelope(type), resource: { type: resource, ...example.resource }, data: example.data },
})

interface KindSpec<Resource extends EventResource, Data extends TObject> {
  resource: Resource
  data: Data
  description: string
  example: { resource: { id: string; version: number }; data: Static<Data> }
}

const paid = (status: 'awaiting_result' | 'completed' | 'failed') => ({
  resource: 'payment' as const,
  data: paymentData([status]),
})
const OBSERVED = { resource: 'payment' as const, data: paymentData(['completed', 'awaiting_result', 'failed']) }
const enrolled = <Status extends 'completed' | 'failed' | 'cancelled' | 'expired'>(status: Status) => ({
  resource: 'card_enrollment' as const,
  data: enrollmentData(status),
})
const setUp = <Status extends 'completed' | 'failed'>(status: Status) => ({
  resource: 'mandate_setup' as const,
  data: setupData(status),
})
const moved = (status: 'active' | 'paused' | 'cancelled' | 'consumed' | 'expired') => ({
  resource: 'mandate' as const,
  data: mandateData([status]),
})

/** Every kind: when it is captured, the JSON schema of its whole body, and an example body. */
export const EVENT_KINDS = {
  'payment.credentials_ready': kind('payment.credentials_ready', {
    ...paid('awaiting_result'),
    description:
      'The network minted. The session is `awaiting_result`. For a charge against a mandate, `session_id` is null and `mandate_id` is not.',
    example: examples.payment(2, 'awaiting_result'),
  }),
  'payment.succeeded': kind('payment.succeeded', {
    ...paid('completed'),
    description: 'It was paid: reported as approved, or captured at the card network. The session is `completed`.',
    example: examples.payment(3, 'completed'),
  }),
  'payment.failed': kind('payment.failed', {
    ...paid('failed'),
    description:
      'Nothing was paid, and nothing will be: refused, declined, expired, cancelled, above a limit, or not reported in time. The session, or the charge against a mandate, is `failed`.',
    example: examples.payment(2, 'failed'),
  }),
  'charge.report_overdue': kind('charge.report_overdue', {
    ...paid('awaiting_result'),
    description:
      'The credential of a charge against a mandate was used, and a day after it lapsed there is no report. It can be reported until 30 days after the lapse, and then fails with `REPORT_TIMEOUT`.',
    example: examples.overdueCharge,
  }),
  'payment.captured': kind('payment.captured', {
    ...OBSERVED,
    description: 'The card network told that the shop took the payment, or a part of it.',
    example: examples.observedPayment(4, '32.50', { captured: '32.50', refunded: '0.00', counted: '32.50' }),
  }),
  'payment.refunded': kind('payment.refunded', {
    ...OBSERVED,
    description: 'The card network told that the shop refunded the payment, or a part. The mandate gets nothing back.',
    example: examples.observedPayment(6, '10.00', { captured: '32.50', refunded: '10.00', counted: '32.50' }),
  }),
  'payment.reversed': kind('payment.reversed', {
    ...OBSERVED,
    description: 'The card network told that what was authorized, or a part of it, was given up: reversed or expired.',
    example: examples.observedPayment(5, '7.50', { captured: '32.50', refunded: '0.00', counted: '32.50' }),
  }),
  'payment.disputed': kind('payment.disputed', {
    ...OBSERVED,
    description: 'The card network told that the payment is contested.',
    example: examples.observedPayment(7, '32.50', { captured: '32.50', refunded: '10.00', counted: '32.50' }),
  }),
  'session.revoked': kind('session.revoked', {
    resource: 'session',
    data: RevokedEventData,
    description: 'The merchant revoked the session. There is no event of what it was for beside it.',
    example: examples.revokedSession,
  }),
  'card_enrollment.completed': kind('card_enrollment.completed', {
    ...enrolled('completed'),
    description: 'Card and passkey are there.',
    example: examples.completedEnrollment,
  }),
  'card_enrollment.failed': kind('card_enrollment.failed', {
    ...enrolled('failed'),
    description:
      'It cannot come to an end: the card is not accepted, or the passkey can no longer be used. A revoke is told by `session.revoked` alone.',
    example: examples.endedEnrollment('failed', 'card_declined'),
  }),
  'card_enrollment.cancelled': kind('card_enrollment.cancelled', {
    ...enrolled('cancelled'),
    description: 'The cardholder gave up. `card_id` names the card where one was provisioned by then.',
    example: examples.endedEnrollment('cancelled', 'cancelled'),
  }),
  'card_enrollment.expired': kind('card_enrollment.expired', {
    ...enrolled('expired'),
    description: 'The session expired before the enrollment was completed.',
    example: examples.endedEnrollment('expired', 'expired'),
  }),
  'mandate.created': kind('mandate.created', {
    ...setUp('completed'),
    description: 'A standing mandate was approved, and the network registered it.',
    example: examples.createdMandate,
  }),
  'mandate.creation_failed': kind('mandate.creation_failed', {
    ...setUp('failed'),
    description: 'The network refused to register an approved mandate, or its card was deleted before it had.',
    example: examples.failedSetup,
  }),
  'mandate.creation_cancelled': kind('mandate.creation_cancelled', {
    ...setUp('failed'),
    description: 'The cardholder gave up before approving.',
    example: examples.endedSetup('cancelled'),
  }),
  'mandate.creation_expired': kind('mandate.creation_expired', {
    ...setUp('failed'),
    description: 'The session expired before the cardholder approved.',
    example: examples.endedSetup('expired'),
  }),
  'mandate.paused': kind('mandate.paused', {
    ...moved('paused'),
    description: 'Its owner paused it.',
    example: examples.mandate(1, 'paused'),
  }),
  'mandate.resumed': kind('mandate.resumed', {
    ...moved('active'),
    description: 'Its owner resumed it.',
    example: examples.mandate(2, 'active'),
  }),
  'mandate.cancelled': kind('mandate.cancelled', {
    ...moved('cancelled'),
    description:
      'Its owner cancelled it, or its card was deleted. The end of a payment that ends its mandate too is told by the payment.',
    example: examples.mandate(3, 'cancelled'),
  }),
  'mandate.consumed': kind('mandate.consumed', {
    ...moved('consumed'),
    description: 'The payment it was for was made. Mandates for more than one stay as they are.',
    example: examples.mandate(1, 'consumed'),
  }),
  'mandate.expired': kind('mandate.expired', {
    ...moved('expired'),
    description: 'Its time passed. Reads say so from that moment on, the event follows within seconds.',
    example: examples.mandate(1, 'expired'),
  }),
  'card.deleted': kind('card.deleted', {
    resource: 'card',
    data: CardDeletedEventData,
    description:
      'A card was deleted: you asked for it, or its cardholder had entered it for one payment only. The mandates that it paid are cancelled, each with an event of its own.',
    example: examples.deletedCard,
  }),
  'passkey.reset_allowed': kind('passkey.reset_allowed', {
    resource: 'customer',
    data: PasskeyResetEventData,
    description:
      'A customer who lost the passkey may replace it: with the CVV of a card and the code of its issuer, and not by a link alone.',
    example: examples.allowedReset,
  }),
} satisfies Record<EventType, { description: string; resource: EventResource; schema: TObject; example: object }>

/** The body of one kind, or of any. */
export type EventBody<Kind extends EventType = EventType> = {
  [Type in Kind]: Static<(typeof EVENT_KINDS)[Type]['schema']>
}[Kind]
