import { createHash } from 'node:crypto'
import { type Change, command } from '../../db/command.ts'
import { LOCK_NOT_AVAILABLE, sqlState, violates } from '../../db/errors.ts'
import { fieldErrors } from '../../platform/errors.ts'
import { newUuid } from '../../platform/ids.ts'
import type { Catalog, CatalogEntry } from './catalog.ts'
import { type CatalogLine, CatalogReader } from './catalog-reader.ts'
import * as store from './catalog-store.ts'
import type { StoreDeps } from './deps.ts'
import { noSuchAccount } from './errors.ts'
import type { Pieces } from './ref.ts'

/** How many there were of each. */
export interface Imported {
  merchants: number
  products: number
  /** Products that were sold and are no longer in the catalog. */
  withdrawn: number
}

/**
 * Takes over merchants and what they sell from the lines of a file. Those that the file has are as it says from then on, also
 * in what they no longer sell; others stay. All of it or nothing: `VAL_2001` names the lines and fields that are wrong.
 */
export async function importCatalog(
  deps: StoreDeps,
  merchantId: string,
  lines: AsyncIterable<CatalogLine>,
): Promise<Imported> {
  const reader = new CatalogReader()
  for await (const line of lines) {
    reader.add(line)
    if (reader.isFull) break
  }
  const read = reader.end('import')
  if ('problems' in read) throw fieldErrors(read.problems)
  return patiently(() => putCatalog(deps, merchantId, read.catalog))
}

/** Each lasts three seconds. */
const MAX_WAITS = 20

/** A large import holds the catalog for longer than a statement waits for a lock: the next one begins when that is done. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let wait = 1; ; wait += 1) {
    try {
      return await work()
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE || wait === MAX_WAITS) throw error
    }
  }
}

/** What a catalog is known by. How many a shop has left makes no other catalog: that number counts once. */
export function digestOf({ source, stores, entries }: Catalog): Buffer {
  const hash = createHash('sha256')
  const update = (item: object) =>
    hash.update(`${JSON.stringify(item, (_, value) => (typeof value === 'bigint' ? String(value) : value))}\n`)
  for (const item of stores) update(item)
  for (const { inventory, ...item } of entries) update(source === 'import' ? { ...item, inventory } : item)
  return hash.digest()
}

const ACCOUNT_KEY = 'wallet_catalogs_merchant_id_fkey'
/** Products of one statement. */
const BATCH = 1_000

/** Puts a catalog in the place of what its merchants sold so far, in one transaction. */
export async function putCatalog(deps: StoreDeps, merchantId: string, catalog: Catalog): Promise<Imported> {
  const { source, stores, entries } = catalog
  const digest = digestOf(catalog)
  const withdrawn = await command(deps, { name: 'stores.import', silent: 'wallet' }, async (change) => {
    await store.upsertCatalog(change.tx, { merchantId, source, digest, at: change.at })
    const ids = await putStores(change, merchantId, catalog)
    const idOf = (entry: CatalogEntry) => ids.get(entry.store) ?? ''
    await putProducts(change, merchantId, entries, idOf)
    const storeIds = [...ids.values()]
    await store.deleteCategories(change.tx, { merchantId, storeIds })
    await store.insertCategories(change.tx, { merchantId, categories: categoriesOf(catalog, idOf) })
    const withdrawn = await withdraw(change, merchantId, storeIds, entries, idOf)
    // Last: orders wait for the rows of the stock until the commit.
    await putStock(change, merchantId, { catalog, storeIds, idOf, withdrawn })
    return withdrawn.length
  }).catch((error: unknown) => {
    throw violates(error, ACCOUNT_KEY) ? noSuchAccount({ cause: error }) : error
  })
  return { merchants: stores.length, products: entries.length, withdrawn: withdrawn ?? 0 }
}

type IdOf = (entry: CatalogEntry) => string

/** Ids that sort as the items do: what comes with one catalog is listed in its order. */
function newIds(count: number): string[] {
  return Array.from({ length: count }, newUuid).sort()
}

/** Returns the ids of the stores by their keys. */
async function putStores({ tx, at }: Change, merchantId: string, { source, stores }: Catalog) {
  const ids = newIds(stores.length)
  const rows = stores.map(({ logoUrl, ...row }, index) => ({ ...row, id: ids[index], logo_url: logoUrl }))
  await store.upsertStores(tx, { merchantId, source, stores: rows, at })
  const known = await store.listStoreIds(tx, { merchantId, source, keys: stores.map(({ key }) => key) })
  return new Map(known.map(({ key, id }) => [key, id]))
}

async function putProducts({ tx, at }: Change, merchantId: string, entries: readonly CatalogEntry[], idOf: IdOf) {
  const ids = newIds(entries.length)
  const rows = entries.map((entry, index) => ({
    id: ids[index],
    store_id: idOf(entry),
    key: entry.key,
    category: entry.category,
    name: entry.name,
    description: entry.description,
    price_minor: String(entry.priceMinor),
    image_urls: entry.imageUrls,
  }))
  for (const products of batches(rows)) await store.upsertProducts(tx, { merchantId, products, at })
}

/** Returns the products that are sold no longer. */
async function withdraw(
  { tx, at }: Change,
  merchantId: string,
  storeIds: readonly string[],
  entries: readonly CatalogEntry[],
  idOf: IdOf,
): Promise<string[]> {
  const kept = entries.map((entry) => ({ store_id: idOf(entry), key: entry.key }))
  const gone = await store.updateWithdrawn(tx, { merchantId, storeIds, kept, at })
  return gone.map(({ id }) => id)
}

interface Sold {
  catalog: Catalog
  storeIds: readonly string[]
  idOf: IdOf
  withdrawn: readonly string[]
}

/**
 * Writes what has changed, and no other row: orders of what a file leaves as it is do not wait for it. All are locked before the first is
 * written, because the batches come in the order of the file.
 */
async function putStock({ tx }: Change, merchantId: string, { catalog, storeIds, idOf, withdrawn }: Sold) {
  const known = await store.listStock(tx, { merchantId, storeIds })
  const changes = stockChanges(catalog, idOf, known)
  const productIds = [...changes.map(({ productId }) => productId), ...withdrawn]
  if (productIds.length === 0) return
  await store.lockStock(tx, { merchantId, productIds })
  for (const batch of batches(changes)) {
    const quantities = batch.map(({ quantity }) => quantity)
    await store.upsertStock(tx, { merchantId, productIds: batch.map(({ productId }) => productId), quantities })
  }
  if (withdrawn.length > 0) await store.deleteStock(tx, { merchantId, productIds: withdrawn })
}

/**
 * An operator's file says how many there are now. A shop does not know what was ordered from wallets: its number counts for what is
 * new only.
 */
function stockChanges({ source, entries }: Catalog, idOf: IdOf, known: Awaited<ReturnType<typeof store.listStock>>) {
  const keyOf = (storeId: string, key: string) => `${storeId} ${key}`
  const held = new Map(known.map((row) => [keyOf(row.storeId, row.key), row]))
  return entries.flatMap((entry): Pieces[] => {
    const { productId, quantity: before } = held.get(keyOf(idOf(entry), entry.key)) ?? {}
    if (productId === undefined) throw new Error('A product that was just written is not there.')
    const isSaid = source === 'import' || before === null
    const quantity = (isSaid ? entry.inventory : null) ?? before ?? 0
    return quantity === before ? [] : [{ productId, quantity }]
  })
}

/** Under what each store is found: what it sells, and its own category while it sells anything. */
function categoriesOf({ stores, entries }: Catalog, idOf: IdOf): { category: string; store_id: string }[] {
  const ownOf = new Map(stores.map(({ key, category }) => [key, category]))
  const found = new Map<string, { category: string; store_id: string }>()
  for (const entry of entries) {
    for (const category of [entry.category, ownOf.get(entry.store) ?? entry.category]) {
      found.set(`${category} ${entry.store}`, { category, store_id: idOf(entry) })
    }
  }
  return [...found.values()]
}

function* batches<T>(rows: readonly T[]): Iterable<T[]> {
  for (let from = 0; from < rows.length; from += BATCH) yield rows.slice(from, from + BATCH)
}
