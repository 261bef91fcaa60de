import type { Currency } from '@mintmark/contract'
import type { Change } from '../../db/command.ts'
import { uuidOf } from '../../platform/ids.ts'
import { cartEmpty, cartNotFound, cartNotOpen } from './errors.ts'
import type { CartRef } from './ref.ts'
import * as store from './store.ts'

/** A cart that nothing can change until the transaction ends, at the prices of this moment. */
export interface LockedCart extends CartRef {
  storeId: string
  currency: Currency
  lines: { productId: string; quantity: number; name: string; priceMinor: bigint }[]
  totalMinor: bigint
}

/**
 * Locks an open cart for its order, in the transaction of the order: what it costs now is what is paid.
 * `CART_NOT_FOUND` for none of the customer's, `INVALID_STATE` for one that is not open any more, `INVALID_QUANTITY`
 * for an empty one.
 */
export async function lockCart({ tx }: Change, { merchantId, ...ref }: CartRef): Promise<LockedCart> {
  const [customerId, cartId] = [uuidOf(ref.customerId), uuidOf(ref.cartId)]
  if (customerId === undefined || cartId === undefined) throw cartNotFound()
  const cart = await store.lockCart(tx, { merchantId, customerId, cartId })
  if (cart === undefined) throw cartNotFound()
  if (cart.status !== 'open') throw cartNotOpen()
  const lines = await store.listPriced(tx, { merchantId, cartId })
  const [first] = lines
  if (first === undefined) throw cartEmpty()
  const { storeId } = cart
  return { merchantId, customerId, cartId, storeId, currency: first.currency, lines, totalMinor: sumOf(lines) }
}

/** Ends a locked cart with its order: from now on it shows what was ordered, at the prices that were paid. */
export async function markOrdered({ tx, at }: Change, cart: LockedCart): Promise<void> {
  const { merchantId, cartId, currency, lines } = cart
  const kept = await store.updateOrdered(tx, {
    merchantId,
    cartId,
    currency,
    productIds: lines.map(({ productId }) => productId),
    names: lines.map(({ name }) => name),
    pricesMinor: lines.map(({ priceMinor }) => priceMinor),
    at,
  })
  if (kept.length !== lines.length) throw new Error('A cart that was locked has changed.')
}

export function sumOf(lines: readonly { priceMinor: bigint; quantity: number }[]): bigint {
  return lines.reduce((sum, { priceMinor, quantity }) => sum + priceMinor * BigInt(quantity), 0n)
}
