import type { CheckoutWarningCode, Currency } from '@mintmark/contract'
import type { Money } from '../platform/money.ts'
import type { Secret } from '../platform/secret.ts'

/**
 * A shop, as the service sees it when it buys there. Adapters (the sandbox shop, the Agentic Commerce Protocol) pass one
 * conformance suite (`testing/conformance.ts`).
 *
 * Every call that changes something names an id of ours, and a shop is idempotent on it: the same id again returns the first
 * outcome. A call ends in one of three ways. `ok` and `refused` are the shop's word. `unknown` says that the question may or
 * may not have arrived (time-out, broken connection, an answer that makes no sense, more than we read): the caller asks again
 * or inquires, and never takes it for a refusal. Adapters return `unknown` instead of throwing.
 */
export type CheckoutAnswer<T> =
  | { outcome: 'ok'; value: T }
  | { outcome: 'refused'; reason: CheckoutRefusal }
  | { outcome: 'unknown'; cause: string }

/** Why a shop says no. */
export const CHECKOUT_REFUSALS = [
  /** No such product, variant, quote or checkout. */
  'not_found',
  'out_of_stock',
  /** The shop does not send there, or does not understand the address. */
  'address_refused',
  'price_changed',
  'quote_expired',
  /** The checkout was given back, or is over. */
  'released',
  'card_declined',
  'insufficient_funds',
  /** The shop says no and gives no reason that is known here. */
  'refused',
] as const
export type CheckoutRefusal = (typeof CHECKOUT_REFUSALS)[number]

/** Text of a shop is foreign: the adapter bounds its length and takes control characters out of it. */
export interface CatalogVariant {
  /** The shop's own id, at most 200 characters. */
  variantId: string
  title: string
  priceMinor: bigint
  available: boolean
}

export interface CatalogProduct {
  /** The shop's own id, at most 200 characters. */
  productId: string
  title: string
  description: string
  /** https, or of a shop on this machine http. Null: the shop shows none. */
  imageUrl: string | null
  category: string | null
  /** From: the price of the cheapest variant. */
  priceMinor: bigint
  currency: Currency
  /** How many there are of all variants together. Null: the shop does not say. */
  inventory: number | null
  variants: CatalogVariant[]
}

export interface SearchRequest {
  /** Null: everything. */
  query: string | null
  /** 1 to 100. */
  limit: number
  /** What the page before returned. */
  cursor: string | null
}

export interface CatalogPage {
  products: CatalogProduct[]
  /** Null: this was the last page. */
  nextCursor: string | null
}

/** Where to send to: the fields of `address` of the wallet API. */
export interface ShippingAddress {
  name: string
  address: string
  city: string
  state: string
  postalCode: string
  country: string
  phone: string | null
  email: string | null
}

export interface QuoteRequest {
  /** Our quote id (`qte_…`); idempotency key. */
  quoteId: string
  items: { variantId: string; quantity: number }[]
  shippingAddress: ShippingAddress | null
  email: string | null
}

export interface QuoteLine {
  productId: string
  variantId: string
  title: string
  quantity: number
  unitPriceMinor: bigint
  totalMinor: bigint
}

export interface ShopQuote {
  /** What the shop calls this quote or checkout, at most 200 characters; every later call names it. */
  shopRef: string
  currency: Currency
  lines: QuoteLine[]
  /** In hundredths; what is taken off is positive. items + shipping + tax − discount = total, or the answer is `unknown`. */
  itemsMinor: bigint
  shippingMinor: bigint
  taxMinor: bigint
  discountMinor: bigint
  totalMinor: bigint
  warnings: CheckoutWarningCode[]
}

/** One purchase at a shop. */
export interface ShopPurchaseRef {
  /** Our charge id (`txn_…`): one purchase a charge; idempotency key of `prepare`, `pay` and `release`. */
  purchaseId: string
  shopRef: string
}

export interface PrepareRequest extends ShopPurchaseRef {
  /** What was approved. A shop that wants another amount now refuses with `price_changed`. */
  total: Money
}

/** A single-use virtual card: in the clear only between vault and adapter, never in a log, an error or a row. */
export interface PurchaseCredential {
  token: Secret
  dynamicCvv: Secret
  expiryMonth: string
  expiryYear: string
}

export interface PayRequest extends PrepareRequest {
  credential: PurchaseCredential
}

/** The card for a checkout that the agent completes. */
export interface DelegateRequest extends PayRequest {
  /** When the token is over. The same at each repetition. */
  expiresAt: Date
}

/** The shop's own token for the card, and the handler of the checkout that takes it. */
export interface DelegatedCard {
  token: Secret
  handlerId: string
}

/**
 * How a purchase stands at the shop.
 * - `open`: prepared, and no payment of it was begun or all were given up: `pay` may be sent (again)
 * - `in_progress`: the shop is still at it; ask again
 * - `needs_human`: the shop wants something that no program can give; whether it was paid, a person finds out
 */
export type ShopPurchaseState =
  | { state: 'not_found' | 'open' | 'in_progress' | 'needs_human' | 'released' }
  | { state: 'declined'; reason: CheckoutRefusal }
  | ({ state: 'paid' } & PaidPurchase)

export interface PaidPurchase {
  /** The shop's order id as it said it; what of it may be shown is the caller's to decide. */
  orderId: string | null
  authorizationCode: string | null
}

export type PayResult = { state: 'needs_human' | 'in_progress' } | ({ state: 'paid' } & PaidPurchase)

export interface MerchantCheckout {
  search(request: SearchRequest): Promise<CheckoutAnswer<CatalogPage>>
  product(request: { productId: string }): Promise<CheckoutAnswer<CatalogProduct>>
  quote(request: QuoteRequest): Promise<CheckoutAnswer<ShopQuote>>
  /** Reserves what was quoted. Nothing is paid by it. */
  prepare(request: PrepareRequest): Promise<CheckoutAnswer<Record<never, never>>>
  pay(request: PayRequest): Promise<CheckoutAnswer<PayResult>>
  /**
   * Hands the card to the shop and completes nothing. Refused where the checkout is not open at that total. A shop whose protocol has no such
   * thing has no such verb.
   */
  delegate?(request: DelegateRequest): Promise<CheckoutAnswer<DelegatedCard>>
  inquire(request: ShopPurchaseRef): Promise<CheckoutAnswer<ShopPurchaseState>>
  /** Gives back what was prepared. `refused` with `released` where it was given back before; a paid one stays paid: inquire. */
  release(request: ShopPurchaseRef): Promise<CheckoutAnswer<Record<never, never>>>
}
