import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectError, expectInvalid, expectRefusesStrangers } from '../../../test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../../test/service.ts'
import { type AddedShop, mug, scriptedShops } from './testing/scripted-shop.ts'

// Guarantee: a search finds the products of every shop once, page by page; a dead shop costs the others nothing; and a name leads to
// one product of one shop.

let shops: ReturnType<typeof scriptedShops>
let service: TestService
let merchant: TestMerchant
beforeEach(async () => {
  shops = scriptedShops()
  service = await startTestService({ createCheckout: shops.createCheckout, env: { SHOP_TIMEOUT_MS: '300' } })
  merchant = service.merchant
})
afterEach(() => service?.close())

const search = (body: Record<string, unknown> = {}) => merchant.post('/v1/catalog/search', body)
const titles = (body: { products: { title: string }[] }) => body.products.map(({ title }) => title)
const mugs = (shop: AddedShop, count: number, prefix: string) => {
  shop.script.products = Array.from({ length: count }, (_, index) => mug(`${prefix}${index}`, `Mug ${prefix}${index}`))
}

/** All pages of a search. */
async function walk(body: Record<string, unknown>) {
  const pages: string[][] = []
  for (let cursor: string | undefined; ; ) {
    const page = await search({ ...body, ...(cursor !== undefined && { cursor }) })
    expect(page.status, JSON.stringify(page.body)).toBe(200)
    pages.push(titles(page.body))
    cursor = page.body.next_cursor
    if (cursor === undefined) return pages
  }
}

test('a product is shown with the shop that has it', async () => {
  const shop = await shops.add(service)
  const { body } = await search()
  const found = {
    product_id: `prod_${shop.id.slice(5)}.mug`,
    title: 'Stoneware mug',
    description: 'Holds 300 ml.',
    image_url: 'https://shop.example/mug.png',
    merchant: { id: shop.id, name: 'Sandbox Shop', url: 'https://shop.example' },
    price: '18.00',
    currency: 'USD',
    variants: [
      { variant_id: `var_${shop.id.slice(5)}.mug-blue`, title: 'Blue', price: '18.00', available: true },
      { variant_id: `var_${shop.id.slice(5)}.mug-gold`, title: 'Gold', price: '24.00', available: false },
    ],
  }
  expect(body).toEqual({ products: [found] })
  expect(await merchant.get(`/v1/catalog/products/${found.product_id}`)).toMatchObject({ status: 200, body: found })
})

test('without shops there is nothing to find, and no error', async () => {
  expect(await search()).toMatchObject({ status: 200, body: { products: [] } })
})

test('all shops are searched, each product is found once, and no shop stands before all others', async () => {
  const added = [await shops.add(service), await shops.add(service), await shops.add(service)] as const
  // By their ids, as they are asked: where two were added in one millisecond, either may be the first.
  const [a, b, c] = added.toSorted((one, other) => (one.id < other.id ? -1 : 1)) as unknown as typeof added
  mugs(a, 7, 'a')
  mugs(b, 2, 'b')
  mugs(c, 4, 'c')
  const pages = await walk({ query: 'mug', limit: 6 })
  const all = [a, b, c].flatMap(({ script }) => script.products.map(({ title }) => title))
  expect(pages.flat().sort()).toEqual(all.sort())
  expect(pages[0]).toEqual(['Mug a0', 'Mug b0', 'Mug c0', 'Mug a1', 'Mug b1', 'Mug c1'])
  expect(await walk({ query: 'mug', limit: 2 }).then((small) => small.flat().sort())).toEqual(all.sort())
})

test('one shop alone is searched where it is named', async () => {
  const [a, b] = [await shops.add(service), await shops.add(service)]
  mugs(a, 5, 'a')
  expect((await walk({ merchant: a.id, limit: 2 })).flat()).toHaveLength(5)
  expect(b.script.asked.search).toBe(0)
  expectInvalid(await search({ merchant: 'shop_none' }), 'merchant')
  await service.app.shops.update(a.id, { status: 'disabled' })
  expectError(await search({ merchant: a.id }), 503, 'MERCHANT_UNAVAILABLE')
  expect((await walk({})).flat()).toEqual(['Stoneware mug'])
})

describe('a dead shop', () => {
  test('is left out of the search, and nobody waits for it twice', async () => {
    const [alive, dead] = [await shops.add(service), await shops.add(service)]
    mugs(alive, 6, 'a')
    dead.script.instead = () => new Promise(() => undefined)
    expect((await walk({ limit: 4 })).flat()).toHaveLength(6)
    expect(dead.script.asked.search).toBe(1)
    expect((await walk({ limit: 4 })).flat()).toHaveLength(6)
    expect(dead.script.asked.search).toBe(1)
  })

  test('alone is an error, also when it is asked by name', async () => {
    const dead = await shops.add(service)
    dead.script.instead = async () => ({ outcome: 'unknown', cause: 'failed' })
    for (const body of [{}, { merchant: dead.id }]) {
      const answer = await search(body)
      expectError(answer, 503, 'MERCHANT_UNAVAILABLE')
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expectError(await merchant.get(`/v1/catalog/products/prod_${dead.id.slice(5)}.mug`), 503, 'MERCHANT_UNAVAILABLE')
  })
})

test('words that fit into no address are refused by name: no shop that is asked for them could answer', async () => {
  const shop = await shops.add(service)
  expectInvalid(await search({ query: '🍵'.repeat(151) }), 'query')
  expect(shop.script.asked.search).toBe(0)
  for (const query of ['🍵'.repeat(150), '茶'.repeat(200)]) expect((await search({ query })).status).toBe(200)
})

test('a cursor is good for the same search alone', async () => {
  const shop = await shops.add(service)
  mugs(shop, 3, 'a')
  const { next_cursor: cursor } = (await search({ query: 'mug', limit: 1 })).body
  expect((await search({ query: 'mug', limit: 1, cursor })).status).toBe(200)
  const made = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url')
  const [digest] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  for (const body of [
    { query: 'cup', cursor },
    { query: 'mug', merchant: shop.id, cursor },
    { query: 'mug', cursor: 'garbage' },
    { query: 'mug', cursor: made([digest, [['a', 1]]]) },
    { query: 'mug', cursor: made([digest, [['a', 'x'.repeat(600)]]]) },
    { query: 'mug', cursor: made({}) },
    // One call that asks the same shop many times.
    { query: 'mug', cursor: made([digest, Array.from({ length: 20 }, () => [shop.id, null])]) },
  ]) {
    expectInvalid(await search(body), 'cursor')
  }
  // A shop that has no such place has answered: what it sells has become less, or the caller made the place up.
  shop.script.instead = async () => ({ outcome: 'refused', reason: 'not_found' })
  const beyond = await search({ query: 'mug', cursor: made([digest, [[shop.id, '99']]]) })
  expect([beyond.status, beyond.body]).toEqual([200, { products: [] }])
  expectError(await search({ query: 'mug' }), 503, 'MERCHANT_UNAVAILABLE')
  // A search finds nothing of shops that are not there any more.
  expect((await search({ query: 'mug', cursor: made([digest, [['shop_gone', null]]]) })).body).toEqual({ products: [] })
})

test('a product that has no name of ours is left out', async () => {
  const shop = await shops.add(service)
  shop.script.products = [mug('/'.repeat(200), 'Nameless'), mug()]
  expect(titles((await search()).body)).toEqual(['Stoneware mug'])
})

test('a product that is not there is not found, however it is asked for', async () => {
  const shop = await shops.add(service)
  for (const id of [
    `prod_${shop.id.slice(5)}.none`,
    'prod_none',
    'mug',
    `var_${shop.id.slice(5)}.mug-blue`,
    'prod_%00',
  ]) {
    expectError(await merchant.get(`/v1/catalog/products/${id}`), 404, 'NOT_FOUND')
  }
})

test('bad requests and strangers are refused', async () => {
  expectInvalid(await search({ limit: 0 }), 'limit')
  expectInvalid(await search({ limit: 101 }), 'limit')
  expectInvalid(await search({ sort: 'price' }), 'sort')
  await expectRefusesStrangers(service, 'POST', '/v1/catalog/search')
  await expectRefusesStrangers(service, 'GET', '/v1/catalog/products/prod_1')
})
