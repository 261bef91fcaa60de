import { type Currency, ZERO_DECIMAL_CURRENCIES } from '@mintmark/contract'

/** An amount in hundredths, whatever the currency. No floating point ever touches it. */
export interface Money {
  readonly minor: bigint
  readonly currency: Currency
}

/** The one grammar of amounts on the wire; at most 12 integer digits. */
export const AMOUNT_PATTERN = '^\\d{1,12}(\\.\\d{1,2})?$'
const AMOUNT = new RegExp(AMOUNT_PATTERN)

/** Why a string is not an acceptable amount, in words for the caller; null when it is one. */
export function amountProblem(text: string, currency?: string): string | null {
  if (!AMOUNT.test(text))
    return 'must be a decimal string with up to 12 integer digits and up to 2 decimals, such as "40.00"'
  const minor = minorFromAmount(text)
  if (minor <= 0n) return 'must be greater than zero'
  if (currency !== undefined && ZERO_DECIMAL_CURRENCIES.has(currency) && minor % 100n !== 0n) {
    return `must have no fraction: ${currency} has no minor unit`
  }
  return null
}

/** `"40.5"` → `4050n`. The text must already match the grammar. */
export function minorFromAmount(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'))
}

/** `4050n` → `"40.50"`: two decimals always, as every response shows money. */
export function amountFromMinor(minor: bigint): string {
  const whole = minor / 100n
  const fraction = minor % 100n
  return `${whole}.${fraction.toString().padStart(2, '0')}`
}
