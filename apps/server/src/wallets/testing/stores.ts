import { expect } from 'vitest'
import type { Answer, TestMerchant, TestService, WalletCaller } from '../../../test/service.ts'
import { linesOf } from '../store/testing/world.ts'

/** A merchant of the wallet API with what it sells: ids by the names in its catalog. */
export interface TestStore {
  storeId: string
  products: Record<string, string>
}

/** What a catalog line of a product may say besides. */
type Sold = Record<string, { price?: string; inventory?: number; category?: string; image_urls?: string[] }>

/** Imports a merchant into an account; another import with the same key takes its place. */
export async function addStore(
  service: TestService,
  { merchantId }: Pick<TestMerchant, 'merchantId'>,
  sold: Sold,
  merchant: Record<string, unknown> = {},
): Promise<TestStore> {
  const line = { type: 'merchant', id: 'tea-house', name: 'Tea House', category: 'food', currency: 'USD', ...merchant }
  const products = Object.entries(sold).map(([id, changes]) => ({
    ...{ type: 'product', merchant: line.id, id, name: `Tea ${id}`, category: 'food', price: '12.50', inventory: 10 },
    ...changes,
  }))
  await service.app.stores.importCatalog(merchantId, linesOf(line, ...products))
  const { rows } = await service.pool.query(
    `select store.id as store_id, product.source_key, product.id
     from wallet_stores store left join wallet_products product
       on product.merchant_id = $1 and product.store_id = store.id
     where store.merchant_id = $1 and store.source_key = $2`,
    [merchantId, line.id],
  )
  const ids = rows.flatMap(({ source_key, id }) => (id === null ? [] : [[source_key, id]]))
  return { storeId: rows[0].store_id, products: Object.fromEntries(ids) }
}

/** A new cart's id. */
export async function createCart(
  wallet: WalletCaller,
  customerId: string,
  { storeId, products }: TestStore,
  wanted: Record<string, number>,
): Promise<string> {
  const items = Object.entries(wanted).map(([key, qty]) => ({ product_id: products[key], qty }))
  const { status, body } = await wallet.post(`/v1/customers/${customerId}/merchants/${storeId}/carts`, items)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.data.cart_id
}

/** An error of the wallet API that names fields of the body. */
export function expectFieldError({ status, headers, body }: Answer, expected: number, code: string, fields: string[]) {
  const { details, ...error } = body.error
  expect({ status, error }).toEqual({
    status: expected,
    error: { code, message: expect.any(String), request_id: headers.get('x-response-id') },
  })
  expect(Object.keys(details ?? {})).toEqual(fields)
}
