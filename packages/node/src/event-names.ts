// Generated from packages/contract/src/events.ts. Change the source, then run: npm run docs

import type { EventType } from './event-types.ts'

/** Every kind that this version knows. */
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
] as const satisfies readonly EventType[]
