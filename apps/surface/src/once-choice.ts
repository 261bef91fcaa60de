import { h, uniqueId } from './dom.ts'
import { nodesOf } from './draw.tsx'
import type { KeepingText } from './flows/flow.ts'
import { type Foreign, filled } from './phrase.ts'

export interface OnceChoice {
  element: HTMLElement
  chosen(): boolean
  /** What was sent stays as it was sent until there is an answer. */
  hold(held: boolean): void
  clear(): void
}

/** Whether a card is for this once. What is not ticked keeps the card. */
export function createOnceChoice(words: KeepingText, operator: Foreign): OnceChoice {
  const [name, why] = [uniqueId('once'), uniqueId('hint')]
  const input = h('input', {
    name: 'once',
    type: 'checkbox',
    class: 'radio',
    'aria-labelledby': name,
    'aria-describedby': why,
  })
  const element = h(
    'label',
    { class: 'tick' },
    input,
    h(
      'span',
      { class: 'card-words' },
      h('span', { id: name, class: 'tick-name' }, words.once),
      h('span', { id: why, class: 'hint' }, ...nodesOf(filled(words.why, { operator }))),
    ),
  )
  return {
    element,
    chosen: () => input.checked,
    hold: (held) => {
      input.disabled = held
    },
    clear: () => {
      input.checked = false
    },
  }
}
