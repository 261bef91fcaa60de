import { CURRENCIES, WALLET_CUSTOMER_STATUSES } from '@mintmark/contract'
import { bigint, columns, nullable, oneOf, type RowOf, time, uuid } from '../../db/row.ts'
import { execute, many, one } from '../../db/statement.ts'
import { walletOf } from '../../ledger/fragments.ts'

/** The customer who orders, what pays and where it goes. None: no such customer. Null: the customer has no such wallet, or no such address. */
export const findParties = one(
  'orders.find_parties',
  `select customer.id as customer_id, customer.status, wallet.id as wallet_id, wallet.currency as wallet_currency,
     address.id as address_id
   from wallet_customers customer
   left join ${walletOf('$walletId::uuid', 'customer.id')} wallet on true
   left join lateral (
     select id from wallet_addresses
     where merchant_id = $merchantId and id = $addressId::uuid and customer_id = customer.id offset 0
   ) address on true
   where customer.merchant_id = $merchantId and customer.id = $customerId::uuid`,
  {
    customerId: uuid,
    status: oneOf(WALLET_CUSTOMER_STATUSES),
    walletId: nullable(uuid),
    walletCurrency: nullable(oneOf(CURRENCIES)),
    addressId: nullable(uuid),
  },
)

const ORDER = {
  id: uuid,
  cartId: uuid,
  customerId: uuid,
  walletId: uuid,
  addressId: uuid,
  amountMinor: bigint,
  currency: oneOf(CURRENCIES),
  createdAt: time,
}
export type OrderRow = RowOf<typeof ORDER>

export const insertOrder = execute(
  'orders.insert',
  `insert into wallet_orders
     (merchant_id, id, cart_id, customer_id, wallet_id, address_id, amount_minor, currency, created_at)
   values ($merchantId, $id, $cartId, $customerId, $walletId, $addressId, $amountMinor, $currency, $createdAt)`,
)

export const findOrder = one(
  'orders.find',
  `select ${columns(ORDER)} from wallet_orders
   where merchant_id = $merchantId and id = $orderId::uuid and customer_id = $customerId::uuid`,
  ORDER,
)

/** The newest first. */
export const listOrders = many(
  'orders.list',
  `select ${columns(ORDER)} from wallet_orders
   where merchant_id = $merchantId and customer_id = $customerId and id < $before::uuid order by id desc offset $offset limit $limit`,
  ORDER,
)

export const countOrders = one(
  'orders.count',
  `select count(*) as counted from (
     select 1 from wallet_orders where merchant_id = $merchantId and customer_id = $customerId and id < $before::uuid limit $most) rows`,
  { counted: bigint },
)
