import { setTimeout as delay } from 'node:timers/promises'
import { MERCHANT } from '../lean/crypto.ts'
import type { Database } from '../lean/database.ts'

/** As the service does: the first event wakes it, and what comes meanwhile is taken with it. */
const REST_MILLIS = 10

/** Gives events their place in the feed, behind the callers' backs; one transaction at a time. */
export function startNumbering({ together }: Database): () => void {
  let state: 'asleep' | 'awake' | 'woken again' = 'asleep'
  const number = () =>
    together(async ({ run, later }) => {
      const [head] = await run('head', [MERCHANT])
      later('number', [MERCHANT, head?.[0]])
      later('advance', [MERCHANT])
    })
  const work = async () => {
    do {
      state = 'awake'
      await delay(REST_MILLIS)
      await number().catch((error: unknown) => console.error('numbering', error))
    } while (isWokenAgain())
    state = 'asleep'
  }
  const isWokenAgain = () => state === 'woken again'
  return () => {
    if (state === 'asleep') void work()
    else state = 'woken again'
  }
}
