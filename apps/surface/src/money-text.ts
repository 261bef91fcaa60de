import { amountOf, minorOf } from '@mintmark/contract/amounts'
import { THREE_DECIMAL_CURRENCIES, ZERO_DECIMAL_CURRENCIES } from '@mintmark/contract/currencies'
import { readerLocale } from './locale.ts'
import type { Amount } from './phrase.ts'

/** Signs that several of the currencies share: the code is written beside them. */
const SHARED_SIGNS = /^(?:\$|¥|￥|元|円|kr\.?|Rs\.?|₨)$/u
/** Marks of direction, which formats of some languages hold. */
const DIRECTION_MARKS = /[\u200e\u200f\u061c]/g

/**
 * `"1234.5"`, `"USD"` → `$1,234.50 USD`, as the reader writes it. No floating point touches money: the browser formats the
 * whole units as an integer of any size, and the decimals are the wire's own digits.
 */
export function moneyText(amount: string, currency: string, locale: string = readerLocale()): string {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.')
  const decimals = decimalsOf(currency, fraction)
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  })
  const sign = amount.startsWith('-') ? '\u2212' : ''
  let shown = ''
  let isShared = false
  for (const { type, value } of format.formatToParts(BigInt(whole))) {
    shown += type === 'fraction' ? localDigits(fraction.padEnd(decimals, '0').slice(0, decimals), locale) : value
    isShared ||= type === 'currency' && SHARED_SIGNS.test(value.replace(DIRECTION_MARKS, ''))
  }
  // A no-break space: an amount must not lose its currency to the next line.
  return `${sign}${shown}${isShared ? `\u00a0${currency}` : ''}`
}

export const moneyPiece = (amount: string, currency: string): Amount => ({ amount: moneyText(amount, currency) })

/** `"1234.5"`, `"USD"` → `1234.50`, as the reader types it into a field. */
export function decimalText(amount: string, currency: string, locale: string = readerLocale()): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const decimals = decimalsOf(currency, fraction)
  const after = decimals === 0 ? '' : decimalSign(locale) + fraction.padEnd(decimals, '0')
  return localDigits(whole, locale) + localDigits(after, locale)
}

/** What stands before the decimals. */
export function decimalSign(locale: string): string {
  return new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
}

/** As many as the currency has; more only if the amount had more, because nothing of it is ever dropped. */
function decimalsOf(currency: string, fraction: string): number {
  const usual = ZERO_DECIMAL_CURRENCIES.has(currency) ? 0 : THREE_DECIMAL_CURRENCIES.has(currency) ? 3 : 2
  return Math.max(usual, fraction.replace(/0+$/, '').length)
}

function localDigits(digits: string, locale: string): string {
  const format = new Intl.NumberFormat(locale, { useGrouping: false })
  return [...digits].map((sign) => (/\d/.test(sign) ? format.format(Number(sign)) : sign)).join('')
}

/** Unit price times quantity, as the line of a receipt shows it. */
export function lineTotal(unitPrice: string, quantity: number): string {
  return amountOf(minorOf(unitPrice) * BigInt(quantity))
}
