import type { PaymentView, SurfacePayment } from '@mintmark/contract/wire/surface'
import { button } from '../../button.ts'
import { h, uniqueId, words } from '../../dom.ts'
import { lineTotal, moneyPiece } from '../../money-text.ts'
import { foreign, type Phrase } from '../../phrase.ts'
import { amountLabel } from '../sandbox.ts'
import { breakdown } from './breakdown.ts'
import { moneyState } from './money-state.ts'
import { text } from './text/text.ts'

/** More of them are folded. A low window and a frame show the first alone. */
const SHOWN_LINES = 3

/** How much it is and for what: in sight at every step. */
export function paymentSummary(view: PaymentView): HTMLElement {
  const { agent, payment, environment } = view
  const element = h(
    'section',
    { class: 'summary', 'aria-label': text.summary.label },
    amountLabel(text.summary.states[moneyState(view)], environment),
    h('p', { class: 'amount' }, ...words([moneyPiece(payment.amount, payment.currency)])),
  )
  if (agent !== null)
    element.append(h('p', { class: 'description' }, ...words(text.summary.asker(foreign(agent.name)))))
  if (payment.description) element.append(h('p', { class: 'description' }, ...words([foreign(payment.description)])))
  element.append(...bill(payment))
  return element
}

/** What is bought and what the total is made of, as one list. */
function bill(payment: SurfacePayment): HTMLElement[] {
  const { products, currency } = payment
  const lines = [
    ...products.map(({ name, unit_price, quantity }) =>
      line([foreign(name)], { amount: lineTotal(unit_price, quantity), currency, quantity }),
    ),
    ...breakdown(payment, payment.bought_here).map(({ part, amount }) =>
      line(text.summary.breakdown[part], {
        amount,
        currency,
        isUnlisted: part.startsWith('other'),
        isTotal: part === 'total',
      }),
    ),
  ]
  const list = h('ul', { class: 'bill', id: uniqueId('bill') }, ...lines)
  if (lines.length < 2) return lines.length === 0 ? [] : [list]
  return [list, fold(list, { items: products.length, isShort: lines.length <= SHOWN_LINES })]
}

interface LineOptions {
  amount: string
  currency: string
  quantity?: number
  /** Between lines and total the merchant explains nothing: it is not folded away. */
  isUnlisted?: boolean
  isTotal?: boolean
}

function line(name: Phrase, { amount, currency, quantity = 1, isUnlisted, isTotal }: LineOptions): HTMLElement {
  const kind = isUnlisted ? ' bill-unlisted' : isTotal ? ' bill-total' : ''
  return h(
    'li',
    { class: `line${kind}` },
    h(
      'span',
      { class: 'line-name' },
      ...words(name),
      quantity > 1 && h('span', { class: 'quantity' }, ` × ${quantity}`),
    ),
    h('span', { class: 'line-price' }, ...words([moneyPiece(amount, currency)])),
  )
}

/** Opens the list in place. A short list is folded in a low window alone. */
function fold(list: HTMLElement, { items, isShort }: { items: number; isShort: boolean }): HTMLElement {
  const closed = text.summary.all(items)
  const toggle = button(
    closed,
    () => {
      const isOpen = list.classList.toggle('bill-open')
      toggle.textContent = isOpen ? text.summary.less : closed
      toggle.setAttribute('aria-expanded', String(isOpen))
    },
    { kind: 'quiet' },
  )
  toggle.classList.add('fold', ...(isShort ? ['fold-short'] : []))
  toggle.setAttribute('aria-expanded', 'false')
  toggle.setAttribute('aria-controls', list.id)
  return toggle
}
