import type { PaymentFailure, SetupFailure } from './states.ts'

/** Every kind of event. What each says is in `wire/events.ts`, which does not compile without it. */
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

/** How long an event can be read. */
export const EVENT_RETENTION_DAYS = 30
/** The largest body of an event. One that would be larger is parked. */
export const MAX_EVENT_BYTES = 65_536

/**
 * Which party says that a payment stands as its event says: the service itself, the merchant by a report, or (`merchant_observed`) the shop
 * at which the service itself has bought what was quoted.
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

/** The category of each failure of a payment or a setup. */
export const FAILURE_CATEGORY_OF: Record<PaymentFailure | SetupFailure, FailureCategory> = {
  SESSION_EXPIRED: 'expired',
  SESSION_REVOKED: 'revoked',
  CANCELLED: 'cancelled',
  MANDATE_EXPIRED: 'unreported',
  PAYMENT_DECLINED: 'payment_declined',
  CARD_DECLINED: 'card_declined',
  THRESHOLD_EXCEEDED: 'limit_exceeded',
  MAX_CHARGES_EXCEEDED: 'limit_exceeded',
  AGENT_LIMIT_EXCEEDED: 'limit_exceeded',
  OWNER_DENIED: 'refused',
  OWNER_TIMEOUT: 'expired',
  DELIVERY_REFUSED: 'refused',
  REPORT_TIMEOUT: 'unreported',
  CREDENTIAL_LAPSED: 'expired',
  INSUFFICIENT_FUNDS: 'card_declined',
  MERCHANT_PREPARE_FAILED: 'refused',
  MERCHANT_ACTION_REQUIRED: 'refused',
  PAYMENT_FAILED: 'refused',
}
