import type { CatalogSource, Currency, StoreCategory } from '@mintmark/contract'

/** A merchant of a catalog. */
export interface CatalogStore {
  /** What the catalog calls it. */
  key: string
  category: StoreCategory
  name: string
  description: string
  logoUrl: string | null
  currency: Currency
}

/** What one of them sells. */
export interface CatalogEntry {
  key: string
  /** The key of its merchant. */
  store: string
  category: StoreCategory
  name: string
  description: string
  priceMinor: bigint
  /** Null: as many as there are; none of a new one. */
  inventory: number | null
  imageUrls: string[]
}

/** Merchants with all that they sell. */
export interface Catalog {
  source: CatalogSource
  stores: CatalogStore[]
  entries: CatalogEntry[]
}
