import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusal, startScriptedAcp } from './testing/scripted-acp.ts'

// Guarantee: the catalog of a shop is what it publishes, without what cannot be bought here; one bad product hides no
// other.

let world: Awaited<ReturnType<typeof startScriptedAcp>>
beforeAll(async () => {
  world = await startScriptedAcp()
})
afterAll(() => world.close())

const NOT_FOUND = { outcome: 'refused', reason: 'not_found' }

test('a product feed is read, without what cannot be bought', async () => {
  world.says()
  const all = await world.checkout.search({ query: null, limit: 100, cursor: null })
  expect(all.outcome === 'ok' && all.value.products.map(({ productId }) => productId)).toEqual(['tee', 'mug', 'tea'])
  expect(await world.checkout.product({ productId: 'tee' })).toEqual({
    outcome: 'ok',
    value: {
      productId: 'tee',
      title: 'Classic Tee',
      description: 'Cotton.',
      imageUrl: 'https://shop.example/tee.jpg',
      category: 'clothes',
      priceMinor: 1_890n,
      currency: 'USD',
      inventory: null,
      variants: [
        { variantId: 'tee-red-m', title: 'Red, M', priceMinor: 1_990n, available: true },
        { variantId: 'tee-red-xl', title: 'Red, XL', priceMinor: 1_890n, available: false },
      ],
    },
  })
  expect(await world.checkout.product({ productId: 'tea' })).toMatchObject({
    value: { currency: 'JPY', priceMinor: 70_000n },
  })
  expect(await world.checkout.product({ productId: 'poem' })).toEqual(NOT_FOUND)
})

test('a price that cannot be written hides no other', async () => {
  const priced = (id: string, ...prices: [amount: number, currency: string][]) => ({
    id,
    title: id,
    variants: prices.map(([amount, currency], at) => ({ id: `${id}-${at}`, title: id, price: { amount, currency } })),
  })
  const products = [
    priced('third-decimal', [12_345, 'KWD'], [12_340, 'KWD']),
    priced('endless', [1e15, 'USD']),
    priced('beyond', [2 ** 53, 'USD']),
    priced('yen', [1e12, 'JPY']),
    priced('mug', [900, 'USD']),
  ]
  world.says({ product_feed: { status: 200, body: { products } } })
  expect(await world.checkout.search({ query: null, limit: 100, cursor: null })).toMatchObject({
    value: {
      products: [
        { productId: 'third-decimal', variants: [{ variantId: 'third-decimal-1', priceMinor: 1_234n }] },
        { productId: 'mug', variants: [{ priceMinor: 900n }] },
      ],
    },
  })
})

test('a product feed is searched by every word, and read in pages', async () => {
  world.says()
  const found = (query: string) => world.checkout.search({ query, limit: 100, cursor: null })
  expect(await found('CLOTHES cotton')).toMatchObject({ value: { products: [{ productId: 'tee' }] } })
  expect(await found('cotton mug')).toMatchObject({ value: { products: [] } })
  const first = await world.checkout.search({ query: null, limit: 2, cursor: null })
  expect(first).toMatchObject({ value: { products: [{}, {}], nextCursor: '2' } })
  const last = await world.checkout.search({ query: null, limit: 2, cursor: '2' })
  expect(last).toMatchObject({ value: { products: [{ productId: 'tea' }], nextCursor: null } })
  expect(await world.checkout.search({ query: null, limit: 2, cursor: '-1' })).toEqual(NOT_FOUND)
})

test('a product feed that is none', async () => {
  world.says({ product_feed: { status: 200, body: { items: [] } } })
  expect(await world.checkout.product({ productId: 'tee' })).toEqual({ outcome: 'unknown', cause: 'malformed answer' })
  world.says({ product_feed: refusal(404, 'not_found') })
  expect(await world.checkout.product({ productId: 'tee' })).toEqual(NOT_FOUND)
  // A word that every object knows.
  world.says({ product_feed: refusal(400, 'constructor') })
  expect(await world.checkout.product({ productId: 'tee' })).toEqual({ outcome: 'refused', reason: 'refused' })
})
