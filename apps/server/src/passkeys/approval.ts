import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Tx } from '../db/transaction.ts'
import { canonicalJson, type JsonValue, statementHash } from './approval-challenge.ts'
import {
  type CeremonyScope,
  claimChallenge,
  issueChallenge,
  listCredentials,
  type PasskeyDeps,
  refuse,
  refused,
} from './ceremony.ts'
import { parseClientData } from './client-data.ts'
import { passkeyFlagged, passkeyRequired } from './errors.ts'
import { backupRefusal, counterWentBack, failed, userHandleRefusal } from './rules.ts'
import { findPasskey, flagPasskey, insertApproval, type PasskeyRow } from './store.ts'
import { requestOptions, verifyAssertion } from './webauthn.ts'
import { parseAuthentication } from './wire.ts'

export interface ApprovalInput {
  readonly embedded: boolean
  readonly cardId: string
  readonly statement: JsonValue
}

/** A signature that verified over a statement: the evidence, not yet recorded. */
export interface VerifiedApproval {
  readonly passkeyId: string
  readonly cardId: string
  /** Canonical text the cardholder approved, byte for byte. */
  readonly statement: string
  /** Hex SHA-256 of `statement`. */
  readonly statementHash: string
  readonly nonce: Buffer
  readonly clientDataJson: Buffer
  readonly authenticatorData: Buffer
  readonly signature: Buffer
  readonly oldSignCount: number
  readonly newSignCount: number
  readonly backedUp: boolean
}

export async function approvalOptions(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  input: ApprovalInput,
): Promise<{ statement: JsonValue; options: PublicKeyCredentialRequestOptionsJSON }> {
  const { embedded, cardId } = input
  const statement = canonicalJson(input.statement)
  const { usable, all } = await listCredentials(deps, scope)
  if (all.length === 0) throw passkeyRequired()
  if (usable.length === 0) throw passkeyFlagged()
  const challenge = await issueChallenge(deps, scope, { ceremony: 'approval', embedded, statement, cardId })
  const options = await requestOptions(deps, { challenge, allow: usable })
  // Read back from the frozen text: the page shows what will be signed, not what was passed in.
  return { statement: JSON.parse(statement) as JsonValue, options }
}

export async function verifyApproval(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  response: unknown,
): Promise<VerifiedApproval> {
  const { json, clientData: bytes } = parseAuthentication(response)
  const clientData = parseClientData(bytes)
  const { challenge, nonce, statement, card_id: cardId } = await claimChallenge(deps, scope, 'approval', clientData)
  if (statement === null || cardId === null) throw refused(failed('the challenge has no statement'))
  const passkey = await getPasskey(deps, scope, json.id)
  refuse(userHandleRefusal(scope, json.response.userHandle))
  const credential = { id: passkey.id, publicKey: passkey.public_key }
  const assertion = await verifyAssertion(deps, { challenge, topOrigin: clientData.topOrigin, credential }, json)
  refuse(backupRefusal({ backupEligible: passkey.backup_eligible }, assertion))
  const oldSignCount = Number(passkey.sign_count)
  if (counterWentBack(oldSignCount, assertion.signCount)) throw await flag(deps, scope, passkey.id)
  return {
    passkeyId: passkey.id,
    cardId,
    statement,
    statementHash: statementHash(statement),
    nonce,
    clientDataJson: bytes,
    authenticatorData: Buffer.from(json.response.authenticatorData, 'base64url'),
    signature: Buffer.from(json.response.signature, 'base64url'),
    oldSignCount,
    newSignCount: assertion.signCount,
    backedUp: assertion.backedUp,
  }
}

async function getPasskey(deps: PasskeyDeps, scope: CeremonyScope, id: string): Promise<PasskeyRow> {
  const passkey = await findPasskey(deps.pool, scope, id)
  if (passkey === undefined) throw refused(failed('the customer has no such credential'))
  if (passkey.flagged_at !== null) throw passkeyFlagged()
  return passkey
}

/** Only after the signature was verified, and outside the caller's transaction, whose rollback would lift the flag. */
async function flag(deps: PasskeyDeps, scope: CeremonyScope, id: string) {
  await flagPasskey(deps.pool, scope, id, deps.clock.now())
  return passkeyFlagged({ cause: new Error('The signature counter went back: a copy of the passkey may exist.') })
}

export function recordApproval(
  deps: PasskeyDeps,
  tx: Tx,
  scope: CeremonyScope,
  verified: VerifiedApproval,
  mandateId: string,
): Promise<boolean> {
  const { newSignCount: signCount } = verified
  return insertApproval(tx, scope, {
    ...verified,
    signCount,
    sessionId: scope.sessionId,
    mandateId,
    at: deps.clock.now(),
  })
}
