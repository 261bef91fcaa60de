import { CARD_REFUSALS, type CardRefusal, type CardStatus } from '@mintmark/contract'
import type { DeclineReason } from '../network/port.ts'

/** A card that was begun, and left for this long, is ended. */
export const ABANDONED_AFTER_SECONDS = 24 * 3600

/**
 * The network's name of a card. It idempotently answers about one enrollment: about a card that was deleted and is entered
 * again it is asked under another name, so that nothing late about the first touches the second.
 */
export function networkCardId({ id, enrolment }: { id: string; enrolment: number }): string {
  return enrolment === 1 ? id : `${id}.${enrolment}`
}

/**
 * One active card is the default one: the one that is marked, or else the newest. A deletion marks none if what it would mark is
 * deleted at that moment too.
 */
export function listed<Row extends { status: CardStatus; isDefault: boolean }>(cards: readonly Row[]): Row[] {
  const active = cards.filter(({ status }) => status === 'active')
  const first = active.find(({ isDefault }) => isDefault) ?? active[0]
  const rest = cards.filter((card) => card !== first).map((card) => ({ ...card, isDefault: false }))
  return first === undefined ? rest : [{ ...first, isDefault: true }, ...rest]
}

/** How many digits a number has, in the groups in which it is printed. */
const GROUPS: ReadonlyMap<string | null, readonly number[]> = new Map([
  ['amex', [4, 6, 5]],
  ['diners', [4, 6, 4]],
])
const FOUR_GROUPS = [4, 4, 4, 4]

/** All but the last four digits hidden, in the groups of the brand. */
export function maskedNumber(brand: string | null, last4: string): string {
  const groups = GROUPS.get(brand) ?? FOUR_GROUPS
  const hidden = groups.map((size) => '*'.repeat(size)).join(' ')
  return hidden.slice(0, -last4.length) + last4
}

/** One reason for all that the cardholder cannot mend. */
export function publicReason(reason: DeclineReason): CardRefusal {
  return CARD_REFUSALS.find((told) => told === reason) ?? 'CARD_DECLINED'
}
