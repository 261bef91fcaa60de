import { CHECKOUT_WARNINGS, type Currency } from '@mintmark/contract'
import { isRecord } from '../../platform/json.ts'
import { fractionProblem, MAX_AMOUNT_MINOR } from '../../platform/money.ts'
import { Secret } from '../../platform/secret.ts'
import {
  CHECKOUT_REFUSALS,
  type CheckoutAnswer,
  type CheckoutRefusal,
  type QuoteRequest,
  type SearchRequest,
} from '../port.ts'
import { isCurrency, isForeignId, MAX_LENGTHS, optionalCode } from './foreign.ts'

export function ok<T>(value: T): CheckoutAnswer<T> {
  return { outcome: 'ok', value }
}

export function refused<T>(reason: CheckoutRefusal): CheckoutAnswer<T> {
  return { outcome: 'refused', reason }
}

export function unknown<T>(cause: string): CheckoutAnswer<T> {
  return { outcome: 'unknown', cause }
}

/**
 * Shape checks of what an adapter returns. Its types are a promise about another system's data; an answer that breaks it is
 * `unknown`, because taking it for a sale or a refusal could lose or double a purchase.
 */
export type ShapeCheck = (value: unknown) => boolean

const REASONS: ReadonlySet<unknown> = new Set(CHECKOUT_REFUSALS)
const CAUSE = /^[\x20-\x7e]{1,120}$/
const MAX_CURSOR_LENGTH = 500
const MAX_URL_LENGTH = 2048

/** A whole answer whose `ok` value passes `check`. */
export function isAnswer(answer: unknown, check: ShapeCheck): boolean {
  if (!isRecord(answer)) return false
  switch (answer.outcome) {
    case 'ok':
      return check(answer.value)
    case 'refused':
      return REASONS.has(answer.reason)
    case 'unknown':
      return typeof answer.cause === 'string' && CAUSE.test(answer.cause)
    default:
      return false
  }
}

export const isEmptyValue: ShapeCheck = isRecord

export const isPageFor =
  ({ limit, cursor }: SearchRequest): ShapeCheck =>
  (value) =>
    isRecord(value) &&
    Array.isArray(value.products) &&
    value.products.length <= limit &&
    value.products.every(isProduct) &&
    (value.nextCursor === null || isNextCursor(value.nextCursor, cursor))

/** A page that leads to itself would be read for ever. */
function isNextCursor(value: unknown, before: string | null): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_CURSOR_LENGTH && value !== before
}

export const isProductFor =
  ({ productId }: { productId: string }): ShapeCheck =>
  (value) =>
    isProduct(value) && isRecord(value) && value.productId === productId

function isProduct(value: unknown): boolean {
  if (!isRecord(value) || !Array.isArray(value.variants) || !isCurrency(value.currency)) return false
  const { currency, variants } = value
  const prices = variants.map((variant) => (isRecord(variant) ? variant.priceMinor : undefined))
  return (
    isForeignId(value.productId) &&
    isText(value.title, 1, MAX_LENGTHS.title) &&
    isText(value.description, 0, MAX_LENGTHS.description) &&
    (value.imageUrl === null || isText(value.imageUrl, 1, MAX_URL_LENGTH)) &&
    (value.category === null || isText(value.category, 1, MAX_LENGTHS.category)) &&
    (value.inventory === null || (Number.isSafeInteger(value.inventory) && Number(value.inventory) >= 0)) &&
    variants.length > 0 &&
    variants.every((variant) => isVariant(variant, currency)) &&
    prices.includes(value.priceMinor) &&
    prices.every((price) => typeof price === 'bigint' && price >= (value.priceMinor as bigint))
  )
}

function isVariant(value: unknown, currency: Currency): boolean {
  return (
    isRecord(value) &&
    isForeignId(value.variantId) &&
    isText(value.title, 1, MAX_LENGTHS.title) &&
    isPrice(value.priceMinor, currency) &&
    typeof value.available === 'boolean'
  )
}

/** A quote of what was asked for, whose sums add up. */
export const isQuoteFor =
  ({ items }: QuoteRequest): ShapeCheck =>
  (value) => {
    if (!isRecord(value) || !isForeignId(value.shopRef) || !isCurrency(value.currency)) return false
    const { currency, lines, warnings } = value
    if (!Array.isArray(lines) || !lines.every((line) => isLine(line, currency))) return false
    if (!Array.isArray(warnings) || !warnings.every((code) => Object.hasOwn(CHECKOUT_WARNINGS, code))) return false
    const { itemsMinor, shippingMinor, taxMinor, discountMinor, totalMinor } = value
    return (
      isPrice(itemsMinor, currency) &&
      isPrice(shippingMinor, currency) &&
      isPrice(taxMinor, currency) &&
      isPrice(discountMinor, currency) &&
      isPrice(totalMinor, currency) &&
      itemsMinor === lines.reduce((sum: bigint, line) => sum + line.totalMinor, 0n) &&
      itemsMinor + shippingMinor + taxMinor - discountMinor === totalMinor &&
      isSameBasket(items, lines)
    )
  }

interface Line {
  variantId: string
  quantity: number
  unitPriceMinor: bigint
  totalMinor: bigint
}

function isLine(value: unknown, currency: Currency): value is Line {
  if (!isRecord(value) || !isForeignId(value.productId) || !isForeignId(value.variantId)) return false
  const { quantity, unitPriceMinor, totalMinor } = value
  if (typeof quantity !== 'number' || !Number.isSafeInteger(quantity) || quantity < 1) return false
  if (!isPrice(totalMinor, currency) || !isPrice(unitPriceMinor, currency)) return false
  // Three for 10.00 have no exact price each: less than a hundredth a piece is rounding.
  const rounding = unitPriceMinor * BigInt(quantity) - totalMinor
  return isText(value.title, 1, MAX_LENGTHS.title) && rounding > -BigInt(quantity) && rounding < BigInt(quantity)
}

/** As many of each as were asked for: another basket at a right total is another purchase. */
function isSameBasket(items: QuoteRequest['items'], lines: readonly Line[]): boolean {
  const asked = countOf(items)
  const given = countOf(lines)
  return asked.size === given.size && [...asked].every(([variantId, quantity]) => given.get(variantId) === quantity)
}

function countOf(items: readonly { variantId: string; quantity: number }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { variantId, quantity } of items) counts.set(variantId, (counts.get(variantId) ?? 0) + quantity)
  return counts
}

export const isDelegatedCard: ShapeCheck = (value) =>
  isRecord(value) && value.token instanceof Secret && isForeignId(value.handlerId)

export const isPayResult: ShapeCheck = (value) => {
  if (!isRecord(value)) return false
  if (value.state === 'paid') return isPaid(value)
  return value.state === 'needs_human' || value.state === 'in_progress'
}

export const isPurchaseState: ShapeCheck = (value) => {
  if (!isRecord(value)) return false
  if (value.state === 'declined') return REASONS.has(value.reason)
  return isPayResult(value) || value.state === 'not_found' || value.state === 'open' || value.state === 'released'
}

function isPaid({ orderId, authorizationCode }: Record<string, unknown>): boolean {
  return [orderId, authorizationCode].every((code) => code === null || optionalCode(code) === code)
}

/** In hundredths, not negative, and an amount that its currency has. */
function isPrice(value: unknown, currency: Currency): value is bigint {
  return (
    typeof value === 'bigint' && value >= 0n && value <= MAX_AMOUNT_MINOR && fractionProblem(value, currency) === null
  )
}

const CONTROL = /\p{Cc}/u

function isText(value: unknown, shortest: number, longest: number): boolean {
  if (typeof value !== 'string' || CONTROL.test(value)) return false
  const { length } = [...value.slice(0, longest * 2 + 2)]
  return length >= shortest && length <= longest
}
