import { AMOUNT_PATTERN, CHECKOUT_WARNINGS, type CheckoutWarningCode } from '@mintmark/contract'
import { type Static, Type } from 'typebox'
import { minorFromAmount } from '../../platform/money.ts'
import {
  type CatalogPage,
  type CatalogProduct,
  CHECKOUT_REFUSALS,
  type CheckoutRefusal,
  type ShopPurchaseState,
  type ShopQuote,
} from '../port.ts'
import type { ShopConnection } from './connection.ts'
import {
  cleanText,
  cleanTitle,
  FOREIGN_ID_PATTERN,
  imageUrl,
  isCurrency,
  MAX_LENGTHS,
  optionalCleanText,
  optionalCode,
} from './foreign.ts'
import { malformed } from './no-answer.ts'
import { reader } from './reader.ts'

/** What the sandbox shop's own API says, checked and put into the words of the port. Members that are not named are ignored. */

const Id = Type.String({ pattern: FOREIGN_ID_PATTERN })
const Amount = Type.String({ pattern: AMOUNT_PATTERN })
const OptionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]))

const Product = Type.Object({
  id: Id,
  title: Type.String(),
  description: OptionalText,
  image_url: OptionalText,
  category: OptionalText,
  currency: Type.String(),
  inventory: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), Type.Null()])),
  variants: Type.Array(Type.Object({ id: Id, title: Type.String(), price: Amount, available: Type.Boolean() }), {
    minItems: 1,
    maxItems: 250,
  }),
})
const Page = Type.Object({ products: Type.Array(Product, { maxItems: 100 }), next_cursor: OptionalText })
const Quote = Type.Object({
  ref: Id,
  currency: Type.String(),
  lines: Type.Array(
    Type.Object({
      product_id: Id,
      variant_id: Id,
      title: Type.String(),
      quantity: Type.Integer({ minimum: 1 }),
      unit_price: Amount,
      total: Amount,
    }),
    { minItems: 1, maxItems: 100 },
  ),
  items: Amount,
  shipping: Amount,
  tax: Amount,
  discount: Amount,
  total: Amount,
  warnings: Type.Optional(Type.Array(Type.String())),
})
const Prepared = Type.Object({ ref: Id, state: Type.String(), total: Amount, currency: Type.String() })
const Purchase = Type.Object({
  ref: Id,
  state: Type.String(),
  order_id: Type.Optional(Type.Unknown()),
  authorization_code: Type.Optional(Type.Unknown()),
  reason: Type.Optional(Type.Unknown()),
})
const Refusal = Type.Object({ error: Type.Object({ code: Type.String() }) })

export const readPrepared = reader(Prepared)
const readPage = reader(Page)
const readProduct = reader(Product)
const readQuote = reader(Quote)
const readPurchase = reader(Purchase)
const readRefusal = reader(Refusal)

const REASONS: ReadonlySet<unknown> = new Set(CHECKOUT_REFUSALS)

/** A word that the port does not have is a refusal for a reason that is not known here. */
function reasonOf(code: unknown): CheckoutRefusal {
  return REASONS.has(code) ? (code as CheckoutRefusal) : 'refused'
}

/** Throws where the status says no and the body is not the shop's: a proxy in between knows nothing of the purchase. */
export function refusalOf(body: unknown): { code: string; reason: CheckoutRefusal } {
  const { code } = readRefusal(body).error
  return { code, reason: reasonOf(code) }
}

export function pageOf(body: unknown, shop: ShopConnection): CatalogPage {
  const { products, next_cursor } = readPage(body)
  return { products: products.map((product) => fromProduct(product, shop)), nextCursor: next_cursor || null }
}

export function productOf(body: unknown, shop: ShopConnection): CatalogProduct {
  return fromProduct(readProduct(body), shop)
}

function fromProduct(product: Static<typeof Product>, { policy, baseUrl }: ShopConnection): CatalogProduct {
  const variants = product.variants.map(({ id, title, price, available }) => ({
    variantId: id,
    title: cleanTitle(title),
    priceMinor: minorFromAmount(price),
    available,
  }))
  return {
    productId: product.id,
    title: cleanTitle(product.title),
    description: cleanText(product.description ?? '', MAX_LENGTHS.description),
    imageUrl: imageUrl(product.image_url, policy, baseUrl),
    category: optionalCleanText(product.category, MAX_LENGTHS.category),
    priceMinor: variants.map(({ priceMinor }) => priceMinor).reduce((least, price) => (price < least ? price : least)),
    currency: currencyOf(product.currency),
    inventory: product.inventory ?? null,
    variants,
  }
}

export function quoteOf(body: unknown, quoteId: string): ShopQuote {
  const quote = readQuote(body)
  if (quote.ref !== quoteId) throw malformed()
  return {
    shopRef: quote.ref,
    currency: currencyOf(quote.currency),
    lines: quote.lines.map((line) => ({
      productId: line.product_id,
      variantId: line.variant_id,
      title: cleanTitle(line.title),
      quantity: line.quantity,
      unitPriceMinor: minorFromAmount(line.unit_price),
      totalMinor: minorFromAmount(line.total),
    })),
    itemsMinor: minorFromAmount(quote.items),
    shippingMinor: minorFromAmount(quote.shipping),
    taxMinor: minorFromAmount(quote.tax),
    discountMinor: minorFromAmount(quote.discount),
    totalMinor: minorFromAmount(quote.total),
    warnings: (quote.warnings ?? []).filter(isWarning),
  }
}

/** A warning that is not known here has no words for it. */
const isWarning = (code: string): code is CheckoutWarningCode => Object.hasOwn(CHECKOUT_WARNINGS, code)

export function stateOf(body: unknown, purchaseId: string): ShopPurchaseState {
  const { ref, state, order_id, authorization_code, reason } = readPurchase(body)
  if (ref !== purchaseId) throw malformed()
  switch (state) {
    case 'open':
    case 'in_progress':
    case 'needs_human':
    case 'released':
      return { state }
    case 'declined':
      return { state, reason: reasonOf(reason) }
    case 'paid':
      return { state, orderId: optionalCode(order_id), authorizationCode: optionalCode(authorization_code) }
    default:
      throw malformed()
  }
}

function currencyOf(text: string) {
  if (!isCurrency(text)) throw malformed()
  return text
}
