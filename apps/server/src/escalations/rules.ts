import type { CHARGE_LIMITS, EscalationStatus } from '@mintmark/contract/agents'
import type { StoredEscalationStatus } from './states.ts'

type ChargeLimit = (typeof CHARGE_LIMITS)[number]

/**
 * Limits of which one charge can be allowed. The others are no matter of one charge: it would be in another currency,
 * or its turn comes.
 */
export function canBeAsked(limit: ChargeLimit): boolean {
  return limit !== 'open' && limit !== 'currency'
}

/** Whether the mandate itself does not allow it, so that the owner has to make another one. */
export function isBeyond(limit: ChargeLimit): boolean {
  return limit === 'mandate' || limit === 'max_charges' || limit === 'shop'
}

/** How an escalation stands at a time, as it is stored. What was allowed and made is allowed. */
export function storedStanding(
  { status, expiresAt }: { status: StoredEscalationStatus; expiresAt: Date },
  now: Date,
): EscalationStatus {
  if (status === 'used') return 'allowed'
  return status === 'pending' && expiresAt <= now ? 'expired' : status
}
