import { h } from './dom.ts'
import { text } from './text/text.ts'

const SHOWN_BELOW_MILLIS = 120_000
const SAID_BELOW_SECONDS = [120, 30]

interface Countdown {
  element: HTMLElement
  /** Counts to this moment from now on; null stops. */
  until(expiresAt: Date | null): void
}

/** Shows itself in the last two minutes. Said to screen readers twice, not each second. */
export function createCountdown(options: { now(): Date; say(words: string): void; over(): void }): Countdown {
  const element = h('p', { class: 'countdown', role: 'timer', hidden: true })
  let end: Date | null = null
  let timer: ReturnType<typeof setInterval> | undefined
  /** How much was left when it was last said. */
  let saidAt = Number.POSITIVE_INFINITY
  const tick = () => {
    const left = end === null ? Number.POSITIVE_INFINITY : end.getTime() - options.now().getTime()
    const seconds = Math.max(0, Math.ceil(left / 1_000))
    element.hidden = left > SHOWN_BELOW_MILLIS
    if (!element.hidden) element.textContent = text.countdown.shown(clockText(seconds))
    // Not at one exact second: a timer that is late, or of a page that was out of sight, passes over it.
    if (seconds > 0 && SAID_BELOW_SECONDS.some((bound) => seconds <= bound && bound < saidAt)) {
      saidAt = seconds
      options.say(text.countdown.said(seconds))
    }
    if (left > 0) return
    clearInterval(timer)
    options.over()
  }
  return {
    element,
    until(expiresAt) {
      clearInterval(timer)
      end = expiresAt
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
