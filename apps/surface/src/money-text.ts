import { moneyText as format } from '@mintmark/contract/sentence/format'
import { readerLocale } from './locale.ts'
import type { Amount } from './phrase.ts'

/** As the sentence writes it that is signed; less than nothing as well. */
export function moneyText(amount: string, currency: string, locale: string = readerLocale()): string {
  const shown = format(amount.replace('-', ''), currency, { locale })
  return amount.startsWith('-') ? `\u2212${shown}` : shown
}

export const moneyPiece = (amount: string, currency: string): Amount => ({ amount: moneyText(amount, currency) })

/** `"1234.5"`, `"USD"` → `1234.50`, as the reader types it into a field. */
export function decimalText(amount: string, currency: string, locale: string = readerLocale()): string {
  const [, fraction = ''] = amount.split('.')
  const usual =
    new Intl.NumberFormat(locale, { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  // As many as the currency has; more only if the amount had more, because nothing of it is ever dropped.
  const decimals = Math.max(usual, fraction.replace(/0+$/, '').length)
  const format = { useGrouping: false, minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return new Intl.NumberFormat(locale, format).format(amount as `${number}`)
}

/** What stands before the decimals. */
export function decimalSign(locale: string): string {
  return new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
}

/** `https://shop.example/path` → `shop.example`; the text itself when it is no address. */
export function hostText(address: string): string {
  try {
    return new URL(address).host
  } catch {
    return address
  }
}

/** `"40.5"` → `4050n`: hundredths, as the wire counts. */
export function minorOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(2, '0').slice(0, 2))
}

/** `-5n` → `"-0.05"`. */
export function amountOf(minor: bigint): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0')
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Unit price times quantity, as the line of a receipt shows it. */
export function lineTotal(unitPrice: string, quantity: number): string {
  return amountOf(minorOf(unitPrice) * BigInt(quantity))
}
