import { button } from './button.ts'
import { h } from './dom.ts'

/** Asks once more before it cancels: one stray tap must not end a payment. */
export function createCancelBar(cancel: () => Promise<void>): HTMLElement {
  const bar = h('div', { class: 'cancel-bar' })
  const ask = (): void => {
    const keep = button('No, go on', () => rest(true), { kind: 'secondary' })
    bar.replaceChildren(
      h('p', { class: 'cancel-question', role: 'alert' }, 'Cancel this payment?'),
      h('div', { class: 'cancel-choices' }, button('Yes, cancel', sure, { kind: 'secondary' }), keep),
    )
    keep.focus()
  }
  const rest = (focus: boolean): void => {
    const start = button('Cancel payment', ask, { kind: 'quiet' })
    bar.replaceChildren(start)
    if (focus) start.focus()
  }
  const sure = async (): Promise<void> => {
    await cancel()
    rest(false)
  }
  rest(false)
  return bar
}
