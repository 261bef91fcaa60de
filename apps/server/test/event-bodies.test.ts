// Guarantee: every kind has a body with exactly these facts, captured over the API as its readers will get it; and no
// body has a credential, a card number, an email or a reference of the vault.
import { EVENT_TYPES, type EventType } from '@mintmark/contract'
import { EVENT_KINDS } from '@mintmark/contract/wire/events'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { spend } from '../src/charges/testing/charge.ts'
import { cardholder } from './cardholder.ts'
import { EVENTS } from './events.ts'
import {
  approvedSession,
  CARDS,
  complete,
  createEnrollment,
  createSession,
  dbRow,
  eventBodies,
  newUser,
  paymentResult,
  report,
  revoke,
  vaultRecord,
} from './flows.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from './service.ts'
import { shapeOf } from './shape.ts'

const DAY = 24 * 60 * 60
let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
  merchant = service.merchant
})
afterAll(() => service?.close())

const seen = new Set<string>()
/** The newest event about a resource, which is of this version and has exactly this data. */
async function expectEvent(
  [type, resourceType, id, version]: [type: EventType, resourceType: string, id: string, version: number],
  data: object,
) {
  const text = (await eventBodies(service, id)).at(-1) ?? '{}'
  const body = JSON.parse(text)
  expect(body).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
    type,
    schema_version: '2026-11-01',
    occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    environment: 'sandbox',
    account_id: merchant.merchantId,
    resource: { type: resourceType, id, version },
    data,
  })
  expect(text.length, 'events stay small').toBeLessThan(900)
  const { schema, example } = EVENT_KINDS[type]
  expect(Value.Errors(schema, body), 'what the reference says of it').toEqual([])
  expect(shapeOf(body, example), 'the shape of its example').toEqual(shapeOf(example, body))
  seen.add(type)
}

/** Advances the clock of the service, and lets the workers do what is due. */
async function pass(seconds: number): Promise<void> {
  await service.clock.advance(seconds)
  await service.runJobs()
}

describe('a payment', () => {
  const ORDER = { external_order_ref: 'order-7' }
  const amount = { value: '40.00', currency: 'USD' }
  const begin = () => createSession(merchant, ORDER)
  const transactionOf = async (session_id: string) =>
    (await paymentResult(merchant, session_id)).body.transactions[0].txn_id as string
  const facts = (session_id: string, order_id: string, rest: object) => ({
    ...{ session_id, mandate_id: null, order_id, external_order_ref: 'order-7' },
    ...rest,
  })
  const READY = { status: 'awaiting_result', amount, outcome_source: 'service_issued' }
  const PAID = { status: 'completed', amount, outcome_source: 'merchant_reported' }
  const OK = { failure_category: null, error_code: null }
  const failed = (outcome_source: string, failure_category: string, error_code: string) => ({
    ...{ status: 'failed', amount, outcome_source, failure_category, error_code },
  })

  async function approved(card?: string) {
    const { id, item } = await approvedSession(merchant, card, ORDER)
    const { order_id, transactions } = (await paymentResult(merchant, id)).body
    const reported = (txn_status: string) => report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status })
    return { id, order_id, txn: transactions[0].txn_id as string, reported }
  }

  test('minted, and reported as approved', async () => {
    const { id, order_id, txn, reported } = await approved()
    await expectEvent(['payment.credentials_ready', 'payment', txn, 2], facts(id, order_id, { ...READY, ...OK }))
    await reported('APPROVED')
    await expectEvent(['payment.succeeded', 'payment', txn, 3], facts(id, order_id, { ...PAID, ...OK }))
  })

  test('reported as declined', async () => {
    const { id, order_id, txn, reported } = await approved()
    await reported('DECLINED')
    const end = failed('merchant_reported', 'payment_declined', 'PAYMENT_DECLINED')
    await expectEvent(['payment.failed', 'payment', txn, 3], facts(id, order_id, end))
  })

  test('refused by the network', async () => {
    const { id, order_id, txn } = await approved(CARDS.mintDeclined)
    const end = failed('service_issued', 'card_declined', 'CARD_DECLINED')
    await expectEvent(['payment.failed', 'payment', txn, 2], facts(id, order_id, end))
  })

  test('cancelled by the cardholder before anything was issued', async () => {
    const { session_id, session_token, order_id } = await begin()
    await cardholder(service, session_token).post('/api/cancel')
    const end = failed('service_issued', 'cancelled', 'CANCELLED')
    const txn = await transactionOf(session_id)
    await expectEvent(['payment.failed', 'payment', txn, 2], facts(session_id, order_id, end))
  })

  test('expired before anything was issued', async () => {
    const { session_id, order_id } = await begin()
    await pass(901)
    const end = failed('service_issued', 'expired', 'SESSION_EXPIRED')
    const txn = await transactionOf(session_id)
    await expectEvent(['payment.failed', 'payment', txn, 2], facts(session_id, order_id, end))
  })

  test('minted, and never reported', async () => {
    const { id, order_id, txn } = await approved()
    await pass(2 * DAY)
    const end = failed('service_issued', 'unreported', 'MANDATE_EXPIRED')
    await expectEvent(['payment.failed', 'payment', txn, 3], facts(id, order_id, end))
  })

  test('revoked: the event is of the session, and the payment has none', async () => {
    const { session_id, order_id } = await begin()
    await revoke(merchant, session_id)
    const txn_id = await transactionOf(session_id)
    await expectEvent(['session.revoked', 'session', session_id, 2], {
      ...{ session_id, txn_id, mandate_id: null, order_id, external_order_ref: 'order-7' },
      ...{ status: 'failed', failure_category: 'revoked', error_code: 'SESSION_REVOKED' },
    })
    expect(await eventBodies(service, txn_id)).toEqual([])
  })
})

const TERMS = { recurring_frequency: 'monthly', merchant_scope: 'listed', max_charges: 3 }
const AMOUNT = { value: '40.00', currency: 'USD' }

type Setup = Awaited<ReturnType<typeof createSession>> & { mandate_id: string }
const setup = (mandate_setup: object = TERMS) =>
  createSession(merchant, { mandate_setup, external_order_ref: 'plan-7' }) as Promise<Setup>
const mandateOf = async (id: string) => (await merchant.get(`/v1/mandates/${id}`)).body

/** A standing mandate that its owner has allowed. */
async function allowed(mandate_setup?: object) {
  const session = await setup(mandate_setup)
  expect((await complete(merchant, session.session_id)).body).toMatchObject({ status: 'completed' })
  const { validUntil } = await mandateOf(session.mandate_id)
  return { ...session, validUntil: validUntil as string }
}

describe('the setup of a mandate', () => {
  const facts = ({ session_id, order_id, mandate_id }: Setup, status: string, rest: object) => ({
    ...{ session_id, order_id, status, mandate_id },
    ...rest,
  })

  test.each([TERMS, { recurring_frequency: 'weekly', merchant_scope: 'any' }])('allowed: %j', async (asked) => {
    const session = await allowed(asked)
    const terms = { max_charges: null, ...asked, amount: AMOUNT, valid_until: session.validUntil }
    await expectEvent(
      ['mandate.created', 'mandate_setup', session.session_id, 1],
      facts(session, 'completed', { terms, failure_category: null }),
    )
  })

  test('allowed, and refused by the network: the terms are those that were allowed', async () => {
    const session = await setup()
    await complete(merchant, session.session_id, { card_number: CARDS.instructionRefused })
    const { validUntil: valid_until } = await mandateOf(session.mandate_id)
    await expectEvent(
      ['mandate.creation_failed', 'mandate_setup', session.session_id, 1],
      facts(session, 'failed', { terms: { ...TERMS, amount: AMOUNT, valid_until }, failure_category: 'card_declined' }),
    )
  })

  test('cancelled by the cardholder', async () => {
    const session = await setup()
    await cardholder(service, session.session_token).post('/api/cancel')
    await expectEvent(
      ['mandate.creation_cancelled', 'mandate_setup', session.session_id, 1],
      facts(session, 'failed', { terms: null, failure_category: 'cancelled' }),
    )
  })

  test('expired', async () => {
    const session = await setup()
    await pass(901)
    await expectEvent(
      ['mandate.creation_expired', 'mandate_setup', session.session_id, 1],
      facts(session, 'failed', { terms: null, failure_category: 'expired' }),
    )
  })

  test('revoked: the same kind of event as of a payment', async () => {
    const { session_id, order_id, mandate_id } = await setup()
    await revoke(merchant, session_id)
    await expectEvent(['session.revoked', 'session', session_id, 2], {
      ...{ session_id, txn_id: null, mandate_id, order_id, external_order_ref: 'plan-7' },
      ...{ status: 'failed', failure_category: 'revoked', error_code: 'SESSION_REVOKED' },
    })
  })
})

describe('a mandate', () => {
  const facts = ({ mandate_id, order_id, validUntil }: Awaited<ReturnType<typeof allowed>>, status: string) => ({
    ...{ mandate_id, order_id, status },
    terms: { ...TERMS, amount: AMOUNT, valid_until: validUntil },
  })

  test('paused, resumed and cancelled by its owner', async () => {
    const mandate = await allowed()
    const id = mandate.mandate_id
    const moves = [
      ['pause', 'mandate.paused', 'paused'],
      ['resume', 'mandate.resumed', 'active'],
      ['cancel', 'mandate.cancelled', 'cancelled'],
    ] as const
    for (const [place, [verb, type, status]] of moves.entries()) {
      expect((await merchant.post(`/v1/mandates/${id}/${verb}`)).status).toBe(200)
      await expectEvent([type, 'mandate', id, place + 1], facts(mandate, status))
    }
  })

  test('over', async () => {
    const mandate = await allowed({ ...TERMS, valid_until: new Date(service.clock.now().getTime() + 3_600_000) })
    await pass(3_700)
    await expectEvent(['mandate.expired', 'mandate', mandate.mandate_id, 1], facts(mandate, 'expired'))
  })

  test('consumed by its one payment', async () => {
    const { mandate_id, order_id, validUntil } = await allowed({ recurring_frequency: 'one_time' })
    const { transactionId } = (await merchant.post(`/v1/mandates/${mandate_id}/charge`, { amount: '5.00' })).body
    const reported = { txn_status: 'APPROVED', txn_type: 'PURCHASE' }
    await merchant.post(`/v1/mandates/${mandate_id}/charges/${transactionId}/report`, reported)
    const terms = { recurring_frequency: 'one_time', merchant_scope: 'listed', max_charges: 1 }
    await expectEvent(['mandate.consumed', 'mandate', mandate_id, 1], {
      ...{ mandate_id, order_id, status: 'consumed' },
      terms: { ...terms, amount: AMOUNT, valid_until: validUntil },
    })
  })
})

describe('a charge against a standing mandate', () => {
  const amount = { value: '12.50', currency: 'USD' }

  async function charged(changes: object = {}) {
    const { mandate_id, order_id } = await allowed({ recurring_frequency: 'yearly' })
    const made = await merchant.post(`/v1/mandates/${mandate_id}/charge`, { amount: '12.50', ...changes })
    const txn = made.body.transactionId as string
    const reported = (txn_status: string) =>
      merchant.post(`/v1/mandates/${mandate_id}/charges/${txn}/report`, { txn_status, txn_type: 'PURCHASE' })
    const facts = (
      status: string,
      outcome_source: string,
      failure: [string, string] | null,
      paid: object = amount,
    ) => ({
      ...{ session_id: null, mandate_id, order_id, external_order_ref: 'plan-7', status, amount: paid, outcome_source },
      ...{ failure_category: failure?.[0] ?? null, error_code: failure?.[1] ?? null },
    })
    return { made, txn, reported, facts }
  }

  test('minted, and reported as approved', async () => {
    const { txn, facts, reported } = await charged()
    await expectEvent(
      ['payment.credentials_ready', 'payment', txn, 2],
      facts('awaiting_result', 'service_issued', null),
    )
    await reported('APPROVED')
    await expectEvent(['payment.succeeded', 'payment', txn, 3], facts('completed', 'merchant_reported', null))
  })

  test('reported as declined', async () => {
    const { txn, facts, reported } = await charged()
    await reported('DECLINED')
    const end = facts('failed', 'merchant_reported', ['payment_declined', 'PAYMENT_DECLINED'])
    await expectEvent(['payment.failed', 'payment', txn, 3], end)
  })

  test('above the cap: it has failed as it began', async () => {
    const { txn, facts } = await charged({ amount: '40.01' })
    const tooMuch = { value: '40.01', currency: 'USD' }
    const end = facts('failed', 'service_issued', ['limit_exceeded', 'THRESHOLD_EXCEEDED'], tooMuch)
    await expectEvent(['payment.failed', 'payment', txn, 1], end)
  })

  test('used and not reported: told of a day after the lapse, and failed 29 days later', async () => {
    const { txn, facts, made } = await charged()
    expect((await spend(service, merchant, made)).body.approved).toBe(true)
    await pass(Math.ceil((Date.parse(made.body.expiresAt) - +service.clock.now()) / 1000) + 1)
    await pass(DAY)
    await expectEvent(['charge.report_overdue', 'payment', txn, 3], facts('awaiting_result', 'service_issued', null))
    await pass(29 * DAY)
    const end = facts('failed', 'service_issued', ['unreported', 'REPORT_TIMEOUT'])
    await expectEvent(['payment.failed', 'payment', txn, 4], end)
  })
})

describe('an enrollment', () => {
  const nothing = { status: 'expired', outcome: 'not_started', card_id: null, passkey: null, card: null }
  const told = async (id: string, kind: 'completed' | 'failed' | 'cancelled' | 'expired', facts: object) => {
    const data = { session_id: id, consent_status: 'not_provided', failure_category: null, ...facts }
    await expectEvent([`card_enrollment.${kind}`, 'card_enrollment', id, 1], data)
  }

  test('completed', async () => {
    const { session_id: id } = await createEnrollment(merchant, { consent_id: 'consent-1' })
    await complete(merchant, id)
    const { card_id } = await dbRow(service, 'select card_id from sessions where id = $1', [id])
    await told(id, 'completed', {
      ...{ status: 'completed', outcome: 'fully_enrolled', card_id, passkey: 'registered', consent_status: 'provided' },
      card: { last4: '4242', brand: 'visa', exp_month: 12, exp_year: service.clock.now().getUTCFullYear() + 3 },
    })
  })

  test('failed: the network refuses the card', async () => {
    const id = (
      await createEnrollment(merchant, { vault_ref_id: await vaultRecord(merchant, { card_number: CARDS.refused }) })
    ).session_id
    await complete(merchant, id)
    await told(id, 'failed', { ...nothing, status: 'failed', failure_category: 'card_declined' })
  })

  test('cancelled by the cardholder', async () => {
    const { session_id: id, session_token } = await createEnrollment(merchant)
    await cardholder(service, session_token).post('/api/cancel')
    await told(id, 'cancelled', { ...nothing, status: 'cancelled', failure_category: 'cancelled' })
  })

  test('expired', async () => {
    const { session_id: id } = await createEnrollment(merchant)
    await pass(DAY)
    await told(id, 'expired', { ...nothing, failure_category: 'expired' })
  })
})

describe('a card', () => {
  test('deleted by the merchant', async () => {
    const user_id = newUser()
    const { session_id } = await createSession(merchant, { user_id })
    await complete(merchant, session_id, { stop_after: 'card' })
    const { card_id } = await dbRow(service, 'select card_id from sessions where id = $1', [session_id])
    await merchant.post('/v1/deleteCard', { customer_id: user_id, card_id, reason: 'STOLEN' })
    await expectEvent(['card.deleted', 'card', card_id, 1], {
      ...{ card_id, status: 'deleted', reason: 'STOLEN', was_default: true, new_default_card_id: null },
      network_token_deleted: true,
      card: { last4: '4242', brand: 'visa', exp_month: 12, exp_year: service.clock.now().getUTCFullYear() + 3 },
    })
  })
})

describe('a passkey', () => {
  test('that may be replaced, each time', async () => {
    const user_id = newUser()
    const { session_id: id } = await createEnrollment(merchant, { user_id })
    await complete(merchant, id)
    const { customer_id } = await dbRow(service, 'select customer_id from sessions where id = $1', [id])
    for (const version of [1, 2]) {
      const { expires_at } = (await merchant.post(`/v1/customers/${user_id}/passkey-reset`)).body
      const data = { customer_id, allowed_by: 'merchant', expires_at }
      await expectEvent(['passkey.reset_allowed', 'customer', customer_id, version], data)
    }
  })
})

describe('all of them', () => {
  test('were captured and compared', () => {
    expect([...seen].sort()).toEqual([...EVENT_TYPES].sort())
  })

  test('have nothing in them that is secret or personal', async () => {
    const user_id = newUser()
    const { item } = await approvedSession(merchant, CARDS.amex, { user_id, user_email: 'ann.secret@example.com' })
    // What an event is about may be named in it, and an enrollment names the card that it made.
    const { rows } = await service.pool.query<{ data: string }>(
      `select replace(data, resource_id, '') as data from ${EVENTS} events where type <> 'card_enrollment.completed'`,
    )
    const bodies = rows.map(({ data }) => data).join('\n')
    for (const text of [item.token, CARDS.amex, CARDS.success, user_id]) expect(bodies).not.toContain(text)
    // A vault record is a plain UUID; customers, cards, instructions and agents have prefixes of their own.
    const personal = /@|example\.com|user-|(?:cus|card|ins|aa)_[0-9a-z]{26}|[0-9a-f]{8}-[0-9a-f]{4}-|\b\d{13,}\b/i
    expect(bodies).not.toMatch(personal)
  })
})
