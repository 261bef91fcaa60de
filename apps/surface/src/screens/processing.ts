import { h, heading, paragraph } from '../dom.ts'
import type { Desk, Screen } from '../screen.ts'

const WORDS_AFTER_MS = 5_000

export function processing(desk: Desk): Screen {
  const words = paragraph('This takes a few seconds.')
  words.setAttribute('role', 'status')
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop: (() => void) | undefined
  return {
    element: h(
      'div',
      { class: 'centered' },
      h('div', { class: 'spinner', 'aria-hidden': 'true' }),
      heading('Getting your payment ready'),
      words,
    ),
    enter() {
      stop = desk.follow((view) => view.step !== 'processing')
      timer = setTimeout(() => {
        words.textContent =
          'The card network takes longer than usual. You have approved already and nothing is charged twice; keep this page open.'
      }, WORDS_AFTER_MS)
    },
    leave() {
      stop?.()
      clearTimeout(timer)
    },
  }
}
