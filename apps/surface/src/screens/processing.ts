import { h, heading, paragraph } from '../dom.ts'
import { spinner } from '../icons.tsx'
import type { Screen, ScreenHost } from '../screen.ts'

const SLOW_AFTER_MILLIS = 5_000

export function processing(host: ScreenHost): Screen {
  const { flow, view } = host
  const { title, text, slow } = flow.processing?.(view) ?? flow.words.processing
  const words = paragraph(text)
  words.setAttribute('role', 'status')
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop: (() => void) | undefined
  return {
    element: h('div', { class: 'centered' }, spinner(), heading(title), words),
    enter() {
      stop = host.follow((view) => view.step !== 'processing')
      timer = setTimeout(() => {
        words.textContent = slow
      }, SLOW_AFTER_MILLIS)
    },
    leave() {
      stop?.()
      clearTimeout(timer)
    },
  }
}
