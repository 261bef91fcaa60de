import { h, heading, paragraph } from '../dom.ts'
import { clockIcon } from '../icons.ts'
import type { Screen } from '../screen.ts'

/** `899` → `15 minutes`, `59` → `59 seconds`: nobody counts 899 seconds down. */
export function waitText(seconds: number): string {
  if (seconds > 90) return `${Math.ceil(seconds / 60)} minutes`
  return seconds === 1 ? '1 second' : `${seconds} seconds`
}

/** Waits as long as the service asks, then goes on by itself. */
export function rateLimited(seconds: number, again: () => void): Screen {
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
      heading('One moment, please'),
      paragraph('That was too many tries in a short time. What you typed is kept.'),
      h('p', { class: 'lead' }, 'We go on in ', left, '.'),
    ),
    enter() {
      timer = setInterval(tick, 1_000)
    },
    leave: () => clearInterval(timer),
  }
}
