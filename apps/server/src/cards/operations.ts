import { bound } from '../platform/bound.ts'
import type { CardDeps } from './deps.ts'
import { readKeeping } from './keeping.ts'
import { list } from './list.ts'

type Deps = Pick<CardDeps, 'pool' | 'seals'>

/**
 * The cards of a customer, deleted ones as well, and what each cardholder was told about keeping theirs and answered.
 */
async function told(deps: Deps, { merchantId, customer }: { merchantId: string; customer: string }) {
  const cards = await list(deps, { merchantId, customer, withDeleted: true })
  return cards.map((card) => {
    const keeping = readKeeping(deps.seals, card, card.keeping)
    const { id: card_id, last4: card_last4, brand: card_brand, status, acceptedAt: created_at } = card
    return { card_id, card_last4, card_brand, status, created_at, keeping }
  })
}

/** What an operator asks of cards. */
export const createCardOperations = (deps: Deps) => bound(deps, { told })
