import type { MoneyState } from '@mintmark/contract/console'

interface Sum {
  money: MoneyState
  count: number
  amount: string
}

/** How long the bar of each is, in percent of the longest one; in a fixed order, without those that are not there. */
export function shares<One extends Sum>(
  sums: readonly One[],
  order: readonly MoneyState[],
): (One & { part: number })[] {
  const largest = Math.max(...sums.map(({ amount }) => Number(amount)), 0)
  const partOf = (amount: string) => (largest === 0 ? 0 : Math.round((1000 * Number(amount)) / largest) / 10)
  return order.flatMap((state) =>
    sums
      .filter(({ money, count }) => money === state && count > 0)
      .map((sum) => ({ ...sum, part: partOf(sum.amount) })),
  )
}
