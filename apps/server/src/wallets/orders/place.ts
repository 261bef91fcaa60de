import type { Change } from '../../db/command.ts'
import { type KeyedRequest, type RespondDeps, respondOnce, type StoredResponse } from '../../db/respond-once.ts'
import { MAX_IN_WALLET_MINOR } from '../../ledger/ref.ts'
import { type TransferDeps, transfer } from '../../ledger/service.ts'
import { newUuid, uuidOf } from '../../platform/ids.ts'
import { amountFromMinor } from '../../platform/money.ts'
import { walletNotFound } from '../accounts/errors.ts'
import type { WalletRef } from '../accounts/ref.ts'
import { type CartRef, type LockedCart, lockCart, markOrdered } from '../carts/service.ts'
import { addressNotFound, customerNotFound, customerRejected } from '../customers/errors.ts'
import { takeStock } from '../store/service.ts'
import { insufficientFunds, otherAmount, otherCurrency, outOfStock } from './errors.ts'
import * as store from './store.ts'

export type Order = store.OrderRow

/** What is ordered, what pays and where it goes: ids as they were sent. */
export interface NewOrder extends CartRef, WalletRef {
  addressId: string
  /** What the customer was shown. Undefined: what the cart costs now is paid. */
  amountMinor: bigint | undefined
}

export interface OrderDeps extends RespondDeps, TransferDeps {}

/**
 * Pays a cart from a wallet: the money moves, the stock is taken, the cart is ordered, and the response is stored, all in one
 * transaction or not at all. A cart is paid once, also by requests at the same moment and with other keys: the cart is locked, and
 * its id is the reference of the transfer.
 *
 * Locks: cart, wallet, the merchant's sales, stock. The stock is last, because orders of other customers wait for it.
 */
export async function place(deps: OrderDeps, given: NewOrder, request: KeyedRequest<Order>): Promise<StoredResponse> {
  const { merchantId } = given
  const declaration = { name: 'orders.place', silent: 'wallet' } as const
  return respondOnce(deps, declaration, { merchantId, request }, async (change) => {
    const { cart, ...parties } = await lockedParties(change, given)
    const { cartId, currency, totalMinor: amountMinor } = cart
    const order: Order = { id: newUuid(), ...parties, cartId, amountMinor, currency, createdAt: change.at }
    await pay(deps, change, order, cart)
    await store.insertOrder(change.tx, { merchantId, ...order })
    await markOrdered(change, cart)
    await takeAll(change, cart)
    return order
  })
}

interface Parties {
  customerId: string
  walletId: string
  addressId: string
}

/** All that an order names, the cart under its lock. A caller that names what another customer has is told that it is not there. */
async function lockedParties(change: Change, given: NewOrder): Promise<Parties & { cart: LockedCart }> {
  const customerId = uuidOf(given.customerId)
  if (customerId === undefined) throw customerNotFound()
  const ids = { walletId: uuidOf(given.walletId) ?? null, addressId: uuidOf(given.addressId) ?? null }
  const found = await store.findParties(change.tx, { merchantId: given.merchantId, customerId, ...ids })
  if (found === undefined) throw customerNotFound()
  const cart = await lockCart(change, given)
  const { walletId, walletCurrency, addressId, status } = found
  if (walletId === null) throw walletNotFound()
  if (addressId === null) throw addressNotFound()
  if (status === 'rejected') throw customerRejected()
  if (walletCurrency !== cart.currency) {
    throw otherCurrency({ message: `The cart is in ${cart.currency}, and the wallet in ${walletCurrency}.` })
  }
  if (given.amountMinor !== undefined && given.amountMinor !== cart.totalMinor) {
    throw otherAmount({ message: `The cart costs ${amountFromMinor(cart.totalMinor)} by now. Nothing was paid.` })
  }
  return { customerId: found.customerId, walletId, addressId, cart }
}

async function pay(
  deps: TransferDeps,
  change: Change,
  order: Order,
  { merchantId, storeId }: LockedCart,
): Promise<void> {
  const { id: transferId, cartId: reference, walletId, amountMinor, currency } = order
  // More than any wallet holds; perhaps more than the column of an amount.
  if (amountMinor > MAX_IN_WALLET_MINOR) throw insufficientFunds()
  const ends = { from: { accountId: walletId }, to: { kind: 'sales', holderId: storeId } } as const
  const payment = { merchantId, transferId, purpose: 'order', reference, ...ends, amountMinor, currency } as const
  const { state } = await transfer(deps, change, payment)
  if (state === 'insufficient') throw insufficientFunds()
  if (state !== 'done') throw new Error(`An order cannot be paid: ${state}.`)
}

/** A cart has up to a hundred lines, whose names are up to 200 characters long: more is not for people, and is stored for a day. */
const MAX_NAMED = 10

/** All pieces of a cart; `INVALID_QUANTITY` names what there is too little of. */
async function takeAll(change: Change, { merchantId, lines }: LockedCart): Promise<void> {
  const short = await takeStock(change, merchantId, lines)
  if (short.length === 0) return
  const names = new Map(lines.map(({ productId, name }) => [productId, name]))
  const words = short
    .slice(0, MAX_NAMED)
    .map(({ productId, available }) => `${names.get(productId)} (${productId}): ${available} left`)
  if (short.length > MAX_NAMED) words.push(`and of ${short.length - MAX_NAMED} more`)
  throw outOfStock({ message: `There are not so many: ${words.join('; ')}.` })
}
