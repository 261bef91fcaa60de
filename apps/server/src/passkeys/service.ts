import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { Tx } from '../db/transaction.ts'
import {
  type ApprovalInput,
  approvalOptions,
  recordApproval,
  type VerifiedApproval,
  verifyApproval,
} from './approval.ts'
import type { JsonValue } from './approval-challenge.ts'
import { type CeremonyScope, listCredentials, type PasskeyDeps } from './ceremony.ts'
import { deleteExpiredChallenges } from './challenge-store.ts'
import { type RegistrationInput, register, registrationOptions } from './registration.ts'

export type { ApprovalInput, VerifiedApproval } from './approval.ts'
export type { JsonValue } from './approval-challenge.ts'
export type { CeremonyScope, PasskeyDeps } from './ceremony.ts'
export type { RegistrationInput } from './registration.ts'

export interface PasskeyService {
  /** Whether the customer has a passkey, flagged or not: then no other one may be registered. */
  hasPasskey(scope: CeremonyScope): Promise<boolean>
  /** `INVALID_STATE` when there is a passkey already. */
  registrationOptions(scope: CeremonyScope, input: RegistrationInput): Promise<PublicKeyCredentialCreationOptionsJSON>
  /** Verifies and stores the customer's passkey. Of registrations at once, one is stored. */
  register(scope: CeremonyScope, response: unknown): Promise<{ passkeyId: string }>
  /** Freezes the statement. What comes back is what the page must show; `PASSKEY_REQUIRED` without a passkey, `PASSKEY_FAILED` when all are flagged. */
  approvalOptions(
    scope: CeremonyScope,
    input: ApprovalInput,
  ): Promise<{ statement: JsonValue; options: PublicKeyCredentialRequestOptionsJSON }>
  /**
   * Claims the challenge, then verifies. Writes no approval: the caller does, with `recordApproval`, and mints for the
   * card and terms named here, not for what the session says by then. Not to be called inside a transaction.
   */
  verifyApproval(scope: CeremonyScope, response: unknown): Promise<VerifiedApproval>
  /** In the caller's transaction: moves the counter and inserts the evidence. On false the caller must roll back. */
  recordApproval(tx: Tx, scope: CeremonyScope, verified: VerifiedApproval, mandateId: string): Promise<boolean>
  /** For the sweeper; answers how many. */
  deleteExpiredChallenges(limit: number): Promise<number>
}

/** Passkeys of customers: one each, registered once, then used to approve statements. */
export function createPasskeyService(deps: PasskeyDeps): PasskeyService {
  return {
    hasPasskey: async (scope) => (await listCredentials(deps, scope)).all.length > 0,
    registrationOptions: (scope, input) => registrationOptions(deps, scope, input),
    register: (scope, response) => register(deps, scope, response),
    approvalOptions: (scope, input) => approvalOptions(deps, scope, input),
    verifyApproval: (scope, response) => verifyApproval(deps, scope, response),
    recordApproval: (tx, scope, verified, mandateId) => recordApproval(deps, tx, scope, verified, mandateId),
    deleteExpiredChallenges: (limit) => deleteExpiredChallenges(deps.pool, deps.clock.now(), limit),
  }
}
