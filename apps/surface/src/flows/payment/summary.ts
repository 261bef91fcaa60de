import type { PaymentView, SurfaceProduct } from '@mintmark/contract/wire/surface'
import { h, words } from '../../dom.ts'
import { hostText, lineTotal, moneyPiece } from '../../money-text.ts'
import { foreign } from '../../phrase.ts'
import { type BreakdownLine, breakdown } from './breakdown.ts'
import { moneyState } from './money-state.ts'
import { text } from './text/text.ts'

const SHOWN_PRODUCTS = 3

/** Who asks for how much and for what: in sight at every step. */
export function paymentSummary(view: PaymentView): HTMLElement {
  const { payment, environment } = view
  const sandbox = environment === 'sandbox'
  const element = h(
    'section',
    { class: 'summary', 'aria-label': text.summary.label },
    h(
      'div',
      { class: 'merchant' },
      h('span', { class: 'monogram', 'aria-hidden': 'true' }, initial(payment.merchant_name)),
      h(
        'div',
        { class: 'merchant-words' },
        h('p', { class: 'merchant-name' }, ...words([foreign(payment.merchant_name)])),
        h('p', { class: 'merchant-host' }, ...words([foreign(hostText(payment.merchant_url))])),
      ),
      sandbox && h('span', { class: 'badge' }, text.summary.sandbox),
    ),
    h('p', { class: 'amount-label' }, text.summary.states[moneyState(view)]),
    h('p', { class: 'amount' }, ...words([moneyPiece(payment.amount, payment.currency)])),
  )
  if (payment.description) element.append(h('p', { class: 'description' }, ...words([foreign(payment.description)])))
  if (payment.products.length > 0) element.append(...products(payment.products, payment.currency))
  const parts = breakdown(payment)
  if (parts.length > 0) element.append(breakdownList(parts, payment.currency))
  if (sandbox) element.append(sandboxHint())
  return element
}

function initial(name: string): string {
  return name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? '·'
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

function sandboxHint(): HTMLElement {
  return h(
    'p',
    { class: 'sandbox-hint' },
    text.summary.beforeTestCard,
    h('code', {}, '4242 4242 4242 4242'),
    text.summary.afterTestCard,
  )
}
