import { amountOf, minorOf } from '@mintmark/contract/amounts'
import type { SurfaceProduct, SurfaceSummary } from '@mintmark/contract/wire/surface'

export type BreakdownPart = 'subtotal' | 'shipping' | 'tax' | 'discount' | 'otherCharges' | 'otherReductions' | 'total'

export interface BreakdownLine {
  part: BreakdownPart
  /** A reduction is negative. */
  amount: string
}

/** Parts of a quote that the cardholder sees even where they cost nothing: that is good to know. */
const FREE = { shipping: true, tax: true }

/** What is the same in what is shown and in what is signed. */
interface Bill {
  amount: string
  products: Pick<SurfaceProduct, 'unit_price' | 'quantity'>[]
  summary: SurfaceSummary | null
}

/**
 * What stands between the lines and the total: nothing where they agree and nothing is between them; else what the merchant said, and whatever is
 * still missing as a line of its own. The breakdown of a quote is always shown. Lines and breakdown always add up to the total.
 */
export function breakdown({ amount, products, summary }: Bill, isQuoted: boolean): BreakdownLine[] {
  const goods = products.reduce((sum, { unit_price, quantity }) => sum + minorOf(unit_price) * BigInt(quantity), 0n)
  const total = minorOf(amount)
  if (products.length === 0) return []
  const said = (part: 'shipping' | 'tax' | 'discount') => minorOf(summary?.[part] ?? '0')
  const parts = { shipping: said('shipping'), tax: said('tax'), discount: -said('discount') }
  const isNothing = Object.values(parts).every((minor) => minor === 0n)
  // Parts that make up for each other are a part of the bill all the same.
  if (!isQuoted && goods === total && (isNothing || parts.shipping + parts.tax + parts.discount !== 0n)) return []
  const rest = total - goods - parts.shipping - parts.tax - parts.discount
  const lines: [BreakdownPart, bigint][] = [
    // One that is not the sum of the lines would contradict them.
    ['subtotal', minorOf(summary?.subtotal ?? '0') === goods ? goods : 0n],
    ['shipping', parts.shipping],
    ['tax', parts.tax],
    ['discount', parts.discount],
    [rest < 0n ? 'otherReductions' : 'otherCharges', rest],
    ['total', total],
  ]
  const isTold = ([part, minor]: (typeof lines)[number]) => minor !== 0n || (isQuoted && part in FREE)
  return lines.filter(isTold).map(([part, minor]) => ({ part, amount: amountOf(minor) }))
}
