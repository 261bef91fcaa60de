import { EVENT_RETENTION_DAYS } from '@mintmark/contract'
import { keepPartitions, type PartitionedTable } from '../../db/partitions.ts'
import type { Job } from '../../jobs/loop.ts'
import { addSeconds } from '../../platform/clock.ts'
import type { DeliveryDeps } from './deps.ts'

/** A day longer than they are shown, so that nothing is gone while it is read. Attempts go with their delivery. */
const KEEP_DAYS = EVENT_RETENTION_DAYS + 1
export const DELIVERY_PARTITIONS: readonly PartitionedTable[] = [
  { table: 'webhook_deliveries', keepDays: KEEP_DAYS },
  { table: 'webhook_attempts', keepDays: KEEP_DAYS },
]

const HOUR_MILLIS = 60 * 60 * 1000
const RETRY_SECONDS = 30

/** Makes partitions ahead, and drops what is past its time. */
export function keepPartitionsJob({ pool, clock, log }: Pick<DeliveryDeps, 'pool' | 'clock' | 'log'>): Job {
  return {
    name: 'webhooks.keep_partitions',
    restMillis: HOUR_MILLIS,
    async run() {
      let late = false
      for (const partitioned of DELIVERY_PARTITIONS) {
        const changes = await keepPartitions(pool, partitioned, clock.now())
        const count = changes.made + changes.dropped
        if (count > 0) log.info('partitions were changed', { table: partitioned.table, count })
        late ||= changes.late
      }
      return { taken: 0, nextDueAt: late ? addSeconds(clock.now(), RETRY_SECONDS) : null }
    },
  }
}
