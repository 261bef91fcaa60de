import type { Queryable } from '../../db/statement.ts'
import { uuidOf } from '../../platform/ids.ts'
import { FIRST_ID, listed, type Range } from '../list.ts'
import type { StoreDeps } from './deps.ts'
import { merchantNotFound, productNotFound } from './errors.ts'
import type { StoreRef } from './ref.ts'
import * as store from './store.ts'

type Reads = Pick<StoreDeps, 'pool'>

/** Merchants that sell something of a category. */
export async function listStores(
  { pool }: Reads,
  place: { merchantId: string; category: string },
  { most, ...page }: Range,
  after: string = FIRST_ID,
) {
  const rows = await store.listStores(pool, { ...place, after, ...page })
  return listed(rows, await store.countStores(pool, { ...place, after, most }))
}

/** What a merchant sells of a category; `MERCHANT_NOT_FOUND` for none of the account's. */
export async function listProducts(
  { pool }: Reads,
  { category, ...ref }: StoreRef & { category: string },
  { most, ...page }: Range,
  after: string = FIRST_ID,
) {
  const { id: storeId, currency } = await getStore(pool, ref)
  const place = { merchantId: ref.merchantId, storeId, category, after }
  const rows = await store.listProducts(pool, { ...place, ...page })
  return { storeId, currency, ...listed(rows, await store.countProducts(pool, { ...place, most })) }
}

/** The merchant, read where the caller reads: in an open transaction, or on the pool. */
export async function getStore(on: Queryable, { merchantId, storeId: given }: StoreRef) {
  const storeId = uuidOf(given)
  const found = storeId === undefined ? undefined : await store.findStore(on, { merchantId, storeId })
  if (found === undefined) throw merchantNotFound()
  return found
}

/** A product that is sold, with its merchant; `PRODUCT_NOT_FOUND` for none of the account's. */
export async function findProduct({ pool }: Reads, ref: { merchantId: string; productId: string }) {
  const productId = uuidOf(ref.productId)
  const { merchantId } = ref
  const found = productId === undefined ? undefined : await store.findProduct(pool, { merchantId, productId })
  if (found === undefined) throw productNotFound()
  return found
}

export type FoundProduct = Awaited<ReturnType<typeof findProduct>>
