import { AMOUNT_PATTERN, type Currency, ZERO_DECIMAL_CURRENCIES } from '@mintmark/contract'

/** An amount in hundredths, in every currency. No floating point ever touches it. */
export interface Money {
  minor: bigint
  currency: Currency
}

const AMOUNT = new RegExp(AMOUNT_PATTERN)
/** The most that an amount on the wire can say: twelve digits and two decimals. */
export const MAX_AMOUNT_MINOR = 99_999_999_999_999n

/** Why an amount is not possible in a currency, in words for the caller; null when it is. */
export function fractionProblem(minor: bigint, currency: string): string | null {
  const hasFraction = ZERO_DECIMAL_CURRENCIES.has(currency) && minor % 100n !== 0n
  return hasFraction ? noFraction(currency) : null
}

/** What is wrong with a fraction in a currency that has none. */
export function noFraction(currency: string): string {
  return `must have no fraction: ${currency} has no minor unit`
}

/** The same of the texts of a body, which may be anything: what is no amount or no currency is for its schema to refuse. */
export function fractionProblemOfText(amount: unknown, currency: unknown): string | null {
  if (typeof amount !== 'string' || typeof currency !== 'string' || !AMOUNT.test(amount)) return null
  return fractionProblem(minorFromAmount(amount), currency)
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
