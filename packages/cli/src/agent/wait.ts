import { setTimeout as delay } from 'node:timers/promises'
import { Unanswered } from './client.ts'
import type { Screen } from './screen.ts'

const FIRST_PAUSE_MILLIS = 1_000
const MAX_PAUSE_MILLIS = 8_000
/** A server may ask for more than that by mistake. */
const MAX_REST_MILLIS = 300_000
/** By how much two clocks may differ: what the server says of its own time counts. */
const GRACE_MILLIS = 60_000

interface Waiting {
  /** Until when the owner can answer. */
  until: string
  screen: Screen
  /** What a Ctrl-C says. */
  onStop: () => Error
}

/** Asks until there is an answer, seldom, and also while the server is away. Undefined: the time is over. */
export async function waitFor<T>(
  look: () => Promise<T | undefined>,
  { until, screen, onStop }: Waiting,
): Promise<T | undefined> {
  const { stopped, progress } = screen
  const deadline = Date.parse(until) + GRACE_MILLIS
  try {
    for (let pause = FIRST_PAUSE_MILLIS; ; pause = Math.min(pause * 1.5, MAX_PAUSE_MILLIS)) {
      const { found, atLeastMillis } = await attempt(look)
      if (found !== undefined) return found
      // Written so that a time that is none is no reason to go on.
      if (!(Date.now() < deadline)) return undefined
      progress(`Waiting for your owner: ${minutesUntil(until)} left. Ctrl-C stops the waiting, not the question. `)
      await delay(Math.max(pause, Math.min(atLeastMillis, MAX_REST_MILLIS)), undefined, { signal: stopped })
    }
  } catch (error) {
    if (stopped.aborted) throw onStop()
    throw error
  }
}

async function attempt<T>(look: () => Promise<T | undefined>) {
  try {
    return { found: await look(), atLeastMillis: 0 }
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error
    return { found: undefined, atLeastMillis: error.retryAfterMillis }
  }
}

function minutesUntil(time: string): string {
  const minutes = Math.max(0, Math.ceil((Date.parse(time) - Date.now()) / 60_000))
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}
