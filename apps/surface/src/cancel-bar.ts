import { button } from './button.ts'
import { h } from './dom.ts'
import type { FlowText } from './flows/flow.ts'
import { text } from './text/text.ts'

/** Asks once more before it cancels: one stray tap must not end a payment. */
export function createCancelBar(words: FlowText['cancel'], cancel: () => Promise<void>): HTMLElement {
  const bar = h('div', { class: 'cancel-bar' })
  const ask = (): void => {
    const keep = button(text.cancel.no, () => rest(true), { kind: 'secondary' })
    bar.replaceChildren(
      h('p', { class: 'cancel-question', role: 'alert' }, words.question),
      h('div', { class: 'cancel-choices' }, button(text.cancel.yes, sure, { kind: 'secondary' }), keep),
    )
    keep.focus()
  }
  const rest = (focus: boolean): void => {
    const start = button(words.start, ask, { kind: 'quiet' })
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
