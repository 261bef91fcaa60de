import { randomBytes, timingSafeEqual } from 'node:crypto'
import * as answers from './answers.ts'
import { CHALLENGE_MILLIS, CREDENTIAL, type Details, detailsIn, EXPIRES_AFTER_MILLIS } from './answers.ts'
import {
  checkKey,
  checkSeal,
  MERCHANT,
  newId,
  openValue,
  readToken,
  sealOf,
  sealValue,
  sha256,
  signToken,
} from './crypto.ts'
import type { Database, Row } from './database.ts'
import { type Asked, type Handlers, Refused } from './http.ts'
import { assertionOptions, challengeIn, registrationOptions, verifyAssertion, verifyRegistration } from './passkeys.ts'

// A payment as one would write it who has nothing else to do: the eight requests, with what they must leave behind.

export interface Lean {
  readonly database: Database
  /** The origin of its only host. */
  readonly origin: () => string
}

export const paymentHandlers = (lean: Lean): Handlers => ({
  'POST /v1/sessions': (asked) => create(lean, asked),
  'POST /api/launch': (asked) => launch(lean, asked),
  'POST /api/cards': (asked) => enterCard(lean, asked),
  'POST /api/passkeys/registration-options': (asked) => askForPasskey(lean, asked),
  'POST /api/passkeys/registrations': (asked) => register(lean, asked),
  'POST /api/approvals': (asked) => approve(lean, asked),
  'GET /v1/sessions/:id/payment-result': (asked) => readResult(lean, asked),
  'POST /v1/sessions/:id/report-status': (asked) => report(lean, asked),
})

const sealOfPayment = (id: string, { user_id, total_amount, currency }: Details) =>
  sealOf('payments', id, user_id, total_amount, currency)

async function create({ database, origin }: Lean, { bearer, body }: Asked) {
  checkKey(bearer)
  const details = detailsIn(body)
  const [id, secret, now] = [newId('se_'), randomBytes(24).toString('base64url'), new Date()]
  const expiresAt = new Date(now.getTime() + EXPIRES_AFTER_MILLIS)
  const { user_id: customer, user_email: email } = details
  const kept = [JSON.stringify(details), sha256(secret), sealOfPayment(id, details)]
  await database.run('create', [MERCHANT, id, customer, email, now, expiresAt, ...kept])
  return answers.created(origin(), id, secret, signToken({ session: id, customer }))
}

async function launch({ database }: Lean, { body }: Asked) {
  const { merchant_id, session_id, launch_secret } = body as Record<string, string>
  const [row] = await database.run('read', [merchant_id, session_id])
  const [customer, , details, hash] = (row ?? []) as [string, string, Details, Buffer]
  if (row === undefined || !timingSafeEqual(hash, sha256(launch_secret ?? ''))) throw new Refused(401, 'launch')
  return answers.launched(signToken({ session: session_id ?? '', customer }), details)
}

async function enterCard({ database }: Lean, { bearer, body }: Asked) {
  const { session } = readToken(bearer)
  const { card_number, expiry_month, expiry_year } = body as Record<string, string>
  const sealed = sealValue(`${card_number}|${expiry_month}|${expiry_year}`, session)
  const [row] = await database.run('enter', [MERCHANT, session, sealed])
  if (row === undefined) throw new Refused(409, 'state')
  await database.run('accept', [MERCHANT, session, newId('ntk_')])
  return answers.cardTaken(row[0] as Details)
}

async function askForPasskey({ database }: Lean, { bearer }: Asked) {
  const { session, customer } = readToken(bearer)
  const challenge = randomBytes(32).toString('base64url')
  await database.run('challenge', [MERCHANT, session, challenge, new Date(Date.now() + CHALLENGE_MILLIS)])
  return answers.asked(registrationOptions(challenge, customer))
}

interface Claimed {
  readonly details: Details
  readonly cardRef: string
  readonly agreed: string
  readonly passkey: { readonly id: string; readonly publicKey: Buffer }
}

/** Uses the challenge up, whatever comes of the answer. */
async function claim({ database }: Lean, session: string, kind: string, challenge: string): Promise<Claimed> {
  const [row] = await database.run('claim', [MERCHANT, session, kind, challenge, new Date()])
  const [, state, details, cardRef, seal, agreed, id, publicKey] = (row ?? []) as [
    ...[string, string, Details, string, Buffer, string, string, Buffer],
  ]
  if (row === undefined || state !== 'proven') throw new Refused(409, 'state')
  const { user_id, total_amount, currency } = details
  checkSeal(seal, 'payments', session, user_id, total_amount, currency)
  return { details, cardRef, agreed, passkey: { id, publicKey } }
}

async function register(lean: Lean, { bearer, body }: Asked) {
  const { session, customer } = readToken(bearer)
  const challenge = challengeIn(body.response)
  const { details, cardRef } = await claim(lean, session, 'registration', challenge)
  const { credentialId, publicKey } = verifyRegistration(body.response, challenge, lean.origin())
  const nonce = randomBytes(16).toString('base64url')
  const agreed = JSON.stringify([session, details.total_amount, details.currency, cardRef, nonce])
  const next = sha256(agreed).toString('base64url')
  const until = new Date(Date.now() + CHALLENGE_MILLIS)
  await lean.database.run('register', [MERCHANT, customer, credentialId, publicKey, session, next, agreed, until])
  return answers.registered(assertionOptions(next, credentialId), details)
}

async function approve(lean: Lean, { bearer, body }: Asked) {
  const { session } = readToken(bearer)
  const challenge = challengeIn(body.response)
  const { details, agreed, passkey } = await claim(lean, session, 'assertion', challenge)
  const known = {
    challenge,
    text: agreed,
    origin: lean.origin(),
    credentialId: passkey.id,
    publicKey: passkey.publicKey,
  }
  const evidence = verifyAssertion(body.response, known)
  const [mandate, now] = [newId('mdt_'), new Date()]
  const { clientData, authenticatorData, signature } = evidence
  const signed = [agreed, clientData, authenticatorData, signature, sealOf('approvals', session, mandate, agreed), now]
  await lean.database.run('approve', [MERCHANT, session, mandate, ...signed])
  const credential = sealValue(JSON.stringify(CREDENTIAL), session)
  await lean.database.run('minted', [MERCHANT, session, credential, newId('evt_'), eventOf(session, details), now])
  return answers.approved(details)
}

const eventOf = (session: string, { total_amount, currency }: Details) =>
  JSON.stringify({ session_id: session, amount: total_amount, currency })

async function readResult({ database }: Lean, { bearer, id }: Asked) {
  checkKey(bearer)
  const [row] = await database.run('read', [MERCHANT, id])
  const [, state, , , , credential] = (row ?? []) as [...[string, string, Details, Buffer, string], Buffer | null]
  if (row === undefined) throw new Refused(404, 'session')
  return answers.result(id, state, credential === null ? null : openValue(credential, id))
}

async function report({ database }: Lean, { bearer, body, id }: Asked) {
  checkKey(bearer)
  if (body.txn_ref_id !== id || body.txn_status !== 'APPROVED') throw new Refused(400, 'report')
  const [row] = await database.run('report', [MERCHANT, id, body.txn_status])
  if (row === undefined) throw new Refused(409, 'state')
  await database.run('paid', [MERCHANT, id, newId('evt_'), eventOf(id, (row as Row)[0] as Details), new Date()])
  return answers.reported()
}
