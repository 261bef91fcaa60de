import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { blocked } from '../../../test/flows.ts'
import { CROWD_LIMITS } from '../../../test/service.ts'
import { command, rollback } from '../../db/command.ts'
import { newUuid } from '../../platform/ids.ts'
import { takeStock } from '../store/service.ts'
import { createStoreWorld, merchantLine, productLine, type StoreWorld } from '../store/testing/world.ts'
import type { CartRef } from './ref.ts'
import { lockCart, markOrdered } from './service.ts'
import { addCart } from './testing/carts.ts'
import { findView } from './view.ts'

// Guarantee: a cart is ordered once, however many order it at the same time; what is paid is what it costs in that moment, and an
// ordered cart shows that for ever; a cart of another customer or account is none.

let world: StoreWorld
let merchantId: string
let customerId: string
let ids: Record<string, string>
let cart: CartRef
beforeAll(async () => {
  world = await createStoreWorld({ max: 16, limits: CROWD_LIMITS })
})
beforeEach(async () => {
  merchantId = await world.addAccount()
  customerId = await world.addCustomer(merchantId)
  ids = await world.importing(merchantId, merchantLine(), productLine('a'), productLine('b', { price: '3.10' }))
  cart = await addCart(world, merchantId, customerId, { [ids.b ?? '']: 3, [ids.a ?? '']: 2 })
})
afterAll(() => world?.database.close())

const declaration = { name: 'test.order', silent: 'test_only' } as const
/** As an order does it, but for the money. */
const order = (ref: CartRef) =>
  command(world.deps, declaration, async (change) => {
    const locked = await lockCart(change, ref)
    if ((await takeStock(change, merchantId, locked.lines)).length > 0) return rollback
    await markOrdered(change, locked)
    return locked
  })
const view = () => findView(world.database.pool, { ...cart, customerId: null })

test('an order pays what the cart costs now, and the cart shows that from then on', async () => {
  await world.importing(
    merchantId,
    merchantLine(),
    productLine('a', { price: '20.00' }),
    productLine('b', { price: '3.10' }),
  )
  expect(await view()).toMatchObject({ status: 'open', totalMinor: 49_30n })
  expect(await order(cart)).toMatchObject({
    currency: 'USD',
    totalMinor: 49_30n,
    lines: [
      { productId: ids.b, quantity: 3, name: 'Tea b', priceMinor: 310n },
      { productId: ids.a, quantity: 2, name: 'Tea a', priceMinor: 2000n },
    ],
  })
  await world.importing(
    merchantId,
    merchantLine({ currency: 'EUR' }),
    productLine('a', { name: 'Other', price: '1.00' }),
  )
  const after = await view()
  expect(after).toMatchObject({ status: 'ordered', currency: 'USD', totalMinor: 49_30n })
  expect(after?.lines.map(({ name, priceMinor }) => [name, priceMinor])).toEqual([
    ['Tea b', 310n],
    ['Tea a', 2000n],
  ])
})

test('of many orders of one cart one is made, and its stock is taken once', async () => {
  const orders = await Promise.allSettled(Array.from({ length: 32 }, () => order(cart)))
  expect(orders.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const made of orders) {
    if (made.status === 'rejected') expect(made.reason).toMatchObject({ code: 'INVALID_STATE', status: 409 })
  }
  expect(await world.stockOf(merchantId)).toEqual({ a: 8, b: 7 })
})

test('an order that is given up leaves cart and stock as they were', async () => {
  await command(world.deps, declaration, async (change) => {
    const locked = await lockCart(change, cart)
    await takeStock(change, merchantId, locked.lines)
    await markOrdered(change, locked)
    return rollback
  })
  expect(await view()).toMatchObject({ status: 'open' })
  expect(await order(cart)).not.toBeNull()
})

test('of what is no longer sold there are too few', async () => {
  await world.importing(merchantId, merchantLine(), productLine('a'))
  expect(await order(cart)).toBeNull()
  expect(await view()).toMatchObject({ status: 'open' })
})

test('none of another customer or account, none of strange names, none that is empty', async () => {
  const none = { code: 'CART_NOT_FOUND', status: 404 }
  for (const change of [
    { customerId: newUuid() },
    { cartId: newUuid() },
    { cartId: 'cart' },
    { customerId: 'nobody' },
    { merchantId: await world.addAccount() },
  ]) {
    await expect(order({ ...cart, ...change })).rejects.toMatchObject(none)
  }
  const upper = { ...cart, cartId: cart.cartId.toUpperCase(), customerId: customerId.toUpperCase() }
  expect(await order(upper)).toMatchObject({ cartId: cart.cartId })
  const empty = await addCart(world, merchantId, customerId, {})
  await expect(order(empty)).rejects.toMatchObject({
    code: 'INVALID_QUANTITY',
    message: 'There is nothing in the cart.',
  })
})

test('what is paid is in the currency of its prices, also where a catalog changes both while the order waits for the cart', async () => {
  const { pool } = world.database
  const client = await pool.connect()
  let ordering: ReturnType<typeof order> | undefined
  try {
    await client.query('begin')
    await client.query('select 1 from wallet_carts where id = $1 for no key update', [cart.cartId])
    ordering = order(cart)
    await expect.poll(() => blocked({ pool })).toBe(1)
    const dearer = [productLine('a', { price: '2000.00' }), productLine('b', { price: '300.00' })]
    await world.importing(merchantId, merchantLine({ currency: 'EUR' }), ...dearer)
    await client.query('commit')
  } finally {
    client.release(true)
  }
  expect(await ordering).toMatchObject({ currency: 'EUR', totalMinor: 4900_00n })
})
