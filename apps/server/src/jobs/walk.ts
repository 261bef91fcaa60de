import type { Job } from './loop.ts'

const HOUR_MILLIS = 60 * 60 * 1000
const PAGE = 500

/** Looks at no more than `limit` rows behind `from`; returns where the next step goes on. Null: nothing is left. */
type Step<Place> = (from: Place, limit: number) => Promise<{ next: Place } | null>

/**
 * Walks over the rows of all merchants, a page a run, and then rests. Where it stands is known to this process alone:
 * one that starts begins again, since what is gone is gone, and any number of them may walk.
 */
export function walkJob<Place>(name: string, start: Place, step: Step<Place>): Job {
  let place = start
  async function run() {
    const done = await step(place, PAGE)
    place = done?.next ?? start
    return { taken: done === null ? 0 : 1, nextDueAt: null }
  }
  return { name, restMillis: HOUR_MILLIS, run }
}
