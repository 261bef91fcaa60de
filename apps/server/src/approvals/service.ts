import type { ApprovalTerms } from '@mintmark/contract'
import type { AgentTerms, EscalationTerms, JoinTerms, LimitsTerms } from '@mintmark/contract/wire/agents'
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { CaptureContext } from '../db/command.ts'
import type {
  AssertionAnswer,
  CeremonyOwner,
  CeremonyScope,
  Known,
  Passkey,
  PasskeyService,
  VerifiedAssertion,
} from '../passkeys/service.ts'
import { bound } from '../platform/bound.ts'
import { termsHash, textOf } from './terms.ts'

interface ApprovalDeps {
  passkeys: PasskeyService
}

/** What a person can approve. */
type Terms = ApprovalTerms | AgentTerms | JoinTerms | EscalationTerms | LimitsTerms

/** Terms with a signature that verified over them: the evidence, not yet recorded. */
export interface VerifiedApproval<T extends Terms = ApprovalTerms> {
  /** What the cardholder approved, read back from the text that was signed. */
  terms: T
  /** Hex SHA-256 of the text. */
  termsHash: string
  assertion: VerifiedAssertion
}

/**
 * Stores the terms unchangeably. Returns what the page must show, and the WebAuthn request whose challenge binds it. `making`: together
 * with the passkey, which is being made there.
 */
export async function request(
  deps: ApprovalDeps,
  owner: CeremonyOwner,
  passkey: Passkey | null,
  { embedded, terms }: { embedded: boolean; terms: ApprovalTerms },
  making?: CaptureContext,
) {
  return ask(deps, owner, passkey, { embedded, terms }, making)
}

/** The same of the link of an agent, at a page that stands in no frame. */
export async function requestLink(
  deps: ApprovalDeps,
  owner: CeremonyOwner,
  passkey: Passkey | null,
  terms: AgentTerms | JoinTerms,
) {
  return ask(deps, owner, passkey, { embedded: false, terms })
}

/** The same of other limits for an agent. */
export async function requestLimits(
  deps: ApprovalDeps,
  owner: CeremonyOwner,
  passkey: Passkey | null,
  terms: LimitsTerms,
) {
  return ask(deps, owner, passkey, { embedded: false, terms })
}

/** The same of a charge of an agent beyond a limit. */
export async function requestEscalation(
  deps: ApprovalDeps,
  owner: CeremonyOwner,
  passkey: Passkey | null,
  terms: EscalationTerms,
) {
  return ask(deps, owner, passkey, { embedded: false, terms })
}

async function ask<T extends Terms>(
  { passkeys }: ApprovalDeps,
  owner: CeremonyOwner,
  passkey: Passkey | null,
  { embedded, terms }: { embedded: boolean; terms: T },
  making?: CaptureContext,
): Promise<{ terms: T; options: PublicKeyCredentialRequestOptionsJSON }> {
  const text = textOf(terms)
  const options = await passkeys.assertionOptions(owner, passkey, { embedded, text }, making)
  // Read back from the frozen text: the page shows what will be signed, not what was passed in.
  return { terms: JSON.parse(text) as T, options }
}

/** Verifies the signature. Records nothing: the caller that makes what was approved keeps `evidenceOf` with it. */
export async function verify(
  deps: ApprovalDeps,
  scope: CeremonyScope,
  answer: AssertionAnswer,
  known: Known,
): Promise<VerifiedApproval> {
  return verified<ApprovalTerms>(deps, scope, answer, known)
}

/** The same of the link of an agent. */
export async function verifyLink(deps: ApprovalDeps, scope: CeremonyScope, answer: AssertionAnswer, known: Known) {
  return verified<AgentTerms | JoinTerms>(deps, scope, answer, known)
}

/** The same of other limits for an agent. */
export async function verifyLimits(deps: ApprovalDeps, scope: CeremonyScope, answer: AssertionAnswer, known: Known) {
  return verified<LimitsTerms>(deps, scope, answer, known)
}

/** The same of a charge of an agent beyond a limit. */
export async function verifyEscalation(
  deps: ApprovalDeps,
  scope: CeremonyScope,
  answer: AssertionAnswer,
  known: Known,
) {
  return verified<EscalationTerms>(deps, scope, answer, known)
}

async function verified<T extends Terms>(
  { passkeys }: ApprovalDeps,
  scope: CeremonyScope,
  answer: AssertionAnswer,
  known: Known,
): Promise<VerifiedApproval<T>> {
  const assertion = await passkeys.verify(scope, answer, known)
  return { terms: JSON.parse(assertion.text) as T, termsHash: termsHash(assertion.text), assertion }
}

/** The hash that terms have when they are signed. */
export function hashOf(_deps: ApprovalDeps, terms: ApprovalTerms): string {
  return termsHash(textOf(terms))
}

/** The values of the fragments that move the passkey's counter and keep the evidence. */
export function evidenceOf(
  _deps: ApprovalDeps,
  { merchantId, customerId, subject }: CeremonyOwner,
  { assertion }: Pick<VerifiedApproval, 'assertion'>,
) {
  const { text: terms, newSignCount: signCount, oldSignCount: _, ...evidence } = assertion
  return { merchantId, customerId, subjectType: subject.type, subjectId: subject.id, ...evidence, terms, signCount }
}

const REQUESTS = { request, requestLink, requestLimits, requestEscalation }
const VERIFICATIONS = { verify, verifyLink, verifyLimits, verifyEscalation }

/** What was approved, by which signature. The subject is a session, the link of an agent, other limits for it, or what it asks for beyond one. */
export const createApprovalService = (deps: ApprovalDeps) =>
  bound(deps, { ...REQUESTS, ...VERIFICATIONS, hashOf, evidenceOf })
export type ApprovalService = ReturnType<typeof createApprovalService>
