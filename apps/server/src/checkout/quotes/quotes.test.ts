import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dbRow, expectError, expectInvalid, expectRefusesStrangers } from '../../../test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../../test/service.ts'
import type { CheckoutAnswer } from '../port.ts'
import { type AddedShop, offerOf, quoteBody, quoted, scriptedShops, variantOf } from './testing/scripted-shop.ts'

// Guarantee: a quote is what the shop said, for 15 minutes, and its merchant's alone; what the shop does not say is no quote, and of
// whom it is for nothing is kept.

const shops = scriptedShops()
let service: TestService
let merchant: TestMerchant
let shop: AddedShop
beforeAll(async () => {
  service = await startTestService({ createCheckout: shops.createCheckout, env: { SHOP_TIMEOUT_MS: '300' } })
  merchant = service.merchant
})
afterAll(() => service?.close())
beforeEach(async () => {
  shop = await shops.add(service)
})

const ask = (changes: Record<string, unknown> = {}) => merchant.post('/v1/quotes', quoteBody(shop, changes))
const storedQuotes = async () =>
  (await dbRow(service, 'select count(*)::int as count from quotes where shop_id = $1', [shop.id])).count

const ADDRESS = {
  name: 'Ann Ohnesorg',
  address: '12 Sackgasse',
  city: 'Springfield',
  state: 'IL',
  postal_code: '62701',
  country: 'US',
  contact_information: { phone: '+1 217 555 0199', email: 'ann.ohnesorg@example.com' },
}

test('a quote is what the shop says', async () => {
  const before = service.clock.now().getTime()
  const { status, body } = await ask()
  expect(status).toBe(201)
  expect(body).toEqual({
    quote_id: expect.stringMatching(/^qte_[0-9a-z]{26}$/),
    merchant: { id: shop.id, name: 'Sandbox Shop', url: 'https://shop.example', country_code_iso2: 'US' },
    total_amount: '43.25',
    currency: 'USD',
    breakdown: { items: '36.00', shipping: '5.00', tax: '2.25', discount: '0.00' },
    line_items: [
      {
        product_id: `prod_${shop.id.slice(5)}.mug`,
        variant_id: variantOf(shop),
        title: 'Stoneware mug, blue',
        quantity: 2,
        unit_price: '18.00',
        total: '36.00',
      },
    ],
    warnings: [],
    expires_at: expect.any(String),
  })
  const lives = new Date(body.expires_at).getTime() - before
  expect(lives).toBeGreaterThanOrEqual(15 * 60_000)
  expect(lives).toBeLessThanOrEqual(15 * 60_000 + service.clock.now().getTime() - before)
  expect(shop.script.lastQuote).toEqual({
    quoteId: body.quote_id,
    items: [{ variantId: 'mug-blue', quantity: 2 }],
    shippingAddress: null,
    email: null,
  })
  expect((await merchant.get(`/v1/quotes/${body.quote_id}`)).body).toEqual(body)
})

test('the shop is told of address and email, and nothing of them is stored', async () => {
  shop.script.quote = (request) => ({
    outcome: 'ok',
    value: offerOf(request, { warnings: ['ADDRESS_UNIT_CONFIRMATION_SUGGESTED'] }),
  })
  const { status, body } = await ask({ shipping_address: ADDRESS, email: 'ann@example.com' })
  expect(status).toBe(201)
  expect(body.warnings).toEqual([{ code: 'ADDRESS_UNIT_CONFIRMATION_SUGGESTED', message: expect.any(String) }])
  expect(shop.script.lastQuote).toMatchObject({
    email: 'ann@example.com',
    shippingAddress: {
      name: 'Ann Ohnesorg',
      address: '12 Sackgasse',
      city: 'Springfield',
      state: 'IL',
      postalCode: '62701',
      country: 'US',
      phone: '+1 217 555 0199',
      email: 'ann.ohnesorg@example.com',
    },
  })
  const { row } = await dbRow(service, 'select quotes::text as row from quotes where id = $1', [body.quote_id])
  expect(row).toContain('Stoneware mug')
  // What is sealed has every row of digits at some time.
  expect(row.replaceAll(/x[0-9a-f]{16,}/g, '')).not.toMatch(/Ohnesorg|Sackgasse|Springfield|62701|@|555 0199/i)
})

describe('a request that cannot be', () => {
  test.each([
    ['items', { items: [] }],
    ['items', { items: undefined }],
    ['merchant', { merchant: undefined }],
    ['merchant', { merchant: 'shop_none' }],
    ['items[0].quantity', { items: [{ variant_id: 'x', quantity: 0 }] }],
    ['items[0].variant_id', { items: [{ variant_id: 'x', quantity: 1 }] }],
    ['email', { email: 'ann' }],
    ['shipping_address.country', { shipping_address: { ...ADDRESS, country: 'Illinois' } }],
    ['shipping_address.address', { shipping_address: { ...ADDRESS, address: ' ' } }],
    ['shipping_address.floor', { shipping_address: { ...ADDRESS, floor: 3 } }],
    ['coupon', { coupon: 'FREE' }],
  ])('%s', async (path, changes) => {
    expectInvalid(await ask(changes), path)
    expect(await storedQuotes()).toBe(0)
  })

  test('a variant of another merchant, and one that is there twice', async () => {
    const other = await shops.add(service)
    expectInvalid(await ask({ items: [{ variant_id: variantOf(other), quantity: 1 }] }), 'items[0].variant_id')
    const twice = { variant_id: variantOf(shop), quantity: 1 }
    expectInvalid(await ask({ items: [twice, twice] }), 'items[1].variant_id')
    const [theirs, none] = [variantOf(other), 'var_none'].map((variant_id) => ({ variant_id, quantity: 1 }))
    const paths = [1, 2, 3].map((index) => `items[${index}].variant_id`)
    expectInvalid(await ask({ items: [twice, theirs, twice, none] }), ...paths)
    expect(shop.script.asked.quote).toBe(0)
  })
})

test('strangers are refused', async () => {
  await expectRefusesStrangers(service, 'POST', '/v1/quotes')
  await expectRefusesStrangers(service, 'GET', '/v1/quotes/qte_1')
})

describe('what the shop says no to', () => {
  test.each([
    ['out_of_stock', 409, 'OUT_OF_STOCK'],
    ['not_found', 400, 'VAL_2001'],
    ['address_refused', 400, 'VAL_2001'],
    ['refused', 400, 'VAL_2001'],
    ['quote_expired', 400, 'VAL_2001'],
  ] as const)('%s: %i %s', async (reason, status, code) => {
    shop.script.quote = () => ({ outcome: 'refused', reason })
    const answer = await ask({ shipping_address: ADDRESS })
    expectError(answer, status, code)
    // It has answered: to come back later is of no use.
    expect(answer.headers.get('retry-after')).toBeNull()
    if (reason === 'refused') expect(answer.body.error.details.items).toContain('makes no offer')
    expect(await storedQuotes()).toBe(0)
  })
})

const BROKEN: [string, () => Promise<CheckoutAnswer<never>>][] = [
  ['does not know', async () => ({ outcome: 'unknown', cause: 'timeout' })],
  ['throws', () => Promise.reject(new Error('planted 4242424242424242'))],
  ['never answers', () => new Promise(() => undefined)],
]
test.each(BROKEN)('a shop that %s is unavailable, and nothing is stored', async (_, instead) => {
  shop.script.instead = instead
  const answer = await ask()
  expectError(answer, 503, 'MERCHANT_UNAVAILABLE')
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(JSON.stringify(answer.body)).not.toContain('planted')
  expect(await storedQuotes()).toBe(0)
})

test('a shop that never answered lets everyone in again at its first word', async () => {
  shop.script.instead = () => new Promise(() => undefined)
  expectError(await ask(), 503, 'MERCHANT_UNAVAILABLE')
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask()))
  for (const answer of answers) expectError(answer, 503, 'MERCHANT_UNAVAILABLE')
  shop.script.instead = null
  expect((await ask()).status).toBe(201)
  const many = await Promise.all(Array.from({ length: 20 }, () => ask()))
  expect(many.every(({ status }) => status === 201)).toBe(true)
})

test('nothing is quoted by a disabled shop', async () => {
  await service.app.shops.update(shop.id, { status: 'disabled' })
  expectError(await ask(), 503, 'MERCHANT_UNAVAILABLE')
  expect(shop.script.asked.quote).toBe(0)
})

test('another merchant has no such quote', async () => {
  const { quote_id } = await quoted(merchant, shop)
  const other = await service.addMerchant()
  const [theirs, none] = [await other.get(`/v1/quotes/${quote_id}`), await other.get('/v1/quotes/qte_none')]
  expectError(theirs, 404, 'QUOTE_NOT_FOUND')
  expect(theirs.body).toEqual(none.body)
})

test('what the shop is called later changes no quote', async () => {
  const quote = await quoted(merchant, shop)
  await service.app.shops.update(shop.id, { name: 'Renamed', url: 'https://renamed.example', country: 'DE' })
  expect((await merchant.get(`/v1/quotes/${quote.quote_id}`)).body).toEqual(quote)
})

test('a line that has no name of ours is no quote', async () => {
  shop.script.quote = (request) => {
    const offer = offerOf(request)
    return {
      outcome: 'ok',
      value: { ...offer, lines: offer.lines.map((line) => ({ ...line, productId: '/'.repeat(200) })) },
    }
  }
  expectError(await ask(), 503, 'MERCHANT_UNAVAILABLE')
})

test('what nobody used goes a day after it expired, merchant by merchant, and what a session was built from stays', async () => {
  const other = await service.addMerchant()
  const used = await quoted(merchant, shop)
  await service.pool.query(`update quotes set session_id = 'sess_1', customer_id = 'cus_1' where id = $1`, [
    used.quote_id,
  ])
  for (const as of [merchant, other]) await quoted(as, shop)
  const left = () => storedQuotes()
  await service.clock.advance(24 * 60 * 60)
  const young = await quoted(merchant, shop)
  await service.runJobs()
  expect(await left()).toBe(4)
  await service.clock.advance(16 * 60)
  await service.runJobs()
  expect(await left()).toBe(2)
  for (const { quote_id } of [young, used]) expect((await merchant.get(`/v1/quotes/${quote_id}`)).status).toBe(200)
})
