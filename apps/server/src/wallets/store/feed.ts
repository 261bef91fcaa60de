import type { Currency } from '@mintmark/contract'
import type { JobResult } from '../../jobs/loop.ts'
import { addSeconds } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Catalog, CatalogEntry } from './catalog.ts'
import * as store from './catalog-store.ts'
import type { StoreDeps } from './deps.ts'
import { digestOf, putCatalog } from './import.ts'
import { categoryOf, isPossiblePrice } from './rules.ts'

/** What a shop shows of a product: checked and cleaned by who asked the shop. */
export interface ShopProduct {
  productId: string
  title: string
  description: string
  imageUrl: string | null
  category: string | null
  priceMinor: bigint
  currency: Currency
  inventory: number | null
}

/** A shop whose catalog the accounts of the sandbox sell. */
export interface ShopSource {
  /** Names it for ever. */
  key: string
  name: string
  /** A page of its products; null: it does not answer. */
  page(cursor: string | null): Promise<{ products: ShopProduct[]; nextCursor: string | null } | null>
}

/** Where the catalog of the sandbox comes from, and who gets it. */
export interface ShopFeed {
  /** Undefined: there never was a shop. */
  findShop(): Promise<ShopSource | undefined>
  /** Ids of active accounts, in their order. */
  listAccounts(after: string, limit: number): Promise<string[]>
}

export interface FeedDeps extends StoreDeps {
  log: Log
  /** Null: nothing is fed, as in production. */
  feed: ShopFeed | null
}

/** At the start of a sandbox its shop starts beside it. */
const RETRY_SECONDS = 1
const ACCOUNTS = 500
/** Each has at most a hundred products. */
const MAX_PAGES = 20

/**
 * Gives the catalog of the sandbox's shop to every account that has not got this edition of it. The shop is asked outside of
 * transactions; an account that fails has its next chance in the next round, and keeps no other from its own.
 */
export async function feedDue(deps: FeedDeps): Promise<JobResult> {
  const { feed, clock } = deps
  const shop = await feed?.findShop()
  if (feed === null || shop === undefined) return { taken: 0, nextDueAt: null }
  const catalog = await readCatalog(shop)
  if (catalog === undefined) return { taken: 0, nextDueAt: addSeconds(clock.now(), RETRY_SECONDS) }
  let taken = 0
  for (let after = ''; ; ) {
    const accounts = await feed.listAccounts(after, ACCOUNTS)
    for (const merchantId of await without(deps, accounts, catalog)) {
      if (await isGiven(deps, merchantId, catalog)) taken += 1
    }
    after = accounts.at(-1) ?? ''
    if (accounts.length < ACCOUNTS) return { taken, nextDueAt: null }
  }
}

async function without({ pool }: FeedDeps, merchantIds: readonly string[], catalog: Catalog): Promise<string[]> {
  const { source } = catalog
  const given = await store.listMerchantsWith(pool, { merchantIds, source, digest: digestOf(catalog) })
  const have = new Set(given.map(({ merchantId }) => merchantId))
  return merchantIds.filter((id) => !have.has(id))
}

async function isGiven(deps: FeedDeps, merchantId: string, catalog: Catalog): Promise<boolean> {
  try {
    await putCatalog(deps, merchantId, catalog)
    return true
  } catch (error) {
    deps.log.failure('work failed', error, { job: FEED_JOB, merchant_id: merchantId })
    return false
  }
}

export const FEED_JOB = 'stores.feed'

/** All that a shop sells, as one merchant; undefined: it does not answer, or not to the end. */
async function readCatalog(shop: ShopSource): Promise<Catalog | undefined> {
  const products: ShopProduct[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page: Awaited<ReturnType<ShopSource['page']>> = await shop.page(cursor)
    if (page === null) return undefined
    products.push(...page.products)
    cursor = page.nextCursor
    if (cursor === null) break
  }
  return toCatalog(shop, products)
}

function toCatalog({ key, name }: ShopSource, products: readonly ShopProduct[]): Catalog {
  // A merchant has one currency here: what a shop sells in others is left out.
  const currency = products[0]?.currency ?? 'USD'
  const entries = new Map<string, CatalogEntry>()
  for (const product of products) {
    const { productId, title, description, imageUrl, priceMinor, inventory } = product
    if (product.currency !== currency || !isPossiblePrice(priceMinor)) continue
    entries.set(productId, {
      ...{ key: productId, store: key, name: title, description, priceMinor, inventory },
      category: categoryOf(product.category),
      imageUrls: imageUrl === null ? [] : [imageUrl],
    })
  }
  const description = 'What the shop of the sandbox sells.'
  const store = { key, category: 'general', name, description, logoUrl: null, currency } as const
  return { source: 'shop', stores: [store], entries: [...entries.values()] }
}
