import type { MandateStatus } from '@mintmark/contract'

/** Which status a mandate may move to. */
export const MANDATE_TRANSITIONS = {
  /** The cardholder approved it, or has still to; the network has not registered the instruction. */
  pending: ['active', 'cancelled', 'expired'],
  /** The network mints against it. */
  active: ['paused', 'consumed', 'cancelled', 'expired'],
  /** Held by its owner; nothing is minted. A payment begun before may still be made, and ends a one-time mandate. */
  paused: ['active', 'consumed', 'cancelled', 'expired'],
  /** A one-time mandate that was paid. Terminal. */
  consumed: [],
  /** Ended by owner, merchant or failure; what was charged before is left alone. Terminal. */
  cancelled: [],
  /** Its time passed. Terminal. */
  expired: [],
} as const satisfies Record<MandateStatus, readonly MandateStatus[]>
