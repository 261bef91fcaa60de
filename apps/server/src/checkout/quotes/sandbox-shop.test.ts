import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectError, expectInvalid } from '../../../test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../../test/service.ts'
import { addTestShop, openTestShop, type TestShop } from '../../../test/shop.ts'
import { secret } from '../../platform/secret.ts'
import type { Shop } from '../shops/service.ts'
import { variantOf } from './testing/scripted-shop.ts'

// Guarantee: what the sandbox shop has is found and quoted over real HTTP, with its taxes and shipping, as `npm start` does it.

let shop: TestShop
let service: TestService
let merchant: TestMerchant
let registered: Shop

beforeAll(async () => {
  shop = await openTestShop()
  service = await startTestService()
  merchant = service.merchant
  registered = await addTestShop(service, shop)
})
afterAll(async () => {
  await service?.close()
  await shop?.close()
})

async function find(query: string) {
  const { status, body } = await merchant.post('/v1/catalog/search', { query })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.products
}

const ADDRESS = {
  name: 'Ann Example',
  address: '1 Skyline Towers',
  city: 'Seattle',
  state: 'WA',
  postal_code: '98101',
  country: 'US',
}

test('from a search to a quote with shipping, taxes and a warning', async () => {
  const [mug] = await find('stoneware mug')
  expect(mug).toMatchObject({ title: 'Stoneware mug', merchant: { id: registered.id }, currency: 'USD' })
  expect((await merchant.get(`/v1/catalog/products/${mug.product_id}`)).body).toEqual(mug)
  const [{ variant_id }] = mug.variants
  const { status, body } = await merchant.post('/v1/quotes', {
    merchant: mug.merchant.id,
    items: [{ variant_id, quantity: 2 }],
    shipping_address: ADDRESS,
    email: 'ann@example.com',
  })
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body.merchant).toEqual({
    id: registered.id,
    name: 'Sandbox Shop',
    url: 'https://sandbox-shop.example',
    country_code_iso2: 'US',
  })
  expect(body.line_items).toMatchObject([{ variant_id, product_id: mug.product_id, quantity: 2 }])
  const { items, shipping, tax, discount } = body.breakdown
  expect(Number(items) + Number(shipping) + Number(tax) - Number(discount)).toBeCloseTo(Number(body.total_amount))
  expect([shipping, tax].every((amount) => Number(amount) > 0)).toBe(true)
  expect(body.warnings).toMatchObject([{ code: 'ADDRESS_UNIT_CONFIRMATION_SUGGESTED' }])
})

test('pages go over the whole catalog', async () => {
  const seen = new Set<string>()
  for (let cursor: string | undefined; ; ) {
    const { body } = await merchant.post('/v1/catalog/search', { limit: 7, ...(cursor !== undefined && { cursor }) })
    for (const { product_id } of body.products) {
      expect(seen.has(product_id)).toBe(false)
      seen.add(product_id)
    }
    cursor = body.next_cursor
    if (cursor === undefined) break
  }
  expect(seen.size).toBeGreaterThan(20)
})

test('where it does not send, and what it does not have so much of', async () => {
  const merchantId = registered.id
  const ask = (quantity: number, country = 'US') =>
    merchant.post('/v1/quotes', {
      merchant: merchantId,
      items: [{ variant_id: variantOf(registered, 'last-piece.one-size'), quantity }],
      shipping_address: { ...ADDRESS, country },
    })
  expectInvalid(await ask(1, 'AQ'), 'shipping_address')
  expectError(await ask(2), 409, 'OUT_OF_STOCK')
})

test('a shop that refuses our key is unavailable', async () => {
  await addTestShop(service, shop, secret('a-wrong-key'))
  expectError(await merchant.post('/v1/catalog/search', {}), 503, 'MERCHANT_UNAVAILABLE')
  await addTestShop(service, shop)
  expect((await find('mug')).length).toBeGreaterThan(0)
})
