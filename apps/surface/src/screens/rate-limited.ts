import { h, heading, paragraph } from '../dom.ts'
import { clockIcon } from '../icons.tsx'
import { waitText } from '../locale.ts'
import type { Screen } from '../screen.ts'
import { text } from '../text/text.ts'

/** Waits as long as the service asks, then goes on by itself. */
export function rateLimited(seconds: number, again: () => void): Screen {
  const words = text.rateLimited
  const [before = '', after = ''] = words.goOn.split('{time}')
  const until = performance.now() + seconds * 1_000
  const left = h('span', { class: 'seconds', role: 'timer' })
  let timer: ReturnType<typeof setInterval> | undefined
  const tick = () => {
    const remaining = Math.ceil((until - performance.now()) / 1_000)
    left.textContent = waitText(Math.max(0, remaining))
    if (remaining <= 0) again()
  }
  tick()
  return {
    element: h(
      'div',
      { class: 'centered' },
      clockIcon(),
      heading(words.title),
      paragraph(words.text),
      h('p', { class: 'lead' }, before, left, after),
    ),
    enter() {
      timer = setInterval(tick, 1_000)
    },
    leave: () => clearInterval(timer),
  }
}
