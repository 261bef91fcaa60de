import type { Transitions } from '../platform/states.ts'

/** As an escalation is stored: that its time is over is seen by whoever reads it. */
export const STORED_ESCALATION_STATUSES = ['pending', 'allowed', 'used', 'denied'] as const
export type StoredEscalationStatus = (typeof STORED_ESCALATION_STATUSES)[number]

export const ESCALATION_TRANSITIONS: Transitions<StoredEscalationStatus> = {
  /** The owner is being asked. */
  pending: ['allowed', 'denied'],
  /** The charge may be made, once. */
  allowed: ['used'],
  /** It was made. Terminal. */
  used: [],
  /** The owner said no. Terminal. */
  denied: [],
}
