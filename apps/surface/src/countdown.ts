import { button } from './button.ts'
import { h } from './dom.ts'
import { formOf, numberText } from './locale.ts'
import { filledText } from './phrase.ts'
import { text } from './text/text.ts'

const SHOWN_BELOW_MILLIS = 120_000
const SAID_BELOW_SECONDS = [120, 30]

interface Countdown {
  element: HTMLElement
  /**
   * Counts to this moment from now on; null stops. `moreFrom`: from when on more time is offered; null where it is not.
   */
  until(expiresAt: Date | null, moreFrom: Date | null): void
}

/** Shows itself in the last two minutes, with a way to more time. Said to screen readers twice, not each second. */
export function createCountdown(options: {
  now(): Date
  say(words: string): void
  more(): Promise<void>
  over(): void
}): Countdown {
  const clock = h('p', { role: 'timer' })
  const more = button(text.countdown.more, options.more, { kind: 'quiet', busy: text.countdown.busy })
  const element = h('div', { class: 'countdown', hidden: true }, clock, more)
  let end: Date | null = null
  let from: Date | null = null
  let timer: ReturnType<typeof setInterval> | undefined
  /** How much was left when it was last said. */
  let saidAt = Number.POSITIVE_INFINITY
  const tick = () => {
    const left = end === null ? Number.POSITIVE_INFINITY : end.getTime() - options.now().getTime()
    const seconds = Math.max(0, Math.ceil(left / 1_000))
    element.hidden = left > SHOWN_BELOW_MILLIS
    more.hidden = from === null || options.now() < from
    if (!element.hidden) clock.textContent = filledText(text.countdown.shown, { clock: clockText(seconds) })
    // Not at one exact second: a timer that is late, or of a page that was out of sight, passes over it.
    if (seconds > 0 && SAID_BELOW_SECONDS.some((bound) => seconds <= bound && bound < saidAt)) {
      saidAt = seconds
      options.say(filledText(formOf(text.countdown.said, seconds), { count: numberText(seconds) }))
    }
    if (left > 0) return
    clearInterval(timer)
    options.over()
  }
  return {
    element,
    until(expiresAt, moreFrom) {
      clearInterval(timer)
      // A later end is counted down to anew.
      if (end !== null && expiresAt !== null && expiresAt > end) saidAt = Number.POSITIVE_INFINITY
      end = expiresAt
      from = moreFrom
      element.hidden = true
      if (expiresAt === null) return
      timer = setInterval(tick, 1_000)
      tick()
    },
  }
}

function clockText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
