import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { type CaptureContext, single } from '../db/command.ts'
import {
  type Answer,
  type CeremonyOwner,
  type CeremonyScope,
  checkClaimed,
  newChallenge,
  originOf,
  type PasskeyDeps,
  refuse,
  refused,
  sealedPasskey,
} from './ceremony.ts'
import { insertChallenge, insertFirstChallenge } from './challenge-store.ts'
import { parseClientData } from './client-data.ts'
import { passkeyChanged, passkeyFlagged, passkeyRequired } from './errors.ts'
import type { ClaimedChallenge, Passkey } from './fragments.ts'
import { answersLate, counterWentBack, failed, hasBackupTurned, userHandleRefusal } from './rules.ts'
import { updateFlagged } from './store.ts'
import { requestOptions, verifyAssertion } from './webauthn.ts'
import { parseAuthentication } from './wire.ts'

/** A signature that verified over a text. */
export interface VerifiedAssertion {
  passkeyId: string
  /** What was signed, byte for byte. */
  text: string
  nonce: Buffer
  clientDataJson: Buffer
  authenticatorData: Buffer
  signature: Buffer
  oldSignCount: number
  newSignCount: number
  backedUp: boolean
}

/**
 * Freezes the text and asks for a signature over it. `PASSKEY_REQUIRED` without a passkey, `PASSKEY_FAILED` when it is
 * flagged. `making`: where the passkey is being made; the text is frozen with it, or neither is.
 */
export async function assertionOptions(
  deps: PasskeyDeps,
  owner: CeremonyOwner,
  passkey: Passkey | null,
  { embedded, text }: { embedded: boolean; text: string },
  making?: CaptureContext,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  if (passkey === null) throw passkeyRequired()
  if (passkey.flaggedAt !== null) throw passkeyFlagged()
  const { id, transports, signCount } = passkey
  const asked = { embedded, text, signCount }
  const challenge = await (making === undefined
    ? issue(deps, owner, asked)
    : issueFirst(deps, owner, { ...asked, passkeyId: id }, making))
  return requestOptions(deps, { challenge, allow: [{ id, transports }] })
}

/** The same of whoever comes, at a page that stands in no frame: the browser shows the passkeys that it knows. */
export async function discoveryOptions(
  deps: PasskeyDeps,
  place: Pick<CeremonyOwner, 'merchantId' | 'subject'>,
  text: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const challenge = await issue(deps, place, { embedded: false, text, signCount: 0n })
  return requestOptions(deps, { challenge, allow: [] })
}

async function issue(
  deps: PasskeyDeps,
  place: Pick<CeremonyOwner, 'merchantId' | 'subject'>,
  issued: { embedded: boolean; text: string; signCount: bigint },
): Promise<string> {
  return single(deps, { name: 'passkeys.issue_challenge', silent: 'challenge' }, async ({ on, at }) => {
    const row = newChallenge(deps, place, { ceremony: 'assertion', ...issued }, at)
    await insertChallenge(on, row)
    return row.challenge
  })
}

async function issueFirst(
  deps: PasskeyDeps,
  owner: CeremonyOwner,
  { passkeyId, ...issued }: { embedded: boolean; text: string; signCount: bigint; passkeyId: string },
  { on, at }: CaptureContext,
): Promise<string> {
  const row = newChallenge(deps, owner, { ceremony: 'assertion', ...issued }, at)
  await insertFirstChallenge(on, { ...row, passkeyId })
  return row.challenge
}

/** `VAL_2001` for an answer of another shape. */
export function readAssertion(_deps: PasskeyDeps, response: unknown): AssertionAnswer {
  const { json, clientData: bytes } = parseAuthentication(response)
  return { json, bytes, clientData: parseClientData(bytes) }
}
export type AssertionAnswer = Answer<AuthenticationResponseJSON>

/** What was read together with the answer: the challenge that it used up, and the customer's own passkey. */
export interface Known {
  claimed: ClaimedChallenge | null
  passkey: Passkey | null
}

/** Verifies. Records nothing of the use: the caller does, with what was approved. */
export async function verify(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  { json, bytes, clientData }: AssertionAnswer,
  known: Known,
): Promise<VerifiedAssertion> {
  const claimed = checkClaimed(deps, scope, 'assertion', clientData, known.claimed)
  const { challenge, nonce, boundText, signCount: countAtIssue } = claimed
  const passkey = ownPasskey(deps, scope, json.id, known.passkey)
  refuse(userHandleRefusal(scope, json.response.userHandle))
  const credential = { id: passkey.id, publicKey: passkey.publicKey }
  const origin = originOf(deps, scope.subject)
  const assertion = await verifyAssertion(
    deps,
    { challenge, origin, topOrigin: clientData.topOrigin, credential },
    json,
  )
  // After the signature was verified: the caller that hears of it holds the key.
  if (hasBackupTurned(passkey, assertion))
    throw passkeyChanged({ cause: new Error('The ceremony is refused: backup eligibility changed.') })
  const oldSignCount = Number(passkey.signCount)
  if (counterWentBack(oldSignCount, assertion.signCount)) {
    if (answersLate(Number(countAtIssue), assertion.signCount)) throw refused(failed('a later signature came first'))
    throw await flag(deps, scope, passkey.id)
  }
  return {
    passkeyId: passkey.id,
    text: boundText,
    nonce,
    clientDataJson: bytes,
    authenticatorData: Buffer.from(json.response.authenticatorData, 'base64url'),
    signature: Buffer.from(json.response.signature, 'base64url'),
    oldSignCount,
    newSignCount: assertion.signCount,
    backedUp: assertion.backedUp,
  }
}

/** Only the customer's own: a credential of any other customer is as unknown as one that does not exist. */
function ownPasskey({ seals }: PasskeyDeps, scope: CeremonyScope, id: string, passkey: Passkey | null): Passkey {
  if (passkey === null || passkey.id !== id) throw refused(failed('the customer has no such credential'))
  seals.check(sealedPasskey(scope, passkey), passkey.seal)
  if (passkey.flaggedAt !== null) throw passkeyFlagged()
  return passkey
}

/** Only after the signature was verified, and by itself: the rollback of another transaction would lift the flag. */
async function flag(deps: PasskeyDeps, { merchantId, customerId }: CeremonyScope, id: string) {
  await single(deps, { name: 'passkeys.flag', silent: 'logged' }, ({ on, at }) =>
    updateFlagged(on, { merchantId, customerId, id, at }),
  )
  deps.log.error('the counter of a passkey went back', {
    alarm: 'passkey_flagged',
    merchant_id: merchantId,
    customer_id: customerId,
  })
  return passkeyFlagged({ cause: new Error('The signature counter went back: a copy of the passkey may exist.') })
}
