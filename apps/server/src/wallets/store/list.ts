import type { StoreDeps } from './deps.ts'
import type { StoreRef } from './ref.ts'
import * as store from './store.ts'

type Reads = Pick<StoreDeps, 'pool'>

/** Which part of a list is asked for, and how far its rows are counted. */
export interface Range {
  offset: number
  limit: number
  mostCounted: number
}

/** Merchants that sell something of a category. */
export async function listStores({ pool }: Reads, place: { merchantId: string; category: string }, range: Range) {
  const { mostCounted: most, ...page } = range
  const [{ count } = { count: 0n }] = [await store.countStores(pool, { ...place, most })]
  return { stores: await store.listStores(pool, { ...place, ...page }), count }
}

/** What a merchant sells of a category. Undefined: there is no such merchant. */
export async function listProducts({ pool }: Reads, ref: StoreRef & { category: string }, range: Range) {
  const { mostCounted: most, ...page } = range
  const { category: _, ...place } = ref
  const found = await store.findStore(pool, place)
  if (found === undefined) return undefined
  const [{ count } = { count: 0n }] = [await store.countProducts(pool, { ...ref, most })]
  return { currency: found.currency, products: await store.listProducts(pool, { ...ref, ...page }), count }
}

/** A product that is sold, with its merchant. Undefined: there is none. */
export async function findProduct({ pool }: Reads, ref: { merchantId: string; productId: string }) {
  return store.findProduct(pool, ref)
}
