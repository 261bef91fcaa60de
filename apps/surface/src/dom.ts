import { nodesOf } from './draw.tsx'
import type { Phrase } from './phrase.ts'

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
  return h('h1', { class: 'heading', tabindex: -1 }, ...nodesOf(phrase))
}

export function paragraph(phrase: Phrase, className = 'lead'): HTMLParagraphElement {
  return h('p', { class: className }, ...nodesOf(phrase))
}

let lastId = 0

export function uniqueId(prefix: string): string {
  lastId += 1
  return `${prefix}-${lastId}`
}
