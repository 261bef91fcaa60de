import type { SurfaceProduct, SurfaceView } from '@mintmark/contract/surface-api'
import { h } from './dom.ts'
import { hostText, lineTotal, moneyText } from './money-text.ts'

const SHOWN_PRODUCTS = 3

/** Who asks for how much and for what: always in sight, whatever the step. */
export function summary({ payment, environment }: SurfaceView): HTMLElement {
  const sandbox = environment === 'sandbox'
  const element = h(
    'section',
    { class: 'summary', 'aria-label': 'Payment' },
    h(
      'div',
      { class: 'merchant' },
      h('span', { class: 'monogram', 'aria-hidden': 'true' }, initial(payment.merchant_name)),
      h(
        'div',
        { class: 'merchant-words' },
        h('p', { class: 'merchant-name' }, payment.merchant_name),
        h('p', { class: 'merchant-host' }, hostText(payment.merchant_url)),
      ),
      sandbox && h('span', { class: 'badge' }, 'Sandbox'),
    ),
    h('p', { class: 'amount-label' }, 'To pay'),
    h('p', { class: 'amount' }, moneyText(payment.amount, payment.currency)),
  )
  if (payment.description) element.append(h('p', { class: 'description' }, payment.description))
  if (payment.products.length > 0) element.append(...products(payment.products, payment.currency))
  if (sandbox) element.append(sandboxHint())
  return element
}

function initial(name: string): string {
  return [...name.trim()][0]?.toUpperCase() ?? '·'
}

function products(all: SurfaceProduct[], currency: string): HTMLElement[] {
  if (all.length <= SHOWN_PRODUCTS) return [productList(all, currency)]
  const rest = all.slice(SHOWN_PRODUCTS)
  return [
    productList(all.slice(0, SHOWN_PRODUCTS), currency),
    h(
      'details',
      { class: 'more' },
      h('summary', {}, rest.length === 1 ? '1 more item' : `${rest.length} more items`),
      productList(rest, currency),
    ),
  ]
}

function productList(list: SurfaceProduct[], currency: string): HTMLElement {
  const rows = list.map(({ name, unit_price, quantity }) =>
    h(
      'li',
      { class: 'product' },
      h('span', { class: 'product-name' }, name, quantity > 1 && h('span', { class: 'quantity' }, ` × ${quantity}`)),
      h('span', { class: 'product-price' }, moneyText(lineTotal(unit_price, quantity), currency)),
    ),
  )
  return h('ul', { class: 'products' }, ...rows)
}

function sandboxHint(): HTMLElement {
  return h(
    'p',
    { class: 'sandbox-hint' },
    'No real money moves. Test card ',
    h('code', {}, '4242 4242 4242 4242'),
    ', any future date, any code.',
  )
}
