import type { PaymentView, SurfaceProduct } from '@mintmark/contract/wire/surface'
import { h, words } from '../../dom.ts'
import { lineTotal, moneyPiece } from '../../money-text.ts'
import { foreign } from '../../phrase.ts'
import { merchantHead, sandboxHint } from '../merchant-head.ts'
import { type BreakdownLine, breakdown } from './breakdown.ts'
import { moneyState } from './money-state.ts'
import { text } from './text/text.ts'

const SHOWN_PRODUCTS = 3

/** The merchant, how much it is and for what: in sight at every step. */
export function paymentSummary(view: PaymentView): HTMLElement {
  const { payment, environment } = view
  const element = h(
    'section',
    { class: 'summary', 'aria-label': text.summary.label },
    merchantHead(payment, environment),
    h('p', { class: 'amount-label' }, text.summary.states[moneyState(view)]),
    h('p', { class: 'amount' }, ...words([moneyPiece(payment.amount, payment.currency)])),
  )
  if (payment.description) element.append(h('p', { class: 'description' }, ...words([foreign(payment.description)])))
  if (payment.products.length > 0) element.append(...products(payment.products, payment.currency))
  const parts = breakdown(payment, payment.bought_here)
  if (parts.length > 0) element.append(breakdownList(parts, payment.currency))
  if (environment === 'sandbox') element.append(sandboxHint())
  return element
}

function products(all: SurfaceProduct[], currency: string): HTMLElement[] {
  if (all.length <= SHOWN_PRODUCTS) return [productList(all, currency)]
  const rest = all.slice(SHOWN_PRODUCTS)
  return [
    productList(all.slice(0, SHOWN_PRODUCTS), currency),
    h('details', { class: 'more' }, h('summary', {}, text.summary.more(rest.length)), productList(rest, currency)),
  ]
}

function productList(list: SurfaceProduct[], currency: string): HTMLElement {
  const rows = list.map(({ name, unit_price, quantity }) =>
    h(
      'li',
      { class: 'product' },
      h(
        'span',
        { class: 'product-name' },
        ...words([foreign(name)]),
        quantity > 1 && h('span', { class: 'quantity' }, ` × ${quantity}`),
      ),
      h('span', { class: 'product-price' }, ...words([moneyPiece(lineTotal(unit_price, quantity), currency)])),
    ),
  )
  return h('ul', { class: 'products' }, ...rows)
}

function breakdownList(parts: BreakdownLine[], currency: string): HTMLElement {
  const rows = parts.map(({ part, amount }) =>
    h(
      'div',
      { class: part === 'total' ? 'product breakdown-total' : 'product' },
      h('dt', { class: 'product-name' }, text.summary.breakdown[part]),
      h('dd', { class: 'product-price' }, ...words([moneyPiece(amount, currency)])),
    ),
  )
  return h('dl', { class: 'breakdown' }, ...rows)
}
