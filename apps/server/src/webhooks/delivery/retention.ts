import { EVENT_RETENTION_DAYS } from '@mintmark/contract'
import type { PartitionedTable } from '../../db/partitions.ts'
import type { Job } from '../../jobs/loop.ts'
import { keepAll, partitionJob } from '../../jobs/partitions.ts'
import type { DeliveryDeps } from './deps.ts'

/** A day longer than they are shown, so that nothing is gone while it is read. Attempts go with their delivery. */
const KEEP_DAYS = EVENT_RETENTION_DAYS + 1
export const DELIVERY_PARTITIONS: readonly PartitionedTable[] = [
  { table: 'webhook_deliveries', keepDays: KEEP_DAYS },
  { table: 'webhook_attempts', keepDays: KEEP_DAYS },
]

export function keepPartitionsJob(deps: Pick<DeliveryDeps, 'pool' | 'clock' | 'log'>): Job {
  const now = () => deps.clock.now()
  return partitionJob('webhooks.keep_partitions', now, () => keepAll(deps, DELIVERY_PARTITIONS))
}
