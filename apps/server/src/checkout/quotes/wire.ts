import { CHECKOUT_WARNINGS } from '@mintmark/contract'
import type {
  CatalogPage,
  CatalogProduct,
  CreateQuoteBody,
  Quote as QuoteWire,
  SearchCatalogBody,
} from '@mintmark/contract/wire/quotes'
import type { ErrorDetails } from '../../platform/errors.ts'
import { isRecord } from '../../platform/json.ts'
import { amountFromMinor } from '../../platform/money.ts'
import { foldWhiteSpace, optionalText } from '../../platform/text.ts'
import type { ShippingAddress } from '../port.ts'
import type { Shop } from '../shops/service.ts'
import { nameOf } from './names.ts'
import type { CatalogSearch, FoundProduct, Quote, QuoteWish, StoredLine } from './service.ts'
import { knownWarnings } from './store.ts'

const DEFAULT_LIMIT = 20
/** Encoded three times as many, in the address that a shop is asked at: that has 2048. */
const MAX_QUERY_BYTES = 600

/** What no shop can be asked is said here: to the caller it would look like shops that do not answer, and may answer later. */
export function searchProblems(body: unknown): ErrorDetails {
  if (!isRecord(body) || typeof body.query !== 'string') return {}
  return Buffer.byteLength(body.query) > MAX_QUERY_BYTES
    ? { query: `must have at most ${MAX_QUERY_BYTES} bytes in UTF-8` }
    : {}
}

export function fromWireSearch({ query, merchant, limit, cursor }: SearchCatalogBody): CatalogSearch {
  return { query: optionalText(query), shopId: merchant ?? null, limit: limit ?? DEFAULT_LIMIT, cursor: cursor ?? null }
}

export function fromWireWish({ merchant, items, shipping_address, email }: CreateQuoteBody): QuoteWish {
  return {
    shopId: merchant,
    items: items.map(({ variant_id, quantity }) => ({ variant: variant_id, quantity })),
    shippingAddress: shipping_address === undefined ? null : fromWireAddress(shipping_address),
    email: email ?? null,
  }
}

function fromWireAddress(address: NonNullable<CreateQuoteBody['shipping_address']>): ShippingAddress {
  return {
    name: foldWhiteSpace(address.name),
    address: foldWhiteSpace(address.address),
    city: foldWhiteSpace(address.city),
    state: foldWhiteSpace(address.state ?? ''),
    postalCode: foldWhiteSpace(address.postal_code),
    country: address.country,
    phone: optionalText(address.contact_information?.phone),
    email: address.contact_information?.email ?? null,
  }
}

export function toWirePage({ found, nextCursor }: { found: FoundProduct[]; nextCursor: string | null }): CatalogPage {
  return { products: found.map(toWireProduct), ...(nextCursor !== null && { next_cursor: nextCursor }) }
}

export function toWireProduct({ shop, product }: FoundProduct): CatalogProduct {
  return {
    product_id: wireName('product', shop.id, product.productId),
    title: product.title,
    description: product.description,
    image_url: product.imageUrl,
    merchant: toWireMerchant(shop),
    price: amountFromMinor(product.priceMinor),
    currency: product.currency,
    variants: product.variants.map(({ variantId, title, priceMinor, available }) => ({
      variant_id: wireName('variant', shop.id, variantId),
      title,
      price: amountFromMinor(priceMinor),
      available,
    })),
  }
}

function toWireMerchant({ id, name, url }: Pick<Shop, 'id' | 'name' | 'url'>) {
  return { id, name, url }
}

/** What cannot be named was left out before. */
function wireName(kind: 'product' | 'variant', shopId: string, foreignId: string): string {
  const name = nameOf(kind, { shopId, foreignId })
  if (name === undefined) throw new Error(`A ${kind} without a name of ours is shown.`)
  return name
}

export function toWireQuote(quote: Quote): QuoteWire {
  const { shopId: id, shopName: name, shopUrl: url } = quote
  return {
    quote_id: quote.id,
    merchant: { ...toWireMerchant({ id, name, url }), country_code_iso2: quote.shopCountry },
    total_amount: amountFromMinor(quote.totalMinor),
    currency: quote.currency,
    breakdown: {
      items: amountFromMinor(quote.itemsMinor),
      shipping: amountFromMinor(quote.shippingMinor),
      tax: amountFromMinor(quote.taxMinor),
      discount: amountFromMinor(quote.discountMinor),
    },
    line_items: quote.lines.map((line) => toWireLine(id, line)),
    warnings: knownWarnings(quote.warnings).map((code) => ({ code, message: CHECKOUT_WARNINGS[code] })),
    expires_at: quote.expiresAt.toISOString(),
  }
}

function toWireLine(shopId: string, { productId, variantId, unitPrice, ...line }: StoredLine) {
  return {
    product_id: wireName('product', shopId, productId),
    variant_id: wireName('variant', shopId, variantId),
    title: line.title,
    quantity: line.quantity,
    unit_price: unitPrice,
    total: line.total,
  }
}
