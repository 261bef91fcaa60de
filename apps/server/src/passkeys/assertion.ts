import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { single } from '../db/command.ts'
import {
  type CeremonyScope,
  claimChallenge,
  issueChallenge,
  type PasskeyDeps,
  refuse,
  refused,
  sealedPasskey,
} from './ceremony.ts'
import { parseClientData } from './client-data.ts'
import { passkeyFlagged, passkeyRequired } from './errors.ts'
import { answersLate, backupRefusal, counterWentBack, failed, userHandleRefusal } from './rules.ts'
import { findPasskey, listPasskeys, type Passkey, updateFlagged } from './store.ts'
import { type KnownCredential, requestOptions, verifyAssertion } from './webauthn.ts'
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
 * Freezes the text and asks for a signature over it. `PASSKEY_REQUIRED` without a passkey, `PASSKEY_FAILED` when all are
 * flagged.
 */
export async function assertionOptions(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  { embedded, text }: { embedded: boolean; text: string },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const all = await listPasskeys(deps.pool, { ...scope })
  const allow = all.filter(({ flaggedAt }) => flaggedAt === null).map(toKnown)
  if (all.length === 0) throw passkeyRequired()
  if (allow.length === 0) throw passkeyFlagged()
  const signCount = all.reduce((most, passkey) => (passkey.signCount > most ? passkey.signCount : most), 0n)
  const challenge = await issueChallenge(deps, scope, { ceremony: 'assertion', embedded, text, signCount })
  return requestOptions(deps, { challenge, allow })
}

function toKnown({ id, transports }: Passkey): KnownCredential {
  return { id, transports }
}

/**
 * Claims the challenge, then verifies. Records nothing of the use: the caller does, in the transaction of what was
 * approved. Not to be called inside a transaction.
 */
export async function verify(deps: PasskeyDeps, scope: CeremonyScope, response: unknown): Promise<VerifiedAssertion> {
  const { json, clientData: bytes } = parseAuthentication(response)
  const clientData = parseClientData(bytes)
  const {
    challenge,
    nonce,
    boundText,
    signCount: countAtIssue,
  } = await claimChallenge(deps, scope, 'assertion', clientData)
  const passkey = await getPasskey(deps, scope, json.id)
  refuse(userHandleRefusal(scope, json.response.userHandle))
  const credential = { id: passkey.id, publicKey: passkey.publicKey }
  const assertion = await verifyAssertion(deps, { challenge, topOrigin: clientData.topOrigin, credential }, json)
  refuse(backupRefusal(passkey, assertion))
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

async function getPasskey(deps: PasskeyDeps, scope: CeremonyScope, id: string): Promise<Passkey> {
  const passkey = await findPasskey(deps.pool, { ...scope, id })
  if (passkey === undefined) throw refused(failed('the customer has no such credential'))
  deps.seals.check(sealedPasskey(scope, passkey), passkey.seal)
  if (passkey.flaggedAt !== null) throw passkeyFlagged()
  return passkey
}

/** Only after the signature was verified, and by itself: the rollback of another transaction would lift the flag. */
async function flag(deps: PasskeyDeps, { merchantId, customerId }: CeremonyScope, id: string) {
  await single(deps, { name: 'passkeys.flag', silent: 'A flag is for the operator, and is logged.' }, ({ on, at }) =>
    updateFlagged(on, { merchantId, customerId, id, at }),
  )
  deps.log.error('the counter of a passkey went back', {
    alarm: 'passkey_flagged',
    merchant_id: merchantId,
    customer_id: customerId,
  })
  return passkeyFlagged({ cause: new Error('The signature counter went back: a copy of the passkey may exist.') })
}
