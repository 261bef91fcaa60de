/** Elements without markup strings: what a catalog says can never become script. */
type Attributes = Record<string, string | number | boolean>

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  return fill(document.createElement(tag), attributes, children)
}

export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Node[]
): SVGElementTagNameMap[Tag] {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children)
}

function fill<Made extends Element>(made: Made, attributes: Attributes, children: (Node | string)[]): Made {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? '' : String(value))
  }
  made.append(...children)
  return made
}

export function button(label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = h('button', { type: 'button', ...attributes }, label)
  made.addEventListener('click', act)
  return made
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`The page has no #${id}.`)
  return found
}

/** The shop's backend said no, in words for the customer. */
export class Refused extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** Longer than the shop waits for the payment service. Without an end a dead connection would look like a busy shop. */
const PATIENCE_MILLIS = 30_000

/** Asks the shop's backend; throws with words for the customer. */
export async function ask<Answer>(path: string, body?: unknown): Promise<Answer> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const signal = AbortSignal.timeout(PATIENCE_MILLIS)
  const response = await fetch(path, body === undefined ? { signal } : { ...init, signal }).catch(() => null)
  if (response === null) throw new Error('The shop does not answer. Check your connection and try again.')
  // A proxy in between answers with a page of its own, and a connection may break in the middle of an answer.
  const answer = (await response.json().catch(() => null)) as (Answer & { message?: string }) | null
  if (answer === null) throw new Error('The shop’s answer did not arrive. Try again.')
  if (!response.ok) throw new Refused(answer.message ?? 'The shop could not do that. Try again.', response.status)
  return answer
}
