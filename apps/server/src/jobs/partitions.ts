import type { Pool } from 'pg'
import { keepPartitions, type PartitionedTable } from '../db/partitions.ts'
import { addSeconds, type Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Job } from './loop.ts'

const HOUR_MILLIS = 60 * 60 * 1000
const RETRY_SECONDS = 30

interface PartitionDeps {
  pool: Pool
  clock: Clock
  log: Log
}

/** Makes the partitions of some tables ahead, and drops what is past its time. False: it has to be tried again soon. */
export async function keepAll(
  { pool, clock, log }: PartitionDeps,
  tables: readonly PartitionedTable[],
): Promise<boolean> {
  let isDone = true
  for (const partitioned of tables) {
    const { table } = partitioned
    const { made, dropped, late } = await keepPartitions(pool, partitioned, clock.now())
    // Routine, and of a first start the first thing that would be on the screen. What is dropped is gone, and is said.
    if (made > 0) log.debug('partitions were made', { table, count: made })
    if (dropped > 0) log.info('partitions were dropped', { table, count: dropped })
    if (late) isDone = false
  }
  return isDone
}

/** `keep` as above, once an hour, and soon again where locks could not be had. */
export function partitionJob(name: string, now: () => Date, keep: () => Promise<boolean>): Job {
  async function run() {
    const isDone = await keep()
    return { taken: 0, nextDueAt: isDone ? null : addSeconds(now(), RETRY_SECONDS) }
  }
  return { name, restMillis: HOUR_MILLIS, run }
}
