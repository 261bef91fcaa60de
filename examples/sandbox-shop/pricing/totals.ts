import type { Address } from './address.ts'
import { mayLackUnit } from './address.ts'
import { shareDown } from './money.ts'
import { shippingOf } from './shipping.ts'
import { taxOf } from './taxes.ts'

export interface PricedItem {
  unitPrice: bigint
  quantity: number
  grams: number
}

/** items + shipping + tax − discount = total. */
export interface Totals {
  items: bigint
  shipping: bigint
  tax: bigint
  discount: bigint
  total: bigint
}

export type Warning = 'ADDRESS_UNIT_CONFIRMATION_SUGGESTED'

/** Ten per cent off a basket from 150.00 on. */
const DISCOUNT_FROM = 150_00n
const DISCOUNT_MILLIONTHS = 100_000n

/** On top of the price of the parcel: it is there a day or two later. */
const EXPRESS = 12_00n

/** What a basket costs at an address, or that the shop does not send there. */
export function totalsOf(
  basket: readonly PricedItem[],
  address: Address | null,
  { isExpress = false } = {},
): Totals | 'address_refused' {
  const items = basket.reduce((sum, { unitPrice, quantity }) => sum + unitPrice * BigInt(quantity), 0n)
  const grams = basket.reduce((sum, item) => sum + item.grams * item.quantity, 0)
  const discount = items >= DISCOUNT_FROM ? shareDown(items, DISCOUNT_MILLIONTHS) : 0n
  const standard = shippingOf({ grams, goods: items - discount }, address)
  if (standard === undefined) return 'address_refused'
  const shipping = isExpress ? standard + EXPRESS : standard
  const tax = taxOf({ items, discount, shipping }, address)
  if (tax === undefined) return 'address_refused'
  return { items, shipping, tax, discount, total: items + shipping + tax - discount }
}

export function warningsOf(address: Address | null): Warning[] {
  return address !== null && mayLackUnit(address) ? ['ADDRESS_UNIT_CONFIRMATION_SUGGESTED'] : []
}
