// Guarantee: with a stolen key of a suspended account nothing is created, moved or asked for, on either API; how things stand can be read.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quoteBody, scriptedShops } from '../src/checkout/quotes/testing/scripted-shop.ts'
import { addressBody, customerBody } from '../src/wallets/testing/customers.ts'
import { expectError } from './flows.ts'
import { startTestService, type TestMerchant, type TestService } from './service.ts'
import { newShopper, type Products, type Shopper, stockUp } from './shopper.ts'

const shops = scriptedShops()
let service: TestService
let merchant: TestMerchant
let products: Products
let ann: Shopper
let cartId: string

const setStatus = (status: 'active' | 'suspended') =>
  service.app.merchants.updateMerchant(merchant.merchantId, { status })

beforeAll(async () => {
  service = await startTestService({ createCheckout: shops.createCheckout })
  merchant = await service.addMerchant()
  products = await stockUp(service, merchant, { tea: { price: '5.00', inventory: 10 } })
  ann = await newShopper(service, merchant, '20.00')
  cartId = await ann.cart({ [String(products.tea)]: 1 })
})
afterAll(() => service?.close())

test('every change of the wallet API is refused, and is not held against its key', async () => {
  const item = { product_id: products.tea, qty: 1 }
  const { rows } = await service.pool.query('select store_id from wallet_products where id = $1', [products.tea])
  const [{ store_id: storeId }] = rows
  const wallet = `${ann.path}/wallets/${ann.walletId}`
  const changes: [method: string, path: string, body?: object][] = [
    ['POST', '/v1/customers', customerBody()],
    ['POST', `${ann.path}/address`, addressBody()],
    ['POST', `${wallet}/deposit`, { amount: '1.00' }],
    ['POST', `${ann.path}/merchants/${storeId}/carts`, [item]],
    ['PATCH', `/v1/carts/${cartId}`, { add: [item] }],
    ['POST', `${ann.path}/carts/${cartId}/order/wallet/${ann.walletId}`, { address: ann.addressId }],
    ['POST', `/v1/test_helpers/customers/${ann.customerId}/verify`],
    ['POST', `/v1/test_helpers/customers/${ann.customerId}/reject`],
  ]
  expect(changes).toHaveLength(service.app.walletRoutes.filter(({ method }) => method !== 'GET').length)
  const keys = changes.map(() => randomUUID())
  const send = (number: number) => {
    const [method = '', path = '', body] = changes[number] ?? []
    return merchant.wallet.send(method, path, body, { 'idempotency-key': keys[number] ?? '' })
  }
  await setStatus('suspended')
  for (const number of changes.keys()) {
    const { status, body } = await send(number)
    expect([changes[number]?.[1], status, body.error?.code]).toEqual([
      changes[number]?.[1],
      403,
      'OPERATION_NOT_ALLOWED',
    ])
  }
  expect(await ann.balance()).toBe('20.00')
  expect((await merchant.wallet.get(`${ann.path}/carts`)).body.data.count).toBe(1)
  await setStatus('active')
  const statuses = []
  for (const number of changes.keys()) statuses.push((await send(number)).status)
  // The last: a customer who was verified is not rejected.
  expect(statuses).toEqual([201, 201, 200, 201, 200, 201, 200, 409])
})

test('no shop is asked for a quote', async () => {
  const shop = await shops.add(service)
  await setStatus('suspended')
  expectError(await merchant.post('/v1/quotes', quoteBody(shop)), 500, 'MERCHANT_LOOKUP_ERROR')
  await setStatus('active')
  expect((await merchant.post('/v1/quotes', quoteBody(shop))).status).toBe(201)
})
