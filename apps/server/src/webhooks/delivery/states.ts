import type { DeliveryState, RecoveryState } from '@mintmark/contract'

/** Which state a delivery may move to. */
export const DELIVERY_TRANSITIONS = {
  /** It is sent, or sent again, when it is due and its endpoint takes deliveries. */
  queued: ['delivered', 'failed', 'cancelled'],
  /** The receiver acknowledged it. Terminal. */
  delivered: [],
  /** Its tries or its time are used up. Terminal; it may be replayed. */
  failed: [],
  /** Its destination is no more: deleted, disabled, or moved to another URL. Terminal. */
  cancelled: [],
} as const satisfies Record<DeliveryState, readonly DeliveryState[]>

/** Which state the catching up of an endpoint may move to. */
export const RECOVERY_TRANSITIONS = {
  /** Pages of its range are left to look at. */
  running: ['completed', 'cancelled'],
  /** All events of the range are queued. Terminal. */
  completed: [],
  /** Its destination is no more. Terminal. */
  cancelled: [],
} as const satisfies Record<RecoveryState, readonly RecoveryState[]>
