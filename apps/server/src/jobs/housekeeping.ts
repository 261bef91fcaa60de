import type { CardService } from '../cards/service.ts'
import type { MandateService } from '../mandates/service.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import type { Job } from './loop.ts'

/** Background tasks that belong to no session. */
export function housekeepingJobs(services: {
  mandates: MandateService
  cards: CardService
  passkeys: PasskeyService
}): Job[] {
  return [
    { name: 'mandates.cancel', restMillis: 500, run: () => services.mandates.cancelAtNetwork(20) },
    { name: 'cards.shred_abandoned', restMillis: 60_000, run: () => services.cards.shredAbandoned(50) },
    {
      name: 'passkeys.delete_challenges',
      restMillis: 60_000,
      run: () => services.passkeys.deleteExpiredChallenges(500),
    },
  ]
}
