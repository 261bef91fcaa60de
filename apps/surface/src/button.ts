import { type Child, h } from './dom.ts'
import { say, unsay } from './live.ts'

export type ButtonKind = 'primary' | 'secondary' | 'quiet'

export interface ButtonOptions {
  kind?: ButtonKind
  submit?: boolean
  /** What the button says, also to screen readers, while its work is under way. */
  busy?: string
}

/** A button that runs its work once at a time: a second click while the first is under way does nothing. */
export function button(
  label: Child | Child[],
  work: (() => Promise<void> | void) | null,
  { kind = 'primary', submit = false, busy }: ButtonOptions = {},
): HTMLButtonElement {
  const children = Array.isArray(label) ? label : [label]
  const element = h('button', { class: `button button-${kind}`, type: submit ? 'submit' : 'button' }, ...children)
  // A press leaves the focus where it is: a field that is left may show an error and move the button from under the
  // finger.
  element.addEventListener('mousedown', (event) => event.preventDefault())
  if (work !== null) {
    element.addEventListener('click', () => {
      void whileBusy(element, work, busy)
    })
  }
  return element
}

/** `aria-disabled`, not `disabled`: a disabled element loses the focus, and the keyboard its place. */
export async function whileBusy(
  element: HTMLButtonElement,
  work: () => Promise<void> | void,
  busy?: string,
): Promise<void> {
  if (element.getAttribute('aria-disabled') === 'true') return
  const label = [...element.childNodes]
  if (busy !== undefined) {
    element.replaceChildren(busy)
    say(busy)
  }
  element.setAttribute('aria-disabled', 'true')
  element.setAttribute('aria-busy', 'true')
  try {
    await work()
  } finally {
    if (busy !== undefined) {
      element.replaceChildren(...label)
      unsay(busy)
    }
    element.removeAttribute('aria-disabled')
    element.removeAttribute('aria-busy')
  }
}

/** A link that looks like a button. An own link, because a blocked pop-up cannot be told from an opened one. */
export function newTabLink(label: string, address: string, options: TabLinkOptions = {}): HTMLAnchorElement {
  const { kind = 'primary', opened } = options
  const element = h(
    'a',
    { class: `button button-${kind}`, href: address, target: '_blank', rel: 'noopener noreferrer' },
    label,
  )
  if (opened) element.addEventListener('click', opened)
  return element
}

interface TabLinkOptions {
  kind?: ButtonKind
  opened?: () => void
}
