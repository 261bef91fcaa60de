import { type Static, Type } from 'typebox'
import { FAILURE_CATEGORIES, OUTCOME_SOURCES } from '../events.ts'
import {
  CARD_END_REASONS,
  CONSENT_STATUSES,
  ENROLLED_PASSKEYS,
  ENROLLMENT_OUTCOMES,
  type EnrollmentStatus,
  MANDATE_STATUSES,
  type MandateStatus,
  MERCHANT_SCOPES,
  PAYMENT_FAILURE_CODES,
  RECURRING_FREQUENCIES,
  type SessionStatus,
  TRANSACTION_STATUSES,
  type TransactionStatus,
} from '../states.ts'
import { dateTime } from './common.ts'
import { nullable, oneOf, text } from './schema.ts'

// The `data` of events: one schema a kind of resource, narrowed to the statuses of one kind of event. The program's
// types come from them, so a field that is captured is a field that is described here.

const Money = (description: string) =>
  Type.Object({ value: text('A decimal string.', '40.00'), currency: text('ISO 4217.', 'USD') }, { description })

const Category = nullable(
  oneOf(FAILURE_CATEGORIES),
  'Why it came to nothing, for readers who count; null where it did not.',
)

const ExternalOrderRef = nullable(Type.String(), 'Your own reference of that order, or null.')

const CARD = {
  last4: text('The last four digits of the card.', '4242'),
  brand: nullable(Type.String(), 'Its brand, where it is known.'),
  exp_month: Type.Integer({ description: 'The month of its expiry.' }),
  exp_year: Type.Integer({ description: 'The year of its expiry, four digits.' }),
}

/** What a mandate allows, in events about it. */
const EventTerms = Type.Object(
  {
    recurring_frequency: oneOf(RECURRING_FREQUENCIES, { description: 'How long a window is.' }),
    merchant_scope: oneOf(MERCHANT_SCOPES, { description: 'Whether only the named merchant may be paid.' }),
    max_charges: nullable(Type.Integer(), 'How many charges it allows in all; null for any number.'),
    amount: Money('The cap of one charge, and of one window.'),
    valid_until: dateTime('Its end.'),
  },
  { description: 'What was allowed.' },
)
export type EventTerms = Static<typeof EventTerms>

/** What the card network has told of a payment by itself. */
const Network = Type.Object(
  {
    amount: text(
      'What was captured, refunded, reversed or disputed by this one act, in the currency of the payment.',
      '40.00',
    ),
    merchant: nullable(Type.String(), 'The shop as the network names it, or null.'),
    occurred_at: dateTime('When it happened, as the network says it.'),
    captured: text('What was captured of the payment in all.', '40.00'),
    refunded: text('What was refunded of the payment in all.', '0.00'),
    counted: text('What the payment counts for in the window of its mandate from now on.', '40.00'),
  },
  { description: 'What the card network has told; only in the events that tell of nothing else.' },
)

/** The data of `payment.*` and of `charge.report_overdue`. The resource is the payment: its id is the transaction's. */
export const paymentData = (statuses: readonly TransactionStatus[] = TRANSACTION_STATUSES) =>
  Type.Object({
    session_id: nullable(Type.String(), 'The session; null for a charge against a standing mandate.'),
    mandate_id: nullable(Type.String(), 'The mandate; null unless it is a standing one.'),
    order_id: text(
      'The order of the session; for a charge against a mandate, that of the session that set the mandate up.',
    ),
    external_order_ref: ExternalOrderRef,
    status: oneOf(statuses, { description: 'How the transaction stands.' }),
    amount: Money('What was to be paid.'),
    outcome_source: oneOf(OUTCOME_SOURCES, { description: 'Where the outcome comes from.' }),
    failure_category: Category,
    error_code: nullable(oneOf(PAYMENT_FAILURE_CODES), 'Why it failed; null where it did not.'),
    network: Type.Optional(Network),
  })
export type PaymentEventData = Static<ReturnType<typeof paymentData>>

/**
 * The data of `mandate.created` and `mandate.creation_*`. The resource is the `mandate_setup`: its id is the session's.
 */
export const setupData = <Status extends Extract<SessionStatus, 'completed' | 'failed'>>(status: Status) =>
  Type.Object({
    session_id: text('The session that set it up.'),
    order_id: text('The order of the session.'),
    status: oneOf([status], { description: 'How the session ended.' }),
    mandate_id: text('The mandate.'),
    terms: nullable(EventTerms, 'What was allowed; null where nothing was.'),
    failure_category: Category,
  })
export type SetupEventData = Static<ReturnType<typeof setupData<'completed' | 'failed'>>>

/** The data of `card_enrollment.*`. The resource is the `card_enrollment`: its id is the session's. */
export const enrollmentData = <
  Status extends Extract<EnrollmentStatus, 'completed' | 'failed' | 'cancelled' | 'expired'>,
>(
  status: Status,
) =>
  Type.Object({
    session_id: text('The session.'),
    status: oneOf([status], { description: 'How the enrollment ended.' }),
    outcome: oneOf(ENROLLMENT_OUTCOMES, { description: 'How far the card came.' }),
    card_id: nullable(Type.String(), 'The card; null where the network has accepted none.'),
    passkey: nullable(oneOf(ENROLLED_PASSKEYS), 'Whether the passkey is new; null unless the enrollment is completed.'),
    consent_status: oneOf(CONSENT_STATUSES, { description: 'Whether you named a consent.' }),
    card: nullable(Type.Object(CARD), 'What may be shown of the card; null where `card_id` is.'),
    failure_category: Category,
  })
export type EnrollmentEventData = Static<ReturnType<typeof enrollmentData<EndedEnrollment>>>
type EndedEnrollment = Extract<EnrollmentStatus, 'completed' | 'failed' | 'cancelled' | 'expired'>

/** The data of the other kinds of `mandate.*`. The resource is the `mandate`. */
export const mandateData = (statuses: readonly MandateStatus[] = MANDATE_STATUSES) =>
  Type.Object({
    mandate_id: text('The mandate.'),
    order_id: nullable(
      Type.String(),
      'The order of the session that set it up; null for the mandate of an ordinary checkout.',
    ),
    status: oneOf(statuses, { description: 'How the mandate stands.' }),
    terms: EventTerms,
  })
export type MandateEventData = Static<ReturnType<typeof mandateData>>

/** The data of `session.revoked`. The resource is the `session`; what it was for has ended with it. */
export const RevokedEventData = Type.Object({
  session_id: text('The session.'),
  txn_id: nullable(Type.String(), 'Its transaction; null unless it was a payment.'),
  mandate_id: nullable(Type.String(), 'The mandate that is not to be; null unless it was to set up one.'),
  order_id: nullable(Type.String(), 'The order of the session; null for the enrollment of a card.'),
  external_order_ref: ExternalOrderRef,
  status: oneOf(['failed'], { description: 'How the session ended.' }),
  failure_category: oneOf(['revoked'], { description: 'Why it came to nothing, for readers who count.' }),
  error_code: oneOf(['SESSION_REVOKED'], { description: 'Why it failed.' }),
})
export type RevokedEventData = Static<typeof RevokedEventData>

/** The data of `card.deleted`. The resource is the `card`. */
export const CardDeletedEventData = Type.Object({
  card_id: text('The card.'),
  status: oneOf(['deleted'], { description: 'How the card stands.' }),
  reason: oneOf(CARD_END_REASONS, {
    description:
      'As it was asked for; `JUST_ONCE` where its cardholder had chosen that it is not kept, and its session has ended.',
  }),
  was_default: Type.Boolean({ description: 'Whether it was the default card.' }),
  new_default_card_id: nullable(Type.String(), 'The card that became the default in its place, or null.'),
  network_token_deleted: Type.Boolean({ description: 'Whether the card network deleted its token.' }),
  card: Type.Object(CARD, { description: 'What may be shown of the card.' }),
})
export type CardDeletedEventData = Static<typeof CardDeletedEventData>

/** The data of `passkey.reset_allowed`. The resource is the `customer` who may replace a lost passkey. */
export const PasskeyResetEventData = Type.Object({
  customer_id: text('The customer.'),
  allowed_by: oneOf(['merchant', 'operator'], {
    description: 'The merchant over the API, or an operator of the service.',
  }),
  expires_at: dateTime('Until when the passkey may be replaced.'),
})
export type PasskeyResetEventData = Static<typeof PasskeyResetEventData>
