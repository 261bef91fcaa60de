import { CART_STATUSES, CURRENCIES } from '@mintmark/contract'
import { bigint, columns, int, nullable, oneOf, type RowOf, text, time, uuid } from '../../db/row.ts'
import { execute, many, one } from '../../db/statement.ts'
import { overdueRows } from '../../jobs/overdue.ts'
import { originList } from '../../platform/states.ts'
import { CART_TRANSITIONS } from './states.ts'

const CART = {
  id: uuid,
  customerId: uuid,
  storeId: uuid,
  status: oneOf(CART_STATUSES),
  createdAt: time,
  updatedAt: time,
}
export type CartRow = RowOf<typeof CART>

/** An ordered cart has the currency of the order, and any other that of its store. */
const CURRENCY = `coalesce(cart.currency, (
     select store.currency from wallet_stores store where store.merchant_id = $merchantId and store.id = cart.store_id)) as currency` as const

/** Null: the cart of any customer of the account. */
const OF_CUSTOMER = '($customerId::uuid is null or cart.customer_id = $customerId)' as const

const WITH_CURRENCY = { ...CART, currency: oneOf(CURRENCIES) }

export const findCart = one(
  'carts.find',
  `select ${columns(CART, 'cart')}, ${CURRENCY} from wallet_carts cart
   where cart.merchant_id = $merchantId and cart.id = $cartId and ${OF_CUSTOMER}`,
  WITH_CURRENCY,
)

/**
 * Locks a cart until the transaction ends: changes of it and its order follow each other. Its lines are read by a statement of their
 * own afterwards, which sees what the one before has left.
 */
export const lockCart = one(
  'carts.lock',
  `select ${columns(CART, 'cart')} from wallet_carts cart
   where cart.merchant_id = $merchantId and cart.id = $cartId and ${OF_CUSTOMER}
   for no key update of cart`,
  CART,
)

const LINE = { productId: uuid, place: int, quantity: int, name: text, priceMinor: bigint }

const LINES = `
   from wallet_cart_lines line
     join lateral (
       select * from wallet_products where merchant_id = $merchantId and id = line.product_id offset 0) product on true
   where line.merchant_id = $merchantId and line.cart_id = $cartId order by line.place` as const
const AS_ORDERED = `line.product_id, line.place, line.quantity, coalesce(line.name, product.name) as name,
     coalesce(line.price_minor, product.price_minor) as price_minor` as const

/** What is in a cart: as it was ordered, or as it would be now. */
export const listLines = many('carts.list_lines', `select ${AS_ORDERED} ${LINES}`, LINE)

/** The same of an open cart, with the currency of the prices: read with them, as a catalog may change both at any moment. */
export const listPriced = many(
  'carts.list_priced',
  `select ${AS_ORDERED}, (select store.currency from wallet_stores store
     where store.merchant_id = $merchantId and store.id = product.store_id) as currency ${LINES}`,
  { ...LINE, currency: oneOf(CURRENCIES) },
)

/** The same with what is shown besides. */
export const listShownLines = many(
  'carts.list_shown_lines',
  `select ${AS_ORDERED}, product.description, product.image_urls[1] as image_url ${LINES}`,
  { ...LINE, description: text, imageUrl: nullable(text) },
)

/** Carts of a customer, the newest first. */
export const listCarts = many(
  'carts.list',
  `select ${columns(CART)} from wallet_carts
   where merchant_id = $merchantId and customer_id = $customerId and id < $before::uuid order by id desc offset $offset limit $limit`,
  CART,
)

export const countCarts = one(
  'carts.count',
  `select count(*) as counted from (
     select 1 from wallet_carts where merchant_id = $merchantId and customer_id = $customerId and id < $before::uuid limit $most) rows`,
  { counted: bigint },
)

/** How many there are of each of these products, if the store sells it. */
export const listInventory = many(
  'carts.list_inventory',
  `select product.id, coalesce((select quantity from wallet_stock
       where merchant_id = $merchantId and product_id = product.id), 0) as inventory
   from wallet_products product
   where product.merchant_id = $merchantId and product.id = any ($productIds::uuid[]) and product.store_id = $storeId
     and product.withdrawn_at is null`,
  { id: uuid, inventory: int },
)

export const insertCart = execute(
  'carts.insert',
  `insert into wallet_carts (merchant_id, id, customer_id, store_id, status, currency, abandon_at, created_at, updated_at)
   values ($merchantId, $cartId, $customerId, $storeId, 'open', null, $abandonAt, $at, $at)`,
)

/** What is in the cart from now on, of the products that are named. */
export const upsertLines = many(
  'carts.upsert_lines',
  `insert into wallet_cart_lines (merchant_id, cart_id, product_id, place, quantity)
   select $merchantId, $cartId, given.* from unnest($productIds::uuid[], $places::integer[], $quantities::integer[]) given
   on conflict (merchant_id, cart_id, product_id) do update set place = excluded.place, quantity = excluded.quantity
   returning product_id`,
  { productId: uuid },
)

export const deleteLines = execute(
  'carts.delete_lines',
  `delete from wallet_cart_lines
   where merchant_id = $merchantId and cart_id = $cartId and product_id = any ($productIds::uuid[])`,
)

export const updateChanged = execute(
  'carts.update_changed',
  `update wallet_carts set updated_at = $at, abandon_at = $abandonAt where merchant_id = $merchantId and id = $cartId`,
)

/** Keeps what was ordered, in what it was paid. Nothing where the cart is not open any more. */
export const updateOrdered = many(
  'carts.update_ordered',
  `with ordered as (
     update wallet_carts set status = 'ordered', currency = $currency, updated_at = $at
     where merchant_id = $merchantId and id = $cartId and status in (${originList(CART_TRANSITIONS, 'ordered')})
     returning id
   )
   update wallet_cart_lines line set name = given.name, price_minor = given.price_minor
   from unnest($productIds::uuid[], $names::text[], $pricesMinor::bigint[]) as given (product_id, name, price_minor)
   where line.merchant_id = $merchantId and line.cart_id = (select id from ordered)
     and line.product_id = any ($productIds::uuid[]) and line.product_id = given.product_id
   returning line.product_id`,
  { productId: uuid },
)

/** Those that nothing was changed in for so long that they are given up. */
export const restingCarts = overdueRows('carts', {
  table: 'wallet_carts',
  due: 'abandon_at',
  where: "status = 'open'",
})

/** 0: it was changed or ordered meanwhile. */
export const updateAbandoned = execute(
  'carts.update_abandoned',
  `update wallet_carts set status = 'abandoned', updated_at = $at
   where merchant_id = $merchantId and id = $cartId and abandon_at <= $at
     and status in (${originList(CART_TRANSITIONS, 'abandoned')})`,
)
