import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { NO_EVENTS } from '../../../db/testing/no-events.ts'
import { newMerchantId, newUuid } from '../../../platform/ids.ts'
import { createLog } from '../../../platform/log.ts'
import { ManualClock } from '../../../platform/testing/manual-clock.ts'
import type { CatalogLine } from '../catalog-reader.ts'
import type { FeedDeps } from '../feed.ts'
import { createStoreService, type StoreService } from '../service.ts'

/** Stores on a database of their own, without HTTP. */
export interface StoreWorld {
  database: TestDatabase
  clock: ManualClock
  deps: FeedDeps
  stores: StoreService
  /** A new account; returns its id. */
  addAccount(): Promise<string>
  /** A new customer of an account; returns their id. */
  addCustomer(merchantId: string): Promise<string>
  /** Imports lines, and returns the ids of all products of the account by their keys. */
  importing(merchantId: string, ...lines: object[]): Promise<Record<string, string>>
  stockOf(merchantId: string): Promise<Record<string, number>>
}

export async function createStoreWorld(options?: Parameters<typeof createTestDatabase>[0]): Promise<StoreWorld> {
  const database = await createTestDatabase(options)
  const { pool } = database
  const clock = new ManualClock()
  const deps = { pool, clock, events: NO_EVENTS, log: createLog({ level: 'silent' }), feed: null }
  const stores = createStoreService(deps)
  return {
    database,
    clock,
    deps,
    stores,
    async addAccount() {
      const id = newMerchantId()
      await pool.query(
        `insert into merchants (id, name, status, allowed_origins, webhook_secret_sealed, webhook_secret_key_id, created_at)
         values ($1, 'Account', 'active', '{}', '', 'local:1', now())`,
        [id],
      )
      return id
    },
    async addCustomer(merchantId) {
      const id = newUuid()
      await pool.query(
        `insert into wallet_customers
           (merchant_id, id, type, status, first_name, last_name, email, email_compared, created_at, updated_at)
         values ($1, $2, 'individual', 'pending', 'Ann', 'Example', $3, $3, now(), now())`,
        [merchantId, id, `${id}@example.com`],
      )
      return id
    },
    async importing(merchantId, ...lines) {
      await stores.importCatalog(merchantId, linesOf(...lines))
      const { rows } = await pool.query('select source_key, id from wallet_products where merchant_id = $1', [
        merchantId,
      ])
      return Object.fromEntries(rows.map(({ source_key, id }) => [source_key, id]))
    },
    async stockOf(merchantId) {
      const { rows } = await pool.query(
        `select source_key, quantity from wallet_stock stock
           join wallet_products product on product.merchant_id = $1 and product.id = stock.product_id
         where stock.merchant_id = $1`,
        [merchantId],
      )
      return Object.fromEntries(rows.map(({ source_key, quantity }) => [source_key, quantity]))
    },
  }
}

/** Objects as the lines of a file. */
export async function* linesOf(...values: unknown[]): AsyncIterable<CatalogLine> {
  for (const [index, value] of values.entries()) yield { number: index + 1, value }
}

export const merchantLine = (changes: object = {}) => ({
  type: 'merchant',
  id: 'tea-house',
  name: 'Tea House',
  category: 'food',
  currency: 'USD',
  ...changes,
})

export const productLine = (id: string, changes: object = {}) => ({
  type: 'product',
  merchant: 'tea-house',
  id,
  name: `Tea ${id}`,
  category: 'food',
  price: '12.50',
  inventory: 10,
  ...changes,
})
