import { EGRESS_FAILURES } from './egress.ts'

/** How an endpoint stands. `circuit_open`: it failed five times in a row and rests; `disabled`: by the service, for good. */
export const ENDPOINT_STATES = ['paused', 'unverified', 'active', 'circuit_open', 'disabled'] as const
export type EndpointState = (typeof ENDPOINT_STATES)[number]

/** Why the service disabled an endpoint: it answered 410, or its address is one that nothing may be sent to. */
export const DISABLED_REASONS = ['gone', 'forbidden_address'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** Why an incident is open. */
export const INCIDENT_REASONS = ['circuit_open', ...DISABLED_REASONS] as const
export type IncidentReason = (typeof INCIDENT_REASONS)[number]

/** Why an endpoint is not sent to. */
export const PAUSE_REASONS = [
  // It is verified, and its owner has not enabled it, or has paused it.
  'not_enabled',
  // It is new.
  'unverified',
  // Its URL was changed since it was verified.
  'url_changed',
  ...INCIDENT_REASONS,
] as const
export type PauseReason = (typeof PAUSE_REASONS)[number]

/** Deliveries in one response. */
export const DELIVERIES_ON_A_PAGE = 50

/** Where a delivery stands. `failed`: all its attempts or its time were used; `cancelled`: its destination is no more. */
export const DELIVERY_STATES = ['queued', 'delivered', 'failed', 'cancelled'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Why a try of a delivery was not acknowledged. A word of ours: nothing that the receiver chose. */
export const ATTEMPT_FAILURES = [
  ...EGRESS_FAILURES,
  // It answered, and sent us somewhere else. Redirects are not followed.
  'redirect',
  // It answered 410: no receiver lives there any more.
  'gone',
  // It answered something else that is not 2xx.
  'status',
] as const
export type AttemptFailure = (typeof ATTEMPT_FAILURES)[number]

/** Why a verification failed. */
const VERIFICATION_FAILURES = [
  ...ATTEMPT_FAILURES,
  // It answered 2xx, and not with the challenge alone.
  'challenge',
  // The URL was changed while it was asked.
  'url_changed',
] as const
export type VerificationFailure = (typeof VERIFICATION_FAILURES)[number]

/** How the catching up of an endpoint stands. `cancelled`: its destination is no more. */
export const RECOVERY_STATES = ['running', 'completed', 'cancelled'] as const
export type RecoveryState = (typeof RECOVERY_STATES)[number]
