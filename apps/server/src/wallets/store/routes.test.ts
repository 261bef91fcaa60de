import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestMerchant, type TestService } from '../../../test/service.ts'
import { expectWalletError } from '../testing/customers.ts'
import { addStore, type TestStore } from '../testing/stores.ts'

// Guarantee: what an account sells is found by category, page by page, and by that account alone.

let service: TestService
let merchant: TestMerchant
let other: TestMerchant
let store: TestStore
beforeAll(async () => {
  service = await startTestService()
  merchant = service.merchant
  other = await service.addMerchant()
  const teas = Object.fromEntries(Array.from({ length: 23 }, (_, index) => [`n${index}`, {}]))
  const image_urls = ['https://tea.example/1.png', 'https://tea.example/2.png']
  store = await addStore(service, merchant, {
    ...teas,
    pot: { category: 'kitchen', price: '1200', inventory: 0, image_urls },
  })
})
afterAll(() => service?.close())

const get = (path: string) => merchant.wallet.get(path)
const TEA_HOUSE = () => ({
  merchant_id: store.storeId,
  name: 'Tea House',
  category_code: 'food',
  description: '',
  logo_url: null,
})
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('merchants are found under what they sell, and under their own category', async () => {
  for (const category of ['food', 'kitchen']) {
    const { status, body } = await get(`/v1/merchants/category/${category}`)
    expect(status).toBe(200)
    expect(body.data).toEqual({ count: 1, merchants: [TEA_HOUSE()] })
    expect(body.meta.pagination).toEqual({ page: 1, page_size: 20, total_count: 1, has_more: false })
  }
  for (const category of ['toys', 'Food', 'nothing-of-ours', '%F0%9F%8D%B5']) {
    expect((await get(`/v1/merchants/category/${category}`)).body.data).toEqual({ count: 0, merchants: [] })
  }
  expect((await other.wallet.get('/v1/merchants/category/food')).body.data).toEqual({ count: 0, merchants: [] })
})

test('products are listed a page at a time, in the order of the catalog', async () => {
  const path = `/v1/merchants/${store.storeId}/products/food`
  const names: string[] = []
  for (const page of [1, 2, 3]) {
    const { body } = await get(`${path}?page=${page}&page_size=10`)
    expect(body.data).toMatchObject({ merchant_id: store.storeId, category_code: 'food', count: page === 3 ? 3 : 10 })
    expect(body.meta.pagination).toEqual({ page, page_size: 10, total_count: 23, has_more: page < 3 })
    names.push(...body.data.products.map(({ name }: { name: string }) => name))
  }
  expect(names).toEqual(Array.from({ length: 23 }, (_, index) => `Tea n${index}`))
  const beyond = await get(`${path}?page=9`)
  expect(beyond.body.data).toMatchObject({ count: 0, products: [] })
  expect(beyond.body.meta.pagination).toMatchObject({ total_count: 23, has_more: false })
  expectWalletError(await get(`${path}?page=0`), 400, 'VALIDATION_ERROR')
  expectWalletError(await get(`${path}?page=101&page_size=100`), 400, 'VALIDATION_ERROR')
  expectWalletError(await get(`${path}?sort=price`), 400, 'VALIDATION_ERROR')
})

test('more than pages reach are listed from the last product on, and merchants from the last merchant', async () => {
  const account = await service.addMerchant()
  const { storeId, products } = await addStore(service, account, { first: {} })
  await service.pool.query(
    `insert into wallet_products (merchant_id, id, store_id, source_key, category, name, description, price_minor, image_urls,
       created_at, updated_at)
     select $1, ('ffffffff-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $2, n, 'food', n, '', 1, '{}', now(), now()
     from generate_series(1, 10049) n`,
    [account.merchantId, storeId],
  )
  const list = async (query: string) =>
    (await account.wallet.get(`/v1/merchants/${storeId}/products/food?page_size=100${query}`)).body
  expect((await list('')).data.products[0]).toMatchObject({ product_id: products.first })
  const deepest = await list('&page=100')
  expect(deepest.meta.pagination).toEqual({ page: 100, page_size: 100, total_count: 10_000, has_more: true })
  const rest = await list(`&after=${deepest.data.products.at(-1).product_id.toUpperCase()}`)
  expect(rest.data.products.map(({ name }: { name: string }) => Number(name))).toEqual(
    Array.from({ length: 50 }, (_, index) => 10_000 + index),
  )
  expect(rest.meta.pagination).toMatchObject({ total_count: 50, has_more: false })
  await addStore(service, account, { second: {} }, { id: 'second', name: 'Second' })
  const { body: behind } = await account.wallet.get(`/v1/merchants/category/food?after=${storeId}`)
  expect(behind.data.merchants.map(({ name }: { name: string }) => name)).toEqual(['Second'])
  expect(behind.meta.pagination).toMatchObject({ total_count: 1, has_more: false })
  expectWalletError(await account.wallet.get('/v1/merchants/category/food?after=x'), 400, 'VALIDATION_ERROR')
})

test('a product is shown with price, stock and pictures, and alone with its merchant', async () => {
  const PRODUCT = {
    product_id: store.products.pot,
    name: 'Tea pot',
    description: '',
    price: '1200.00',
    currency: 'USD',
    inventory: 0,
    image_url: 'https://tea.example/1.png',
  }
  const listed = await get(`/v1/merchants/${store.storeId}/products/kitchen`)
  expect(listed.body.data.products).toEqual([PRODUCT])
  const { body } = await get(`/v1/merchants/products/${store.products.pot?.toUpperCase()}`)
  expect(body.data).toEqual({
    ...PRODUCT,
    category: 'kitchen',
    merchant: TEA_HOUSE(),
    images: ['https://tea.example/1.png', 'https://tea.example/2.png'],
    created_at: TIME,
    updated_at: TIME,
  })
})

test('what is not there, is another account’s or has no form of an id is not found, in the same words', async () => {
  const [product, sold] = ['/v1/merchants/products/', '/v1/merchants/']
  const same = async (paths: string[], code: string, caller = merchant) => {
    for (const path of paths) expectWalletError(await caller.wallet.get(path), 404, code)
  }
  await same([product + randomUUID(), `${product}x`, product + store.storeId], 'PRODUCT_NOT_FOUND')
  await same([product + store.products.pot], 'PRODUCT_NOT_FOUND', other)
  const merchants = [randomUUID(), 'x', store.products.pot].map((id) => `${sold}${id}/products/food`)
  await same(merchants, 'MERCHANT_NOT_FOUND')
  await same([`${sold}${store.storeId}/products/food`], 'MERCHANT_NOT_FOUND', other)
  await addStore(service, merchant, { gone: {} }, { id: 'coffee' })
  const { products } = await addStore(service, merchant, {}, { id: 'coffee' })
  await same([product + products.gone], 'PRODUCT_NOT_FOUND')
})
