import { h } from './dom.ts'

export type ButtonKind = 'primary' | 'secondary' | 'quiet'

export interface ButtonOptions {
  kind?: ButtonKind
  submit?: boolean
}

/** A button that runs its work once at a time: a second click while the first is under way does nothing. */
export function button(
  label: string,
  work: (() => Promise<void> | void) | null,
  { kind = 'primary', submit = false }: ButtonOptions = {},
): HTMLButtonElement {
  const element = h('button', { class: `button button-${kind}`, type: submit ? 'submit' : 'button' }, label)
  if (work !== null) {
    element.addEventListener('click', () => {
      void whileBusy(element, work)
    })
  }
  return element
}

/** `aria-disabled`, not `disabled`: a disabled element loses the focus, and the keyboard its place. */
export async function whileBusy(element: HTMLButtonElement, work: () => Promise<void> | void): Promise<void> {
  if (element.getAttribute('aria-disabled') === 'true') return
  element.setAttribute('aria-disabled', 'true')
  element.setAttribute('aria-busy', 'true')
  try {
    await work()
  } finally {
    element.removeAttribute('aria-disabled')
    element.removeAttribute('aria-busy')
  }
}

/** A link that looks like a button. An own link, because a blocked pop-up cannot be told from an opened one. */
export function newTabLink(label: string, kind: ButtonKind, opened: () => void): HTMLAnchorElement {
  const element = h(
    'a',
    { class: `button button-${kind}`, href: location.href, target: '_blank', rel: 'noopener noreferrer' },
    label,
  )
  element.addEventListener('click', opened)
  return element
}
