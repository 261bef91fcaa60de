import type {
  Cart,
  CartList,
  CreateCartBody,
  CreatedCart,
  ListedCart,
  UpdateCartBody,
} from '@mintmark/contract/wire/wallet/carts'
import type { ErrorDetails } from '../../platform/errors.ts'
import { isRecord } from '../../platform/json.ts'
import { amountFromMinor } from '../../platform/money.ts'
import type { Added, CartPatch, CartRow, CartView } from './service.ts'

const TWICE = 'names a product that comes before'

/** A caller who puts a product in twice does not say whether the sum is meant. */
export function newCartProblems(body: unknown): ErrorDetails {
  return repeated(body, (index) => `[${index}].product_id`)
}

export function cartProblems(body: unknown): ErrorDetails {
  if (!isRecord(body)) return {}
  return {
    ...repeated(body.add, (index) => `add[${index}].product_id`),
    ...repeated(body.remove, (index) => `remove[${index}]`),
  }
}

function repeated(items: unknown, pathOf: (index: number) => string): ErrorDetails {
  const seen = new Set<string>()
  const problems: ErrorDetails = {}
  for (const [index, item] of (Array.isArray(items) ? items : []).entries()) {
    const id: unknown = isRecord(item) ? item.product_id : item
    if (typeof id !== 'string') continue
    // The same UUID in upper and lower case is one product.
    if (seen.has(id.toLowerCase())) problems[pathOf(index)] = TWICE
    seen.add(id.toLowerCase())
  }
  return problems
}

export function fromWireItems(items: CreateCartBody, path = ''): Added[] {
  return items.map(({ product_id: productId, qty: quantity }, index) => ({
    productId,
    quantity,
    path: `${path}[${index}]`,
  }))
}

export function fromWireUpdate({ add = [], remove = [] }: UpdateCartBody): CartPatch {
  return { added: fromWireItems(add, 'add'), removed: remove }
}

export function toWireCreated(cart: CartView): CreatedCart {
  const items = cart.lines.map(({ productId, quantity }) => ({ product_id: productId, qty: quantity }))
  return { ...idsOf(cart), items, ...sumOf(cart), ...timesOf(cart) }
}

export function toWireCart(cart: CartView): Cart {
  const products = cart.lines.map(({ productId, name, description, priceMinor, quantity, imageUrl }) => ({
    product_id: productId,
    name,
    description,
    price: amountFromMinor(priceMinor),
    currency: cart.currency,
    quantity,
    item_total: amountFromMinor(priceMinor * BigInt(quantity)),
    image_url: imageUrl,
  }))
  return { ...idsOf(cart), products, ...sumOf(cart), ...timesOf(cart) }
}

export function toWireCarts(carts: readonly CartRow[]): CartList {
  return { count: carts.length, carts: carts.map(toWireListed) }
}

function toWireListed(cart: CartRow): ListedCart {
  return { cart_id: cart.id, merchant_id: cart.storeId, ...timesOf(cart) }
}

const idsOf = ({ id, customerId, storeId }: CartRow) => ({ cart_id: id, customer_id: customerId, merchant_id: storeId })

const sumOf = ({ totalMinor, currency }: CartView) => ({ total_amount: amountFromMinor(totalMinor), currency })

const timesOf = ({ status, createdAt, updatedAt }: CartRow) => ({
  status,
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
})
