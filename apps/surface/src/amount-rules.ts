import { minorOf } from '@mintmark/contract/amounts'
import { ZERO_DECIMAL_CURRENCIES } from '@mintmark/contract/currencies'
import { asciiDigits } from './digit-text.ts'
import { readerLocale } from './locale.ts'
import { decimalSign } from './money-text.ts'

/** What people write around an amount. */
const AROUND = /^[\p{Sc}\p{L}\s]+|[\p{Sc}\p{L}\s]+$/gu
const GROUPED = /^\d{1,3}(?:[.,\s'’٬]\d{3})+$/

/**
 * What a person types, in the reader's format or in another common one, as hundredths: `25`, `25.5`, `25,50`, `1,234.50`,
 * `$25`. Null for what could mean two amounts, or none. The reader's own sign for the decimals decides.
 */
export function parseAmount(entered: string, locale: string = readerLocale()): bigint | null {
  const typed = asciiDigits(entered).replace(AROUND, '')
  const sign = decimalSign(locale)
  const [, before = '', other = '', cents = ''] = /^(.*)([.,])(\d{1,2})$/.exec(typed) ?? []
  // Another format's sign, unless it separates thousands too: then either could be meant.
  const isOther = other !== '' && !typed.includes(sign) && !before.includes(other)
  const [whole = '', fraction = '', ...more] = isOther ? [before, cents] : typed.split(sign)
  const plain = GROUPED.test(whole) ? whole.replaceAll(/\D/g, '') : whole
  if (more.length > 0 || !/^\d{1,12}$/.test(plain) || !/^\d{0,2}0*$/.test(fraction)) return null
  return minorOf(`${plain}.${fraction}`)
}

/** Null when it is an amount of this currency, above zero and no more than the most. */
export function amountProblem(
  entered: string,
  { most, currency }: { most: string; currency: string },
): 'missing' | 'unreadable' | 'zero' | 'above' | null {
  if (entered.trim() === '') return 'missing'
  const minor = parseAmount(entered)
  if (minor === null || (ZERO_DECIMAL_CURRENCIES.has(currency) && minor % 100n !== 0n)) return 'unreadable'
  if (minor === 0n) return 'zero'
  return minor > minorOf(most) ? 'above' : null
}
