import type {
  CardDeletionReason,
  CardStatus,
  ConsentStatus,
  EnrolledPasskey,
  EnrollmentOutcome,
  EnrollmentStatus,
  MandateStatus,
  MerchantScope,
  PaymentFailure,
  RecurringFrequency,
  SessionStatus,
  SetupFailure,
  TransactionStatus,
} from './states.ts'

/** Event kinds captured today; later features add theirs here, and only here. */
export const EVENT_TYPES = [
  'payment.credentials_ready',
  'payment.succeeded',
  'payment.failed',
  'charge.report_overdue',
  'session.revoked',
  'card_enrollment.completed',
  'card_enrollment.failed',
  'card_enrollment.cancelled',
  'card_enrollment.expired',
  'mandate.created',
  'mandate.creation_failed',
  'mandate.creation_cancelled',
  'mandate.creation_expired',
  'mandate.paused',
  'mandate.resumed',
  'mandate.cancelled',
  'mandate.consumed',
  'mandate.expired',
  'card.deleted',
  'passkey.reset_allowed',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** The date of the body's shape; a change that a reader could notice gets a new date. */
export const EVENT_SCHEMA_VERSION = '2026-11-01'

/**
 * Who says that a payment stands as its event says: the service itself, or the merchant by a report. `merchant_observed` is for
 * payments that the service makes at a merchant's own checkout, where it sees the order; none is captured yet.
 */
export const OUTCOME_SOURCES = ['service_issued', 'merchant_reported', 'merchant_observed'] as const
export type OutcomeSource = (typeof OUTCOME_SOURCES)[number]

/** Why something came to nothing, for readers who count: each failure code has one of these. */
export const FAILURE_CATEGORIES = [
  'expired',
  'cancelled',
  'revoked',
  'card_declined',
  'limit_exceeded',
  'payment_declined',
  'unreported',
  'refused',
] as const
export type FailureCategory = (typeof FAILURE_CATEGORIES)[number]

/** Of payments and of setups. */
export const FAILURE_CATEGORY_OF: Record<PaymentFailure | SetupFailure, FailureCategory> = {
  SESSION_EXPIRED: 'expired',
  SESSION_REVOKED: 'revoked',
  CANCELLED: 'cancelled',
  MANDATE_EXPIRED: 'unreported',
  PAYMENT_DECLINED: 'payment_declined',
  CARD_DECLINED: 'card_declined',
  THRESHOLD_EXCEEDED: 'limit_exceeded',
  MAX_CHARGES_EXCEEDED: 'limit_exceeded',
  REPORT_TIMEOUT: 'unreported',
  PAYMENT_FAILED: 'refused',
}

type EventAmount = { value: string; currency: string }

/** The data of `payment.*` and of `charge.report_overdue`. The resource is the payment: its id is the transaction's. */
export type PaymentEventData = {
  /** Null for a charge against a standing mandate. */
  session_id: string | null
  /** Null unless the mandate is a standing one. */
  mandate_id: string | null
  order_id: string
  external_order_ref: string | null
  status: TransactionStatus
  amount: EventAmount
  outcome_source: OutcomeSource
  failure_category: FailureCategory | null
  error_code: PaymentFailure | null
}

/** What a mandate allows, in events about it. */
export type EventTerms = {
  recurring_frequency: RecurringFrequency
  merchant_scope: MerchantScope
  max_charges: number | null
  amount: EventAmount
  valid_until: string
}

/** The data of `mandate.created` and `mandate.creation_*`. The resource is the `mandate_setup`: its id is the session's. */
export type SetupEventData = {
  session_id: string
  order_id: string
  status: Extract<SessionStatus, 'completed' | 'failed'>
  mandate_id: string
  /** Those that were allowed; null where nothing was. */
  terms: EventTerms | null
  failure_category: FailureCategory | null
}

/** The data of `card_enrollment.*`. The resource is the `card_enrollment`: its id is the session's. */
export type EnrollmentEventData = {
  session_id: string
  status: Extract<EnrollmentStatus, 'completed' | 'failed' | 'cancelled' | 'expired'>
  outcome: EnrollmentOutcome
  /** Null until the network has accepted one. */
  card_id: string | null
  /** Null unless it is completed. */
  passkey: EnrolledPasskey | null
  consent_status: ConsentStatus
  card: { last4: string; brand: string | null; exp_month: number; exp_year: number } | null
  failure_category: FailureCategory | null
}

/** The data of the other kinds of `mandate.*`. The resource is the `mandate`. */
export type MandateEventData = {
  mandate_id: string
  /** Null for the mandate of an ordinary checkout. */
  order_id: string | null
  status: MandateStatus
  terms: EventTerms
}

/** The data of `session.revoked`. The resource is the `session`; what it was for has ended with it. */
export type RevokedEventData = {
  session_id: string
  /** Null unless it was a payment. */
  txn_id: string | null
  /** Null unless it was to set up a mandate. */
  mandate_id: string | null
  /** Null for an enrollment, as is what follows it. */
  order_id: string | null
  external_order_ref: string | null
  status: Extract<SessionStatus, 'failed'>
  failure_category: Extract<FailureCategory, 'revoked'>
  error_code: Extract<PaymentFailure, 'SESSION_REVOKED'>
}

/** The data of `card.deleted`. The resource is the `card`. */
export type CardDeletedEventData = {
  card_id: string
  status: Extract<CardStatus, 'deleted'>
  reason: CardDeletionReason
  was_default: boolean
  /** The card that became the default in its place; null when none did. */
  new_default_card_id: string | null
  network_token_deleted: boolean
  card: { last4: string; brand: string | null; exp_month: number; exp_year: number }
}

/** The data of `passkey.reset_allowed`. The resource is the `customer` who may replace a lost passkey. */
export type PasskeyResetEventData = {
  customer_id: string
  /** Who allowed it: the merchant over the API, or an operator of the service. */
  allowed_by: 'merchant' | 'operator'
  /** Until when the passkey may be replaced. */
  expires_at: string
}
