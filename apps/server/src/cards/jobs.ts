import type { Job, JobResult } from '../jobs/loop.ts'
import { workOff } from '../jobs/work.ts'
import type { CardDeps } from './deps.ts'
import type { CardService } from './service.ts'
import { shredDue } from './shred.ts'
import { cardWork } from './store.ts'

/** Ends cards that were begun a day ago and never accepted, and destroys their numbers. */
export function shredAbandoned(deps: CardDeps, limit: number): Promise<JobResult> {
  return workOff(deps, cardWork, {
    name: 'cards.shred_abandoned',
    limit,
    async handle({ merchantId, id: cardId }) {
      await shredDue(deps, { merchantId, cardId })
      return true
    },
  })
}

export function cardJobs(cards: CardService): Job[] {
  return [{ name: 'cards.shred_abandoned', restMillis: 60_000, run: () => cards.shredAbandoned(50) }]
}
