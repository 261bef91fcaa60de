import type { CardBrand } from '@mintmark/contract/card-brands'
import { knownBrand } from './card-text.ts'
import { svg } from './dom.ts'

/** Plain marks of our own: enough to tell cards apart, nothing fetched. The name beside them is text. */
interface Mark {
  ground: string
  ink: string
  text?: string
  circles?: readonly [string, string]
}

/** A network of the contract without a mark does not compile. */
const MARKS: Record<CardBrand, Mark> = {
  visa: { ground: '#1a3fa0', ink: '#fff', text: 'VISA' },
  mastercard: { ground: '#20232b', ink: '#fff', circles: ['#e5312f', '#f4a32b'] },
  amex: { ground: '#1670c4', ink: '#fff', text: 'AMEX' },
  discover: { ground: '#f3f0ea', ink: '#b4541a', text: 'DISC' },
  diners: { ground: '#31527d', ink: '#fff', text: 'DC' },
  jcb: { ground: '#176b3a', ink: '#fff', text: 'JCB' },
  unionpay: { ground: '#0f6a79', ink: '#fff', text: 'UP' },
  maestro: { ground: '#20232b', ink: '#fff', circles: ['#2b7fd4', '#e5312f'] },
}

export function brandIcon(brand: string | null): SVGSVGElement {
  const known = knownBrand(brand)
  const icon = svg('svg', { class: 'brand', viewBox: '0 0 36 24', width: 36, height: 24, 'aria-hidden': 'true' })
  if (known === null) {
    icon.append(
      svg('rect', { class: 'brand-blank', x: 0.75, y: 0.75, width: 34.5, height: 22.5, rx: 4 }),
      svg('rect', { class: 'brand-stripe', x: 1, y: 6, width: 34, height: 4 }),
    )
    return icon
  }
  const mark = MARKS[known]
  icon.append(svg('rect', { width: 36, height: 24, rx: 4.5, fill: mark.ground }))
  if (mark.circles) {
    icon.append(
      svg('circle', { cx: 14.5, cy: 12, r: 6.5, fill: mark.circles[0] }),
      svg('circle', { cx: 21.5, cy: 12, r: 6.5, fill: mark.circles[1], 'fill-opacity': 0.88 }),
    )
  }
  if (mark.text) {
    const place = { x: 18, y: 15.8, 'text-anchor': 'middle', 'font-size': 10.5, 'font-weight': 800, fill: mark.ink }
    icon.append(svg('text', { ...place, 'font-family': 'system-ui, sans-serif' }, mark.text))
  }
  return icon
}
