import type { ChargeStatus, PaymentFailure } from '@mintmark/contract'
import type { FoundKind, MoneyState } from '@mintmark/contract/console'
import { ID_PREFIXES } from '../platform/ids.ts'

/**
 * What became of the money. A payment that failed and counts all the same was made at the network, whose number is
 * lost: whether it is paid with, only the network knows.
 */
export function moneyOf({ status, wasCounted }: { status: ChargeStatus; wasCounted: boolean }): MoneyState {
  switch (status) {
    case 'initiated':
      return 'nothing_yet'
    case 'minting':
      return 'not_known'
    case 'awaiting_result':
      return 'held'
    case 'completed':
      return 'charged'
    case 'failed':
      return wasCounted ? 'not_known' : 'not_charged'
  }
}

/** What an id is of, by its beginning; undefined: nothing that the console shows. */
export function kindOfId(text: string): FoundKind | undefined {
  return KINDS.find(([prefix]) => text.startsWith(prefix))?.[1]
}

const KINDS: readonly (readonly [prefix: string, FoundKind])[] = [
  [ID_PREFIXES.charge, 'payment'],
  [ID_PREFIXES.session, 'payment'],
  [ID_PREFIXES.mandate, 'permission'],
  [ID_PREFIXES.event, 'event'],
  [ID_PREFIXES.endpoint, 'endpoint'],
  [ID_PREFIXES.delivery, 'delivery'],
]

interface Counted {
  currency: string
  status: ChargeStatus
  failure: PaymentFailure | null
  wasCounted: boolean
  count: number
  amountMinor: bigint
}

/** By currency what became of the money; the currency with the most payments first. */
export function moneyByCurrency(counted: readonly Counted[]) {
  const currencies = Map.groupBy(counted, ({ currency }) => currency)
  return [...currencies]
    .map(([currency, rows]) => ({ currency, byState: byState(rows) }))
    .toSorted((one, other) => countOf(other.byState) - countOf(one.byState))
}

function byState(rows: readonly Counted[]) {
  return [...Map.groupBy(rows, moneyOf)].map(([money, of]) => ({ money, ...sumOf(of) }))
}

function sumOf(rows: readonly Pick<Counted, 'count' | 'amountMinor'>[]) {
  return {
    count: countOf(rows),
    amountMinor: rows.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
  }
}

const countOf = (rows: readonly { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0)

/** Why payments failed, the most frequent reason first. */
export function failuresOf(counted: readonly Counted[]) {
  const reasons = Map.groupBy(
    counted.filter(({ failure }) => failure !== null),
    ({ failure }) => failure as PaymentFailure,
  )
  return [...reasons]
    .map(([code, rows]) => ({ code, count: countOf(rows) }))
    .toSorted((one, other) => other.count - one.count)
}
