import { command } from '../db/command.ts'
import { type CeremonyOwner, type PasskeyDeps, placeOf } from './ceremony.ts'
import type { Ceremony } from './challenge-store.ts'
import type { ClaimedChallenge, Passkey } from './fragments.ts'
import { claimVisit } from './store.ts'

interface Discovered {
  claimed: ClaimedChallenge | null
  passkey: Passkey | null
  /** The customer whose passkey it is; null: no customer here has it. */
  customerId: string | null
}

/** Uses up the challenge of whoever came, and finds whose passkey has answered. */
export async function claimDiscovered(
  deps: PasskeyDeps,
  place: Pick<CeremonyOwner, 'merchantId' | 'subject'>,
  answer: { ceremony: Ceremony; challenge: string; passkeyId: string },
): Promise<Discovered> {
  const why = 'A used challenge is no change.'
  const known = await command(deps, { name: 'passkeys.claim_visit', why, together: 'statement' }, ({ on, at }) =>
    claimVisit(on, { ...placeOf(place), ...answer, at }),
  )
  return known ?? { claimed: null, passkey: null, customerId: null }
}
