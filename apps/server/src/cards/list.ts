import type { CardDeps } from './deps.ts'
import { customerNotFound } from './errors.ts'
import type { ListedRow } from './fragments.ts'
import { listed } from './rules.ts'
import { isListable } from './seal.ts'
import * as store from './store.ts'

export interface CardFilter {
  merchantId: string
  /** The merchant's own `user_id`, or our id. */
  customer: string
  withDeleted: boolean
}

/**
 * The cards of a customer, the default one first, then the newest. One that an editor of the database has changed, or
 * moved here from another customer or account, is left out, with an alarm: the others are still the customer's to see, and to delete.
 */
export async function list(
  { pool, seals }: Pick<CardDeps, 'pool' | 'seals'>,
  filter: CardFilter,
): Promise<ListedRow[]> {
  const found = await store.listCards(pool, { ...filter })
  if (found === undefined || found.customerId === null) throw customerNotFound()
  return listed(found.cards.filter((card) => isListable(seals, card)))
}
