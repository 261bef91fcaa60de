import { bound } from '../platform/bound.ts'
import { assertionOptions, verify } from './assertion.ts'
import type { PasskeyDeps } from './ceremony.ts'
import { deleteExpiredChallenges } from './jobs.ts'
import { register, registrationOptions } from './registration.ts'
import { findOwn, release, unflag } from './release.ts'

export type { VerifiedAssertion } from './assertion.ts'
export type { CeremonyScope, PasskeyDeps, Subject } from './ceremony.ts'
export type { Admission, RegistrationInput } from './registration.ts'
export type { OwnedPasskey, UserRef } from './release.ts'
export { replacedAt } from './rules.ts'

/** Passkeys of customers: one each, registered once, then used to sign texts. What a signature approves is not known here. */
export const createPasskeyService = (deps: PasskeyDeps) =>
  bound(deps, {
    findOwn,
    registrationOptions,
    register,
    assertionOptions,
    verify,
    release,
    unflag,
    deleteExpiredChallenges,
  })
export type PasskeyService = ReturnType<typeof createPasskeyService>
