import { button } from '../button.ts'
import { h, heading, paragraph } from '../dom.ts'
import { offlineIcon } from '../icons.ts'
import type { Screen } from '../screen.ts'

const WAITS_MS = [2_000, 4_000, 8_000, 15_000]

/** Lies over the screen it interrupts, which keeps what was typed. Tries again on its own and when asked. */
export function offline(attempt: number, again: () => void): Screen {
  const isOffline = !navigator.onLine
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    element: h(
      'div',
      { class: 'centered' },
      offlineIcon(),
      heading(isOffline ? 'You are offline' : 'We cannot reach the payment service'),
      paragraph('What you typed is kept. We try again on our own as soon as the connection is back.'),
      button('Try now', again, { kind: 'secondary' }),
    ),
    enter() {
      timer = setTimeout(again, WAITS_MS[Math.min(attempt, WAITS_MS.length - 1)])
      addEventListener('online', again)
    },
    leave() {
      clearTimeout(timer)
      removeEventListener('online', again)
    },
  }
}
