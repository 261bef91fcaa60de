import { type Currency, THREE_DECIMAL_CURRENCIES, ZERO_DECIMAL_CURRENCIES } from '@mintmark/contract'
import type { Money } from '../../platform/money.ts'
import type { QuoteLine, ShopQuote } from '../port.ts'
import { type AcpSession, type AcpTotal, warningsOf } from './acp-wire.ts'
import { cleanTitle, isCurrency } from './foreign.ts'
import { malformed } from './no-answer.ts'

/** The protocol counts in minor units of ISO 4217, we in hundredths: a yen is 1 there and 100 here, a dinar 1000 and 100. */
function minorFromAcp(amount: number, currency: Currency): bigint {
  const minor = writableMinor(amount, currency)
  if (minor === undefined) throw malformed()
  return minor
}

/** Undefined: an amount that we cannot write, such as the third decimal of a dinar. */
export function writableMinor(amount: number, currency: Currency): bigint | undefined {
  if (!Number.isSafeInteger(amount)) return undefined
  const minor = BigInt(amount)
  if (ZERO_DECIMAL_CURRENCIES.has(currency)) return minor * 100n
  if (!THREE_DECIMAL_CURRENCIES.has(currency)) return minor
  return minor % 10n === 0n ? minor / 10n : undefined
}

export function acpFromMinor({ minor, currency }: Money): number {
  if (ZERO_DECIMAL_CURRENCIES.has(currency)) return Number(minor / 100n)
  return Number(THREE_DECIMAL_CURRENCIES.has(currency) ? minor * 10n : minor)
}

/** Lower case there, upper case here. */
export function currencyOf({ currency }: { currency: string }): Currency {
  const upper = currency.toUpperCase()
  if (!isCurrency(upper)) throw malformed()
  return upper
}

const SHIPPING: ReadonlySet<string> = new Set(['fulfillment', 'fee', 'gift_wrap', 'tip'])
const DISCOUNT: ReadonlySet<string> = new Set(['items_discount', 'discount', 'store_credit'])

/** What a session costs. Whether it adds up is the guard's to say. */
export function quoteOf(session: AcpSession): ShopQuote {
  const currency = currencyOf(session)
  const sum = (isOne: (type: string) => boolean) => sumOf(session.totals, isOne, currency)
  const lines = session.line_items.map((line) => lineOf(line, currency))
  return {
    shopRef: session.id,
    currency,
    lines,
    itemsMinor: lines.reduce((all, { totalMinor }) => all + totalMinor, 0n),
    shippingMinor: sum((type) => SHIPPING.has(type)),
    taxMinor: sum((type) => type === 'tax'),
    discountMinor: sum((type) => DISCOUNT.has(type)),
    totalMinor: totalOf(session).minor,
    warnings: warningsOf(session),
  }
}

export function totalOf(session: AcpSession): Money {
  const currency = currencyOf(session)
  // Without it the sum would be zero, and two of them are not one price.
  if (session.totals.filter(({ type }) => type === 'total').length !== 1) throw malformed()
  return { minor: sumOf(session.totals, (type) => type === 'total', currency), currency }
}

function sumOf(totals: readonly AcpTotal[], isOne: (type: string) => boolean, currency: Currency): bigint {
  return totals.filter(({ type }) => isOne(type)).reduce((sum, { amount }) => sum + minorFromAcp(amount, currency), 0n)
}

/** Before discounts: those of a line are among the session's. */
function lineOf(line: AcpSession['line_items'][number], currency: Currency): QuoteLine {
  const { item, quantity, unit_amount: unit } = line
  const base = line.totals.find(({ type }) => type === 'items_base_amount')
  const quantityMinor = BigInt(quantity)
  if (base === undefined && unit === undefined) throw malformed()
  const totalMinor =
    base === undefined ? minorFromAcp(unit ?? 0, currency) * quantityMinor : minorFromAcp(base.amount, currency)
  return {
    productId: line.product_id ?? item.id,
    variantId: item.id,
    title: cleanTitle(line.name, item.name, item.id),
    quantity,
    unitPriceMinor: unit === undefined ? totalMinor / quantityMinor : minorFromAcp(unit, currency),
    totalMinor,
  }
}
