import { CURRENCIES, STORE_CATEGORY_CODES } from '@mintmark/contract'
import { bigint, int, nullable, oneOf, type RowOf, text, texts, time, uuid } from '../../db/row.ts'
import { many, one } from '../../db/statement.ts'

const category = oneOf(STORE_CATEGORY_CODES)

const STORE = { id: uuid, name: text, category, description: text, logoUrl: nullable(text) }
export type StoreRow = RowOf<typeof STORE>

/** Stores under a category, a page of them. */
export const listStores = many(
  'stores.list',
  `with place as (
     select store_id from wallet_store_categories
     where merchant_id = $merchantId and category = $category and store_id > $after::uuid order by store_id offset $offset limit $limit
   )
   select store.id, store.name, store.category, store.description, store.logo_url
   from place
     join lateral (select * from wallet_stores where merchant_id = $merchantId and id = place.store_id offset 0) store on true
   order by store.id`,
  STORE,
)

export const countStores = one(
  'stores.count',
  `select count(*) as counted from (
     select 1 from wallet_store_categories
     where merchant_id = $merchantId and category = $category and store_id > $after::uuid limit $most) rows`,
  { counted: bigint },
)

export const findStore = one(
  'stores.find',
  'select id, currency from wallet_stores where merchant_id = $merchantId and id = $storeId',
  { id: uuid, currency: oneOf(CURRENCIES) },
)

const PRODUCT = {
  id: uuid,
  category,
  name: text,
  description: text,
  priceMinor: bigint,
  imageUrls: texts,
  inventory: int,
}

export type ProductRow = RowOf<typeof PRODUCT>

/** How many there are of the product of a row. */
const INVENTORY = `coalesce((select quantity from wallet_stock
   where merchant_id = $merchantId and product_id = product.id), 0) as inventory`

export const listProducts = many(
  'stores.list_products',
  `select id, category, name, description, price_minor, image_urls, ${INVENTORY}
   from wallet_products product
   where merchant_id = $merchantId and store_id = $storeId and category = $category and withdrawn_at is null and id > $after::uuid
   order by id offset $offset limit $limit`,
  PRODUCT,
)

export const countProducts = one(
  'stores.count_products',
  `select count(*) as counted from (
     select 1 from wallet_products
     where merchant_id = $merchantId and store_id = $storeId and category = $category and withdrawn_at is null and id > $after::uuid
     limit $most) rows`,
  { counted: bigint },
)

/** A product that is sold, with its store. */
export const findProduct = one(
  'stores.find_product',
  `select product.id, product.category, product.name, product.description, product.price_minor, product.image_urls,
     ${INVENTORY}, product.created_at, product.updated_at, store.id as store_id, store.name as store_name,
     store.category as store_category, store.description as store_description, store.logo_url, store.currency
   from wallet_products product
     join lateral (
       select * from wallet_stores where merchant_id = $merchantId and id = product.store_id offset 0) store on true
   where product.merchant_id = $merchantId and product.id = $productId and product.withdrawn_at is null`,
  {
    ...PRODUCT,
    createdAt: time,
    updatedAt: time,
    storeId: uuid,
    storeName: text,
    storeCategory: category,
    storeDescription: text,
    logoUrl: nullable(text),
    currency: oneOf(CURRENCIES),
  },
)
