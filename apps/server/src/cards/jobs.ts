import type { Job } from '../jobs/loop.ts'
import { endOverdue } from '../jobs/overdue.ts'
import type { CardDeps } from './deps.ts'
import type { CardService } from './service.ts'
import { shredDue } from './shred.ts'
import { abandonedCards } from './store.ts'

/** Ends cards that were begun a day ago and never accepted, and destroys their numbers. */
export const shredAbandoned = endOverdue<CardDeps>(abandonedCards, {
  name: 'cards.shred_abandoned',
  handle: (deps, { merchantId, id: cardId }) => shredDue(deps, { merchantId, cardId }),
})

export function cardJobs(cards: CardService): Job[] {
  const abandoned = { name: 'cards.shred_abandoned', restMillis: 60_000, run: () => cards.shredAbandoned(50) }
  return [abandoned, cards.deleting(), cards.endingTokens()]
}
