import { EVENT_RETENTION_DAYS } from '@mintmark/contract'
import { single } from '../db/command.ts'
import { makeWeek, type PartitionedTable } from '../db/partitions.ts'
import { keepAll } from '../jobs/partitions.ts'
import { addSeconds } from '../platform/clock.ts'
import type { EventDeps } from './deps.ts'
import { deleteParked, findMerchantWithOldParked } from './number-store.ts'

/**
 * The partitions of the feed. A delivery on its last day may be sent again for 72 hours, so the bytes of an event stay four days
 * longer than it can be read.
 */
export const EVENT_PARTITIONS: PartitionedTable = { table: 'events', keepDays: EVENT_RETENTION_DAYS + 4 }

type RetentionDeps = Pick<EventDeps, 'pool' | 'clock' | 'log'>

/** Reads show no event from before this time. */
export function keptFrom({ clock }: Pick<EventDeps, 'clock'>): Date {
  return addSeconds(clock.now(), -EVENT_RETENTION_DAYS * DAY_SECONDS)
}
const DAY_SECONDS = 24 * 60 * 60

/** Makes the partition of a week. Where that fails the default one takes the rows, and `keepPartitions` moves them. */
export async function makePartition({ pool, log }: RetentionDeps, week: string): Promise<void> {
  try {
    await makeWeek(pool, EVENT_PARTITIONS, week)
  } catch (error) {
    log.failure('a partition could not be made', error, { table: EVENT_PARTITIONS.table })
  }
}

/** Makes partitions ahead, and drops what is past its time; so are parked events. False: it has to be tried again soon. */
export async function keepPartitions(deps: RetentionDeps): Promise<boolean> {
  const isDone = await keepAll(deps, [EVENT_PARTITIONS])
  await deleteOldParked(deps)
  return isDone
}

async function deleteOldParked(deps: RetentionDeps): Promise<void> {
  const before = keptFrom(deps)
  const declaration = { name: 'events.delete_parked', silent: 'past' } as const
  for (let after = ''; ; ) {
    const found = await findMerchantWithOldParked(deps.pool, { after, before })
    if (found === undefined) return
    const { merchantId } = found
    await single(deps, declaration, ({ on }) => deleteParked(on, { merchantId, before }))
    after = merchantId
  }
}
