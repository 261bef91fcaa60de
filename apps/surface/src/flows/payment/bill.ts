import { listText } from '@mintmark/contract/sentence/format'
import type { PaymentView, SurfaceProduct } from '@mintmark/contract/wire/surface'
import { formOf, numberText, readerLocale } from '../../locale.ts'
import { minorOf, moneyPiece } from '../../money-text.ts'
import { filledText, foreign, type Phrase } from '../../phrase.ts'
import type { Bill } from '../flow.ts'
import { type BreakdownPart, breakdown } from './breakdown.ts'
import { moneyState } from './money-state.ts'
import { text } from './text/text.ts'

interface Line {
  name: Phrase
  minor: bigint
  /** The label of a part that is no product. */
  part?: BreakdownPart
}

/** How much and for what: one list of products and of what comes to them. The total stands above it. */
export function paymentBill(view: PaymentView): Bill {
  const { payment } = view
  const { amount, currency, description, products } = payment
  const parts = breakdown(payment, payment.bought_here).filter(({ part }) => part !== 'total')
  const lines: Line[] = [
    ...products.map((product) => ({ name: productName(product), minor: costOf(product) })),
    ...parts
      .filter(({ part }) => part !== 'subtotal')
      .map(({ part, amount: share }) => ({ name: text.summary.breakdown[part], minor: minorOf(share), part })),
  ]
  return {
    label: text.summary.label,
    state: text.summary.states[moneyState(view)],
    amount: [moneyPiece(amount, currency)],
    description,
    currency,
    lines,
    rest: (folded) => restText(folded as Line[]),
  }
}

function productName({ name, quantity }: SurfaceProduct): Phrase {
  return quantity > 1 ? [foreign(name), ` ×\u00a0${numberText(quantity)}`] : [foreign(name)]
}

const costOf = ({ unit_price, quantity }: SurfaceProduct) => minorOf(unit_price) * BigInt(quantity)

/** How many products, and which other parts. */
function restText(folded: readonly Line[]): string {
  const parts: string[] = folded.flatMap(({ part }) => (part === undefined ? [] : [text.summary.folded[part]]))
  const count = folded.length - parts.length
  if (count > 0) parts.unshift(filledText(formOf(text.summary.items, count), { count: numberText(count) }))
  const locale = readerLocale()
  const words = listText(parts, { locale })
  return words.charAt(0).toLocaleUpperCase(locale) + words.slice(1)
}
