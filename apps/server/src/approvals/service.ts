import type { ApprovalTerms, CardRemovalTerms } from '@mintmark/contract'
import type { SentenceLanguage } from '@mintmark/contract/sentence/version'
import type { AgentTerms, EscalationTerms, LimitsTerms } from '@mintmark/contract/wire/agents'
import type { DeviceTerms } from '@mintmark/contract/wire/devices'
import type { PermissionResumeTerms } from '@mintmark/contract/wire/permissions'
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Pool } from 'pg'
import { NOT_NULL_VIOLATION, refusedColumn, sqlState, violates } from '../db/errors.ts'
import type {
  Asked,
  AssertionAnswer,
  CeremonyOwner,
  CeremonyScope,
  Known,
  Passkey,
  PasskeyService,
  VerifiedAssertion,
} from '../passkeys/service.ts'
import { bound } from '../platform/bound.ts'
import { findTerms } from './store.ts'
import { termsHash, textOf } from './terms.ts'

interface ApprovalDeps {
  pool: Pool
  passkeys: PasskeyService
}

/** What an owner can approve at their own page. */
type OwnersTerms = AgentTerms | EscalationTerms | LimitsTerms | DeviceTerms
/** What a person can approve. */
type Terms = ApprovalTerms | CardRemovalTerms | PermissionResumeTerms | OwnersTerms

/** Terms with a signature that verified over them: the evidence, not yet recorded. */
export interface VerifiedApproval<T extends Terms = ApprovalTerms> {
  /** What the cardholder approved, read back from the text that was signed. */
  terms: T
  /** Hex SHA-256 of the text. */
  termsHash: string
  assertion: VerifiedAssertion
}

/**
 * What the page must show, and the WebAuthn request whose challenge binds it: good once `row` is kept, which freezes
 * the terms.
 */
export async function draft(
  { passkeys }: ApprovalDeps,
  owner: CeremonyOwner,
  passkey: Asked | null,
  { embedded, terms }: { embedded: boolean; terms: ApprovalTerms },
  at: Date,
) {
  const text = textOf(terms)
  const drafted = await passkeys.draftAssertion(owner, passkey, { embedded, text }, at)
  // Read back from the frozen text: the page shows what will be signed, not what was passed in.
  return { terms: JSON.parse(text) as ApprovalTerms, ...drafted }
}

/** The terms of a card that its customer removes, kept unchangeably. */
export async function requestRemoval(
  deps: ApprovalDeps,
  owner: CeremonyOwner,
  passkey: Passkey | null,
  asked: { embedded: boolean; terms: CardRemovalTerms },
) {
  return ask(deps, owner, passkey, asked)
}

/** The same of a permission that goes on, at a page that stands in no frame. */
export async function requestResume(
  deps: ApprovalDeps,
  owner: CeremonyOwner,
  passkey: Passkey | null,
  terms: PermissionResumeTerms,
) {
  return ask(deps, owner, passkey, { embedded: false, terms })
}

/** The same of the link of an agent, at a page that stands in no frame. */
export async function requestLink(
  deps: ApprovalDeps,
  owner: CeremonyOwner,
  passkey: Passkey | null,
  terms: AgentTerms,
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

/** The same of another device of an owner. */
export async function requestDevice(
  deps: ApprovalDeps,
  owner: CeremonyOwner,
  passkey: Passkey | null,
  terms: DeviceTerms,
) {
  return ask(deps, owner, passkey, { embedded: false, terms })
}

async function ask<T extends Terms>(
  { passkeys }: ApprovalDeps,
  owner: CeremonyOwner,
  passkey: Passkey | null,
  { embedded, terms }: { embedded: boolean; terms: T },
): Promise<{ terms: T; options: PublicKeyCredentialRequestOptionsJSON }> {
  const text = textOf(terms)
  const options = await passkeys.assertionOptions(owner, passkey, { embedded, text })
  // Read back from the frozen text: the page shows what will be signed, not what was passed in.
  return { terms: JSON.parse(text) as T, options }
}

/** Verifies the signature. Records nothing: whoever makes what was approved keeps `evidenceOf` with it. */
export async function verify(
  deps: ApprovalDeps,
  scope: CeremonyScope,
  answer: AssertionAnswer,
  known: Known,
): Promise<VerifiedApproval> {
  return verified<ApprovalTerms>(deps, scope, answer, known)
}

/** The same of a card that is removed. */
export async function verifyRemoval(deps: ApprovalDeps, scope: CeremonyScope, answer: AssertionAnswer, known: Known) {
  return verified<CardRemovalTerms>(deps, scope, answer, known)
}

/** The same of a permission that goes on. */
export async function verifyResume(deps: ApprovalDeps, scope: CeremonyScope, answer: AssertionAnswer, known: Known) {
  return verified<PermissionResumeTerms>(deps, scope, answer, known)
}

/** The same of the link of an agent. */
export async function verifyLink(deps: ApprovalDeps, scope: CeremonyScope, answer: AssertionAnswer, known: Known) {
  return verified<AgentTerms>(deps, scope, answer, known)
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

/** The same of another device of an owner. */
export async function verifyDevice(deps: ApprovalDeps, scope: CeremonyScope, answer: AssertionAnswer, known: Known) {
  return verified<DeviceTerms>(deps, scope, answer, known)
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

/**
 * True where a statement was refused because its evidence has no passkey (`keepOfSession`), or the session has evidence
 * already: what was signed about is not as it was, and nothing of the statement was kept.
 */
export function lacksPasskey(error: unknown): boolean {
  if (violates(error, 'approvals_pkey')) return true
  return sqlState(error) === NOT_NULL_VIOLATION && refusedColumn(error) === 'passkey_id'
}

const OF_OWNERS = { requestLink, requestLimits, requestEscalation, requestDevice }
const REQUESTS = { draft, requestRemoval, requestResume, ...OF_OWNERS }
const VERIFICATIONS = { verify, verifyRemoval, verifyResume, verifyLink, verifyLimits, verifyEscalation, verifyDevice }

/** The sentence that was signed, for who reads it later. Undefined: nothing was, or it was before approvals had one. */
export async function sentenceOf(
  { pool }: ApprovalDeps,
  { merchantId, subject }: Pick<CeremonyOwner, 'merchantId' | 'subject'>,
): Promise<{ language: SentenceLanguage; text: string } | undefined> {
  const found = await findTerms(pool, { merchantId, subjectType: subject.type, subjectId: subject.id })
  if (found === undefined) return undefined
  const { sentence } = JSON.parse(found.terms) as Partial<ApprovalTerms>
  return sentence && { language: sentence.language, text: sentence.text }
}

/**
 * What was approved, by which signature. The subject is a session, a card that is removed, the link of an agent, other
 * limits for it, what it asks for beyond one, or another device of its owner.
 */
export const createApprovalService = (deps: ApprovalDeps) =>
  bound(deps, { ...REQUESTS, ...VERIFICATIONS, hashOf, evidenceOf, sentenceOf })
export type ApprovalService = ReturnType<typeof createApprovalService>
