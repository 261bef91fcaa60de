import { int, nullable, text, uuid } from '../../db/row.ts'
import { execute, many } from '../../db/statement.ts'

// The statements of an import. They run in one transaction, under the lock of the catalog's row.

/**
 * Locks the catalog, which may be new: a row that is not there cannot be locked. Fails where there is no such account.
 */
export const upsertCatalog = execute(
  'stores.upsert_catalog',
  `insert into wallet_catalogs (merchant_id, source, digest, imported_at)
   values ($merchantId, $source, $digest, $at)
   on conflict (merchant_id, source) do update set digest = excluded.digest, imported_at = excluded.imported_at`,
)

const STORE_ROWS = `jsonb_to_recordset($stores::jsonb)
     as given (id uuid, key text, category text, name text, description text, logo_url text, currency text)` as const

/** Stores of a catalog, new ones under the ids that come with them. What has not changed is not written. */
export const upsertStores = many(
  'stores.upsert',
  `insert into wallet_stores as store
     (merchant_id, id, source, source_key, category, name, description, logo_url, currency, created_at, updated_at)
   select $merchantId, id, $source, key, category, name, description, logo_url, currency, $at, $at from ${STORE_ROWS}
   on conflict (merchant_id, source, source_key) do update set category = excluded.category, name = excluded.name,
     description = excluded.description, logo_url = excluded.logo_url, currency = excluded.currency,
     updated_at = excluded.updated_at
   where (store.category, store.name, store.description, store.logo_url, store.currency)
     is distinct from (excluded.category, excluded.name, excluded.description, excluded.logo_url, excluded.currency)
   returning id`,
  { id: uuid },
)

export const listStoreIds = many(
  'stores.list_ids',
  `select id, source_key as key from wallet_stores
   where merchant_id = $merchantId and source = $source and source_key = any ($keys)`,
  { id: uuid, key: text },
)

const PRODUCT_ROWS = `jsonb_to_recordset($products::jsonb) as given (id uuid, store_id uuid, key text, category text,
     name text, description text, price_minor bigint, image_urls jsonb)` as const

/** Products of stores, new ones under the ids that come with them. What has not changed is not written. */
export const upsertProducts = many(
  'stores.upsert_products',
  `insert into wallet_products as product (merchant_id, id, store_id, source_key, category, name, description,
     price_minor, image_urls, withdrawn_at, created_at, updated_at)
   select $merchantId, id, store_id, key, category, name, description, price_minor,
     array(select jsonb_array_elements_text(image_urls)), null, $at, $at
   from ${PRODUCT_ROWS}
   on conflict (merchant_id, store_id, source_key) do update set category = excluded.category, name = excluded.name,
     description = excluded.description, price_minor = excluded.price_minor, image_urls = excluded.image_urls,
     withdrawn_at = null, updated_at = excluded.updated_at
   where product.withdrawn_at is not null
     or (product.category, product.name, product.description, product.price_minor, product.image_urls)
       is distinct from (excluded.category, excluded.name, excluded.description, excluded.price_minor, excluded.image_urls)
   returning id`,
  { id: uuid },
)

/** What the stores sell and the catalog no longer has. The rows stay: carts name them. */
export const updateWithdrawn = many(
  'stores.update_withdrawn',
  `update wallet_products set withdrawn_at = $at, updated_at = $at
   where merchant_id = $merchantId and store_id = any ($storeIds::uuid[]) and withdrawn_at is null
     and not exists (
       select 1 from jsonb_to_recordset($kept::jsonb) as kept (store_id uuid, key text)
       where kept.store_id = wallet_products.store_id and kept.key = wallet_products.source_key)
   returning id`,
  { id: uuid },
)

/** What stores sell, with how much there is of it. Null: nothing is known of that yet. */
export const listStock = many(
  'stock.list',
  `select product.id as product_id, product.store_id, product.source_key as key, stock.quantity
   from wallet_products product
     left join lateral (
       select quantity from wallet_stock where merchant_id = $merchantId and product_id = product.id offset 0) stock on true
   where product.merchant_id = $merchantId and product.store_id = any ($storeIds::uuid[]) and product.withdrawn_at is null`,
  { productId: uuid, storeId: uuid, key: text, quantity: nullable(int) },
)

/**
 * Locks what there is of these products in the order of their ids, as orders do: one that wants several of them waits,
 * or is waited for.
 */
export const lockStock = many(
  'stock.lock',
  `select product_id from wallet_stock
   where merchant_id = $merchantId and product_id = any ($productIds::uuid[]) order by product_id for update`,
  { productId: uuid },
)

/** So many from now on, in place of what there was. */
export const upsertStock = many(
  'stock.upsert',
  `insert into wallet_stock (merchant_id, product_id, quantity)
   select $merchantId, given.* from unnest($productIds::uuid[], $quantities::integer[]) given
   on conflict (merchant_id, product_id) do update set quantity = excluded.quantity
   returning product_id`,
  { productId: uuid },
)

/** Nothing can be ordered of it any more. One that comes back is new. */
export const deleteStock = execute(
  'stock.delete',
  'delete from wallet_stock where merchant_id = $merchantId and product_id = any ($productIds::uuid[])',
)

export const deleteCategories = execute(
  'stores.delete_categories',
  'delete from wallet_store_categories where merchant_id = $merchantId and store_id = any ($storeIds::uuid[])',
)

export const insertCategories = many(
  'stores.insert_categories',
  `insert into wallet_store_categories (merchant_id, category, store_id)
   select $merchantId, category, store_id from jsonb_to_recordset($categories::jsonb) as given (category text, store_id uuid)
   returning category`,
  { category: text },
)

/** Which of these accounts have this edition of a catalog already. Operator's statement. */
export const listMerchantsWith = many(
  'stores.list_merchants_with',
  `select merchant_id from wallet_catalogs
   where merchant_id = any ($merchantIds) and source = $source and digest = $digest`,
  { merchantId: text },
)
