import { escapeText } from './catalog/pictures.ts'
import { PRODUCTS, type Product } from './catalog/products.ts'
import { toText } from './pricing/money.ts'

const STYLE = `
  :root { color-scheme: light dark; --ink: #26302c; --soft: #66736c; --ground: #f7f6f2; --card: #fff; --edge: #e4e1d8 }
  @media (prefers-color-scheme: dark) { :root { --ink: #e8e9e4; --soft: #a0aaa4; --ground: #191d1b; --card: #222724; --edge: #343b37 } }
  * { box-sizing: border-box }
  body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
  main { max-width: 72rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem } h1 { font-weight: 600; margin: 0 } h2 { margin: 2.5rem 0 1rem; font-size: 1.1rem }
  p { color: var(--soft); margin: .25rem 0 } ul { list-style: none; margin: 0; padding: 0; display: grid; gap: 1.25rem;
  grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)) } li { background: var(--card); border: 1px solid var(--edge); border-radius: .75rem; overflow: hidden }
  img { display: block; width: 100%; height: auto } div { padding: .9rem 1rem 1.1rem } h3 { margin: 0; font-size: 1rem } small { color: var(--soft) } a { color: inherit }
`

/** Inline, so that a browser does not ask for one that is not there. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M3 5h10l-1 10H4zm3 0a2 2 0 0 1 4 0' fill='%238a6d3b' stroke='%238a6d3b'/%3E%3C/svg%3E"

const page = (title: string, content: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(title)}</title><link rel="icon" href="${ICON}"><style>${STYLE}</style></head>
<body><main>${content}</main></body></html>
`

/** What the shop sells, for people. Programs ask at /api. */
export function catalogPage(available: (variantId: string) => number): string {
  const categories = [...new Set(PRODUCTS.map(({ category }) => category))]
  const sections = categories.map((category) => {
    const products = PRODUCTS.filter((product) => product.category === category)
    return `<h2>${escapeText(category)}</h2><ul>${products.map((one) => productCard(one, available)).join('')}</ul>`
  })
  const words =
    'The shop of a sandbox. Nothing here is real, and nothing is sent; Mintmark buys here on behalf of its cardholders.'
  return page('Sandbox Shop', `<h1>Sandbox Shop</h1><p>${words}</p>${sections.join('')}`)
}

function productCard({ id, title, description, variants }: Product, available: (variantId: string) => number): string {
  const left = variants.reduce((sum, variant) => sum + available(variant.id), 0)
  const prices = variants.map(({ price }) => price).toSorted((one, other) => Number(one - other))
  const from = prices[0] === prices.at(-1) ? '' : 'from '
  return `<li><img src="/pictures/${id}.svg" width="480" height="480" alt="" loading="lazy"><div>
<h3>${escapeText(title)}</h3><p>${escapeText(description)}</p>
<strong>${from}$${toText(prices[0] ?? 0n)}</strong> <small>${left === 0 ? 'sold out' : `${left} left`} · ${variants.length === 1 ? 'one kind' : `${variants.length} kinds`}</small></div></li>`
}

/** For people whose address leads nowhere. */
export function lostPage(): string {
  const words = 'No product and no order is at this address.'
  return page('Nothing here', `<h1>There is nothing here</h1><p>${words} <a href="/">What the shop sells</a></p>`)
}

/**
 * An order, at an address that only the buyer's programs were told. It names what was bought, and nothing of the buyer.
 */
export function orderPage(order: { id: string; total: bigint; lines: { title: string; quantity: number }[] }): string {
  const lines = order.lines.map(({ title, quantity }) => `<p>${quantity} × ${escapeText(title)}</p>`)
  return page(
    'Order',
    `<h1>Order ${escapeText(order.id)}</h1>${lines.join('')}<p><strong>$${toText(order.total)}</strong>, paid</p>`,
  )
}
