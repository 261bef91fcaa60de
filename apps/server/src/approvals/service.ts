import type { ApprovalTerms } from '@mintmark/contract'
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Change } from '../db/command.ts'
import type { CeremonyScope, PasskeyService, VerifiedAssertion } from '../passkeys/service.ts'
import { bound } from '../platform/bound.ts'
import { insertApproval } from './store.ts'
import { termsHash, textOf } from './terms.ts'

interface ApprovalDeps {
  passkeys: PasskeyService
}

/** Terms with a signature that verified over them: the evidence, not yet recorded. */
export interface VerifiedApproval {
  /** What the cardholder approved, read back from the text that was signed. */
  terms: ApprovalTerms
  /** Hex SHA-256 of the text. */
  termsHash: string
  assertion: VerifiedAssertion
}

/**
 * Stores the terms unchangeably. Returns what the page must show, and the WebAuthn request whose challenge binds it.
 */
export async function request(
  { passkeys }: ApprovalDeps,
  scope: CeremonyScope,
  { embedded, terms }: { embedded: boolean; terms: ApprovalTerms },
): Promise<{ terms: ApprovalTerms; options: PublicKeyCredentialRequestOptionsJSON }> {
  const text = textOf(terms)
  const options = await passkeys.assertionOptions(scope, { embedded, text })
  // Read back from the frozen text: the page shows what will be signed, not what was passed in.
  return { terms: JSON.parse(text) as ApprovalTerms, options }
}

/** Uses up the challenge and verifies the signature. Records nothing: `record` does, with what was approved. */
export async function verify(
  { passkeys }: ApprovalDeps,
  scope: CeremonyScope,
  response: unknown,
): Promise<VerifiedApproval> {
  const assertion = await passkeys.verify(scope, response)
  return { terms: JSON.parse(assertion.text) as ApprovalTerms, termsHash: termsHash(assertion.text), assertion }
}

/** The hash that terms have when they are signed. */
export function hashOf(_deps: ApprovalDeps, terms: ApprovalTerms): string {
  return termsHash(textOf(terms))
}

/** In the caller's transaction: moves the passkey's counter and keeps the evidence. On false the caller must roll back. */
export async function record(
  _deps: ApprovalDeps,
  { tx, at }: Change,
  { merchantId, customerId, subject }: CeremonyScope,
  { assertion }: VerifiedApproval,
): Promise<boolean> {
  const { text: terms, newSignCount: signCount, ...evidence } = assertion
  const place = { merchantId, customerId, subjectType: subject.type, subjectId: subject.id }
  return (await insertApproval(tx, { ...place, ...evidence, terms, signCount, at })) !== undefined
}

/** What was approved, by which signature. The subject is a session today, an agent's link or a sign-in later. */
export const createApprovalService = (deps: ApprovalDeps) => bound(deps, { request, verify, hashOf, record })
export type ApprovalService = ReturnType<typeof createApprovalService>
