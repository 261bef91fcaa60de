import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  atOnce,
  CARDS,
  countBy,
  dbRow,
  expectCreated,
  expectError,
  expectInvalid,
  newUser,
} from '../../../../test/flows.ts'
import { purchaseRow } from '../../../../test/rows/charges.ts'
import { SESSION_AND_CHARGE, SESSIONS } from '../../../../test/rows/sessions.ts'
import { sessionBody, startTestService, type TestMerchant, type TestService } from '../../../../test/service.ts'
import {
  type AddedShop,
  fromQuote,
  offerOf,
  quoted,
  scriptedShops,
} from '../../../checkout/quotes/testing/scripted-shop.ts'

// Guarantee: a quote is used by one session, its merchant's, for what it costs, while it is good; and what does not
// come about of a session leaves the quote as it was.

const shops = scriptedShops()
let service: TestService
let merchant: TestMerchant
let shop: AddedShop
beforeAll(async () => {
  service = await startTestService({ createCheckout: shops.createCheckout })
  merchant = service.merchant
  shop = await shops.add(service)
})
afterAll(() => service?.close())

type Quote = Parameters<typeof fromQuote>[0] & { merchant: { name: string }; expires_at: string }
let quote: Quote
beforeEach(async () => {
  quote = await quoted(merchant, shop)
})

const create = (changes: Record<string, unknown> = {}, as = merchant) =>
  as.post('/v1/sessions', sessionBody({ user_id: newUser(), ...fromQuote(quote), ...changes }))
const claimOf = () => dbRow(service, 'select session_id, customer_id from quotes where id = $1', [quote.quote_id])
const FREE = { session_id: null, customer_id: null }

test('the session is what the quote says, and the quote is its own and its customer’s', async () => {
  const created = await create({ external_order_ref: 'order-7', description: 'A gift' })
  expectCreated(created)
  const { session_id, order_id } = created.body
  const row = await dbRow(
    service,
    `select s.customer_id, s.order_id, s.description, s.summary, s.effective_minutes, c.quote_id, c.simulated, c.status, c.products,
       c.amount_minor::text, c.currency, c.payee_name, c.payee_url, c.payee_country, c.external_order_ref
     from ${SESSION_AND_CHARGE} where s.id = $1`,
    [session_id],
  )
  expect(row).toMatchObject({
    order_id,
    description: 'A gift',
    summary: { subtotal: '36.00', shipping: '5.00', tax: '2.25', discount: '0.00' },
    effective_minutes: 15,
    quote_id: quote.quote_id,
    simulated: false,
    status: 'initiated',
    amount_minor: '4325',
    currency: 'USD',
    payee_name: 'Sandbox Shop',
    payee_url: 'https://shop.example',
    payee_country: 'US',
    external_order_ref: 'order-7',
  })
  expect(row.products).toMatchObject([{ name: 'Stoneware mug, blue', unitPrice: '18.00', quantity: 2 }])
  expect(await claimOf()).toEqual({ session_id, customer_id: row.customer_id })
  expect((await merchant.get(`/v1/quotes/${quote.quote_id}`)).body).toMatchObject({ quote_id: quote.quote_id })
})

test('a quote is used once, also by the same customer, and also when its session came to nothing', async () => {
  const created = await create()
  expectCreated(created)
  expectError(await create(), 409, 'QUOTE_ALREADY_USED')
  expect((await merchant.post(`/v1/sessions/${created.body.session_id}/revoke`)).status).toBe(200)
  expectError(await create(), 409, 'QUOTE_ALREADY_USED')
  await service.clock.advance(16 * 60)
  expectError(await create(), 409, 'QUOTE_ALREADY_USED')
})

test('of 64 sessions at the same moment one has the quote, and the others leave no trace', async () => {
  const user_id = newUser()
  const rows = () =>
    dbRow(
      service,
      `select (select count(*)::int from ${SESSIONS} s) as sessions, (select count(*)::int from charges) as charges,
         (select count(*)::int from customers) as customers`,
    )
  const before = await rows()
  const answers = await atOnce(64, (index) => create(index % 2 === 0 ? { user_id } : {}))
  const codes = answers.map(({ status, body }) => (status === 201 ? 'created' : body.error.code))
  expect(countBy(codes, (code) => code)).toEqual({ created: 1, QUOTE_ALREADY_USED: 63 })
  const created = answers.find(({ status }) => status === 201)
  expect((await claimOf()).session_id).toBe(created?.body.session_id)
  const after = await rows()
  expect({ sessions: after.sessions - before.sessions, charges: after.charges - before.charges }).toEqual({
    sessions: 1,
    charges: 1,
  })
  expect(after.customers - before.customers).toBe(1)
})

describe('what leaves the quote as it was', () => {
  test('another amount or currency', async () => {
    for (const changes of [{ total_amount: '43.24' }, { total_amount: '43.26' }, { currency: 'EUR' }]) {
      expectError(await create(changes), 400, 'QUOTE_AMOUNT_MISMATCH')
    }
    expect(await claimOf()).toEqual(FREE)
    expectCreated(await create())
  })

  test('another merchant, for whom there is none', async () => {
    const other = await service.addMerchant()
    const [theirs, none] = [
      await create({}, other),
      await create({ purchase_context: { quote: true, quote_id: 'qte_none' } }, other),
    ]
    expectError(theirs, 404, 'QUOTE_NOT_FOUND')
    expect(theirs.body).toEqual(none.body)
    expect(await claimOf()).toEqual(FREE)
  })

  test('a card that cannot be used', async () => {
    expectError(await create({ card: { card_id: 'card_none' } }), 400, 'CARD_NOT_FOUND')
    expect(await claimOf()).toEqual(FREE)
  })

  test('an allowance that is used up', async () => {
    const poor = await service.addMerchant({ sessionAllowance: 1 })
    const mine = [await quoted(poor, shop), await quoted(poor, shop)] as [Quote, Quote]
    const answers = await Promise.all(mine.map((one) => create(fromQuote(one), poor)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 429])
    const claimed = 'select count(*)::int as count from quotes where session_id is not null and id = any($1)'
    expect(await dbRow(service, claimed, [mine.map((one) => one.quote_id)])).toEqual({ count: 1 })
  })

  test('a shop that was disabled', async () => {
    await service.app.shops.update(shop.id, { status: 'disabled' })
    const refused = await create()
    await service.app.shops.update(shop.id, { status: 'active' })
    expectError(refused, 503, 'MERCHANT_UNAVAILABLE')
    expect(await claimOf()).toEqual(FREE)
  })

  test('a mandate, which a quote cannot set up; one that is not meant is not looked at', async () => {
    expectInvalid(await create({ mandate_setup: { recurring_frequency: 'monthly' } }), 'mandate_setup')
    expect(await claimOf()).toEqual(FREE)
    expectCreated(await create({ mandate_setup: { intent: 'checkout', recurring_frequency: 'fortnightly' } }))
  })
})

test('a raced loser takes nothing of the allowance', async () => {
  const poor = await service.addMerchant({ sessionAllowance: 10 })
  const mine = await quoted(poor, shop)
  const answers = await atOnce(10, () => create(fromQuote(mine), poor))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  const left = 'select remaining::int from session_allowances where merchant_id = $1'
  expect(await dbRow(service, left, [poor.merchantId])).toEqual({ remaining: 9 })
})

test('after 15 minutes it has expired', async () => {
  await service.clock.advance(14 * 60 + 50)
  expectError(await create({ total_amount: '1.00' }), 400, 'QUOTE_AMOUNT_MISMATCH')
  await service.clock.advance(15)
  expectError(await create(), 409, 'QUOTE_EXPIRED')
  expect(await claimOf()).toEqual(FREE)
})

test('what costs nothing is no purchase', async () => {
  shop.script.quote = (request) => {
    const { itemsMinor } = offerOf(request)
    const free = { shippingMinor: 0n, taxMinor: 0n, discountMinor: itemsMinor, totalMinor: 0n }
    return { outcome: 'ok', value: offerOf(request, free) }
  }
  const gift = await quoted(merchant, shop)
  shop.script.quote = (request) => ({ outcome: 'ok', value: offerOf(request) })
  expect(gift).toMatchObject({ total_amount: '0.00', breakdown: { discount: '36.00' } })
  expectInvalid(await create(fromQuote(gift)), 'total_amount')
})

describe('sandbox_simulation', () => {
  const sandbox_simulation = { stage: 'payment', outcome: 'success' }
  const simulatedOf = async (sessionId: string) => {
    const { simulated } = await purchaseRow(service.pool, sessionId)
    return { simulated }
  }

  test('is kept with the charge', async () => {
    const created = await create({ sandbox_simulation })
    expectCreated(created)
    expect(JSON.stringify(created.body)).not.toContain('simulation')
    expect(await simulatedOf(created.body.session_id)).toEqual({ simulated: true })
  })

  test('in another shape is a validation error', async () => {
    for (const wrong of [null, [], 'success', {}, { ...sandbox_simulation, card: CARDS.success }]) {
      expect((await create({ sandbox_simulation: wrong })).body.error.code).toBe('VAL_2001')
    }
    expect(await claimOf()).toEqual(FREE)
  })
})

test('the quote goes with its session', async () => {
  const created = await create()
  expectCreated(created)
  await service.clock.advance(3 * 24 * 60 * 60)
  await service.runJobs()
  expect((await claimOf()).session_id).toBe(created.body.session_id)
  await service.clock.advance(Number(service.config.retentionDays) * 24 * 60 * 60)
  await service.runJobs()
  expectError(await merchant.get(`/v1/quotes/${quote.quote_id}`), 404, 'QUOTE_NOT_FOUND')
})
