/** An enrollment inside the service. Its status on the wire comes from this and from its session. */
export const ENROLLMENT_STATES = ['open', 'completed', 'failed', 'cancelled', 'expired'] as const
export type EnrollmentState = (typeof ENROLLMENT_STATES)[number]

/** Which state an enrollment may move to. A change is one UPDATE that names the allowed origins. */
export const ENROLLMENT_TRANSITIONS = {
  /**
   * The cardholder has something to do, or a try of theirs is in hand. Ended by the passkey, a final refusal, or
   * otherwise.
   */
  open: ['completed', 'failed', 'cancelled', 'expired'],
  /** Card and passkey are there. Terminal. */
  completed: [],
  /** It cannot come to an end any more, or the merchant revoked it; the error says why. Terminal. */
  failed: [],
  /** The cardholder gave up. Terminal. */
  cancelled: [],
  /** Its session's time is over. Terminal. */
  expired: [],
} as const satisfies Record<EnrollmentState, readonly EnrollmentState[]>
