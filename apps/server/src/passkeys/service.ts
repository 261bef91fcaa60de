import { bound } from '../platform/bound.ts'
import { assertionOptions, discoveryOptions, readAssertion, verify } from './assertion.ts'
import type { PasskeyDeps } from './ceremony.ts'
import { deleteExpiredChallenges } from './jobs.ts'
import {
  issueRegistration,
  readRegistration,
  register,
  registrationChallenge,
  registrationOptions,
} from './registration.ts'

export type { AssertionAnswer, Known, VerifiedAssertion } from './assertion.ts'
export type { Answer, CeremonyOwner, CeremonyScope, PasskeyDeps, Subject } from './ceremony.ts'
export { claimChallenge } from './challenge-store.ts'
export type { ClaimedChallenge, Passkey } from './fragments.ts'
export type { NewPasskey, RegistrationAnswer, StorePasskey } from './registration.ts'
export { replacedAt } from './rules.ts'

/** How long a challenge may be answered. */
export const CHALLENGE_TTL_SECONDS = 300

/** Passkeys of customers: one each, registered once, then used to sign texts. What a signature approves is not known here. */
export const createPasskeyService = (deps: PasskeyDeps) =>
  bound(deps, {
    registrationChallenge,
    issueRegistration,
    registrationOptions,
    readRegistration,
    register,
    assertionOptions,
    discoveryOptions,
    readAssertion,
    verify,
    deleteExpiredChallenges,
  })
export type PasskeyService = ReturnType<typeof createPasskeyService>
