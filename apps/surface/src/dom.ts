import type { Phrase, Piece } from './phrase.ts'

/** Elements without markup strings: Trusted Types is enforced, and text set as text cannot become script. */
export type Child = Node | string | null | false

export interface Attributes {
  [name: string]: string | number | boolean | null
}

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  return fill(document.createElement(tag), attributes, children)
}

const SVG = 'http://www.w3.org/2000/svg'

export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[Tag] {
  return fill(document.createElementNS(SVG, tag), attributes, children)
}

function fill<Made extends Element>(element: Made, attributes: Attributes, children: Child[]): Made {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue
    element.setAttribute(name, value === true ? '' : String(value))
  }
  for (const child of children) {
    if (child !== null && child !== false) element.append(child)
  }
  return element
}

/** A heading that may take focus when its screen appears, so that a screen reader starts there. */
export function heading(phrase: Phrase): HTMLHeadingElement {
  return h('h1', { class: 'heading', tabindex: -1 }, ...words(phrase))
}

export function paragraph(phrase: Phrase, className = 'lead'): HTMLParagraphElement {
  return h('p', { class: className }, ...words(phrase))
}

/** Words as nodes: what others wrote stands in a `bdi`, so that what is read is in the order it was signed in. */
export function words(phrase: Phrase): Child[] {
  return typeof phrase === 'string' ? [phrase] : phrase.map(word)
}

function word(piece: Piece): Child {
  if (typeof piece === 'string') return piece
  if ('together' in piece) return h('span', { class: 'together' }, ...piece.together.map(word))
  if ('foreign' in piece) return h('bdi', { dir: 'auto' }, ...breakable(piece.foreign))
  const money = h('bdi', { class: 'money' }, piece.amount)
  // Its size follows its length: an amount is read whole or not at all.
  money.style.setProperty('--length', String(piece.amount.length))
  return money
}

/** The name of a place has no blanks: it may go on in the next line after a dot. Its text stays the same. */
function breakable(text: string): Child[] {
  if (/\s/.test(text)) return [text]
  return text.split('.').flatMap((part, index) => (index === 0 ? [part] : ['.', h('wbr'), part]))
}

let lastId = 0

export function uniqueId(prefix: string): string {
  lastId += 1
  return `${prefix}-${lastId}`
}
