import type { RecurringFrequency } from '@mintmark/contract'

/** A spending window; `startsAt` is in it, `endsAt` is the next one's start. Null: it never ends by itself. */
export interface Window {
  startsAt: Date
  endsAt: Date | null
}

const WEEK_MILLIS = 7 * 24 * 60 * 60 * 1000
const MONTHS = { monthly: 1, yearly: 12 } as const

/**
 * The window that `at` lies in, counted from `anchor` in UTC. One function for the service, which says what is left of
 * a window, and for the simulated network, which enforces it: two would disagree at the edges.
 *
 * Every boundary is computed from the anchor and never from the boundary before, or a mandate begun on 31 January would
 * renew on the 28th for ever after February. A time before the anchor, from a clock that went backwards, belongs to the
 * first window.
 */
export function windowAt(frequency: RecurringFrequency, anchor: Date, at: Date): Window {
  switch (frequency) {
    case 'one_time':
      return { startsAt: anchor, endsAt: null }
    case 'weekly': {
      const index = Math.max(0, Math.floor((at.getTime() - anchor.getTime()) / WEEK_MILLIS))
      const boundary = (count: number) => new Date(anchor.getTime() + count * WEEK_MILLIS)
      return { startsAt: boundary(index), endsAt: boundary(index + 1) }
    }
    case 'monthly':
    case 'yearly':
      return calendarWindow(MONTHS[frequency], anchor, at)
  }
}

/**
 * How many charges there may be in all; null: only the cap limits them. `one_time` is one, whatever else is asked for:
 * with a second one there would be two payments, and both reported as approved. One function, for the reason above.
 */
export function chargeLimit(frequency: RecurringFrequency, asked: number | null): number | null {
  return frequency === 'one_time' ? 1 : asked
}

function calendarWindow(length: number, anchor: Date, at: Date): Window {
  const guess = Math.floor(monthsBetween(anchor, at) / length)
  // The calendar difference ignores day and time, so it is right or one window too far.
  const index = Math.max(0, addMonths(anchor, guess * length) > at ? guess - 1 : guess)
  return { startsAt: addMonths(anchor, index * length), endsAt: addMonths(anchor, (index + 1) * length) }
}

function monthsBetween(from: Date, to: Date): number {
  return (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()
}

/** Calendar months later at the same time of day, UTC; a day the month does not have becomes its last one. */
export function addMonths(at: Date, months: number): Date {
  const year = at.getUTCFullYear()
  const month = at.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const moved = new Date(at)
  moved.setUTCFullYear(year, month, Math.min(at.getUTCDate(), lastDay))
  return moved
}
