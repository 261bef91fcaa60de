/** The one grammar of amounts on the wire; at most 12 integer digits. */
export const AMOUNT_PATTERN = '^\\d{1,12}(\\.\\d{1,2})?$'

/** What is wrong with a text outside that grammar, to be read after the field's name. */
export const AMOUNT_PROBLEM =
  'must be a decimal string with up to 12 integer digits and up to 2 decimals, such as "40.00"'

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
