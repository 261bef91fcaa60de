import { randomUUID } from 'node:crypto'
import type { EventType } from '@mintmark/node'
import { type Api, type Json, Refusal } from './api.ts'

// How each kind of event comes about in a sandbox: the same calls as a merchant's, a cardholder of the test helpers,
// and the sandbox's acquirer. Nothing is made up, so what follows from the event (states, other events) is there as
// well.

/** Which event to look for in the feed. */
export interface Cause {
  /** What it is about, where the API says so. */
  resourceId?: string
  /** Not before that. */
  from?: string
}

/** Brings the event about, and tells each step. */
type Journey = (api: Api, say: (step: string) => void) => Promise<Cause>

const MERCHANT_URL = 'https://tea.example'
/** Test cards, as docs/guides/test-cards.md lists them. */
const INSUFFICIENT_FUNDS = '4000000000009995'
const REGISTERS_NO_INSTRUCTION = '4000000000000358'
const REFUSED = '4000000000000002'

const BY_TIME =
  'Only time brings it about. Move the clock of the sandbox yourself, for all who use it: POST /v1/test_helpers/clock/advance ' +
  '{ "seconds": … }'
const BY_CANCEL =
  'A cardholder brings it about, and the test helpers never cancel. Create a session, open its iframe_url in a browser and press Cancel.'

/** A text says why a kind cannot be triggered. */
export const TRIGGERS: Readonly<Record<EventType, Journey | string>> = {
  'payment.credentials_ready': async (api, say) => ({ resourceId: (await approvedPayment(api, say)).transaction }),
  'payment.succeeded': (api, say) => reportedPayment(api, say, {}),
  'payment.failed': (api, say) => reportedPayment(api, say, { card_number: INSUFFICIENT_FUNDS }),
  'charge.report_overdue': `${BY_TIME}, to two days after a charge against a mandate whose credential was spent and that was not reported.`,
  'payment.captured': (api, say) => settledPayment(api, say, ['captured']),
  'payment.refunded': (api, say) => settledPayment(api, say, ['captured', 'refunded']),
  'payment.reversed': (api, say) => settledPayment(api, say, ['reversed']),
  'payment.disputed': (api, say) => settledPayment(api, say, ['captured', 'disputed']),
  'session.revoked': async (api, say) => {
    const id = await newSession(api, say)
    await api.post(`/v1/sessions/${id}/revoke`)
    say('The merchant revoked it.')
    return { resourceId: id }
  },
  'card_enrollment.completed': async (api, say) => ({ resourceId: (await enrollment(api, say)).id }),
  'card_enrollment.failed': async (api, say) => {
    const card = { card_number: REFUSED, expiry_month: '12', expiry_year: '2040' }
    const { vault_ref_id } = (await api.post('/v1/vault/records', card)).body
    const { id } = await newEnrollment(api, say, { vault_ref_id })
    await api.post(`/v1/test_helpers/sessions/${id}/complete`).catch(passRefusedCard)
    say('The card network refused the card.')
    return { resourceId: id }
  },
  'card_enrollment.cancelled': BY_CANCEL,
  'card_enrollment.expired': `${BY_TIME}, to a day after a session of an enrollment was created.`,
  'mandate.created': async (api, say) => ({ resourceId: (await mandate(api, say)).session }),
  'mandate.creation_failed': async (api, say) => {
    const { session } = await mandate(api, say, { card_number: REGISTERS_NO_INSTRUCTION })
    return { resourceId: session }
  },
  'mandate.creation_cancelled': BY_CANCEL,
  'mandate.creation_expired': `${BY_TIME}, to an hour after a session with mandate_setup was created.`,
  'mandate.paused': (api, say) => movedMandate(api, say, ['pause']),
  'mandate.resumed': (api, say) => movedMandate(api, say, ['pause', 'resume']),
  'mandate.cancelled': (api, say) => movedMandate(api, say, ['cancel']),
  'mandate.consumed': async (api, say) => {
    const { id } = await mandate(api, say, {}, { recurring_frequency: 'one_time' })
    const { body } = await api.post(`/v1/mandates/${id}/charge`, { amount: '40.00', reference: randomUUID() })
    say(`It was charged: ${body.transactionId}.`)
    const report = { txn_status: 'APPROVED', txn_type: 'PURCHASE' }
    await api.post(`/v1/mandates/${id}/charges/${body.transactionId}/report`, report)
    say('The merchant reported APPROVED.')
    return { resourceId: id }
  },
  'mandate.expired': `${BY_TIME}, beyond the valid_until of a mandate.`,
  'card.deleted': async (api, say) => {
    const { user, card } = await enrollment(api, say)
    await api.post('/v1/deleteCard', { customer_id: user, card_id: card, reason: 'CUSTOMER_CONFIRMED' })
    say('The merchant deleted it.')
    return { resourceId: card }
  },
  'passkey.reset_allowed': async (api, say) => {
    const { user } = await enrollment(api, say)
    const { body } = await api.post(`/v1/customers/${user}/passkey-reset`)
    say('The merchant allowed the customer to replace the passkey.')
    return { from: text(body.released_at) }
  },
}

async function reportedPayment(api: Api, say: (step: string) => void, holder: object): Promise<Cause> {
  const { session, transaction, item } = await approvedPayment(api, say, holder)
  const txn_status = (await spend(api, say, item)).approved ? 'APPROVED' : 'DECLINED'
  await api.post(`/v1/sessions/${session}/report-status`, { txn_ref_id: item.txn_ref_id, txn_status })
  say(`The merchant reported ${txn_status}.`)
  return { resourceId: transaction }
}

/** A payment that is not reported: the card network tells what becomes of it. */
async function settledPayment(api: Api, say: (step: string) => void, acts: string[]): Promise<Cause> {
  const { transaction, item } = await approvedPayment(api, say)
  const { authorization_id: id } = await spend(api, say, item)
  for (const type of acts) {
    await api.post(`/v1/test_helpers/authorizations/${text(id)}/settle`, { type })
    say(`The shop's bank: ${type}.`)
  }
  return { resourceId: transaction }
}

async function spend(api: Api, say: (step: string) => void, item: Json): Promise<Json> {
  const { token, dynamic_cvv, expiry_month, expiry_year } = item
  const purchase = { token, dynamic_cvv, expiry_month, expiry_year, amount: '40.00', currency: 'USD' }
  const { body } = await api.post('/v1/test_helpers/authorizations', { ...purchase, merchant_url: MERCHANT_URL })
  say(`The shop's acquirer answered ${body.response_code}.`)
  return body
}

async function approvedPayment(api: Api, say: (step: string) => void, holder: object = {}) {
  const session = await newSession(api, say)
  await api.post(`/v1/test_helpers/sessions/${session}/complete`, holder)
  const { transactions } = (await api.get(`/v1/sessions/${session}/payment-result`)).body
  const transaction = transactions?.[0]
  const item = transaction?.line_items?.[0]
  if (item === undefined) throw new Error('The payment has no credential: its result has no line item.')
  say('The cardholder entered a test card and approved.')
  return { session, transaction: text(transaction?.txn_id), item }
}

async function newSession(api: Api, say: (step: string) => void, changes: object = {}): Promise<string> {
  const user = newUser()
  const { body } = await api.post('/v1/sessions', { ...user, ...PURCHASE, ...changes })
  say(`Session ${text(body.session_id)} of customer ${user.user_id}.`)
  return text(body.session_id)
}

async function newEnrollment(api: Api, say: (step: string) => void, changes: object = {}) {
  const user = newUser()
  const enrolls = { ...user, enrollment_mode: 'full_enrollment', ...changes }
  const id = text((await api.post('/v1/sessions/enroll-card', enrolls)).body.session_id)
  say(`Session ${id} of customer ${user.user_id}, to enroll a card.`)
  return { id, user: user.user_id }
}

async function enrollment(api: Api, say: (step: string) => void) {
  const { id, user } = await newEnrollment(api, say)
  const { body } = await api.post(`/v1/test_helpers/sessions/${id}/complete`)
  say(`The cardholder entered a test card: ${body.status}.`)
  return { id, user, card: text(body.card_id) }
}

/** The cardholder is told so; for the merchant it is what was wanted. */
function passRefusedCard(error: unknown): void {
  if (!(error instanceof Refusal && error.code === 'CARD_REFUSED')) throw error
}

async function mandate(api: Api, say: (step: string) => void, holder: object = {}, setup: object = MONTHLY) {
  const user = newUser()
  const { body } = await api.post('/v1/sessions', { ...user, ...PURCHASE, mandate_setup: setup })
  const [session, id] = [text(body.session_id), text(body.mandate_id)]
  say(`Session ${session} of customer ${user.user_id}, to allow mandate ${id}.`)
  const completed = await api.post(`/v1/test_helpers/sessions/${session}/complete`, holder)
  say(`The cardholder entered a test card and approved: ${completed.body.status}.`)
  return { session, id }
}

async function movedMandate(api: Api, say: (step: string) => void, verbs: readonly string[]): Promise<Cause> {
  const { id } = await mandate(api, say)
  for (const verb of verbs) {
    const { body } = await api.post(`/v1/mandates/${id}/${verb}`)
    say(`${verb}: it is ${body.status}.`)
  }
  return { resourceId: id }
}

/** A customer of its own each time: saved cards and passkeys of an earlier one would change the way. */
function newUser() {
  const user_id = `trigger-${randomUUID()}`
  return { user_id, user_email: `${user_id}@customers.example` }
}

const MONTHLY = { recurring_frequency: 'monthly' }
const PURCHASE = {
  total_amount: '40.00',
  currency: 'USD',
  purchase_context: {
    custom: {
      merchant_details: { name: 'Tea House', url: MERCHANT_URL, country_code_iso2: 'US' },
      product_details: [{ description: 'Green tea', unit_price: '40.00' }],
    },
  },
}

function text(value: Json | undefined): string {
  if (typeof value !== 'string') throw new Error('The API left out a field that is needed. Is it of another version?')
  return value
}
