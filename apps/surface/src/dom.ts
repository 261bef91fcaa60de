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
export function heading(text: string): HTMLHeadingElement {
  return h('h1', { class: 'heading', tabindex: -1 }, text)
}

export function paragraph(text: string, className = 'lead'): HTMLParagraphElement {
  return h('p', { class: className }, text)
}

let lastId = 0

export function uniqueId(prefix: string): string {
  lastId += 1
  return `${prefix}-${lastId}`
}
