import type { CHARGE_LIMITS, EscalationStatus } from '@mintmark/contract/agents'
import type { Carrier } from './deps.ts'
import type { StoredEscalationStatus } from './states.ts'

type ChargeLimit = (typeof CHARGE_LIMITS)[number]

/** Limits of which one charge can be allowed. The others are no matter of one charge: it would be in another currency, or its turn comes. */
export function canBeAsked(limit: ChargeLimit): boolean {
  return limit !== 'open' && limit !== 'currency'
}

/** Whether the mandate itself does not allow it, so that the owner has to make another one. */
export function isBeyond(limit: ChargeLimit): boolean {
  return limit === 'mandate' || limit === 'max_charges' || limit === 'shop'
}

interface Stored {
  status: StoredEscalationStatus
  expiresAt: Date
}

/** How an escalation stands at a time, as it is stored. What was allowed and made is allowed. */
export function storedStanding({ status, expiresAt }: Stored, now: Date): EscalationStatus {
  if (status === 'used') return 'allowed'
  return status === 'pending' && expiresAt <= now ? 'expired' : status
}

/** The same of what is beyond the mandate: it is answered by the mandate that the owner makes for it, or does not. */
export function carriedStanding(found: Stored, { status, isApproved }: Carrier, now: Date): EscalationStatus {
  // Not approved: the owner has left its page by the way out. What expired or was replaced may be opened again in time.
  if (found.status === 'denied' || !isApproved) return storedStanding(found, now)
  return status === 'pending' ? 'pending' : 'allowed'
}
