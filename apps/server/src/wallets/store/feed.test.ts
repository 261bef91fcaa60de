import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { command } from '../../db/command.ts'
import { type FeedDeps, feedDue, type ShopProduct } from './feed.ts'
import { storeJobs } from './jobs.ts'
import { takeStock } from './service.ts'
import { createStoreWorld, merchantLine, productLine, type StoreWorld } from './testing/world.ts'

// Guarantee: in the sandbox every account sells what its shop shows, as it is now; what wallets have bought is not put back by that;
// and what its operator imported stays what it is.

let world: StoreWorld
let accounts: string[]
let products: ShopProduct[]
let answers: boolean
let asked: number
beforeAll(async () => {
  world = await createStoreWorld()
})
beforeEach(async () => {
  accounts = [await world.addAccount(), await world.addAccount()].sort()
  products = [product('mug'), product('apron', { category: 'Textiles' }), product('map', { category: 'Maps' })]
  answers = true
  asked = 0
})
afterAll(() => world?.database.close())

const product = (productId: string, changes: Partial<ShopProduct> = {}): ShopProduct => ({
  productId,
  title: `The ${productId}`,
  description: '',
  imageUrl: `https://shop.example/${productId}.png`,
  category: 'Kitchen',
  priceMinor: 1_800n,
  currency: 'USD',
  inventory: 5,
  ...changes,
})

const PAGE = 2
/** A shop that shows two products a page. */
const feed = (changes: Partial<FeedDeps> = {}) =>
  feedDue({
    ...world.deps,
    feed: {
      listAccounts: async (after, limit) => accounts.filter((id) => id > after).slice(0, limit),
      findShop: async () => ({
        key: 'shop_1',
        name: 'Sandbox Shop',
        async page(cursor) {
          asked += 1
          const from = Number(cursor ?? 0)
          const next = from + PAGE < products.length ? String(from + PAGE) : null
          return answers ? { products: products.slice(from, from + PAGE), nextCursor: next } : null
        },
      }),
    },
    ...changes,
  })
const RANGE = { offset: 0, limit: 10, most: 100 }
async function sold(merchantId: string | undefined, category: string) {
  const place = { merchantId: merchantId ?? '', category }
  const { rows } = await world.stores.listStores(place, RANGE)
  const all = rows.map(async ({ id: storeId, name }) => {
    const found = await world.stores.listProducts({ ...place, storeId }, RANGE)
    return found.rows.map((row) => [name, row.name, row.priceMinor, row.inventory])
  })
  return (await Promise.all(all)).flat()
}

test('a shop that shows nothing any more sells nothing, and again what it shows later', async () => {
  await feed()
  const all = products
  products = []
  expect(await feed()).toEqual({ taken: 2, nextDueAt: null })
  for (const category of ['kitchen', 'textiles', 'other']) expect(await sold(accounts[0], category)).toEqual([])
  expect(await feed()).toMatchObject({ taken: 0 })
  products = all
  await feed()
  expect(await sold(accounts[0], 'kitchen')).toHaveLength(1)
})

test('every account gets the catalog, under our categories, once', async () => {
  expect(await feed()).toEqual({ taken: 2, nextDueAt: null })
  for (const merchantId of accounts) {
    expect(await sold(merchantId, 'kitchen')).toEqual([['Sandbox Shop', 'The mug', 1_800n, 5]])
    expect(await sold(merchantId, 'textiles')).toEqual([['Sandbox Shop', 'The apron', 1_800n, 5]])
    expect(await sold(merchantId, 'other')).toEqual([['Sandbox Shop', 'The map', 1_800n, 5]])
  }
  expect(asked).toBe(2)
  expect(await feed()).toMatchObject({ taken: 0 })
  accounts.push(await world.addAccount())
  accounts.sort()
  expect(await feed()).toMatchObject({ taken: 1 })
})

test('a catalog that changes takes the place of the one before; what was bought is not put back', async () => {
  const [merchantId = ''] = accounts
  await feed()
  const { rows } = await world.database.pool.query(
    `select id from wallet_products where merchant_id = $1 and source_key = 'mug'`,
    [merchantId],
  )
  const items = [{ productId: String(rows[0]?.id), quantity: 3 }]
  await command(world.deps, { name: 'test.take', silent: 'test_only' }, (change) =>
    takeStock(change, merchantId, items),
  )
  products = [product('mug', { priceMinor: 2_000n }), product('map', { category: 'Maps', inventory: null })]
  expect(await feed()).toMatchObject({ taken: 2 })
  expect(await sold(merchantId, 'kitchen')).toEqual([['Sandbox Shop', 'The mug', 2_000n, 2]])
  expect(await sold(merchantId, 'textiles')).toEqual([])
  // What the shop has left after its own sales is no other catalog.
  products = [product('mug', { priceMinor: 2_000n, inventory: 1 }), product('map', { category: 'Maps', inventory: 0 })]
  expect(await feed()).toMatchObject({ taken: 0 })
  products.push(product('apron', { category: 'Textiles', inventory: 9 }))
  await feed()
  expect(await sold(merchantId, 'textiles')).toEqual([['Sandbox Shop', 'The apron', 1_800n, 9]])
})

test('what the operator imported stays beside it, also under the same names', async () => {
  const [merchantId = ''] = accounts
  const own = [
    merchantLine({ id: 'shop_1', category: 'kitchen' }),
    productLine('mug', { merchant: 'shop_1', category: 'kitchen' }),
  ]
  await world.importing(merchantId, ...own)
  await feed()
  const both = [
    ['Sandbox Shop', 'The mug', 1_800n, 5],
    ['Tea House', 'Tea mug', 1_250n, 10],
  ]
  expect((await sold(merchantId, 'kitchen')).sort()).toEqual(both)
  await world.importing(merchantId, merchantLine({ id: 'shop_1' }))
  expect(await sold(merchantId, 'kitchen')).toEqual(both.slice(0, 1))
})

test('a shop that does not answer, or not to the end, changes nothing and is asked again soon', async () => {
  await feed()
  answers = false
  products = []
  expect(await feed()).toEqual({ taken: 0, nextDueAt: new Date(world.clock.now().getTime() + 1_000) })
  expect(await sold(accounts[0], 'kitchen')).toHaveLength(1)
})

test('prices that are none here and other currencies are left out', async () => {
  products = [product('mug'), product('gift', { priceMinor: 0n }), product('tasse', { currency: 'EUR' })]
  await feed()
  expect(await sold(accounts[0], 'kitchen')).toEqual([['Sandbox Shop', 'The mug', 1_800n, 5]])
})

test('an account that cannot be fed keeps no other from its catalog', async () => {
  accounts = ['ma_0', ...accounts]
  expect(await feed()).toEqual({ taken: 2, nextDueAt: null })
  expect(await sold(accounts[2], 'kitchen')).toHaveLength(1)
})

test('without a shop nothing is fed', async () => {
  expect(await feed({ feed: null })).toEqual({ taken: 0, nextDueAt: null })
  const none = { listAccounts: async () => accounts, findShop: async () => undefined }
  expect(await feed({ feed: none })).toEqual({ taken: 0, nextDueAt: null })
})

test('a shop that stays silent is asked every second at first, and then with the others', async () => {
  const soon = { taken: 0, nextDueAt: new Date() }
  let answer: Awaited<ReturnType<typeof feedDue>> = soon
  const [job] = storeJobs({ feedDue: async () => answer })
  for (let tries = 0; tries < 30; tries += 1) expect(await job?.run()).toEqual(soon)
  for (let tries = 0; tries < 3; tries += 1) expect(await job?.run()).toEqual({ taken: 0, nextDueAt: null })
  answer = { taken: 0, nextDueAt: null }
  await job?.run()
  answer = soon
  expect(await job?.run()).toEqual(soon)
})
