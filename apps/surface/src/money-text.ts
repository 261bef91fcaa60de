import { ZERO_DECIMAL_CURRENCIES } from '@mintmark/contract/currencies'

/** `"1234.5"`, `"USD"` → `"1,234.50 USD"`. Text only: no floating point touches money. */
export function moneyText(amount: string, currency: string): string {
  const [whole = '', fraction = ''] = amount.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',')
  const cents = fraction.padEnd(2, '0')
  const decimals = ZERO_DECIMAL_CURRENCIES.has(currency) && /^0*$/.test(cents) ? '' : `.${cents}`
  // A no-break space: an amount must not lose its currency to the next line.
  return `${grouped}${decimals}\u00a0${currency}`
}

/** `https://shop.example/path` → `shop.example`; the text itself when it is no address. */
export function hostText(address: string): string {
  try {
    return new URL(address).host
  } catch {
    return address
  }
}

/** Unit price times quantity in hundredths, as the line of a receipt shows it. */
export function lineTotal(unitPrice: string, quantity: number): string {
  const [whole = '0', fraction = ''] = unitPrice.split('.')
  const minor = BigInt(whole + fraction.padEnd(2, '0').slice(0, 2)) * BigInt(quantity)
  const digits = minor.toString().padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
