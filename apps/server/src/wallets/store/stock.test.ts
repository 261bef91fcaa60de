import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { CROWD_LIMITS } from '../../../test/service.ts'
import { command, rollback } from '../../db/command.ts'
import type { Pieces } from './ref.ts'
import { takeStock } from './service.ts'
import { createStoreWorld, merchantLine, productLine, type StoreWorld } from './testing/world.ts'

// Guarantee: the last piece has one buyer; what is taken is taken whole or not at all; and stock is never below zero, however
// many take at the same time.

let world: StoreWorld
let merchantId: string
let ids: Record<string, string>
beforeAll(async () => {
  world = await createStoreWorld({ max: 16, limits: CROWD_LIMITS })
})
beforeEach(async () => {
  merchantId = await world.addAccount()
  const products = ['a', 'b', 'c', 'd'].map((id) => productLine(id, { inventory: 5 }))
  ids = await world.importing(merchantId, merchantLine(), ...products)
})
afterAll(() => world?.database.close())

const piecesOf = (wanted: Record<string, number>): Pieces[] =>
  Object.entries(wanted).map(([key, quantity]) => ({ productId: ids[key] ?? key, quantity }))
const take = (wanted: Record<string, number>, account = merchantId) =>
  command(world.deps, { name: 'test.take', silent: 'test_only' }, (change) =>
    takeStock(change, account, piecesOf(wanted)),
  )

test('all is taken', async () => {
  expect(await take({ a: 5, c: 2 })).toEqual([])
  expect(await world.stockOf(merchantId)).toEqual({ a: 0, b: 5, c: 3, d: 5 })
})

test('or nothing, and what is short is named with what there is', async () => {
  expect(await take({ a: 1, b: 6, c: 9 })).toEqual(
    [ids.b, ids.c].sort().map((productId) => ({ productId, available: 5 })),
  )
  expect(await take({ a: 1, '0193f0a2-7c1e-7b44-8e0d-5a3c9b1f2d60': 1 })).toEqual([
    { productId: '0193f0a2-7c1e-7b44-8e0d-5a3c9b1f2d60', available: 0 },
  ])
  expect(await world.stockOf(merchantId)).toEqual({ a: 5, b: 5, c: 5, d: 5 })
})

test('not from another account', async () => {
  expect(await take({ a: 1 }, await world.addAccount())).toEqual([{ productId: ids.a, available: 0 }])
  expect(await world.stockOf(merchantId)).toMatchObject({ a: 5 })
})

test('what is given up comes back', async () => {
  const declaration = { name: 'test.take', silent: 'test_only' } as const
  await command(world.deps, declaration, async (change) => {
    expect(await takeStock(change, merchantId, piecesOf({ a: 3 }))).toEqual([])
    return rollback
  })
  expect(await world.stockOf(merchantId)).toMatchObject({ a: 5 })
})

test('of many who want the last pieces as many get them as there are', async () => {
  const taken = await Promise.all(Array.from({ length: 64 }, () => take({ a: 1 })))
  expect(taken.filter((short) => short?.length === 0)).toHaveLength(5)
  expect(new Set(taken.filter((short) => short?.length !== 0).map((short) => JSON.stringify(short)))).toEqual(
    new Set([JSON.stringify([{ productId: ids.a, available: 0 }])]),
  )
  expect(await world.stockOf(merchantId)).toMatchObject({ a: 0 })
})

test('of many who want several in any order none waits for ever, and the books are right', async () => {
  const wishes = Array.from({ length: 96 }, (_, index) => {
    const keys = ['a', 'b', 'c', 'd'].filter((_, place) => ((index * 7 + 3) >> place) % 2 === 1)
    return Object.fromEntries((index % 2 === 0 ? keys : keys.reverse()).map((key) => [key, 1 + (index % 2)]))
  }).filter((wish) => Object.keys(wish).length > 0)
  const taken = await Promise.all(wishes.map(async (wish) => ({ wish, short: await take(wish) })))
  const left: Record<string, number> = { a: 5, b: 5, c: 5, d: 5 }
  for (const { wish, short } of taken) {
    if (short?.length === 0) for (const [key, quantity] of Object.entries(wish)) left[key] = (left[key] ?? 0) - quantity
  }
  expect(await world.stockOf(merchantId)).toEqual(left)
  // A buyer who got nothing could not have got it in the end either.
  for (const { wish, short } of taken) {
    if (short?.length === 0) continue
    expect(Object.entries(wish).some(([key, quantity]) => (left[key] ?? 0) < quantity)).toBe(true)
  }
})

test('an import beside orders sets the stock, and neither waits for ever', async () => {
  const file = [merchantLine(), ...['d', 'c', 'b', 'a'].map((id) => productLine(id, { inventory: 1_000 }))]
  const orders = Array.from({ length: 24 }, (_, index) => take(index % 2 === 0 ? { a: 1, d: 1 } : { d: 1, b: 1 }))
  await Promise.all([...orders, world.importing(merchantId, ...file), world.importing(merchantId, ...file)])
  for (const quantity of Object.values(await world.stockOf(merchantId))) expect(quantity).toBeGreaterThan(970)
})
