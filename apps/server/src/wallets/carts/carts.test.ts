import { randomUUID } from 'node:crypto'
import { MAX_CART_LINES } from '@mintmark/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, startTestService, type TestMerchant, type TestService } from '../../../test/service.ts'
import { createCustomer, expectWalletError } from '../testing/customers.ts'
import { addStore, createCart, expectFieldError, type TestStore } from '../testing/stores.ts'

// Guarantee: a cart holds what its customer put in and nothing else, in amounts that were there at that moment; no change is
// lost to another at the same time; a cart that rests is abandoned; and a customer whose cart it is not finds none.

let service: TestService
let merchant: TestMerchant
let customerId: string
let store: TestStore
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  merchant = await service.addMerchant()
  customerId = await createCustomer(merchant.wallet)
  store = await addStore(service, merchant, {
    a: {},
    b: { price: '3.10' },
    c: { inventory: 2 },
    none: { inventory: 0 },
  })
})
afterAll(() => service?.close())

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const item = (key: string, qty: number) => ({ product_id: store.products[key] ?? key, qty })
const newCart = (...items: unknown[]) =>
  merchant.wallet.post(`/v1/customers/${customerId}/merchants/${store.storeId}/carts`, items)
const patch = (cartId: string, body: unknown, key: string = randomUUID(), { wallet } = merchant): Promise<Answer> =>
  wallet.send('PATCH', `/v1/carts/${cartId}`, body, { 'idempotency-key': key })
const read = (cartId: string, customer = customerId) => merchant.wallet.get(`/v1/customers/${customer}/carts/${cartId}`)
/** What is in a cart, by the keys of the catalog. */
async function pieces(cartId: string) {
  const keys = new Map(Object.entries(store.products).map(([key, id]) => [id, key]))
  const { body } = await read(cartId)
  return Object.fromEntries(
    body.data.products.map(({ product_id, quantity }: { product_id: string; quantity: number }) => [
      keys.get(product_id),
      quantity,
    ]),
  )
}

describe('a cart', () => {
  test('is made, read and listed', async () => {
    const { status, body } = await newCart(item('b', 3), item('a', 2))
    expect(status).toBe(201)
    const { cart_id } = body.data
    const SHOWN = {
      cart_id,
      customer_id: customerId,
      merchant_id: store.storeId,
      total_amount: '34.30',
      currency: 'USD',
    }
    const STANDS = { status: 'open', created_at: TIME, updated_at: TIME }
    expect(body.data).toEqual({ ...SHOWN, ...STANDS, items: [item('b', 3), item('a', 2)] })
    const product = (key: string, price: string, quantity: number, item_total: string) => ({
      product_id: store.products[key],
      name: `Tea ${key}`,
      description: '',
      price,
      currency: 'USD',
      quantity,
      item_total,
      image_url: null,
    })
    expect((await read(cart_id)).body.data).toEqual({
      ...SHOWN,
      ...STANDS,
      products: [product('b', '3.10', 3, '9.30'), product('a', '12.50', 2, '25.00')],
    })
    const later = await createCart(merchant.wallet, customerId, store, { a: 1 })
    const { body: list } = await merchant.wallet.get(`/v1/customers/${customerId}/carts?page_size=1`)
    expect(list.data).toEqual({ count: 1, carts: [{ cart_id: later, merchant_id: store.storeId, ...STANDS }] })
    expect(list.meta.pagination).toEqual({ page: 1, page_size: 1, total_count: 2, has_more: true })
    const { body: second } = await merchant.wallet.get(`/v1/customers/${customerId}/carts?page_size=1&page=2`)
    expect(second.data.carts).toEqual([{ cart_id, merchant_id: store.storeId, ...STANDS }])
    const { body: behind } = await merchant.wallet.get(`/v1/customers/${customerId}/carts?before=${later}`)
    expect([behind.data, behind.meta.pagination.total_count]).toEqual([second.data, 1])
  })

  test('shows today’s prices, and keeps nothing back', async () => {
    const cartId = await createCart(merchant.wallet, customerId, store, { c: 2 })
    await createCart(merchant.wallet, customerId, store, { c: 2 })
    await addStore(service, merchant, { c: { price: '99.00', inventory: 1 } })
    expect((await read(cartId)).body.data).toMatchObject({ total_amount: '198.00', products: [{ quantity: 2 }] })
    await addStore(service, merchant, { a: {} })
    expect((await read(cartId)).body.data).toMatchObject({ products: [{ name: 'Tea c' }] })
  })

  test('is made once a key, and a key that made one makes no other', async () => {
    const key = randomUUID()
    const path = `/v1/customers/${customerId}/merchants/${store.storeId}/carts`
    const made = await Promise.all(Array.from({ length: 8 }, () => merchant.wallet.post(path, [item('a', 1)], key)))
    const done = made.filter(({ status }) => status === 201)
    expect(new Set(done.map(({ body }) => body.data.cart_id)).size).toBe(1)
    for (const { status, body } of made.filter(({ status }) => status !== 201)) {
      expect([status, body.error.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    }
    expectWalletError(await merchant.wallet.post(path, [item('a', 2)], key), 409, 'IDEMPOTENCY_CONFLICT')
    const { body } = await merchant.wallet.get(`/v1/customers/${customerId}/carts`)
    expect(body.data.count).toBe(1)
  })
})

describe('a new cart is refused with', () => {
  const ID = '0193f0a2-7c1e-7b44-8e0d-5a3c9b1f2d60'
  test.each<[string, () => unknown, number, string, string[]]>([
    ['nothing in it', () => [], 400, 'VALIDATION_ERROR', ['body']],
    ['an object', () => ({ add: [] }), 400, 'VALIDATION_ERROR', ['body']],
    ['no quantity', () => [{ product_id: ID }], 400, 'VALIDATION_ERROR', ['[0].qty']],
    ['none of a product', () => [item('a', 0)], 400, 'VALIDATION_ERROR', ['[0].qty']],
    ['less than none', () => [item('a', -1)], 400, 'VALIDATION_ERROR', ['[0].qty']],
    ['half a piece', () => [item('a', 1.5)], 400, 'VALIDATION_ERROR', ['[0].qty']],
    ['a thousand pieces', () => [item('a', 1000)], 400, 'VALIDATION_ERROR', ['[0].qty']],
    ['a number in quotes', () => [{ ...item('a', 1), qty: '1' }], 400, 'VALIDATION_ERROR', ['[0].qty']],
    ['a price of its own', () => [{ ...item('a', 1), price: '1.00' }], 400, 'VALIDATION_ERROR', ['[0].price']],
    ['a product twice', () => [item('a', 1), item('b', 1), item('a', 1)], 400, 'VALIDATION_ERROR', ['[2].product_id']],
    [
      'a product twice, in other letters',
      () => [item('a', 1), { product_id: store.products.a?.toUpperCase(), qty: 1 }],
      400,
      'VALIDATION_ERROR',
      ['[1].product_id'],
    ],
    [
      'too many lines',
      () => Array.from({ length: MAX_CART_LINES + 1 }, () => item(randomUUID(), 1)),
      400,
      'VALIDATION_ERROR',
      ['body'],
    ],
    ['a product that is none', () => [item('a', 1), item(ID, 1)], 404, 'PRODUCT_NOT_FOUND', ['[1].product_id']],
    ['no id of a product', () => [item('tea', 1)], 404, 'PRODUCT_NOT_FOUND', ['[0].product_id']],
    ['more than there are', () => [item('a', 1), item('c', 3)], 400, 'INVALID_QUANTITY', ['[1].qty']],
    ['what is sold out', () => [item('none', 1)], 400, 'INVALID_QUANTITY', ['[0].qty']],
  ])('%s', async (_name, items, status, code, fields) => {
    const body = items()
    const path = `/v1/customers/${customerId}/merchants/${store.storeId}/carts`
    expectFieldError(await merchant.wallet.post(path, body), status, code, fields)
    expect((await merchant.wallet.get(`/v1/customers/${customerId}/carts`)).body.data.count).toBe(0)
  })

  test('products of another merchant, or of another account', async () => {
    const coffee = await addStore(service, merchant, { bean: {} }, { id: 'coffee' })
    const refused = await newCart({ product_id: coffee.products.bean, qty: 1 })
    expectFieldError(refused, 404, 'PRODUCT_NOT_FOUND', ['[0].product_id'])
    const stranger = await service.addMerchant()
    const theirs = await addStore(service, stranger, { bean: {} })
    expectFieldError(
      await newCart(item('a', 1), { product_id: theirs.products.bean, qty: 1 }),
      404,
      'PRODUCT_NOT_FOUND',
      ['[1].product_id'],
    )
    const at = (customer: string, id: string) =>
      merchant.wallet.post(`/v1/customers/${customer}/merchants/${id}/carts`, [item('a', 1)])
    for (const id of [theirs.storeId, randomUUID(), 'x'])
      expectWalletError(await at(customerId, id), 404, 'MERCHANT_NOT_FOUND')
    for (const customer of [await createCustomer(stranger.wallet), randomUUID(), 'x']) {
      expectWalletError(await at(customer, store.storeId), 404, 'CUSTOMER_NOT_FOUND')
    }
  })
})

describe('a change', () => {
  let cartId: string
  beforeEach(async () => {
    cartId = await createCart(merchant.wallet, customerId, store, { b: 1, a: 2 })
  })

  test('takes out, puts in, and adds to what is there', async () => {
    const { status, body } = await patch(cartId, { add: [item('c', 1), item('b', 4)], remove: [store.products.a] })
    expect(status).toBe(200)
    expect(await pieces(cartId)).toEqual({ b: 5, c: 1 })
    expect(body.data).toEqual((await read(cartId)).body.data)
    expect(body.data.products.map(({ name }: { name: string }) => name)).toEqual(['Tea b', 'Tea c'])
  })

  test('sets a quantity by taking out and putting in', async () => {
    await patch(cartId, { add: [item('b', 7)], remove: [store.products.b?.toUpperCase()] })
    expect(await pieces(cartId)).toEqual({ b: 7, a: 2 })
  })

  test('passes over what is not in the cart, and may leave it empty', async () => {
    const remove = [store.products.a, store.products.b, store.products.c, randomUUID(), 'tea']
    expect((await patch(cartId, { remove })).body.data).toMatchObject({
      products: [],
      total_amount: '0.00',
      status: 'open',
    })
  })

  test.each<[string, () => unknown, number, string, string[]]>([
    ['nothing', () => ({}), 400, 'VALIDATION_ERROR', ['body']],
    ['an empty list', () => ({ add: [] }), 400, 'VALIDATION_ERROR', ['add']],
    ['an unknown field', () => ({ add: [item('a', 1)], status: 'ordered' }), 400, 'VALIDATION_ERROR', ['status']],
    ['a product twice', () => ({ add: [item('a', 1), item('a', 1)] }), 400, 'VALIDATION_ERROR', ['add[1].product_id']],
    [
      'the same twice to take out',
      () => ({ remove: [store.products.a, store.products.a] }),
      400,
      'VALIDATION_ERROR',
      ['remove[1]'],
    ],
    ['no text to take out', () => ({ remove: [1] }), 400, 'VALIDATION_ERROR', ['remove[0]']],
    ['none of a product', () => ({ add: [item('c', 0)] }), 400, 'VALIDATION_ERROR', ['add[0].qty']],
    ['more than there are', () => ({ add: [item('c', 3)] }), 400, 'INVALID_QUANTITY', ['add[0].qty']],
    [
      'more than there are with what is in it',
      () => ({ add: [item('a', 9)] }),
      400,
      'INVALID_QUANTITY',
      ['add[0].qty'],
    ],
    [
      'a product that is none',
      () => ({ add: [item(randomUUID(), 1)] }),
      404,
      'PRODUCT_NOT_FOUND',
      ['add[0].product_id'],
    ],
  ])('is refused with %s, and changes nothing', async (_name, body, status, code, fields) => {
    expectFieldError(await patch(cartId, body()), status, code, fields)
    expect(await pieces(cartId)).toEqual({ b: 1, a: 2 })
  })

  test('to more lines than a cart has is refused', async () => {
    const sold = Object.fromEntries(Array.from({ length: MAX_CART_LINES + 1 }, (_, index) => [`m${index}`, {}]))
    store = await addStore(service, merchant, sold)
    const all = Object.keys(sold).map((key) => item(key, 1))
    const full = (await newCart(...all.slice(0, MAX_CART_LINES))).body.data.cart_id
    expectFieldError(await patch(full, { add: all.slice(-1) }), 400, 'VALIDATION_ERROR', ['add[0]'])
    const moved = await patch(full, { add: all.slice(-1), remove: [store.products.m0] })
    expect(moved.body.data.products).toHaveLength(MAX_CART_LINES)
  })

  test('of many at the same time none is lost, and together they put in no more than there is', async () => {
    await patch(cartId, { remove: [store.products.a, store.products.b] })
    const changes = await Promise.all(
      Array.from({ length: 24 }, (_, index) => patch(cartId, { add: [item(index % 2 === 0 ? 'a' : 'b', 1)] })),
    )
    expect(changes.filter(({ status }) => status === 200)).toHaveLength(20)
    for (const refused of changes.filter(({ status }) => status !== 200)) {
      expectFieldError(refused, 400, 'INVALID_QUANTITY', ['add[0].qty'])
    }
    expect(await pieces(cartId)).toEqual({ a: 10, b: 10 })
  })

  test('of many that set a quantity one is the last', async () => {
    const set = (qty: number) => patch(cartId, { add: [item('b', qty)], remove: [store.products.b] })
    const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(set))
    const shown = answers.map(
      ({ body }) => body.data.products.find(({ name }: { name: string }) => name === 'Tea b').quantity,
    )
    expect(shown).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(shown).toContain((await pieces(cartId)).b)
  })

  test('that comes again with its key is made once', async () => {
    const key = randomUUID()
    const [first, again] = [
      await patch(cartId, { add: [item('b', 1)] }, key),
      await patch(cartId, { add: [item('b', 1)] }, key),
    ]
    expect(again.body).toEqual(first.body)
    expect(await pieces(cartId)).toEqual({ b: 2, a: 2 })
  })

  test('of a cart of another account or of none is not found, in the same words', async () => {
    const other = await service.addMerchant()
    const answers = [
      await patch(cartId, { add: [item('a', 1)] }, randomUUID(), other),
      await patch(randomUUID(), { add: [item('a', 1)] }),
      await patch('x', { add: [item('a', 1)] }),
    ]
    for (const answer of answers) expectWalletError(answer, 404, 'CART_NOT_FOUND')
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1)
    expect(await pieces(cartId)).toEqual({ b: 1, a: 2 })
  })
})

test('a cart of another customer, account or of none is not found', async () => {
  const cartId = await createCart(merchant.wallet, customerId, store, { a: 1 })
  const neighbour = await createCustomer(merchant.wallet)
  expectWalletError(await read(cartId, neighbour), 404, 'CART_NOT_FOUND')
  for (const id of [randomUUID(), 'x']) {
    expectWalletError(await read(id), 404, 'CART_NOT_FOUND')
    expectWalletError(await read(cartId, id), 404, 'CUSTOMER_NOT_FOUND')
    expectWalletError(await merchant.wallet.get(`/v1/customers/${id}/carts`), 404, 'CUSTOMER_NOT_FOUND')
  }
  const other = await service.addMerchant()
  expectWalletError(await other.wallet.get(`/v1/customers/${customerId}/carts/${cartId}`), 404, 'CUSTOMER_NOT_FOUND')
  const theirs = await createCustomer(other.wallet)
  expectWalletError(await other.wallet.get(`/v1/customers/${theirs}/carts/${cartId}`), 404, 'CART_NOT_FOUND')
})

test('a cart that nothing is changed in for thirty days is abandoned, and each change begins them anew', async () => {
  const DAY = 24 * 60 * 60
  const resting = await createCart(merchant.wallet, customerId, store, { a: 1 })
  const changed = await createCart(merchant.wallet, customerId, store, { a: 1 })
  await service.clock.advance(29 * DAY)
  await patch(changed, { add: [item('b', 1)] })
  await service.runJobs()
  for (const id of [resting, changed]) expect((await read(id)).body.data.status).toBe('open')
  await service.clock.advance(2 * DAY)
  await service.runJobs()
  expect((await read(resting)).body.data).toMatchObject({ status: 'abandoned', products: [{ quantity: 1 }] })
  expect((await read(changed)).body.data.status).toBe('open')
  const refused = await patch(resting, { add: [item('a', 1)] })
  expectWalletError(refused, 409, 'INVALID_STATE')
})
