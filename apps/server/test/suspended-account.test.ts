// Guarantee: with a stolen key of a suspended account nothing is created, moved or asked for, on either API; how things stand can be read.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quoteBody, scriptedShops } from '../src/checkout/quotes/testing/scripted-shop.ts'
import { addressBody, customerBody } from '../src/wallets/testing/customers.ts'
import { activeEndpoint, ENDPOINTS, endpointBody, ON_THIS_MACHINE } from '../src/webhooks/testing/endpoints.ts'
import { expectError } from './flows.ts'
import { startTestService, type TestMerchant, type TestService } from './service.ts'
import { newWalletCustomer, type Products, stockUp, type TestWalletCustomer } from './wallet-customers.ts'

const shops = scriptedShops()
let service: TestService
let merchant: TestMerchant
let products: Products
let ann: TestWalletCustomer
let cartId: string

const setStatus = (status: 'active' | 'suspended') =>
  service.app.merchants.updateMerchant(merchant.merchantId, { status })

beforeAll(async () => {
  service = await startTestService({ createCheckout: shops.createCheckout, env: ON_THIS_MACHINE })
  merchant = await service.addMerchant()
  products = await stockUp(service, merchant, { tea: { price: '5.00', inventory: 10 } })
  ann = await newWalletCustomer(service, merchant, '20.00')
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

test('no endpoint is made, moved, tried or caught up; those that there are can be read, and deleted', async () => {
  const { id, path, receiver } = await activeEndpoint(merchant)
  const queued = await merchant.post(`${path}/test`, { type: 'payment.succeeded', queued: true })
  await service.runJobs()
  const changes: [method: string, path: string, body?: object][] = [
    ['POST', ENDPOINTS, endpointBody()],
    ['PATCH', path, { enabled: false }],
    ['PATCH', path, { enabled: true }],
    ['POST', `${path}/verify`],
    ['POST', `${path}/test`, { type: 'payment.succeeded' }],
    ['POST', `${path}/test`, { type: 'payment.succeeded', queued: true }],
    ['POST', `${path}/recover`, { from: service.clock.now().toISOString() }],
    ['POST', `/v1/webhook-deliveries/${queued.body.delivery_id}/replay`],
    ['POST', `${path}/rotate-secret`],
  ]
  const rows = service.app.apiRoutes.filter((row) => row.tag === 'Webhooks' && !['GET', 'DELETE'].includes(row.method))
  expect(new Set(changes.map(([method, where]) => `${method} ${where.replace(/(?:we|whd)_\w+/, '*')}`))).toEqual(
    new Set(rows.map(({ method, path: where }) => `${method} ${where.replace(/:\w+/, '*')}`)),
  )
  const before = await merchant.get(path)
  receiver.requests.length = 0
  const send = ([method, where, body]: (typeof changes)[number]) =>
    merchant.send(method, where, body, { 'idempotency-key': randomUUID() })
  await setStatus('suspended')
  for (const change of changes) expectError(await send(change), 500, 'MERCHANT_LOOKUP_ERROR')
  await service.runJobs()
  expect(receiver.requests).toEqual([])
  expect((await merchant.get(path)).body).toEqual(before.body)
  expect((await merchant.get(ENDPOINTS)).body.data).toHaveLength(1)
  await setStatus('active')
  const statuses = []
  for (const change of changes) statuses.push((await send(change)).status)
  expect(statuses).toEqual([201, 200, 200, 200, 200, 200, 201, 201, 200])
  await setStatus('suspended')
  expect(await merchant.send('DELETE', path)).toMatchObject({ status: 200, body: { id, deleted: true } })
  await setStatus('active')
  await receiver.close()
})

test('no shop is asked what it has', async () => {
  const { script } = await shops.add(service)
  const { body } = await merchant.post('/v1/catalog/search', {})
  const product = `/v1/catalog/products/${body.products[0].product_id}`
  expect((await merchant.get(product)).status).toBe(200)
  const asked = { ...script.asked }
  await setStatus('suspended')
  expectError(await merchant.post('/v1/catalog/search', {}), 500, 'MERCHANT_LOOKUP_ERROR')
  expectError(await merchant.get(product), 500, 'MERCHANT_LOOKUP_ERROR')
  expect(script.asked).toEqual(asked)
  await setStatus('active')
})

test('no shop is asked for a quote', async () => {
  const shop = await shops.add(service)
  await setStatus('suspended')
  expectError(await merchant.post('/v1/quotes', quoteBody(shop)), 500, 'MERCHANT_LOOKUP_ERROR')
  await setStatus('active')
  expect((await merchant.post('/v1/quotes', quoteBody(shop))).status).toBe(201)
})
