import type { Job } from '../jobs/loop.ts'
import { partitionJob } from '../jobs/partitions.ts'
import { NUMBER_JOB } from './number.ts'
import type { EventService } from './service.ts'

export function eventJobs(events: EventService, now: () => Date): Job[] {
  return [
    // Woken by commits. A run serves all that were captured meanwhile, so there need not be one for each of them.
    { name: NUMBER_JOB, restMillis: 1_000, paceMillis: 25, run: () => events.numberWaiting() },
    partitionJob('events.keep_partitions', now, () => events.keepPartitions()),
  ]
}
