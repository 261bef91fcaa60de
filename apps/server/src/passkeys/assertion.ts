import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { command } from '../db/command.ts'
import {
  type Answer,
  type CeremonyOwner,
  type CeremonyScope,
  type ChallengeRow,
  checkClaimed,
  type Keeping,
  newChallenge,
  originOf,
  type PasskeyDeps,
  refuse,
  refused,
  sealedPasskey,
} from './ceremony.ts'
import { insertChallenge } from './challenge-store.ts'
import { parseClientData } from './client-data.ts'
import { passkeyFlagged, passkeyRequired } from './errors.ts'
import type { ClaimedChallenge, OnePasskey, Passkey } from './fragments.ts'
import { passkeyOf } from './ref.ts'
import { answersLate, backupRefusal, counterWentBack, failed, userHandleRefusal } from './rules.ts'
import { findUserHandle, updateFlagged } from './store.ts'
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

type AskedOne = Pick<OnePasskey, 'id' | 'transports' | 'signCount' | 'flaggedAt'>
/** The passkey that a signature is asked of, and those beside it. */
export type Asked = AskedOne & { beside?: readonly AskedOne[] }

/**
 * Asks for a signature over a text, with a challenge that is good once its row is kept. `PASSKEY_REQUIRED` without a
 * passkey, `PASSKEY_FAILED` when it is flagged.
 */
export async function draftAssertion(
  deps: PasskeyDeps,
  owner: CeremonyOwner,
  passkey: Asked | null,
  { embedded, text }: { embedded: boolean; text: string },
  at: Date,
): Promise<{ row: ChallengeRow; options: PublicKeyCredentialRequestOptionsJSON }> {
  if (passkey === null) throw passkeyRequired()
  const good = [passkey, ...(passkey.beside ?? [])].filter(({ flaggedAt }) => flaggedAt === null)
  const [{ signCount } = { signCount: undefined }, ...others] = good
  if (signCount === undefined) throw passkeyFlagged()
  // Any of several may answer: a count above the lowest one is late, and no sign of a copy.
  const lowest = others.reduce((least, each) => (each.signCount < least ? each.signCount : least), signCount)
  const row = newChallenge(deps, owner, { ceremony: 'assertion', embedded, text, signCount: lowest }, at)
  const allow = good.map(({ id, transports }) => ({ id, transports }))
  return { row, options: await requestOptions(deps, { challenge: row.challenge, allow }) }
}

/** The same, and keeps the row. */
export async function assertionOptions(
  deps: PasskeyDeps,
  owner: CeremonyOwner,
  passkey: Asked | null,
  asked: { embedded: boolean; text: string },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return command(deps, ISSUING, async ({ on, at }) => {
    const { row, options } = await draftAssertion(deps, owner, passkey, asked, at)
    await insertChallenge(on, row)
    return options
  })
}
const ISSUING = { name: 'passkeys.issue_challenge', why: 'A question is no change.', together: 'statement' } as const

/** The same of whoever comes, at a page that stands in no frame: the browser shows the passkeys that it knows. */
export async function discoveryOptions(
  deps: PasskeyDeps,
  place: Pick<CeremonyOwner, 'merchantId' | 'subject'>,
  text: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return command(deps, ISSUING, async ({ on, at }) => {
    const row = newChallenge(deps, place, { ceremony: 'assertion', embedded: false, text, signCount: 0n }, at)
    await insertChallenge(on, row)
    return requestOptions(deps, { challenge: row.challenge, allow: [] })
  })
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
  keeping: Keeping = ofCustomers(deps, scope),
): Promise<VerifiedAssertion> {
  const claimed = checkClaimed(deps, scope, 'assertion', clientData, known.claimed)
  const { challenge, nonce, boundText, signCount: countAtIssue } = claimed
  const passkey = ownPasskey(deps, keeping, json.id, known.passkey)
  const handleRefusal = userHandleRefusal(scope, json.response.userHandle)
  if (handleRefusal !== null && !(await isSharedHandle(deps, scope, json))) throw refused(handleRefusal)
  const credential = { id: passkey.id, publicKey: passkey.publicKey }
  const origin = originOf(deps, scope.subject)
  const assertion = await verifyAssertion(
    deps,
    { challenge, origin, topOrigin: clientData.topOrigin, credential },
    json,
  )
  refuse(backupRefusal(passkey, assertion))
  const oldSignCount = Number(passkey.signCount)
  if (counterWentBack(oldSignCount, assertion.signCount)) {
    if (answersLate(Number(countAtIssue), assertion.signCount)) throw refused(failed('a later signature came first'))
    await keeping.flag(passkey.id)
    throw passkeyFlagged({ cause: new Error('The signature counter went back: a copy of the passkey may exist.') })
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

/** The credential was made for a customer of a shop, and is this owner's as well: the browser says so. */
async function isSharedHandle(
  { pool }: PasskeyDeps,
  { merchantId, customerId }: CeremonyScope,
  { id: passkeyId, response }: AuthenticationResponseJSON,
): Promise<boolean> {
  const found = await findUserHandle(pool, { merchantId, customerId, passkeyId })
  return found !== undefined && found.userHandle.toString('base64url') === response.userHandle
}

/** Only their own: a credential of any other person is as unknown as one that does not exist. */
function ownPasskey({ seals }: PasskeyDeps, { sealed }: Keeping, id: string, known: Passkey | null): OnePasskey {
  const passkey = passkeyOf(known, id)
  if (passkey === undefined) throw refused(failed('the customer has no such credential'))
  seals.check(sealed(passkey), passkey.seal)
  if (passkey.flaggedAt !== null) throw passkeyFlagged()
  return passkey
}

const ofCustomers = (deps: PasskeyDeps, scope: CeremonyScope): Keeping => ({
  sealed: (passkey) => sealedPasskey(scope, passkey),
  flag: (passkeyId) => flag(deps, scope, passkeyId),
})

/** Only after the signature was verified, and by itself: the rollback of another transaction would lift the flag. */
async function flag(deps: PasskeyDeps, { merchantId, customerId }: CeremonyScope, id: string) {
  await command(
    deps,
    { name: 'passkeys.flag', why: 'A flag is for the operator, and is logged.', together: 'statement' },
    ({ on, at }) => updateFlagged(on, { merchantId, customerId, id, at }),
  )
  deps.log.error('the counter of a passkey went back', {
    alarm: 'passkey_flagged',
    merchant_id: merchantId,
    customer_id: customerId,
  })
}
