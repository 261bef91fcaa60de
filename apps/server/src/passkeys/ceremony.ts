import { type CommandDeps, single } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals, SealedRow } from '../platform/row-seals.ts'
import { bindChallenge, newNonce, registrationText } from './challenge.ts'
import * as challenges from './challenge-store.ts'
import type { ClientData } from './client-data.ts'
import { passkeyFailed, passkeyFrameRefused } from './errors.ts'
import { failed, frameRefusal, type Refusal } from './rules.ts'
import type { RelyingParty } from './webauthn.ts'

/** What a ceremony is part of. Its challenge is valid for nothing else. */
export interface Subject {
  type: 'session'
  id: string
}

/** Whose ceremony, and for what. Taken from the authenticated caller, never from a request's body. */
export interface CeremonyScope {
  merchantId: string
  customerId: string
  subject: Subject
  /** The merchant's origins that may embed the surface; may hold port wildcards like `http://localhost:*`. */
  allowedOrigins: readonly string[]
}

export type PasskeyDeps = CommandDeps & RelyingParty & { seals: RowSeals; log: Log }

/** What must not be edited of a passkey: whose it is, and which key signs. */
export function sealedPasskey(
  { merchantId, customerId }: { merchantId: string; customerId: string },
  { id, publicKey, backupEligible }: { id: string; publicKey: Uint8Array; backupEligible: boolean },
): SealedRow {
  return { table: 'passkeys', merchantId, id, parts: [customerId, publicKey, String(backupEligible)] }
}

/** A challenge's row, from its scope. */
const placeOf = ({ merchantId, subject }: CeremonyScope) => ({
  merchantId,
  subjectType: subject.type,
  subjectId: subject.id,
})

export interface NewChallenge {
  ceremony: challenges.Ceremony
  embedded: boolean
  text: string
  /** Of the passkey that may answer, as it is now; 0 of a registration. */
  signCount: bigint
}

/** A new challenge that binds a text, kept with it. */
export async function issueChallenge(deps: PasskeyDeps, scope: CeremonyScope, issued: NewChallenge): Promise<string> {
  const { ceremony, embedded, text, signCount } = issued
  const nonce = newNonce()
  const challenge = bindChallenge(nonce, text)
  await single(deps, { name: 'passkeys.issue_challenge', silent: 'A question is no change.' }, ({ on, at }) => {
    const expiresAt = addSeconds(at, deps.challengeTtlSeconds)
    const row = { ...placeOf(scope), challenge, ceremony, nonce, boundText: text, signCount, embedded, at, expiresAt }
    return challenges.insertChallenge(on, row)
  })
  return challenge
}

/** Uses up the challenge that the client data names, then checks that it binds its text and where the ceremony ran. */
export async function claimChallenge(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  ceremony: challenges.Ceremony,
  clientData: ClientData,
) {
  const silent = 'A used challenge is no change; what is approved with it is.'
  const row = await single(deps, { name: 'passkeys.claim_challenge', silent }, ({ on, at }) =>
    challenges.claimChallenge(on, { ...placeOf(scope), ceremony, challenge: clientData.challenge, at }),
  )
  if (row === undefined) throw refused(failed('the challenge is unknown, expired, used or of another subject'))
  // A text changed in the database after the challenge was issued is not what was approved.
  const text = ceremony === 'registration' ? registrationText(scope) : row.boundText
  if (bindChallenge(row.nonce, text) !== row.challenge) throw refused(failed('the challenge does not bind this text'))
  refuse(frameRefusal(clientData, { ...scope, surfaceOrigin: deps.surfaceOrigin, embedded: row.embedded }))
  return row
}

export function refuse(refusal: Refusal | null): void {
  if (refusal !== null) throw refused(refusal)
}

/** The declared error of a refusal; the reason is kept as the cause, for the log alone. */
export function refused({ kind, because }: Refusal) {
  const cause = new Error(`The ceremony is refused: ${because}.`)
  return kind === 'frame' ? passkeyFrameRefused({ cause }) : passkeyFailed({ cause })
}
