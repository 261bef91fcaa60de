import type { CommandDeps } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals, SealedRow } from '../platform/row-seals.ts'
import { bindChallenge, newNonce, registrationText } from './challenge.ts'
import type { Ceremony } from './challenge-store.ts'
import type { ClientData } from './client-data.ts'
import { passkeyFailed, passkeyFrameRefused } from './errors.ts'
import type { ClaimedChallenge } from './fragments.ts'
import { failed, frameRefusal, type Refusal } from './rules.ts'
import type { RelyingParty } from './webauthn.ts'

/** What a ceremony is part of. Its challenge is valid for nothing else. */
export interface Subject {
  type: 'session' | 'agent_link' | 'agent_limits' | 'escalation' | 'owner_visit'
  id: string
}

/** Whose ceremony, and for what. Taken from the authenticated caller, never from a request's body. */
export interface CeremonyOwner {
  merchantId: string
  customerId: string
  subject: Subject
}

export interface CeremonyScope extends CeremonyOwner {
  /** The merchant's origins that may embed the surface; may hold port wildcards like `http://localhost:*`. */
  allowedOrigins: readonly string[]
}

export type PasskeyDeps = CommandDeps & RelyingParty & { seals: RowSeals; log: Log }

/** Where the ceremonies of a subject run: those of a session at the secure surface, all others at the owners' page. */
export function originOf({ surfaceOrigin, ownerOrigin }: RelyingParty, { type }: Subject): string {
  return type === 'session' ? surfaceOrigin : ownerOrigin
}

/** What must not be edited of a passkey: whose it is, and which key signs. */
export function sealedPasskey(
  { merchantId, customerId }: { merchantId: string; customerId: string },
  { id, publicKey, backupEligible }: { id: string; publicKey: Uint8Array; backupEligible: boolean },
): SealedRow {
  return { table: 'passkeys', merchantId, id, parts: [customerId, publicKey, String(backupEligible)] }
}

/** Where the challenges of a subject are. */
export function placeOf({ merchantId, subject }: Pick<CeremonyOwner, 'merchantId' | 'subject'>) {
  return { merchantId, subjectType: subject.type, subjectId: subject.id }
}

export interface NewChallenge {
  ceremony: Ceremony
  embedded: boolean
  text: string
  /** The counter of the passkey that may answer, as it is now; 0 for a registration. */
  signCount: bigint
}

/** The row of a new challenge that binds a text, kept with it. */
export function newChallenge(
  { challengeTtlSeconds }: Pick<PasskeyDeps, 'challengeTtlSeconds'>,
  owner: Pick<CeremonyOwner, 'merchantId' | 'subject'>,
  { ceremony, embedded, text, signCount }: NewChallenge,
  at: Date,
) {
  const nonce = newNonce()
  const challenge = bindChallenge(nonce, text)
  const challengeExpiresAt = addSeconds(at, challengeTtlSeconds)
  return { ...placeOf(owner), challenge, ceremony, nonce, boundText: text, signCount, embedded, at, challengeExpiresAt }
}
export type ChallengeRow = ReturnType<typeof newChallenge>

/** What the browser sent back, read and not judged. */
export interface Answer<Json> {
  json: Json
  /** The bytes that were signed, and what they say. */
  bytes: Buffer
  clientData: ClientData
}

/** The challenge that an answer has used up, after it was checked that it binds its text and where the ceremony ran. */
export function checkClaimed(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  ceremony: Ceremony,
  clientData: ClientData,
  claimed: ClaimedChallenge | null,
): ClaimedChallenge {
  if (claimed === null) throw refused(failed('the challenge is unknown, expired, used or of another subject'))
  // A text changed in the database after the challenge was issued is not what was approved.
  const text = ceremony === 'registration' ? registrationText(scope) : claimed.boundText
  if (bindChallenge(claimed.nonce, text) !== claimed.challenge) {
    throw refused(failed('the challenge does not bind this text'))
  }
  refuse(frameRefusal(clientData, { ...scope, origin: originOf(deps, scope.subject), embedded: claimed.embedded }))
  return claimed
}

export function refuse(refusal: Refusal | null): void {
  if (refusal !== null) throw refused(refusal)
}

/** The declared error of a refusal; the reason is kept as the cause, for the log alone. */
export function refused({ kind, because }: Refusal) {
  const cause = new Error(`The ceremony is refused: ${because}.`)
  return kind === 'frame' ? passkeyFrameRefused({ cause }) : passkeyFailed({ cause })
}
