// Guarantee: an order takes money, stock and cart together or not at all; a wallet never pays more than it has, a piece is sold once,
// and a cart is paid once, whatever comes at the same moment and with whatever keys.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, startTestService, type TestMerchant, type TestService } from '../../../test/service.ts'
import {
  newWalletCustomer,
  type Products,
  stockOf,
  stockUp,
  type TestWalletCustomer,
} from '../../../test/wallet-customers.ts'
import { expectWalletError } from '../testing/customers.ts'

let service: TestService
let merchant: TestMerchant
let other: TestMerchant
let products: Products
beforeAll(async () => {
  service = await startTestService()
  merchant = service.merchant
  other = await service.addMerchant()
  products = await stockUp(service, merchant, {
    tea: { price: '12.50', inventory: 100_000 },
    pot: { price: '30.00', inventory: 100_000 },
    last: { price: '5.00', inventory: 1 },
    few: { price: '1.00', inventory: 3 },
    house: { price: '999999999.99', inventory: 999 },
    palace: { price: '999999999.99', inventory: 999 },
  })
  await stockUp(service, other, { tea: { price: '12.50', inventory: 10 } })
})
afterAll(() => service?.close())

const customer = (amount?: string) => newWalletCustomer(service, merchant, amount)
const id = (name: string) => products[name] ?? ''

async function cartStatus(cart: string): Promise<string> {
  const { rows } = await service.pool.query('select status from wallet_carts where id = $1', [cart])
  return rows[0].status
}

function refusal(answer: Answer): { status: number; code: string } {
  return { status: answer.status, code: answer.body.error?.code }
}

test('an order pays the cart from the wallet, and is completed', async () => {
  const ann = await customer('100.00')
  const cart = await ann.cart({ [id('tea')]: 2, [id('pot')]: 1 })
  const before = await stockOf(service, products)
  const { status, body } = await ann.order(cart)
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      data: {
        ...{ order_id: expect.any(String), cart_id: cart, customer_id: ann.customerId, wallet_id: ann.walletId },
        ...{ status: 'completed', amount: '55.00', currency: 'USD', address_id: ann.addressId },
      },
      meta: { idempotency_key: expect.any(String) },
    },
  })
  expect(body.data.updated_at).toBe(body.data.created_at)
  expect(await ann.balance()).toBe('45.00')
  const after = await stockOf(service, products)
  expect(after).toEqual({ ...before, tea: (before.tea ?? 0) - 2, pot: (before.pot ?? 0) - 1 })
  expect(await cartStatus(cart)).toBe('ordered')
  expect((await merchant.wallet.get(`${ann.path}/orders/${body.data.order_id}`)).body.data).toEqual(body.data)
})

test('orders of a customer, the newest first', async () => {
  const ann = await customer('100.00')
  const made: string[] = []
  for (let n = 0; n < 3; n += 1) made.push((await ann.order(await ann.cart({ [id('tea')]: 1 }))).body.data.order_id)
  const list = async (query: string) => (await merchant.wallet.get(`${ann.path}/orders${query}`)).body
  const { data, meta } = await list('?page_size=2')
  expect(data.orders.map((order: { order_id: string }) => order.order_id)).toEqual([made[2], made[1]])
  expect({ count: data.count, ...meta.pagination }).toMatchObject({ count: 2, total_count: 3, has_more: true })
  const last = { count: 1, orders: [{ order_id: made[0] }] }
  expect((await list('?page_size=2&page=2')).data).toMatchObject(last)
  const behind = await list(`?before=${made[1]}`)
  expect(behind.data).toMatchObject(last)
  expect(behind.meta.pagination).toMatchObject({ total_count: 1, has_more: false })
})

test('an order is read by its own customer alone: another one’s is not found, like one that is not there', async () => {
  const [ann, bob] = [await customer('100.00'), await customer('100.00')]
  const { order_id } = (await ann.order(await ann.cart({ [id('tea')]: 1 }))).body.data
  expect((await merchant.wallet.get(`${ann.path}/orders/${order_id}`)).body.data).toMatchObject({ order_id })
  for (const path of [`${bob.path}/orders/${order_id}`, `${ann.path}/orders/${randomUUID()}`]) {
    expectWalletError(await merchant.wallet.get(path), 404, 'NOT_FOUND')
  }
})

describe('is refused, and nothing happens', () => {
  /** Nothing of the customer or the shop changes. */
  async function refused(ann: TestWalletCustomer, work: () => Promise<Answer>): Promise<Answer> {
    const look = async () => [await ann.balance(), await stockOf(service, products)]
    const before = await look()
    const answer = await work()
    expect(await look()).toEqual(before)
    expect((await merchant.wallet.get(`${ann.path}/orders`)).body.data.count).toBe(0)
    return answer
  }

  test('more than there is in the wallet', async () => {
    const ann = await customer('12.49')
    const cart = await ann.cart({ [id('tea')]: 1 })
    expect(refusal(await refused(ann, () => ann.order(cart)))).toEqual({ status: 400, code: 'INSUFFICIENT_FUNDS' })
    await ann.deposit('0.01')
    // Another key: another request. The cart is still open.
    expect((await ann.order(cart)).status).toBe(201)
  })

  test('more than any wallet can hold', async () => {
    const ann = await customer('999999999999.99')
    const cart = await ann.cart({ [id('house')]: 999, [id('palace')]: 999 })
    expect(refusal(await refused(ann, () => ann.order(cart)))).toEqual({ status: 400, code: 'INSUFFICIENT_FUNDS' })
  })

  test('more than there is in stock, by the name of the product', async () => {
    const [ann, bob] = [await customer('100.00'), await customer('100.00')]
    const cart = await ann.cart({ [id('tea')]: 1, [id('few')]: 3 })
    expect((await bob.order(await bob.cart({ [id('few')]: 1 }))).status).toBe(201)
    const answer = await refused(ann, () => ann.order(cart))
    expect(refusal(answer)).toEqual({ status: 400, code: 'INVALID_QUANTITY' })
    expect(answer.body.error.message).toBe(`There are not so many: Tea few (${id('few')}): 2 left.`)
  })

  test('more than there is of many products, of which ten are named', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `rare${index}`)
    const stock = (inventory: number) =>
      Object.fromEntries(keys.map((key) => [key, { price: '1.00', inventory }])) as Parameters<typeof stockUp>[2]
    const account = await service.addMerchant()
    const rare = await stockUp(service, account, stock(1))
    const ann = await newWalletCustomer(service, account, '100.00')
    const cart = await ann.cart(Object.fromEntries(keys.map((key) => [rare[key], 1])))
    await stockUp(service, account, stock(0))
    const answer = await ann.order(cart)
    expect(refusal(answer)).toEqual({ status: 400, code: 'INVALID_QUANTITY' })
    expect(answer.body.error.message.match(/: 0 left/g)).toHaveLength(10)
    expect(answer.body.error.message).toMatch(/; and of 2 more\.$/)
    expect(await ann.balance()).toBe('100.00')
  })

  test('an empty cart', async () => {
    const ann = await customer('100.00')
    const cart = await ann.cart({})
    expect(refusal(await refused(ann, () => ann.order(cart)))).toEqual({ status: 400, code: 'INVALID_QUANTITY' })
  })

  test('a cart in another currency than the wallet', async () => {
    const abroad = await service.addMerchant()
    const euros = await stockUp(service, abroad, { tea: { price: '1.00', inventory: 5 } }, 'EUR')
    const ann = await newWalletCustomer(service, abroad, '10.00')
    const answer = await ann.order(await ann.cart({ [euros.tea ?? '']: 1 }))
    expect(refusal(answer)).toEqual({ status: 409, code: 'INVALID_STATE' })
    expect(answer.body.error.message).toBe('The cart is in EUR, and the wallet in USD.')
    expect(await ann.balance()).toBe('10.00')
  })

  test('another total than the customer was shown', async () => {
    const ann = await customer('100.00')
    const cart = await ann.cart({ [id('tea')]: 1 })
    const shown = (amount: string) => ann.order(cart, { body: { address: ann.addressId, amount } })
    const answer = await refused(ann, () => shown('12.49'))
    expect(refusal(answer)).toEqual({ status: 409, code: 'INVALID_STATE' })
    expect(answer.body.error.message).toBe('The cart costs 12.50 by now. Nothing was paid.')
    expect((await shown('12.5')).status).toBe(201)
  })

  test('a customer who was rejected', async () => {
    const ann = await customer('100.00')
    const cart = await ann.cart({ [id('tea')]: 1 })
    const rejected = await merchant.wallet.post(`/v1/test_helpers/customers/${ann.customerId}/reject`)
    expect(rejected.status).toBe(200)
    expect(refusal(await refused(ann, () => ann.order(cart)))).toEqual({ status: 403, code: 'OPERATION_NOT_ALLOWED' })
  })

  test('what is not there, and what is another customer’s or account’s, in the same words', async () => {
    const [ann, bob] = [await customer('100.00'), await customer('100.00')]
    const theirs = await newWalletCustomer(service, other, '100.00')
    const cart = await ann.cart({ [id('tea')]: 1 })
    const order = ({ customer = ann.customerId, of = cart, from = ann.walletId, to = ann.addressId }) =>
      merchant.wallet.post(`/v1/customers/${customer}/carts/${of}/order/wallet/${from}`, { address: to })
    const words = async (answer: Promise<Answer>) => {
      const { request_id, ...error } = (await answer).body.error
      return error
    }
    const [nobodys, bobsCart] = [randomUUID(), await bob.cart({ [id('tea')]: 1 })]
    const cases: [string, Parameters<typeof order>[0][]][] = [
      ['CUSTOMER_NOT_FOUND', [{ customer: nobodys }, { customer: theirs.customerId }, { customer: 'ann' }]],
      ['CART_NOT_FOUND', [{ of: nobodys }, { of: bobsCart }, { of: 'cart' }]],
      ['WALLET_NOT_FOUND', [{ from: nobodys }, { from: bob.walletId }, { from: theirs.walletId }, { from: 'wallet' }]],
      ['ADDRESS_NOT_FOUND', [{ to: nobodys }, { to: bob.addressId }, { to: theirs.addressId }]],
    ]
    await refused(ann, async () => {
      for (const [code, changes] of cases) {
        const [first, ...others] = await Promise.all(changes.map((change) => words(order(change))))
        expect(first).toEqual({ code, message: expect.any(String) })
        for (const next of others) expect(next).toEqual(first)
      }
      return order({ customer: nobodys })
    })
    expect(await bob.balance()).toBe('100.00')
    expect((await order({})).status).toBe(201)
  })

  test('bodies that are none', async () => {
    const ann = await customer('100.00')
    const cart = await ann.cart({ [id('tea')]: 1 })
    const bodies = [
      {},
      { address: 'home' },
      { address: ann.addressId, amount: '0' },
      { address: ann.addressId, more: 1 },
    ]
    for (const body of bodies) {
      expect(refusal(await ann.order(cart, { body }))).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    }
    expect(await ann.balance()).toBe('100.00')
  })
})

test('a cart that was ordered is not ordered again, by whatever key; the same key gets the same answer', async () => {
  const ann = await customer('100.00')
  const cart = await ann.cart({ [id('tea')]: 1 })
  const key = randomUUID()
  const first = await ann.order(cart, { key })
  expect(first.status).toBe(201)
  expect(refusal(await ann.order(cart))).toEqual({ status: 409, code: 'INVALID_STATE' })
  const again = await ann.order(cart, { key })
  expect(again).toMatchObject({ status: 201, body: first.body })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await ann.balance()).toBe('87.50')
})

describe('at the same time', () => {
  const made = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 201)
  const codes = (answers: readonly Answer[]) => [
    ...new Set(answers.flatMap(({ status, body }) => (status === 201 ? [] : [`${status} ${body.error.code}`]))),
  ]

  test('64 orders on a wallet that can pay ten: ten', async () => {
    const ann = await customer('130.00')
    const carts = await Promise.all(Array.from({ length: 64 }, () => ann.cart({ [id('tea')]: 1 })))
    const before = await stockOf(service, products)
    const answers = await Promise.all(carts.map((cart) => ann.order(cart)))
    expect(made(answers)).toHaveLength(10)
    expect(codes(answers)).toEqual(['400 INSUFFICIENT_FUNDS'])
    expect(await ann.balance()).toBe('5.00')
    expect((await stockOf(service, products)).tea).toBe((before.tea ?? 0) - 10)
  })

  test('64 orders of one cart, each with a key of its own: one', async () => {
    const ann = await customer('10000.00')
    const cart = await ann.cart({ [id('tea')]: 1 })
    const answers = await Promise.all(Array.from({ length: 64 }, () => ann.order(cart)))
    expect(made(answers)).toHaveLength(1)
    expect(codes(answers)).toEqual(['409 INVALID_STATE'])
    expect(await ann.balance()).toBe('9987.50')
  })

  test('64 equal requests with one key: one order, and all are told of it', async () => {
    const ann = await customer('10000.00')
    const [cart, key] = [await ann.cart({ [id('tea')]: 1 }), randomUUID()]
    const answers = await Promise.all(Array.from({ length: 64 }, () => ann.order(cart, { key })))
    const done = made(answers)
    expect(codes(answers).filter((code) => code !== '409 IDEMPOTENCY_IN_PROGRESS')).toEqual([])
    expect(done.length).toBeGreaterThan(0)
    expect(new Set(done.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(await ann.balance()).toBe('9987.50')
  })

  test('the last piece, by 16 customers: one', async () => {
    const all = await Promise.all(Array.from({ length: 16 }, () => customer('10.00')))
    const carts = await Promise.all(all.map((one) => one.cart({ [id('last')]: 1 })))
    const answers = await Promise.all(all.map((one, n) => one.order(carts[n] ?? '')))
    expect(made(answers)).toHaveLength(1)
    expect(codes(answers)).toEqual(['400 INVALID_QUANTITY'])
    const balances = await Promise.all(all.map((one) => one.balance()))
    expect(balances.sort()).toEqual([...Array(15).fill('10.00'), '5.00'])
    expect((await stockOf(service, products)).last).toBe(0)
  })
})
