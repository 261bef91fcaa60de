import { bound } from '../../platform/bound.ts'
import { type FeedDeps, feedDue } from './feed.ts'
import { importCatalog } from './import.ts'
import { findProduct, listProducts, listStores } from './list.ts'

export type { CatalogLine } from './catalog-reader.ts'
export type { ShopFeed, ShopProduct, ShopSource } from './feed.ts'
export { type FoundProduct, getStore } from './list.ts'
export type { Pieces } from './ref.ts'
export { type Shortage, takeStock } from './stock.ts'
export type { ProductRow as ListedProduct, StoreRow as ListedStore } from './store.ts'

/** Merchants of the wallet API, and what they sell. */
export const createStoreService = (deps: FeedDeps) =>
  bound(deps, { importCatalog, feedDue, listStores, listProducts, findProduct })
export type StoreService = ReturnType<typeof createStoreService>
