import { button } from '../button.ts'
import { h, heading, paragraph } from '../dom.ts'
import { offlineIcon } from '../icons.tsx'
import type { Screen } from '../screen.ts'
import { text } from '../text/text.ts'

const WAITS_MILLIS = [2_000, 4_000, 8_000, 15_000]

/** Lies over the screen it interrupts, which keeps what was typed. Tries again on its own and when asked. */
export function offline(attempt: number, again: () => void): Screen {
  const isOffline = !navigator.onLine
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    element: h(
      'div',
      { class: 'centered' },
      offlineIcon(),
      heading(isOffline ? text.offline.title : text.offline.unreachable),
      paragraph(text.offline.text),
      button(text.buttons.tryNow, again, { kind: 'secondary' }),
    ),
    enter() {
      timer = setTimeout(again, WAITS_MILLIS[Math.min(attempt, WAITS_MILLIS.length - 1)])
      addEventListener('online', again)
    },
    leave() {
      clearTimeout(timer)
      removeEventListener('online', again)
    },
  }
}
