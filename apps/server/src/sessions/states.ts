import type { SessionStatus } from '@mintmark/contract'

/** Which status a payment session may move to. A change is one UPDATE that names the allowed origins. */
export const SESSION_TRANSITIONS = {
  /** Created; the cardholder has not approved. Ended by approval, cancel, revoke or the session's lifetime. */
  pending: ['processing', 'failed'],
  /** Approved; the network call is open or its outcome unknown. Ended by the network's word, or by revoke. */
  processing: ['awaiting_result', 'failed'],
  /** A credential exists. Ended by the merchant's report or by the lapse of the per-checkout mandate. */
  awaiting_result: ['completed', 'failed'],
  /** Reported as approved. Terminal. */
  completed: [],
  /** Ended without a payment; `failure_code` says why. Terminal. */
  failed: [],
} as const satisfies Record<SessionStatus, readonly SessionStatus[]>
