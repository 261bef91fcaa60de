import type { Admission, CeremonyScope, RegistrationInput } from '../passkeys/service.ts'
import type { SessionDeps } from './deps.ts'
import { refresh } from './end.ts'
import { cardNotProven } from './errors.ts'
import { mayReplace } from './rules.ts'
import * as store from './store.ts'

/** A passkey is made only by who proved a card in this session: a link alone never leads to one. */
export async function registrationOptions(deps: SessionDeps, scope: CeremonyScope, input: RegistrationInput) {
  const { cardId, provenCardId } = await refresh(deps, refOf(scope))
  // Looked at again when the passkey is stored; said here, so that nobody is asked for a finger in vain.
  if (cardId === null || cardId !== provenCardId) throw cardNotProven()
  return deps.passkeys.registrationOptions(scope, input)
}

/** Stores the passkey; the card that was proven in this session belongs to it. */
export async function register(deps: SessionDeps, scope: CeremonyScope, response: unknown): Promise<void> {
  const admit: Admission = async ({ tx, at }, passkeyId) => {
    const proof = await store.claimProof(tx, { ...refOf(scope), customerId: scope.customerId, passkeyId, at })
    return proof === undefined ? null : { mayReplace: mayReplace(proof) }
  }
  await deps.passkeys.register(scope, response, admit)
}

function refOf({ merchantId, subject }: CeremonyScope) {
  return { merchantId, sessionId: subject.id }
}
