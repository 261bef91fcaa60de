import { single } from '../db/command.ts'
import type { AssertionAnswer, CeremonyScope, RegistrationAnswer } from '../passkeys/service.ts'
import type { AgentDeps } from './deps.ts'
import * as store from './link-store.ts'

/** The passkey of an owner; null: they have none. */
export async function passkeyOf({ pool, clock, merchantId }: AgentDeps, customerId: string) {
  const found = await store.findPasskey(pool, { merchantId, customerId, at: clock.now() })
  return found?.passkey ?? null
}

/** The challenge that an answer uses up, whatever becomes of it. */
export async function claim(
  deps: AgentDeps,
  { merchantId, customerId, subject }: CeremonyScope,
  ceremony: 'registration' | 'assertion',
  { clientData: { challenge } }: AssertionAnswer | RegistrationAnswer,
) {
  const place = { merchantId, customerId, subjectType: subject.type, subjectId: subject.id }
  const known = await single(deps, { name: 'agents.claim_challenge', silent: 'challenge' }, ({ on, at }) =>
    store.claimChallenge(on, { ...place, ceremony, challenge, at }),
  )
  return known ?? { claimed: null, passkey: null }
}
