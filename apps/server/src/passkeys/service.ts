import { bound } from '../platform/bound.ts'
import { assertionOptions, verify } from './assertion.ts'
import type { PasskeyDeps } from './ceremony.ts'
import { deleteExpiredChallenges } from './jobs.ts'
import { hasPasskey, register, registrationOptions } from './registration.ts'

export type { VerifiedAssertion } from './assertion.ts'
export type { CeremonyScope, PasskeyDeps, Subject } from './ceremony.ts'
export type { RegistrationInput } from './registration.ts'

/** Passkeys of customers: one each, registered once, then used to sign texts. What a signature approves is not known here. */
export const createPasskeyService = (deps: PasskeyDeps) =>
  bound(deps, { hasPasskey, registrationOptions, register, assertionOptions, verify, deleteExpiredChallenges })
export type PasskeyService = ReturnType<typeof createPasskeyService>
