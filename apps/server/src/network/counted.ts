import type { FactKind } from './events-port.ts'

/** As much of a fact as sums need. */
export interface SummedFact {
  kind: FactKind
  amountMinor: bigint
}

/** The sums of what happened to a payment. The order of the facts is none of theirs. */
export interface FactTotals {
  authorizedMinor: bigint
  capturedMinor: bigint
  /** Reversed and expired. */
  releasedMinor: bigint
  refundedMinor: bigint
  /** Authorized, and neither taken nor given up. */
  heldMinor: bigint
  /** There was an authorization or a payment, and none is to be expected any more. */
  isClosed: boolean
}

export function totalsOf(facts: readonly SummedFact[]): FactTotals {
  const sum = (...kinds: FactKind[]) =>
    facts.filter(({ kind }) => kinds.includes(kind)).reduce((total, { amountMinor }) => total + amountMinor, 0n)
  const authorizedMinor = sum('authorized')
  const capturedMinor = sum('captured')
  const releasedMinor = sum('reversed', 'expired')
  const rest = authorizedMinor - capturedMinor - releasedMinor
  return {
    ...{ authorizedMinor, capturedMinor, releasedMinor, refundedMinor: sum('refunded') },
    heldMinor: rest > 0n ? rest : 0n,
    isClosed: authorizedMinor + capturedMinor > 0n && rest <= 0n,
  }
}

/**
 * What a charge counts for in the window of its mandate: its amount while more may be taken, from then on what was
 * taken, which may be less, nothing, or more. A refund changes nothing of it. Written once: for the service, for the
 * simulated network, and for adapters that hold windows themselves; two would disagree.
 */
export function countedMinor(amountMinor: bigint, { capturedMinor, heldMinor, isClosed }: FactTotals): bigint {
  if (isClosed) return capturedMinor
  const expected = capturedMinor + heldMinor
  return expected > amountMinor ? expected : amountMinor
}
