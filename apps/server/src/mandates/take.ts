import { ZERO_DECIMAL_CURRENCIES } from '@mintmark/contract'
import type { Change } from '../db/command.ts'
import { windowAt } from '../network/windows.ts'
import * as store from './take-store.ts'

/** What a charge asks of its mandate. `ownerSeal`: the seal over mandate, agent and owner, for an agent's charge; null for a merchant's. */
interface Taking {
  merchantId: string
  mandateId: string
  amountMinor: bigint
  /** One of its amounts has a fraction, which not every currency has. */
  hasFraction: boolean
  agentId: string | null
  ownerId: string | null
  ownerSeal: Buffer | null
}

/** Why a mandate may not be charged. */
export type MandateRefusal =
  | 'HAS_FRACTION'
  | 'NOT_ACTIVE'
  | 'NO_INSTRUCTION'
  | 'NO_ORDER'
  | 'MAX_CHARGES_EXCEEDED'
  | 'THRESHOLD_EXCEEDED'

/** The window that follows the one which a mandate knows. */
export interface NextWindow {
  followsOn: Date
  startsAt: Date
  endsAt: Date | null
}

/** Takes a charge of its mandate; begins `next` before, where the known window is over. Undefined: the mandate does not allow it. */
export async function take(
  { tx: on, at }: Change,
  { hasFraction, ...charge }: Taking,
  next: NextWindow | null,
): Promise<store.ChargedMandate | undefined> {
  // Without a fraction every currency will do.
  const wholeCurrencies = hasFraction ? [...ZERO_DECIMAL_CURRENCIES] : []
  const [, taken] = await Promise.all([
    next && store.beginWindow(on, { ...charge, ...next, at }),
    store.take(on, { ...charge, wholeCurrencies, at }),
  ])
  return taken
}

/** Why `take` takes nothing of a mandate that is as it was read; null: it takes the charge, in the window of `windowAfter` if there is one. */
export function refusalOf(
  mandate: store.ChargeableMandate,
  { amountMinor, hasFraction }: Pick<Taking, 'amountMinor' | 'hasFraction'>,
  at: Date,
): MandateRefusal | null {
  const { status, perCheckout, validUntil, mandateCurrency, maxCharges, chargeCount, approvedMinor } = mandate
  if (hasFraction && ZERO_DECIMAL_CURRENCIES.has(mandateCurrency)) return 'HAS_FRACTION'
  if (perCheckout || status !== 'active' || validUntil <= at) return 'NOT_ACTIVE'
  if (mandate.instructionRef === null) return 'NO_INSTRUCTION'
  if (mandate.orderId === null) return 'NO_ORDER'
  if (maxCharges !== null && chargeCount >= maxCharges) return 'MAX_CHARGES_EXCEEDED'
  const spentMinor = windowAfter(mandate, at) === null ? mandate.windowSpentMinor : 0n
  return spentMinor + amountMinor > approvedMinor ? 'THRESHOLD_EXCEEDED' : null
}

/** The window that has begun since the known one has ended; null: that lasts. Throws for an active mandate whose windows do not follow each other. */
export function windowAfter(mandate: store.ChargeableMandate, at: Date): NextWindow | null {
  const { frequency, activatedAt: anchor, windowStartedAt: followsOn, windowEndsAt: end } = mandate
  if (end === null || end > at) return null
  if (anchor === null || followsOn === null) throw new Error(`The active mandate ${mandate.mandateId} has no window.`)
  const next = windowAt(frequency, anchor, at)
  if (next.startsAt < end) throw new Error(`The windows of the mandate ${mandate.mandateId} do not follow each other.`)
  return { followsOn, ...next }
}
