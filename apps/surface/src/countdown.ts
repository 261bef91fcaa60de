import { button } from './button.ts'
import { h } from './dom.ts'
import { settle } from './settle.ts'
import { text } from './text/text.ts'

const SHOWN_BELOW_MILLIS = 120_000
const SAID_BELOW_SECONDS = [120, 30]

interface Countdown {
  element: HTMLElement
  /** Counts to this moment from now on, and offers more time from another one on; null stops, and offers none. */
  until(expiresAt: Date | null, moreTimeFrom: Date | null): void
}

interface CountdownOptions {
  now(): Date
  say(words: string): void
  over(): void
  moreTime(): Promise<void>
}

/** Shows itself in the last two minutes, and stays, for a cardholder who was given more time. Said to screen readers twice, not each second. */
export function createCountdown({ now, say, over, moreTime }: CountdownOptions): Countdown {
  const clock = h('span', { role: 'timer' })
  const offer = createOffer(moreTime)
  const element = h('div', { class: 'countdown', hidden: true }, clock, offer.element)
  let end: Date | null = null
  let offeredFrom: Date | null = null
  let timer: ReturnType<typeof setInterval> | undefined
  /** How much was left when it was last said. */
  let saidAt = Number.POSITIVE_INFINITY
  const tell = (seconds: number) => {
    // Not at one exact second: a timer that is late, or of a page that was out of sight, passes over it.
    if (!(seconds > 0 && SAID_BELOW_SECONDS.some((bound) => seconds <= bound && bound < saidAt))) return
    const isFirst = saidAt === Number.POSITIVE_INFINITY
    saidAt = seconds
    say(text.countdown.said(seconds, isFirst && offer.isMade()))
  }
  const tick = () => {
    const left = (end?.getTime() ?? 0) - now().getTime()
    const seconds = Math.max(0, Math.ceil(left / 1_000))
    if (element.hidden && left <= SHOWN_BELOW_MILLIS) {
      element.hidden = false
      settle(element)
    }
    if (!element.hidden) clock.textContent = text.countdown.shown(clockText(seconds))
    offer.make(left > 0 && offeredFrom !== null && offeredFrom <= now())
    tell(seconds)
    if (left > 0) return
    clearInterval(timer)
    over()
  }
  return {
    element,
    until(expiresAt, moreTimeFrom) {
      clearInterval(timer)
      const former = end
      end = expiresAt
      offeredFrom = moreTimeFrom
      if (former !== null && expiresAt !== null && expiresAt > former) {
        saidAt = Number.POSITIVE_INFINITY
        say(text.countdown.given(Math.floor((expiresAt.getTime() - now().getTime()) / 60_000)))
      }
      if (end === null) {
        element.hidden = true
        return
      }
      timer = setInterval(tick, 1_000)
      tick()
    },
  }
}

/** The button for more time. Once it goes, the keyboard is back where it came from. */
function createOffer(moreTime: () => Promise<void>) {
  const element = button(text.countdown.more, moreTime, { kind: 'quiet' })
  element.hidden = true
  let cameFrom: EventTarget | null = null
  element.addEventListener('focus', ({ relatedTarget }) => (cameFrom = relatedTarget))
  return {
    element,
    isMade: () => !element.hidden,
    make(isDue: boolean) {
      const hadFocus = document.activeElement === element
      element.hidden = !isDue
      if (!isDue && hadFocus && cameFrom instanceof HTMLElement) cameFrom.focus()
    },
  }
}

function clockText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
