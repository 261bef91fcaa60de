import type { Card } from '../buying/acquirer.ts'
import type { Checkout, PrepareRequest } from '../buying/checkouts.ts'
import type { PayRequest } from '../buying/pay.ts'
import type { Quote, QuoteRequest } from '../buying/quotes.ts'
import { Refused } from '../buying/refused.ts'
import type { Stock } from '../buying/stock.ts'
import type { Product } from '../catalog/products.ts'
import type { Address } from '../pricing/address.ts'
import { CURRENCY, fromText, toText } from '../pricing/money.ts'

type Fields = Record<string, unknown>

const MAX_LINES = 50
const MAX_OF_ONE = 1_000

export function readQuote(body: unknown): QuoteRequest {
  const { items, shipping_address: address, email } = fieldsOf(body, 'The request')
  if (!Array.isArray(items) || items.length === 0 || items.length > MAX_LINES) {
    throw invalid(`items has 1 to ${MAX_LINES} lines`)
  }
  return {
    items: items.map(readItem),
    address: isAbsent(address) ? null : readAddress(address),
    email: isAbsent(email) ? null : textOf(email, 'email', 320),
  }
}

function readItem(item: unknown): QuoteRequest['items'][number] {
  const { variant_id, quantity } = fieldsOf(item, 'An item')
  if (typeof quantity !== 'number' || !Number.isInteger(quantity) || quantity < 1 || quantity > MAX_OF_ONE) {
    throw invalid(`quantity is 1 to ${MAX_OF_ONE}`)
  }
  return { variantId: textOf(variant_id, 'variant_id', 200), quantity }
}

function readAddress(input: unknown): Address {
  const fields = fieldsOf(input, 'shipping_address')
  const text = (name: string, longest = 200) => textOf(fields[name], `shipping_address.${name}`, longest)
  const optional = (name: string) => (isAbsent(fields[name]) ? {} : { [name]: text(name, 320) })
  return {
    name: text('name'),
    address: text('address', 500),
    city: text('city'),
    state: isAbsent(fields.state) ? '' : text('state'),
    postal_code: text('postal_code', 20),
    country: text('country', 2),
    ...optional('phone'),
    ...optional('email'),
  }
}

export function readPrepare(body: unknown): PrepareRequest {
  const { quote, total, currency } = fieldsOf(body, 'The request')
  return { quote: textOf(quote, 'quote', 64), total: amountOf(total), currency: textOf(currency, 'currency', 3) }
}

export function readPay(body: unknown): PayRequest {
  const { card, total, currency } = fieldsOf(body, 'The request')
  return { card: readCard(card), total: amountOf(total), currency: textOf(currency, 'currency', 3) }
}

function readCard(input: unknown): Card {
  const card = fieldsOf(input, 'card')
  // What was sent is not said again: it may be a card.
  const digits = (name: string, pattern: RegExp) => {
    const value = card[name]
    if (typeof value !== 'string' || !pattern.test(value)) throw invalid(`card.${name} is not of that form`)
    return value
  }
  return {
    number: digits('number', /^\d{12,19}$/),
    cvv: digits('cvv', /^\d{3,4}$/),
    expiryMonth: digits('expiry_month', /^(?:0[1-9]|1[0-2])$/),
    expiryYear: digits('expiry_year', /^\d{4}$/),
  }
}

export function toWireProduct(product: Product, stock: Stock, origin: string) {
  const variants = product.variants.map(({ id, title, price }) => {
    return { id, title, price: toText(price), available: stock.available(id) > 0 }
  })
  const prices = product.variants.map(({ price }) => price)
  return {
    id: product.id,
    title: product.title,
    description: product.description,
    image_url: `${origin}/pictures/${product.id}.svg`,
    category: product.category,
    price: toText(prices.reduce((least, price) => (price < least ? price : least))),
    currency: CURRENCY,
    inventory: product.variants.reduce((sum, { id }) => sum + stock.available(id), 0),
    variants,
  }
}

export function toWireQuote({ ref, lines, warnings, expiresAt, items, shipping, tax, discount, total }: Quote) {
  return {
    ref,
    currency: CURRENCY,
    lines: lines.map(({ productId, variantId, title, quantity, unitPrice }) => ({
      product_id: productId,
      variant_id: variantId,
      title,
      quantity,
      unit_price: toText(unitPrice),
      total: toText(unitPrice * BigInt(quantity)),
    })),
    ...{ items: toText(items), shipping: toText(shipping), tax: toText(tax) },
    ...{ discount: toText(discount), total: toText(total) },
    warnings,
    expires_at: expiresAt.toISOString(),
  }
}

export function toWireCheckout({ ref, state, total, reason, orderId, authorizationCode }: Checkout) {
  return {
    ref,
    state,
    total: toText(total),
    currency: CURRENCY,
    ...(orderId === null ? {} : { order_id: orderId }),
    ...(authorizationCode === null ? {} : { authorization_code: authorizationCode }),
    ...(reason === null ? {} : { reason }),
  }
}

function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${name} is an object`)
  return value as Fields
}

function textOf(value: unknown, name: string, longest: number): string {
  if (typeof value !== 'string' || value === '' || value.length > longest) {
    throw invalid(`${name} is a text of 1 to ${longest} characters`)
  }
  return value
}

function amountOf(value: unknown): bigint {
  const amount = typeof value === 'string' ? fromText(value) : undefined
  if (amount === undefined) throw invalid('total is an amount such as "12.50"')
  return amount
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ''
const invalid = (what: string): Refused => new Refused('invalid_request', `${what}.`)
