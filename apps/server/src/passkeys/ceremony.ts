import type { Pool } from 'pg'
import { addSeconds, type Clock } from '../platform/clock.ts'
import { bindChallenge, newNonce, registrationText } from './approval-challenge.ts'
import * as challenges from './challenge-store.ts'
import type { ClientData } from './client-data.ts'
import { passkeyFailed, passkeyFrameRefused } from './errors.ts'
import { failed, frameRefusal, type Refusal } from './rules.ts'
import { listPasskeys, type PasskeyRow } from './store.ts'
import type { KnownCredential, RelyingParty } from './webauthn.ts'

/** Whose ceremony, in which session. Taken from the authenticated caller, never from a request's body. */
export interface CeremonyScope {
  readonly merchantId: string
  readonly sessionId: string
  readonly customerId: string
  /** The merchant's origins that may embed the surface; may hold port wildcards like `http://localhost:*`. */
  readonly allowedOrigins: readonly string[]
}

export interface PasskeyDeps extends RelyingParty {
  readonly pool: Pool
  readonly clock: Clock
}

/** What a challenge is issued for: the statement and card of an approval, or nothing but the customer. */
export type Terms =
  | { readonly ceremony: 'registration'; readonly embedded: boolean }
  | { readonly ceremony: 'approval'; readonly embedded: boolean; readonly statement: string; readonly cardId: string }

/** A new challenge bound to the terms, kept with them. */
export async function issueChallenge(deps: PasskeyDeps, scope: CeremonyScope, terms: Terms): Promise<string> {
  const { ceremony, embedded } = terms
  const { statement, cardId } = ceremony === 'approval' ? terms : { statement: null, cardId: null }
  const nonce = newNonce()
  const challenge = bindChallenge(nonce, statement ?? registrationText(scope))
  const createdAt = deps.clock.now()
  const expiresAt = addSeconds(createdAt, deps.challengeTtlSeconds)
  const issued = { challenge, ceremony, nonce, statement, cardId, embedded, createdAt, expiresAt }
  await challenges.insertChallenge(deps.pool, scope, issued)
  return challenge
}

/** Burns the challenge the client data names, then checks that it binds its terms and where the ceremony ran. */
export async function claimChallenge(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  ceremony: challenges.Ceremony,
  clientData: ClientData,
): Promise<challenges.ChallengeRow> {
  const row = await challenges.claimChallenge(deps.pool, scope, ceremony, clientData.challenge, deps.clock.now())
  if (row === undefined) throw refused(failed('the challenge is unknown, expired, used or of another session'))
  // A statement changed in the database after the challenge was issued is not what anybody approved.
  if (bindChallenge(row.nonce, row.statement ?? registrationText(scope)) !== row.challenge) {
    throw refused(failed('the challenge does not bind these terms'))
  }
  refuse(frameRefusal(clientData, { ...scope, surfaceOrigin: deps.surfaceOrigin, embedded: row.embedded }))
  return row
}

/** The customer's credentials; flagged ones are not usable. */
export async function listCredentials(deps: PasskeyDeps, scope: CeremonyScope) {
  const rows = await listPasskeys(deps.pool, scope)
  const known = ({ id, transports }: PasskeyRow): KnownCredential => ({ id, transports })
  return { usable: rows.filter((row) => row.flagged_at === null).map(known), all: rows.map(known) }
}

export function refuse(refusal: Refusal | null): void {
  if (refusal !== null) throw refused(refusal)
}

/** The declared error of a refusal; why is kept as the cause, for us alone. */
export function refused({ kind, because }: Refusal) {
  const cause = new Error(`The ceremony is refused: ${because}.`)
  return kind === 'frame' ? passkeyFrameRefused({ cause }) : passkeyFailed({ cause })
}
