import type { MandateState, MandateStatus } from '@mintmark/contract'
import { windowAt } from '../network/windows.ts'
import type { MandateRow } from './store.ts'

/** How a mandate stands at one moment. Nothing of it is stored: time alone changes it. */
export interface MandateStanding {
  status: MandateStatus
  state: MandateState
  /** In the current window. */
  spentMinor: bigint
  remainingMinor: bigint
  /** Over its whole life. */
  chargeCount: number
  /** When the next window begins; null when there is none. */
  renewsAt: Date | null
}

export function standingOf(mandate: MandateRow, now: Date): MandateStanding {
  const status = isOver(mandate, now) ? 'expired' : mandate.status
  const { spentMinor, chargeCount } = mandate.perCheckout ? takenByItsCharge(mandate) : takenOfWindow(mandate, now)
  const { approvedMinor, maxCharges } = mandate
  const remainingMinor = spentMinor > approvedMinor ? 0n : approvedMinor - spentMinor
  const isUsedUp = remainingMinor === 0n || (maxCharges !== null && chargeCount >= maxCharges)
  const state = status === 'active' ? (isUsedUp ? 'consumed' : 'available') : status
  return { status, state, spentMinor, remainingMinor, chargeCount, renewsAt: renewsAt({ ...mandate, status }, now) }
}

/**
 * Its time is over, or that of the session in which it is to be approved, and nothing has written that yet. One that was approved
 * waits for the network's word, however long. The payment of a checkout that was reported in time outranks its end: the network is
 * being told, and the mandate ends as paid or as declined.
 */
function isOver(mandate: MandateRow, now: Date): boolean {
  const { status, approveBy, validUntil, perCheckout, lastChargeReported } = mandate
  if (status === 'pending') return approveBy !== null && approveBy <= now
  if (status !== 'active' && status !== 'paused') return false
  return validUntil <= now && !(perCheckout && lastChargeReported !== null)
}

type Taken = Pick<MandateStanding, 'spentMinor' | 'chargeCount'>

/** A checkout has one charge, which takes everything from the moment it is approved until it comes to nothing. */
function takenByItsCharge({ lastChargeStatus, lastChargeMinor }: MandateRow): Taken {
  if (lastChargeStatus === null || lastChargeStatus === 'failed') return { spentMinor: 0n, chargeCount: 0 }
  return { spentMinor: lastChargeMinor ?? 0n, chargeCount: 1 }
}

/** For a mandate that has ended: in the window it ended in. */
function takenOfWindow(mandate: MandateRow, now: Date): Taken {
  const { windowEndsAt, windowSpentMinor, chargeCount, endedAt, validUntil } = mandate
  const at = Math.min(...[now, endedAt ?? now, validUntil].map(Number))
  const hasRolledOver = windowEndsAt !== null && windowEndsAt.getTime() <= at
  return { spentMinor: hasRolledOver ? 0n : windowSpentMinor, chargeCount }
}

function renewsAt({ status, frequency, activatedAt }: MandateRow, now: Date): Date | null {
  if ((status !== 'active' && status !== 'paused') || activatedAt === null) return null
  return windowAt(frequency, activatedAt, now).endsAt
}
