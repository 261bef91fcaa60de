import { single } from '../../db/command.ts'
import { endOverdue } from '../../jobs/overdue.ts'
import { bound } from '../../platform/bound.ts'
import { uuidOf } from '../../platform/ids.ts'
import { getCustomer } from '../customers/service.ts'
import { LAST_ID, listed, type Range } from '../list.ts'
import { create, update } from './change.ts'
import type { CartDeps } from './deps.ts'
import { cartNotFound } from './errors.ts'
import type { CartRef } from './ref.ts'
import { deleteAbandoned } from './retention.ts'
import * as store from './store.ts'
import { type CartView, findView } from './view.ts'

export type { CartPatch } from './change.ts'
export { type LockedCart, lockCart, markOrdered } from './order.ts'
export type { CartRef } from './ref.ts'
export type { Added } from './rules.ts'
export type { CartRow } from './store.ts'
export type { CartView } from './view.ts'

/** Carts of the wallet API's customers, each at one merchant. */
export const createCartService = (deps: CartDeps) =>
  bound(deps, { create, update, find, list, abandonDue, deleteAbandoned })
export type CartService = ReturnType<typeof createCartService>

/** `CUSTOMER_NOT_FOUND` for none of the account's, `CART_NOT_FOUND` for none of the customer's. */
export async function find({ pool }: Pick<CartDeps, 'pool'>, { merchantId, ...ref }: CartRef): Promise<CartView> {
  const [customerId, cartId] = [uuidOf(ref.customerId), uuidOf(ref.cartId)]
  const isNone = customerId === undefined || cartId === undefined
  const found = isNone ? undefined : await findView(pool, { merchantId, customerId, cartId })
  if (found !== undefined) return found
  await getCustomer(pool, { merchantId, customerId: ref.customerId })
  throw cartNotFound()
}

/** Carts of a customer, the newest first; `CUSTOMER_NOT_FOUND` for none of the account's. */
export async function list(
  { pool }: Pick<CartDeps, 'pool'>,
  ref: { merchantId: string; customerId: string },
  { most, ...page }: Range,
  before: string = LAST_ID,
) {
  const { id: customerId } = await getCustomer(pool, ref)
  const customer = { merchantId: ref.merchantId, customerId, before }
  const rows = await store.listCarts(pool, { ...customer, ...page })
  return listed(rows, await store.countCarts(pool, { ...customer, most }))
}

/** Gives up carts that nothing was changed in for a long time. */
export const abandonDue = endOverdue<CartDeps>(store.restingCarts, {
  name: 'carts.abandon',
  async handle(deps, { merchantId, id: cartId }) {
    const write = { name: 'carts.abandon', silent: 'wallet' } as const
    return (await single(deps, write, ({ on, at }) => store.updateAbandoned(on, { merchantId, cartId, at }))) === 1
  },
})
