import { button } from './button.ts'
import { h } from './dom.ts'
import type { FlowText } from './flows/flow.ts'
import { holdPresses } from './hold-presses.ts'
import { text } from './text/text.ts'

interface CancelBar {
  element: HTMLElement
  ask(): void
}

interface Question {
  question: string
  yes: string
  no: string
  /** What `yes` says while its work is under way. */
  busy: string
}

/** Asks once more: one stray tap must not end anything. Escape takes the question back. */
export function askIn(bar: HTMLElement, words: Question, sure: () => Promise<void>, back: () => void): void {
  const keep = button(words.no, back, { kind: 'secondary' })
  const end = button(words.yes, sure, { kind: 'secondary', busy: words.busy })
  bar.replaceChildren(
    h('p', { class: 'cancel-question', role: 'alert' }, words.question),
    h('div', { class: 'cancel-choices' }, end, keep),
  )
  bar.onkeydown = (event) => {
    if (event.key !== 'Escape') return
    // Nothing is left of it for the page around this one.
    event.preventDefault()
    back()
  }
  holdPresses(bar)
  keep.focus()
}

/** The way out. */
export function createCancelBar(words: FlowText['cancel'], cancel: () => Promise<void>): CancelBar {
  const bar = h('div', { class: 'cancel-bar' })
  const ask = () => askIn(bar, { ...words, ...text.cancel }, sure, () => rest(true))
  const rest = (focus: boolean): void => {
    const start = button(words.start, ask, { kind: 'quiet' })
    bar.onkeydown = null
    bar.replaceChildren(start)
    holdPresses(bar)
    if (!focus) return
    start.focus()
    // Where the way out is that of the page around.
    if (document.activeElement !== start) document.querySelector('h1')?.focus()
  }
  const sure = async (): Promise<void> => {
    await cancel()
    // It was too late: the keyboard goes on from here. Where another screen is shown, the focus has moved there.
    rest(bar.contains(document.activeElement))
  }
  rest(false)
  return { element: bar, ask }
}
