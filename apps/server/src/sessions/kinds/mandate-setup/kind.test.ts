// Guarantee: a standing permission is created, shown, approved and registered as it was asked for, or less where the
// cardholder said so; it is active once the network has said so, and its session says what its mandate says.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, launch, newAuthenticator } from '../../../../test/cardholder.ts'
import {
  CARDS,
  complete,
  createSession,
  dbRow,
  eventBodies,
  expectError,
  expectInvalid,
  inCustom,
  newUser,
  paymentResult,
  report,
  revoke,
} from '../../../../test/flows.ts'
import { mandateRow } from '../../../../test/rows/mandates.ts'
import { workOf } from '../../../../test/rows/work.ts'
import { startTestService, type TestMerchant, type TestService } from '../../../../test/service.ts'
import { addMonths } from '../../../network/windows.ts'
import { addSeconds } from '../../../platform/clock.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ env: { NETWORK_TIMEOUT_MS: '1500' } })
  merchant = service.merchant
})
afterAll(() => service?.close())

const setup = (changes: object = {}, session: object = {}) =>
  createSession(merchant, { mandate_setup: { recurring_frequency: 'monthly', ...changes }, ...session }) as Promise<
    Awaited<ReturnType<typeof createSession>> & { mandate_id: string; authorizeOnly: true; expires_at: string }
  >
const mandateOf = async (id: string) => (await merchant.get(`/v1/mandates/${id}`)).body
const page = (session: { session_token: string }) => cardholder(service, session.session_token)

describe('a setup, from the API to an active mandate', () => {
  test('waits, is approved, and is active', async () => {
    const user_id = newUser()
    const session = await setup({ max_charges: 5 }, { user_id, external_order_ref: 'plan-7' })
    expect(session).toEqual({
      session_id: expect.stringMatching(/^sess_/),
      session_token: expect.any(String),
      iframe_url: expect.stringContaining(session.session_id),
      order_id: expect.stringMatching(/^ord_/),
      expires_at: expect.any(String),
      authorizeOnly: true,
      mandate_id: expect.stringMatching(/^mdt_/),
    })
    const { session_id, order_id, mandate_id } = session
    const facts = { session_id, order_id, authorizeOnly: true, mandate_id, transactions: [] }
    expect((await paymentResult(merchant, session_id)).body).toEqual({ ...facts, status: 'pending' })
    expect(await mandateOf(mandate_id)).toMatchObject({
      externalUserId: user_id,
      status: 'pending',
      state: 'pending',
      recurringFrequency: 'monthly',
      merchantScope: 'listed',
      approvedAmount: '40.00',
      remaining: '40.00',
      renewsAt: null,
      lastCharge: null,
      charges: [],
    })

    const done = await complete(merchant, session_id)
    expect(done.body).toMatchObject({ status: 'completed', next_step: 'done', outcome: 'approved' })
    expect((await paymentResult(merchant, session_id)).body).toEqual({ ...facts, status: 'completed' })
    const mandate = await mandateOf(mandate_id)
    const row = await mandateRow(service.pool, mandate_id)
    expect(mandate).toMatchObject({ status: 'active', state: 'available', customerId: row.customer_id })
    expect(row.window_started_at).toEqual(row.activated_at)
    expect(row.window_ends_at).toEqual(addMonths(row.activated_at, 1))
    expect(mandate.renewsAt).toBe(row.window_ends_at.toISOString())
    // What is left to do is its end.
    const work = await workOf(service.pool, 'mandate', mandate_id)
    expect(work).toMatchObject({ due_at: row.valid_until, lease_until: null, attempts: 0 })
    // At the network: frequency, count, merchant and end.
    const instruction = await dbRow(service, 'select * from simnet.instructions where mandate_id = $1', [mandate_id])
    expect(instruction).toMatchObject({
      state: 'active',
      frequency: 'monthly',
      max_charges: 5,
      cap_minor: 4000n,
      valid_until: row.valid_until,
      instruction_ref: row.instruction_ref,
    })
    expect(instruction.merchant_host).toBeTypeOf('string')
    expect(await dbRow(service, 'select count(*)::int as n from charges where opened_by = $1', [session_id])).toEqual({
      n: 0,
    })
  })

  test('a charge that names nothing is for what the setup named', async () => {
    const products = [{ description: 'Tea of the month', unit_price: '40.00', product_id: 'sku-1', quantity: 2 }]
    const of = inCustom({ category_code: '5499', category: 'Food' }, {}, { product_details: products })
    const { session_id, mandate_id } = await setup({}, of)
    await complete(merchant, session_id)
    const charge = (more: object) => merchant.post(`/v1/mandates/${mandate_id}/charge`, { amount: '10.00', ...more })
    const other = { purchase_context: [{ product_details: [{ description: 'A cup', unit_price: '10.00' }] }] }
    const charges = [await charge({}), await charge(other)]
    const rows = await Promise.all(
      charges.map(({ body }) =>
        dbRow(service, 'select payee_category_code, payee_category, products from charges where id = $1', [
          body.transactionId,
        ]),
      ),
    )
    const payee = { payee_category_code: '5499', payee_category: 'Food' }
    const named = { name: 'Tea of the month', externalId: 'sku-1', unitPrice: '40.00', quantity: 2 }
    expect(rows).toMatchObject([
      { ...payee, products: [named] },
      { ...payee, products: [{ name: 'A cup', unitPrice: '10.00', quantity: 1 }] },
    ])
  })

  test('a report finds no transaction to be about', async () => {
    const { session_id } = await setup()
    await complete(merchant, session_id)
    expectError(
      await report(merchant, session_id, { txn_ref_id: 'tli_1', txn_status: 'APPROVED' }),
      400,
      'INVALID_STATE',
    )
  })
})

describe('the end', () => {
  const end = async (changes: object) => (await mandateOf((await setup(changes)).mandate_id)).validUntil
  const near = (time: string, aim: Date) => Math.abs(Date.parse(time) - aim.getTime()) < 60_000

  test.for([
    ['weekly', 12],
    ['monthly', 24],
    ['yearly', 60],
  ] as const)(
    'of a %s mandate is %i months away at most, and without a word of it',
    async ([recurring_frequency, months]) => {
      const horizon = addMonths(service.clock.now(), months)
      expect(near(await end({ recurring_frequency }), horizon)).toBe(true)
      const beyond = addSeconds(horizon, 86_400).toISOString()
      expect(near(await end({ recurring_frequency, valid_until: beyond }), horizon)).toBe(true)
      const valid_until = addSeconds(service.clock.now(), 86_400).toISOString()
      expect(await end({ recurring_frequency, valid_until })).toBe(valid_until)
    },
  )

  test('of a one-time mandate is seven days from its approval', async () => {
    const { session_id, mandate_id } = await setup({
      recurring_frequency: 'one_time',
      valid_until: '2020-01-01T00:00:00Z',
    })
    expect((await mandateOf(mandate_id)).validUntil).toBeNull()
    await complete(merchant, session_id)
    const { validUntil, renewsAt } = await mandateOf(mandate_id)
    expect(near(validUntil, addSeconds(service.clock.now(), 7 * 86_400))).toBe(true)
    expect(renewsAt).toBeNull()
  })

  test('of an active one is carried out by the sweep, as of every standing mandate', async () => {
    const valid_until = addSeconds(service.clock.now(), 3600).toISOString()
    const { session_id, mandate_id } = await setup({ valid_until })
    await complete(merchant, session_id)
    await service.clock.advance(3601)
    expect(await mandateOf(mandate_id)).toMatchObject({ status: 'expired' })
    // The setup has succeeded, whatever became of the mandate.
    expect((await paymentResult(merchant, session_id)).body.status).toBe('completed')
  })
})

describe('the page', () => {
  const frame = { embedded: false }

  test('shows the limits, and the most of it', async () => {
    const session = await setup({ adjustable: true, max_charges: 3 }, { description: 'Tea of the month' })
    const { body: view } = await page(session).get('/api/session')
    const { validUntil } = await mandateOf(session.mandate_id)
    expect(view).toMatchObject({ kind: 'mandate_setup', step: 'card', outcome: null, failure: null })
    expect(view.mandate).toMatchObject({
      amount: '40.00',
      currency: 'USD',
      recurring_frequency: 'monthly',
      merchant_scope: 'listed',
      max_charges: 3,
      valid_until: validUntil,
      most_total: '120.00',
      adjustable: true,
      description: 'Tea of the month',
    })
    expect(view).not.toHaveProperty('payment')
  })

  test.for([
    [{ recurring_frequency: 'yearly' }, '200.00'],
    [{ recurring_frequency: 'monthly' }, '960.00'],
    [{ recurring_frequency: 'weekly' }, '2120.00'],
    [{ recurring_frequency: 'one_time', max_charges: 9 }, '40.00'],
  ] as [object, string][])('%j: at most %s', async ([changes, most]) => {
    const { body } = await page(await setup(changes)).get('/api/session')
    expect(body.mandate.most_total).toBe(most)
  })

  const ready = async (changes: object = {}) => {
    const session = await setup({ adjustable: true, ...changes })
    const authenticator = newAuthenticator(service)
    const visitor = cardholder(service, session.session_token, authenticator)
    await visitor.enterCard(CARDS.success)
    await visitor.registerPasskey()
    const ask = (adjust?: object) => visitor.post('/api/approval-options', { frame, ...(adjust && { adjust }) })
    const sign = (options: Parameters<typeof authenticator.authenticate>[0]) =>
      visitor.post('/api/approvals', { response: authenticator.authenticate(options) })
    return { session, visitor, ask, sign }
  }

  test.each([undefined, 9])(
    'one time is one charge, where %s are asked for: shown, signed, registered',
    async (max_charges) => {
      const { session, ask, sign } = await ready({ recurring_frequency: 'one_time', max_charges })
      const { body } = await ask()
      expect(body.terms).toMatchObject({ frequency: 'one_time', max_charges: 1, most_total: '40.00' })
      expect((await sign(body.options)).body).toMatchObject({ step: 'done', mandate: { max_charges: 1 } })
      const id = session.mandate_id
      expect(await mandateRow(service.pool, id)).toMatchObject({ max_charges: 1 })
      const registered = await dbRow(service, 'select max_charges from simnet.instructions where mandate_id = $1', [id])
      expect(registered).toEqual({ max_charges: 1 })
    },
  )

  test('what the cardholder lowers is what is signed, registered and shown', async () => {
    const { session, ask, sign } = await ready()
    const valid_until = addSeconds(new Date(session.expires_at), 45 * 86_400).toISOString()
    const { body } = await ask({ amount: '25.5', valid_until })
    expect(body.terms).toMatchObject({
      type: 'mandate',
      version: 1,
      mandate_id: session.mandate_id,
      amount: '25.50',
      valid_until,
      most_total: '51.00',
    })
    const { body: view } = await sign(body.options)
    expect(view).toMatchObject({
      step: 'done',
      outcome: 'approved',
      mandate: { amount: '25.50', valid_until, most_total: '51.00' },
      receipt: { order_number: null, reference: session.order_id },
    })
    expect(await mandateOf(session.mandate_id)).toMatchObject({
      status: 'active',
      approvedAmount: '25.50',
      remaining: '25.50',
      validUntil: valid_until,
    })
    const instruction = await dbRow(service, 'select * from simnet.instructions where mandate_id = $1', [
      session.mandate_id,
    ])
    expect(instruction).toMatchObject({ cap_minor: 2550n, valid_until: new Date(valid_until) })
    const evidence = await dbRow(service, 'select terms from approvals where subject_id = $1', [session.session_id])
    expect(JSON.parse(evidence.terms)).toEqual(body.terms)
  })

  test('nothing is raised, and nothing changed where the merchant does not let them', async () => {
    const { session, ask } = await ready()
    const { validUntil } = await mandateOf(session.mandate_id)
    expectInvalid(await ask({ amount: '40.01' }), 'adjust.amount')
    expectInvalid(await ask({ valid_until: addSeconds(new Date(validUntil), 1).toISOString() }), 'adjust.valid_until')
    expectInvalid(await ask({ valid_until: session.expires_at }), 'adjust.valid_until')
    expectInvalid(await ask({ amount: '0' }), 'adjust.amount')
    const fixed = await ready({ adjustable: false })
    expectInvalid(await fixed.ask({ amount: '39.99' }), 'adjust.amount')
    expect((await fixed.ask({ amount: '40.00' })).status).toBe(200)
    const once = await ready({ recurring_frequency: 'one_time' })
    expectInvalid(await once.ask({ valid_until: validUntil }), 'adjust.valid_until')
    expect((await once.ask({ amount: '1.00' })).body.terms).toMatchObject({ valid_until: null, most_total: '1.00' })
  })

  test('an end that lies within the time of the session is the merchant’s to ask for', async () => {
    const valid_until = addSeconds(service.clock.now(), 300).toISOString()
    const { session, ask, sign } = await ready({ valid_until })
    const { body } = await ask()
    expect(body.terms).toMatchObject({ valid_until, most_total: '40.00' })
    expect((await sign(body.options)).body).toMatchObject({ step: 'done', outcome: 'approved' })
    expect(await mandateOf(session.mandate_id)).toMatchObject({ status: 'active', validUntil: valid_until })
  })

  test('an end that passes before the approval is nothing that a network registers', async () => {
    const valid_until = addSeconds(service.clock.now(), 300).toISOString()
    const { session, ask, sign } = await ready({ valid_until })
    await service.clock.advance(301)
    expect((await sign((await ask()).body.options)).body).toMatchObject({ outcome: 'failed' })
    expect(await mandateOf(session.mandate_id)).toMatchObject({ status: 'cancelled' })
    const { error } = (await paymentResult(merchant, session.session_id)).body
    expect(error.code).toBe('PAYMENT_FAILED')
  })

  test('of a currency without a fraction none is named', async () => {
    const session = await createSession(merchant, {
      currency: 'JPY',
      total_amount: '4000',
      ...inCustom({}, { unit_price: '4000' }),
      mandate_setup: { recurring_frequency: 'monthly', adjustable: true },
    })
    const visitor = page(session)
    await visitor.enterCard(CARDS.success)
    await visitor.registerPasskey()
    const ask = (amount: string) => visitor.post('/api/approval-options', { frame, adjust: { amount } })
    expectInvalid(await ask('39.50'), 'adjust.amount')
    expect((await ask('39')).body.terms).toMatchObject({ amount: '39.00' })
  })

  test('of two tabs that approve at the same time one does', async () => {
    const { session, ask, sign } = await ready()
    const asked = [await ask({ amount: '10.00' }), await ask(), await ask({ amount: '20.00' })]
    const answers = await Promise.all(asked.map(({ body }) => sign(body.options)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const winner = answers.findIndex(({ status }) => status === 200)
    expect((await mandateOf(session.mandate_id)).approvedAmount).toBe(asked[winner]?.body.terms.amount)
    expect(
      await dbRow(service, 'select count(*)::int as n from approvals where subject_id = $1', [session.session_id]),
    ).toEqual({ n: 1 })
  })

  test('opens by its link, like that of every session', async () => {
    const { iframe_url } = await setup()
    const { body } = await launch(service, iframe_url)
    expect(body.view.kind).toBe('mandate_setup')
  })
})

describe('a setup that comes to nothing', () => {
  const last = async (id: string) => (await eventBodies(service, id)).map((body) => JSON.parse(body)).at(-1)

  test('expires with its session', async () => {
    const { session_id, mandate_id } = await setup()
    await service.clock.advance(901)
    expect((await paymentResult(merchant, session_id)).body).toMatchObject({
      status: 'failed',
      authorizeOnly: true,
      error: { code: 'SESSION_EXPIRED' },
    })
    expect(await mandateOf(mandate_id)).toMatchObject({ status: 'expired', state: 'expired' })
    expect(await last(session_id)).toMatchObject({
      type: 'mandate.creation_expired',
      data: { status: 'failed', terms: null, failure_category: 'expired' },
    })
  })

  test('is cancelled by the cardholder', async () => {
    const session = await setup()
    const { body } = await page(session).post('/api/cancel')
    expect(body).toMatchObject({ step: 'done', outcome: 'cancelled' })
    expect(await mandateOf(session.mandate_id)).toMatchObject({ status: 'cancelled' })
    expect((await paymentResult(merchant, session.session_id)).body.error.code).toBe('CANCELLED')
    expect(await last(session.session_id)).toMatchObject({ type: 'mandate.creation_cancelled' })
  })

  test('is revoked by the merchant', async () => {
    const { session_id, mandate_id } = await setup()
    expect((await revoke(merchant, session_id)).body).toEqual({ success: true })
    expect(await mandateOf(mandate_id)).toMatchObject({ status: 'cancelled' })
    expect((await paymentResult(merchant, session_id)).body).toMatchObject({
      status: 'failed',
      error: { code: 'SESSION_REVOKED' },
    })
    expect(await last(session_id)).toMatchObject({ type: 'session.revoked', data: { session_id, mandate_id } })
    expectError(await complete(merchant, session_id), 400, 'INVALID_STATE')
  })

  test('an active one is revoked no more', async () => {
    const { session_id, mandate_id } = await setup()
    await complete(merchant, session_id)
    expectError(await revoke(merchant, session_id), 400, 'INVALID_STATE')
    expect(await mandateOf(mandate_id)).toMatchObject({ status: 'active' })
  })

  test('its owner neither pauses nor cancels it while it is pending', async () => {
    const { mandate_id } = await setup()
    for (const verb of ['pause', 'resume', 'cancel']) {
      expectError(await merchant.post(`/v1/mandates/${mandate_id}/${verb}`), 409, 'MANDATE_INVALID_TRANSITION')
    }
  })
})
