import { button } from './button.ts'
import { h } from './dom.ts'
import { settle } from './settle.ts'
import { text } from './text/text.ts'

interface CancelBar {
  element: HTMLElement
  ask(): void
}

/** The way out. It asks once more before it cancels: one stray tap must not end a payment. Escape takes the question back. */
export function createCancelBar(question: string, cancel: () => Promise<void>): CancelBar {
  const bar = h('div', { class: 'cancel-bar' })
  let isAsking = false
  const ask = (): void => {
    isAsking = true
    bar.classList.add('cancel-asking')
    const keep = button(text.cancel.no, () => rest(true), { kind: 'secondary' })
    const end = button(text.cancel.yes, sure, { kind: 'secondary', busy: text.cancel.busy })
    bar.replaceChildren(
      h('p', { class: 'cancel-question', role: 'alert' }, question),
      h('div', { class: 'cancel-choices' }, end, keep),
    )
    settle(bar)
    keep.focus()
  }
  const rest = (focus: boolean): void => {
    isAsking = false
    bar.classList.remove('cancel-asking')
    const start = button(text.cancel.start, ask, { kind: 'quiet' })
    bar.replaceChildren(start)
    settle(bar)
    if (focus) start.focus()
  }
  const sure = async (): Promise<void> => {
    await cancel()
    // It was too late: the keyboard goes on from here. Where another screen is shown, the focus has moved there.
    rest(bar.contains(document.activeElement))
  }
  bar.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !isAsking) return
    // Nothing is left of it for the page around this one.
    event.preventDefault()
    rest(true)
  })
  rest(false)
  return { element: bar, ask }
}
