import type { Pool } from 'pg'
import { bound } from '../../platform/bound.ts'
import { uuidOf } from '../../platform/ids.ts'
import type { WalletCustomerRef } from '../customers/ref.ts'
import { getCustomer } from '../customers/service.ts'
import { LAST_ID, type Listed, listed, type Range } from '../list.ts'
import { orderNotFound } from './errors.ts'
import { type Order, type OrderDeps, place } from './place.ts'
import type { OrderRef } from './ref.ts'
import * as store from './store.ts'

export type { NewOrder, Order } from './place.ts'
export type { OrderRef } from './ref.ts'
export { verifyOrders } from './verify.ts'

/** Carts that were paid from wallets. */
export const createOrderService = (deps: OrderDeps) => bound(deps, { place, find, list })
export type OrderService = ReturnType<typeof createOrderService>

/** `CUSTOMER_NOT_FOUND`, or `NOT_FOUND` for none of the customer's. */
export async function find({ pool }: { pool: Pool }, { orderId, ...ref }: OrderRef): Promise<Order> {
  const { id: customerId } = await getCustomer(pool, ref)
  const id = uuidOf(orderId)
  const found = id && (await store.findOrder(pool, { merchantId: ref.merchantId, customerId, orderId: id }))
  if (!found) throw orderNotFound()
  return found
}

/** Orders of a customer, the newest first. `CUSTOMER_NOT_FOUND`. */
export async function list(
  { pool }: { pool: Pool },
  ref: WalletCustomerRef,
  { most, ...page }: Range,
  before: string = LAST_ID,
): Promise<Listed<Order>> {
  const { id: customerId } = await getCustomer(pool, ref)
  const customer = { merchantId: ref.merchantId, customerId, before }
  const rows = await store.listOrders(pool, { ...customer, ...page })
  return listed(rows, await store.countOrders(pool, { ...customer, most }))
}
