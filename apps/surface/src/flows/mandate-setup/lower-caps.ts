import { ZERO_DECIMAL_CURRENCIES } from '@mintmark/contract/currencies'
import { amountOf, minorOf } from '../../money-text.ts'

/**
 * What was asked for and what is three quarters, half and a quarter of it, without small change: never more than was
 * asked for.
 */
export function capsUpTo(asked: string, currency: string): string[] {
  const most = minorOf(asked)
  const unit = ZERO_DECIMAL_CURRENCIES.has(currency) ? 100n : 1n
  const lower = [3n, 2n, 1n]
    .map((quarters) => withoutChange((most * quarters) / 4n, unit))
    .filter((minor) => minor > 0n)
  return [...new Set([most, ...lower])].map(amountOf)
}

/** Two digits and zeros, of what the currency has. */
function withoutChange(minor: bigint, unit: bigint): bigint {
  const step = 10n ** BigInt(Math.max(0, String(minor).length - 2))
  return minor - (minor % (step > unit ? step : unit))
}
