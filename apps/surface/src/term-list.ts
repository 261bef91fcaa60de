import { h, words } from './dom.ts'
import type { TermLine } from './flows/flow.ts'

/** Labels and what they say; a line of several things is a list. */
export function termList(lines: TermLine[]): HTMLElement {
  return h('dl', { class: 'terms' }, ...termRows(lines))
}

export function termRows(lines: TermLine[]): HTMLElement[] {
  return lines.map(({ label, value, items = [] }) =>
    h(
      'div',
      { class: 'term' },
      h('dt', {}, label),
      h(
        'dd',
        {},
        ...words(value),
        items.length > 0 && h('ul', { class: 'term-items' }, ...items.map((item) => h('li', {}, ...words(item)))),
      ),
    ),
  )
}
