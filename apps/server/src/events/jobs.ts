import type { Job } from '../jobs/loop.ts'
import { addSeconds } from '../platform/clock.ts'
import { NUMBER_JOB } from './number.ts'
import type { EventService } from './service.ts'

const HOUR_MILLIS = 60 * 60 * 1000
const RETRY_SECONDS = 30

export function eventJobs(events: EventService, now: () => Date): Job[] {
  return [
    // Woken by commits. A run serves all that were captured meanwhile, so there need not be one for each of them.
    { name: NUMBER_JOB, restMillis: 1_000, paceMillis: 25, run: () => events.numberWaiting() },
    {
      name: 'events.keep_partitions',
      restMillis: HOUR_MILLIS,
      async run() {
        const isDone = await events.keepPartitions()
        return { taken: 0, nextDueAt: isDone ? null : addSeconds(now(), RETRY_SECONDS) }
      },
    },
  ]
}
