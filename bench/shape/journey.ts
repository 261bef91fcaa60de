import { randomBytes, timingSafeEqual } from 'node:crypto'
import * as answers from '../lean/answers.ts'
import {
  CHALLENGE_MILLIS,
  CREDENTIAL,
  type Details,
  detailsIn,
  EXPIRES_AFTER_MILLIS,
  minorIn,
} from '../lean/answers.ts'
import {
  checkKey,
  checkSeal,
  fingerprintOf,
  MERCHANT,
  newId,
  openValue,
  readToken,
  sealOf,
  sealValue,
  sha256,
  signToken,
} from '../lean/crypto.ts'
import type { Database } from '../lean/database.ts'
import { type Asked, type Handlers, Refused } from '../lean/http.ts'
import {
  assertionOptions,
  challengeIn,
  registrationOptions,
  verifyAssertion,
  verifyRegistration,
} from '../lean/passkeys.ts'
import { approveTogether, LEASE_MILLIS } from './approval.ts'

// A payment by the statements of `statements.ts`, with what they need from the program: seals, terms, events. The
// crypto is the lean one's.

export interface Shape {
  readonly database: Database
  readonly origin: () => string
  /** The approval is four statements. */
  readonly pipelines: boolean
  /** A session is named as its charge. */
  readonly keyed: boolean
  /** Events wait to be numbered. */
  wake(): void
}

export const shapeHandlers = (shape: Shape): Handlers => ({
  'POST /v1/sessions': (asked) => create(shape, asked),
  'POST /api/launch': (asked) => launch(shape, asked),
  'POST /api/cards': (asked) => enterCard(shape, asked),
  'POST /api/passkeys/registration-options': (asked) => askForPasskey(shape, asked),
  'POST /api/passkeys/registrations': (asked) => register(shape, asked),
  'POST /api/approvals': (asked) => approve(shape, asked),
  'GET /v1/sessions/:id/payment-result': (asked) => readResult(shape, asked),
  'POST /v1/sessions/:id/report-status': (asked) => report(shape, asked),
})

async function create({ database, origin, keyed }: Shape, { bearer, body }: Asked) {
  checkKey(bearer)
  const details = detailsIn(body)
  const { user_id, user_email, total_amount, currency, purchase_context } = details
  const [id, secret] = [newId('txn_'), randomBytes(24).toString('base64url')]
  const session = keyed ? id : newId('se_')
  const now = new Date()
  const kept = { ...details, order_id: newId('ord_'), line_item_id: newId('tli_'), integration: 'embedding' }
  const terms = [minorIn(total_amount), currency, purchase_context.custom.merchant_details.url, JSON.stringify(kept)]
  const until = new Date(now.getTime() + EXPIRES_AFTER_MILLIS)
  const customer = [user_id, user_email, newId('cus_'), now, until]
  const [row] = await database.run('create', [MERCHANT, id, session, ...customer, ...terms, sha256(secret)])
  if (row === undefined) throw new Refused(403, 'account')
  return answers.created(origin(), session, secret, signToken({ session, customer: String(row[0]) }))
}

async function launch({ database }: Shape, { body }: Asked) {
  const { merchant_id, session_id = '', launch_secret = '' } = body as Record<string, string>
  const [row] = await database.run('launched', [merchant_id, session_id])
  const [, customer, , details, hash, , , , hasCards] = (row ?? []) as [
    ...[string, string, string, Details, Buffer, Date, string, null, boolean],
  ]
  if (row === undefined || !timingSafeEqual(hash, sha256(launch_secret))) throw new Refused(401, 'launch')
  // Asked of those alone who have some.
  const saved = hasCards ? await database.run('saved', [merchant_id, customer, session_id]) : []
  return answers.launched(signToken({ session: session_id, customer }), { ...details, saved })
}

async function enterCard({ database }: Shape, { bearer, body }: Asked) {
  const { session, customer } = readToken(bearer)
  const { card_number = '', expiry_month, expiry_year } = body as Record<string, string>
  const [id, now, fingerprint] = [newId('crd_'), new Date(), fingerprintOf(card_number)]
  const sealed = [fingerprint, sealOf('entries', id, customer, fingerprint), sealValue(card_number, id), 'key_1']
  const shown = [card_number.slice(-4), 'visa', expiry_month, expiry_year]
  const [entered] = await database.run('enter', [MERCHANT, session, now, id, ...sealed, ...shown])
  if (entered === undefined) throw new Refused(409, 'state')
  const [card, , , entry] = entered as [string, string, string, number]
  const token = newId('ntk_')
  const seals = [sealOf('cards', card, customer, token, shown[0] ?? null), expiry_month, expiry_year, '{"art":null}']
  const proof = sealOf('proofs', session, card)
  const [row] = await database.run('accept', [MERCHANT, session, new Date(), card, entry, token, ...seals, proof])
  if (row === undefined) throw new Refused(409, 'state')
  return answers.cardTaken(row[0] as Details)
}

async function askForPasskey({ database }: Shape, { bearer }: Asked) {
  const { session, customer } = readToken(bearer)
  const [challenge, now] = [randomBytes(32).toString('base64url'), new Date()]
  const until = new Date(now.getTime() + CHALLENGE_MILLIS)
  const [row] = await database.run('challenge', [MERCHANT, session, now, challenge, until])
  if (row === undefined) throw new Refused(409, 'state')
  return answers.asked(registrationOptions(challenge, customer))
}

interface Claimed {
  readonly id: string
  readonly customer: string
  readonly details: Details
  readonly amount: bigint
  readonly currency: string
  readonly agreed: string
  readonly nonce: Buffer
  readonly card: { readonly id: string; readonly token: string; readonly last4: string; readonly seal: Buffer }
  readonly passkey: {
    readonly id: string
    readonly publicKey: Buffer
    readonly count: bigint
    readonly seal: Buffer
  } | null
}

/** Uses the challenge up, whatever comes of the answer. Card, proof and passkey are checked to be what was written. */
async function claim({ database }: Shape, session: string, ceremony: string, challenge: string): Promise<Claimed> {
  const [row] = await database.run('claim', [MERCHANT, session, new Date(), ceremony, challenge])
  if (row === undefined) throw new Refused(409, 'state')
  const [id, customer, details, amount, currency, agreed, nonce, cardId, proof] = row as [
    ...[string, string, Details, bigint, string, string, Buffer, string, Buffer],
  ]
  const [token, last4, seal, passkeyId, publicKey, count, passkeySeal] = row.slice(9) as [
    ...[string, string, Buffer, string | null, Buffer, bigint, Buffer],
  ]
  checkSeal(proof, 'proofs', session, cardId)
  checkSeal(seal, 'cards', cardId, customer, token, last4)
  const card = { id: cardId, token, last4, seal }
  const found = { id, customer, details, amount, currency, agreed, nonce, card }
  if (passkeyId === null) return { ...found, passkey: null }
  checkSeal(passkeySeal, 'passkeys', passkeyId, customer, publicKey)
  return { ...found, passkey: { id: passkeyId, publicKey, count, seal: passkeySeal } }
}

async function register(shape: Shape, { bearer, body }: Asked) {
  const { session } = readToken(bearer)
  const challenge = challengeIn(body.response)
  const { customer, details, card } = await claim(shape, session, 'registration', challenge)
  const { credentialId, publicKey } = verifyRegistration(body.response, challenge, shape.origin())
  const [nonce, now] = [randomBytes(16), new Date()]
  const agreed = termsOf(session, details, card, nonce)
  const next = sha256(agreed).toString('base64url')
  const seal = sealOf('passkeys', credentialId, customer, publicKey)
  const passkey = [credentialId, publicKey, 0, ['internal'], true, seal]
  const until = new Date(now.getTime() + CHALLENGE_MILLIS)
  const values = [MERCHANT, session, now, ...passkey, next, agreed, nonce, until]
  if ((await shape.database.run('register', values)).length === 0) throw new Refused(409, 'state')
  return answers.registered(assertionOptions(next, credentialId), details)
}

function termsOf(session: string, details: Details, card: Claimed['card'], nonce: Buffer): string {
  const { total_amount: amount, currency, purchase_context } = details
  const { name, url } = purchase_context.custom.merchant_details
  const shown = { card: card.last4, token: card.token, amount, currency, merchant: { name, url } }
  return JSON.stringify({ version: 1, kind: 'payment', session, ...shown, nonce: nonce.toString('base64url') })
}

async function approve(shape: Shape, { bearer, body }: Asked) {
  const { session } = readToken(bearer)
  const challenge = challengeIn(body.response)
  const claimed = await claim(shape, session, 'assertion', challenge)
  const { id, customer, details, agreed, nonce, card, passkey } = claimed
  if (passkey === null || agreed !== termsOf(session, details, card, nonce)) throw new Refused(409, 'terms')
  const known = {
    challenge,
    text: agreed,
    origin: shape.origin(),
    credentialId: passkey.id,
    publicKey: passkey.publicKey,
  }
  const evidence = verifyAssertion(body.response, known)
  const [mandate, now] = [newId('mdt_'), new Date()]
  const hash = sha256(agreed).toString('hex')
  const seal = sealOf('charges', id, mandate, customer, claimed.amount, claimed.currency, card.token, hash)
  const given = sealOf('passkeys of cards', card.id, passkey.id)
  const fence = await keepApproval(shape, { session, now, claimed, passkey, given, mandate, seal, evidence })
  const sealed = sealValue(JSON.stringify(CREDENTIAL), id)
  const until = new Date(now.getTime() + 86_400_000)
  const event = [newId('evt_'), 'payment.credentials_ready', 2, eventOf(session, mandate, details)]
  const minted = [MERCHANT, id, fence, sealed, 'key_1', until, newId('ins_'), new Date(), ...event]
  if ((await shape.database.run('minted', minted)).length === 0) throw new Refused(409, 'lost')
  shape.wake()
  return answers.approved(details)
}

export interface Approved {
  readonly session: string
  readonly now: Date
  readonly claimed: Claimed
  readonly passkey: { readonly id: string }
  readonly given: Buffer
  readonly mandate: string
  readonly seal: Buffer
  readonly evidence: { readonly clientData: Buffer; readonly authenticatorData: Buffer; readonly signature: Buffer }
}

/** Returns the fence of the lease. */
async function keepApproval(shape: Shape, approved: Approved): Promise<bigint> {
  if (shape.pipelines) return approveTogether(shape.database, approved)
  const { session, now, claimed, passkey, given, mandate, seal, evidence } = approved
  const { clientData, authenticatorData, signature } = evidence
  const until = new Date(now.getTime() + LEASE_MILLIS)
  const shown = [claimed.card.id, claimed.card.seal, passkey.id, 0, true, given]
  const kept = [mandate, seal, until, clientData, authenticatorData, signature]
  const [row] = await shape.database.run('approve', [MERCHANT, session, now, ...shown, ...kept])
  if (row === undefined) throw new Refused(409, 'state')
  return row[0] as bigint
}

const eventOf = (session: string, mandate: string, { total_amount, currency, user_id }: Details) =>
  JSON.stringify({ session_id: session, mandate_id: mandate, user_id, amount: total_amount, currency })

async function readResult({ database }: Shape, { bearer, id: session }: Asked) {
  checkKey(bearer)
  const [row] = await database.run('read', [MERCHANT, session])
  if (row === undefined) throw new Refused(404, 'session')
  const [id, status, , , , sealed] = row as [string, string, Details, bigint, string, Buffer | null]
  return answers.result(id, status, sealed === null ? null : openValue(sealed, id))
}

async function report(shape: Shape, { bearer, body, id: session }: Asked) {
  checkKey(bearer)
  const { txn_ref_id, txn_status } = body
  if (txn_status !== 'APPROVED') throw new Refused(400, 'report')
  const now = new Date()
  const lease = new Date(now.getTime() + LEASE_MILLIS)
  const values = [MERCHANT, session, txn_ref_id, now, txn_status, JSON.stringify(body), lease]
  const [row] = await shape.database.run('report', values)
  if (row === undefined) throw new Refused(409, 'state')
  const [id, fence, version, details, amount, currency, mandate, seal] = row as [
    ...[string, bigint, number, Details, bigint, string, string, Buffer],
  ]
  if (seal.length === 0 || amount <= 0n || currency === '') throw new Refused(409, 'seal')
  const event = [newId('evt_'), 'payment.succeeded', version + 1, eventOf(session, mandate, details)]
  const paid = [MERCHANT, id, fence, 'SUCCESS', new Date(), ...event]
  if ((await shape.database.run('paid', paid)).length === 0) throw new Refused(409, 'lost')
  shape.wake()
  return answers.reported()
}
