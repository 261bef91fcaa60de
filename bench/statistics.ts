/** Several measurements of one thing: the middle, and how far the others lie. */
export interface Spread {
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), lowest: quantile(values, 0), highest: quantile(values, 1) }
}

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  const place = Math.max(0, Math.ceil(share * sorted.length) - 1)
  return sorted[place] ?? Number.NaN
}
