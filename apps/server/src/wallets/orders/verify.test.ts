// Guarantee: an order that was not paid, a payment without its order, and a cart that was ordered for nothing are found and named.
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../test/service.ts'
import { newWalletCustomer, stockUp, type TestWalletCustomer } from '../../../test/wallet-customers.ts'

let service: TestService
let customer: TestWalletCustomer
let tea: string
let order: { order_id: string; cart_id: string }
beforeAll(async () => {
  service = await startTestService()
  tea = (await stockUp(service, service.merchant, { tea: { price: '12.50', inventory: 9 } })).tea ?? ''
  customer = await newWalletCustomer(service, service.merchant, '100.00')
  order = (await customer.order(await customer.cart({ [tea]: 2 }))).body.data
})
afterAll(() => service?.close())

const verify = () => service.app.ledger.verify()

test('what was ordered and paid is in order', async () => {
  expect(await verify()).toMatchObject({
    transfers: 2,
    balances: { USD: { wallet: '75.00', sales: '25.00', deposits: '-100.00' } },
    problems: [],
  })
})

/** What is found while an edit is there, which is undone afterwards. Foreign keys and checks are silent. */
async function foundAfter(edit: string, undo: string, id: string): Promise<string[]> {
  await inSilence((client) => client.query(edit, [id]))
  const { problems } = await verify()
  await inSilence((client) => client.query(undo, [id]))
  expect((await verify()).problems).toEqual([])
  expect(problems.every(({ merchantId }) => merchantId === service.merchant.merchantId)).toBe(true)
  return problems.map(({ where, what }) => `${where} ${what}`)
}

async function inSilence(work: (client: PoolClient) => Promise<unknown>): Promise<void> {
  const client = await service.pool.connect()
  try {
    await client.query('set session_replication_role = replica')
    await work(client)
  } finally {
    client.release(true)
  }
}

test('an order of another amount', async () => {
  const set = (minor: number) => `update wallet_orders set amount_minor = ${minor} where id = $1`
  expect(await foundAfter(set(1), set(2500), order.order_id)).toEqual([
    `order ${order.order_id} is of 1, was paid with 2500, and its cart costs 2500`,
  ])
})

test('a line of an ordered cart that costs less', async () => {
  const set = (minor: number) => `update wallet_cart_lines set price_minor = ${minor} where cart_id = $1`
  expect(await foundAfter(set(1), set(1250), order.cart_id)).toEqual([
    `order ${order.order_id} is of 2500, was paid with 2500, and its cart costs 2`,
  ])
})

test('an order of another cart than the transfer was made for, and a cart that is open again', async () => {
  const other = await customer.cart({ [tea]: 2 })
  const set = (cart: string) => `update wallet_orders set cart_id = '${cart}' where id = $1`
  expect(await foundAfter(set(other), set(order.cart_id), order.order_id)).toEqual([
    `order ${order.order_id} is of 2500, was paid with nothing, and its cart costs nothing`,
    `cart ${order.cart_id} is ordered, and has no order`,
  ])
  const status = (word: string, currency: string) =>
    `update wallet_carts set status = '${word}', currency = ${currency} where id = $1`
  expect(await foundAfter(status('open', 'null'), status('ordered', `'USD'`), order.cart_id)).toEqual([
    `order ${order.order_id} is of 2500, was paid with 2500, and its cart costs nothing`,
  ])
})

test('an order that was deleted: its payment is for nothing, and its cart', async () => {
  await service.pool.query('create table kept as select * from wallet_orders')
  const undo = 'insert into wallet_orders select * from kept where id = $1'
  expect(await foundAfter('delete from wallet_orders where id = $1', undo, order.order_id)).toEqual([
    `transfer ${order.order_id} pays an order that is not there`,
    `cart ${order.cart_id} is ordered, and has no order`,
  ])
})
