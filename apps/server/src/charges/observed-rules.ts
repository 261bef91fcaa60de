import { countedMinor, type FactTotals, type SummedFact, totalsOf } from '../network/counted.ts'
import type { PaidWhen } from '../network/paid-when.ts'
import { addSeconds } from '../platform/clock.ts'
import type { ObservedCharge } from './observed-store.ts'

/** How facts are followed: by a setting, and by what the network can. */
export interface Following {
  paidWhen: PaidWhen
  /** A purchase that was authorized waits for its capture, however short its credential was to live. */
  capturesLater: boolean
}

interface KnownFact extends SummedFact {
  occurredAt: Date
}

export interface Decision {
  totals: FactTotals
  /** What the charge counts for, and by how much that changes. */
  countedMinor: bigint
  changeMinor: bigint
  isPaid: boolean
  /** More may be taken: what is held for longer than any network holds it is not looked at any more. */
  isOpen: boolean
  /** Until when a purchase waits for its capture or its report; null: as it was. */
  waitsUntil: Date | null
}

/** Hotels and car hire hold amounts for a month. */
const HELD_SECONDS = 45 * 24 * 60 * 60
/** A shop may take what it was authorized for this long after; some networks give up earlier, and say so. */
const CAPTURE_SECONDS = 30 * 24 * 60 * 60

/**
 * What follows of all that is known of a payment. It depends on the set of facts alone, not on the order in which they
 * were heard.
 */
export function decide(
  charge: ObservedCharge,
  facts: readonly KnownFact[],
  { paidWhen, capturesLater }: Following,
  now: Date,
): Decision {
  const totals = totalsOf(facts)
  const { amountMinor, status, countedMinor: known } = charge
  // What has failed counts for nothing, but for what was captured of it nevertheless.
  const counted = status === 'failed' ? totals.capturedMinor : countedMinor(amountMinor, totals)
  const before = known ?? (status === 'failed' ? 0n : amountMinor)
  const isUnreported = status === 'awaiting_result' && charge.reportedOutcome === null
  const isEnough = totals.capturedMinor > 0n || (paidWhen === 'authorized' && totals.heldMinor > 0n)
  const isPaid = isUnreported && isEnough
  const waits = capturesLater && isUnreported && !isPaid && charge.standingMandateId === null && totals.heldMinor > 0n
  return {
    ...{ totals, countedMinor: counted, changeMinor: counted - before, isPaid },
    isOpen: totals.heldMinor > 0n && facts.some(({ occurredAt }) => addSeconds(occurredAt, HELD_SECONDS) > now),
    waitsUntil: waits ? waitsUntil(charge, facts, now) : null,
  }
}

function waitsUntil({ lapsesAt }: ObservedCharge, facts: readonly KnownFact[], now: Date): Date | null {
  const times = facts.filter(({ kind }) => kind === 'authorized').map(({ occurredAt }) => Number(occurredAt))
  const until = addSeconds(new Date(Math.max(...times)), CAPTURE_SECONDS)
  return until > now && lapsesAt !== null && lapsesAt < until ? until : null
}
