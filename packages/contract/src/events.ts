/** Event kinds captured today; later features add theirs here, and only here. */
export const EVENT_TYPES = [
  'payment.credentials_ready',
  'payment.succeeded',
  'payment.failed',
  'charge.report_overdue',
  'session.revoked',
  'mandate.created',
  'mandate.creation_failed',
  'mandate.creation_cancelled',
  'mandate.creation_expired',
  'mandate.paused',
  'mandate.resumed',
  'mandate.cancelled',
  'mandate.consumed',
  'mandate.expired',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** The date of the body's shape; a change that a reader could notice gets a new date. */
export const EVENT_SCHEMA_VERSION = '2026-11-01'
