import { bound } from '../platform/bound.ts'
import { assertionOptions, discoveryOptions, draftAssertion, readAssertion, verify } from './assertion.ts'
import type { PasskeyDeps } from './ceremony.ts'
import { claimDiscovered } from './discovered.ts'
import { deleteExpiredChallenges } from './jobs.ts'
import {
  issueRegistration,
  readRegistration,
  register,
  registrationChallenge,
  registrationOptions,
} from './registration.ts'
import { storeShared, verifyShared } from './shared.ts'

export type { Asked, AssertionAnswer, Known, VerifiedAssertion } from './assertion.ts'
export type { Answer, CeremonyOwner, CeremonyScope, ChallengeRow, Keeping, PasskeyDeps, Subject } from './ceremony.ts'
export { sealedPasskey } from './ceremony.ts'
export type { ClaimedChallenge, Passkey } from './fragments.ts'
export { publicJwkOf } from './public-key.ts'
export type { NewPasskey, RegistrationAnswer, StorePasskey } from './registration.ts'
export { replacedAt } from './rules.ts'

/** How long a challenge may be answered. */
export const CHALLENGE_TTL_SECONDS = 300

/**
 * Passkeys of customers: one each, registered once, then used to sign texts. What a signature approves is not known
 * here.
 */
export const createPasskeyService = (deps: PasskeyDeps) =>
  bound(deps, {
    registrationChallenge,
    issueRegistration,
    registrationOptions,
    readRegistration,
    register,
    draftAssertion,
    assertionOptions,
    discoveryOptions,
    claimDiscovered,
    readAssertion,
    verify,
    verifyShared,
    storeShared,
    deleteExpiredChallenges,
  })
export type PasskeyService = ReturnType<typeof createPasskeyService>
