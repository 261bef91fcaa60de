// Guarantee: every change of state that is committed has its events in the same transaction, and those that have none are
// named here, with the reason. What happens to whom is recorded by the database itself, not by the service.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CARD_TRANSITIONS } from '../src/cards/states.ts'
import { CHARGE_TRANSITIONS } from '../src/charges/states.ts'
import { PURCHASE_TRANSITIONS } from '../src/checkout/purchases/states.ts'
import { approvedQuote, type Buying, settle, startBuying } from '../src/checkout/purchases/testing/quoted.ts'
import type { Behaviour, Question } from '../src/checkout/purchases/testing/scripted-shop.ts'
import type { SilentReason } from '../src/db/silent.ts'
import { ENROLLMENT_TRANSITIONS } from '../src/enrollment/states.ts'
import { MANDATE_TRANSITIONS } from '../src/mandates/states.ts'
import { CART_TRANSITIONS } from '../src/wallets/carts/states.ts'
import { WALLET_CUSTOMER_TRANSITIONS } from '../src/wallets/customers/states.ts'
import { createCustomer } from '../src/wallets/testing/customers.ts'
import { addStore, createCart } from '../src/wallets/testing/stores.ts'
import { cardholder } from './cardholder.ts'
import {
  approvedSession,
  CARDS,
  complete,
  createEnrollment,
  createSession,
  dbRow,
  enroll,
  newUser,
  paymentResult,
  report,
  revoke,
  vaultRecord,
} from './flows.ts'
import { PATIENT, type TestMerchant, type TestService } from './service.ts'
import { newWalletCustomer } from './wallet-customers.ts'

/** Transitions whose transaction captures no event, each with the reason. */
const SILENT: Readonly<Record<string, SilentReason>> = {
  'charges: initiated → minting': 'middle',
  'sessions: open → closed': 'middle',
  'cards: provisioning → active': 'card',
  'cards: provisioning → deleted': 'card',
  'cards: deleted → provisioning': 'card',
  'charges: minting → awaiting_result': 'middle',
  'mandates: pending → active': 'middle',
  'purchases: pending → quote_ready': 'middle',
  'purchases: quote_ready → prepared': 'middle',
  'purchases: prepared → paying': 'middle',
  'purchases: paying → needs_human': 'middle',
  'purchases: paying → paid': 'middle',
  'purchases: paying → failed': 'middle',
  'purchases: needs_human → paid': 'middle',
  'purchases: needs_human → failed': 'middle',
  'wallet_customers: pending → verified': 'wallet',
  'wallet_customers: pending → rejected': 'wallet',
  'wallet_carts: open → ordered': 'wallet',
  'wallet_carts: open → abandoned': 'wallet',
}

/** Transitions that no journey of this version takes. */
const NOT_TAKEN: Readonly<Record<string, string>> = {}

const TABLES = {
  enrollments: ENROLLMENT_TRANSITIONS,
  charges: CHARGE_TRANSITIONS,
  mandates: MANDATE_TRANSITIONS,
  cards: CARD_TRANSITIONS,
  purchases: PURCHASE_TRANSITIONS,
  wallet_customers: WALLET_CUSTOMER_TRANSITIONS,
  wallet_carts: CART_TRANSITIONS,
}

interface Change {
  transitions: string[]
  events: string[]
}

/** The one change that has more than one event: each thing that it ends has its own. */
const isDeletion = ({ transitions }: Change) => transitions.includes('cards: active → deleted')

let buying: Buying
let service: TestService
let merchant: TestMerchant
let changes: Change[]

beforeAll(async () => {
  // Carts are left with the sessions: two days before the end.
  buying = await startBuying({ env: { ...PATIENT, CART_DAYS: '1' } })
  service = buying.service
  merchant = service.merchant
  await recordHistory()
  await takeEveryJourney()
  changes = await readHistory()
})
afterAll(() => service?.close())

/** Triggers of this database only: each writes down what changed, and in which transaction. */
async function recordHistory(): Promise<void> {
  // How a purchase stands is a `state`: its status is that of its charge.
  const columnOf = (table: string) => (table === 'purchases' ? 'state' : 'status')
  const recorder = (name: string, what: string) => `
    create function record_${name}() returns trigger language plpgsql as $$
    begin insert into history values (pg_current_xact_id(), ${what}); return new; end $$;`
  const stateOf = (table: string) => `
    create trigger history after update on ${table} for each row
      when (old.${columnOf(table)} <> new.${columnOf(table)}) execute function record_${columnOf(table)}();`
  await service.pool.query(`
    create table history (xact xid8, kind text, what text);
    ${recorder('status', `'transition', tg_table_name || ': ' || old.status || ' → ' || new.status`)}
    ${recorder('state', `'transition', tg_table_name || ': ' || old.state || ' → ' || new.state`)}
    ${recorder('close', `'transition', 'sessions: open → closed'`)}
    ${recorder('event', `'event', new.type`)}
    ${Object.keys(TABLES).map(stateOf).join('\n')}
    create trigger history after update on sessions for each row
      when (old.closed_at is null and new.closed_at is not null) execute function record_close();
    create trigger history after insert on captured_events for each row execute function record_event();`)
}

async function readHistory(): Promise<Change[]> {
  const { rows } = await service.pool.query<Change>(`
    select array_agg(what order by what) filter (where kind = 'transition') as transitions,
      coalesce(array_agg(what order by what) filter (where kind = 'event'), '{}') as events
    from history group by xact`)
  return rows.map(({ transitions, events }) => ({ transitions: transitions ?? [], events }))
}

/** Everything that can become of a session today. */
async function takeEveryJourney(): Promise<void> {
  const reported = async (txn_status: string) => {
    const { id, item } = await approvedSession(merchant)
    expect((await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status })).status).toBe(200)
  }
  await reported('APPROVED')
  await reported('DECLINED')
  expect((await approvedSession(merchant, CARDS.mintDeclined)).status).toBe('failed')

  const pending = await createSession(merchant)
  expect((await revoke(merchant, pending.session_id)).status).toBe(200)
  const processing = await approvedSession(merchant, CARDS.mintRequestLost)
  expect(processing.status).toBe('processing')
  expect((await revoke(merchant, processing.id)).status).toBe(200)

  const cancelled = await createSession(merchant)
  expect((await cardholder(service, cancelled.session_token).post('/api/cancel')).status).toBe(200)
  const refused = await createSession(merchant)
  expect((await cardholder(service, refused.session_token).enterCard(CARDS.refused)).status).toBe(400)
  const begun = await createSession(merchant, { user_id: newUser() })
  await complete(merchant, begun.session_id, { card_number: CARDS.stepUp, stop_after: 'card' })

  await enrollCards()
  await moveMandates()
  await setUpMandates()
  await deleteCards()
  await buyQuotes()
  await checkCustomers()
  await fillCarts()

  const lapsing = await approvedSession(merchant)
  await service.clock.advance(2 * 24 * 3600)
  await service.runJobs()
  expect((await paymentResult(merchant, begun.session_id)).body.error.code).toBe('SESSION_EXPIRED')
  expect((await paymentResult(merchant, lapsing.id)).body.error.code).toBe('MANDATE_EXPIRED')
}

/** Every end of a purchase, from every state that it can stand in. */
async function buyQuotes(): Promise<void> {
  const { shop } = buying
  const end = async (scripts: Partial<Record<Question, Behaviour[]>>, status: string, card?: string) => {
    for (const [question, behaviours] of Object.entries(scripts)) shop.script(question as Question, ...behaviours)
    const { id } = await approvedQuote(buying, { ...(card !== undefined && { card }) })
    expect((await settle(buying, id)).status).toBe(status)
    buying.reset()
  }
  await end({}, 'completed')
  await end({ prepare: ['out_of_stock'] }, 'failed')
  await end({ pay: ['card_declined'] }, 'failed')
  await end({}, 'failed', CARDS.mintDeclined)

  const waiting = await approvedQuote(buying)
  expect((await revoke(merchant, waiting.id)).status).toBe(200)
  shop.script('prepare', 'lost_before')
  shop.script('inquire', 'lost_before')
  const preparing = await approvedQuote(buying)
  await service.runJobs()
  expect((await revoke(merchant, preparing.id)).status).toBe(200)
  buying.reset()
  await approvedQuote(buying)
  await service.app.shops.update(buying.shopId, { status: 'disabled' })
  await service.runJobs()
  await service.app.shops.update(buying.shopId, { status: 'active' })

  for (const outcome of ['paid', 'failed'] as const) {
    shop.script('pay', 'needs_human')
    const { id, chargeId } = await approvedQuote(buying)
    await service.runJobs()
    const { merchantId } = merchant
    await service.app.purchases.resolve({ merchantId, chargeId }, { outcome, orderId: null })
    expect((await settle(buying, id)).status).toBe(outcome === 'paid' ? 'completed' : 'failed')
    buying.reset()
  }
}

/** Both ends of the check of a customer. */
async function checkCustomers(): Promise<void> {
  for (const verb of ['verify', 'reject']) {
    const id = await createCustomer(merchant.wallet)
    expect((await merchant.wallet.post(`/v1/test_helpers/customers/${id}/${verb}`)).status).toBe(200)
  }
}

/** A cart that is ordered, and one that is left. */
async function fillCarts(): Promise<void> {
  const store = await addStore(service, merchant, { tea: { price: '1.00' } })
  const { customerId, order } = await newWalletCustomer(service, merchant, '10.00')
  expect((await order(await createCart(merchant.wallet, customerId, store, { tea: 1 }))).status).toBe(201)
  await createCart(merchant.wallet, customerId, store, { tea: 1 })
}

/** What the owner of a mandate does while its credential is out. */
async function moveMandates(): Promise<void> {
  const move = async (mandateId: string, ...verbs: string[]) => {
    for (const verb of verbs) expect((await merchant.post(`/v1/mandates/${mandateId}/${verb}`)).status).toBe(200)
  }
  const cancelled = await mandateOf((await approvedSession(merchant)).id)
  await move(cancelled, 'pause', 'resume', 'pause', 'cancel')
  await move(await mandateOf((await approvedSession(merchant)).id), 'cancel')
  // It lapses with the last one of the journeys.
  await move(await mandateOf((await approvedSession(merchant)).id), 'pause')
  const { id, item } = await approvedSession(merchant)
  await move(await mandateOf(id), 'pause')
  expect((await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })).status).toBe(200)
}

/** Every end of an enrollment. */
async function enrollCards(): Promise<void> {
  const user_id = newUser()
  for (let times = 0; times < 2; times += 1) {
    const { session_id } = await createEnrollment(merchant, { user_id })
    expect((await complete(merchant, session_id)).body.status).toBe('completed')
  }
  const failed = await createEnrollment(merchant)
  expect((await complete(merchant, failed.session_id, { card_number: CARDS.binCountryRefused })).status).toBe(400)
  const revoked = await createEnrollment(merchant)
  expect((await revoke(merchant, revoked.session_id)).status).toBe(200)
  const cancelled = await createEnrollment(merchant)
  expect((await cardholder(service, cancelled.session_token).post('/api/cancel')).status).toBe(200)
  // It expires with the others.
  await createEnrollment(merchant)
  expect((await enroll(merchant, { vault_ref_id: await vaultRecord(merchant) })).status).toBe(201)
  const refused = { vault_ref_id: await vaultRecord(merchant, { card_number: CARDS.refused }) }
  expect((await enroll(merchant, refused)).status).toBe(400)
}

/** Every end of a setup. */
async function setUpMandates(): Promise<void> {
  const mandate_setup = { recurring_frequency: 'monthly' }
  const ended = async (card_number: string, status: string) => {
    const { session_id } = await createSession(merchant, { mandate_setup })
    expect((await complete(merchant, session_id, { card_number })).body).toMatchObject({ status })
    return session_id
  }
  await ended(CARDS.success, 'completed')
  await ended(CARDS.instructionRefused, 'failed')
  const open = await ended(CARDS.instructionAnswerLost, 'processing')
  expect((await revoke(merchant, open)).status).toBe(200)
  const left = await createSession(merchant, { mandate_setup })
  expect((await cardholder(service, left.session_token).post('/api/cancel')).status).toBe(200)
  // It expires with the others.
  await createSession(merchant, { mandate_setup })
}

/** Cards that pay mandates in every status, and one that comes back. */
async function deleteCards(): Promise<void> {
  const user = newUser()
  const enter = async (changes: Record<string, unknown>, body: Record<string, unknown>) => {
    const { session_id } = await createSession(merchant, { user_id: user, ...changes })
    await complete(merchant, session_id, body)
    return session_id
  }
  const paid = await enter({}, {})
  const { card_id } = await dbRow(service, 'select card_id from sessions where id = $1', [paid])
  const paused = await enter({}, { card_id })
  expect((await merchant.post(`/v1/mandates/${await mandateOf(paused)}/pause`)).status).toBe(200)
  const remove = async (id: string) =>
    expect((await merchant.post('/v1/deleteCard', { customer_id: user, card_id: id })).status).toBe(200)
  await remove(card_id)
  await enter({}, { stop_after: 'card' })
  await remove(card_id)
  for (const changes of [{}, { mandate_setup: { recurring_frequency: 'monthly' } }]) {
    const card_number = 'mandate_setup' in changes ? CARDS.instructionAnswerLost : CARDS.mintRequestLost
    const waiting = await enter(changes, { card_number })
    await remove((await dbRow(service, 'select card_id from sessions where id = $1', [waiting])).card_id)
  }
}

async function mandateOf(sessionId: string): Promise<string> {
  return (await dbRow(service, 'select mandate_id from charges where opened_by = $1', [sessionId])).mandate_id
}

/** Every move of the tables. */
const MOVES = Object.entries(TABLES).flatMap(([table, transitions]) =>
  Object.entries<readonly string[]>(transitions).flatMap(([from, targets]) =>
    targets.map((to) => `${table}: ${from} → ${to}`),
  ),
)

describe('of every transition', () => {
  test('it is known whether it was taken', () => {
    const taken = new Set(changes.flatMap(({ transitions }) => transitions))
    expect(MOVES.filter((move) => !taken.has(move)).sort()).toEqual(Object.keys(NOT_TAKEN).sort())
    expect([...taken].filter((move) => !MOVES.includes(move) && !move.startsWith('sessions'))).toEqual([])
  })

  test('those whose transaction captures no event are named', () => {
    const silent = changes.filter(({ events }) => events.length === 0).flatMap(({ transitions }) => transitions)
    expect([...new Set(silent)].sort()).toEqual(Object.keys(SILENT).sort())
  })

  test('a deleted card has its event, and each mandate that went with it', () => {
    const deletions = changes.filter(isDeletion)
    const told = deletions.map(({ transitions, events }) => [...transitions, ...events].join(', '))
    expect(told.sort()).toEqual(
      [
        'cards: active → deleted, card.deleted',
        'cards: active → deleted, mandates: active → cancelled, mandates: paused → cancelled, card.deleted, mandate.cancelled, mandate.cancelled',
        'cards: active → deleted, mandates: pending → cancelled, card.deleted, mandate.cancelled',
        'cards: active → deleted, mandates: pending → cancelled, card.deleted, mandate.creation_failed',
      ].sort(),
    )
  })

  test('there is one event a change, of the payment, of the revoked session, of the setup, or of the mandate that its owner moved', () => {
    const loud = changes.filter((change) => change.events.length > 0 && !isDeletion(change))
    expect(loud.filter(({ transitions, events }) => events.length !== 1 || transitions.length === 0)).toEqual([])
    const outcome = (change: Change) => [
      change.transitions.find((move) => /^(?:charges|enrollments)/.test(move)) ?? change.transitions[0],
      ...change.events,
    ]
    expect([...new Set(loud.map((change) => outcome(change).join(': ')))].sort()).toEqual([
      'charges: awaiting_result → completed: payment.succeeded',
      'charges: awaiting_result → failed: payment.failed',
      'charges: initiated → failed: payment.failed',
      'charges: initiated → failed: session.revoked',
      'charges: minting → awaiting_result: payment.credentials_ready',
      'charges: minting → failed: payment.failed',
      'charges: minting → failed: session.revoked',
      'enrollments: open → cancelled: card_enrollment.cancelled',
      'enrollments: open → completed: card_enrollment.completed',
      'enrollments: open → expired: card_enrollment.expired',
      'enrollments: open → failed: card_enrollment.failed',
      'enrollments: open → failed: session.revoked',
      'mandates: active → cancelled: mandate.cancelled',
      'mandates: active → paused: mandate.paused',
      'mandates: paused → active: mandate.resumed',
      'mandates: paused → cancelled: mandate.cancelled',
      'mandates: pending → active: mandate.created',
      'mandates: pending → cancelled: mandate.creation_cancelled',
      'mandates: pending → cancelled: mandate.creation_failed',
      'mandates: pending → cancelled: session.revoked',
      'mandates: pending → expired: mandate.creation_expired',
    ])
  })
})
