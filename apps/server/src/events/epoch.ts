import type { ClientBase } from 'pg'
import { emptyNet } from '../db/partitions.ts'
import { transaction } from '../db/transaction.ts'
import type { EventDeps } from './deps.ts'
import { EVENT_PARTITIONS } from './retention.ts'

/**
 * Begins another epoch, in an open transaction: positions from now on may have been given before, to events that were lost. It is
 * named by a time, because a backup that is restored twice would otherwise give two epochs one name.
 */
async function begin(client: ClientBase, now: Date): Promise<void> {
  // Callers are let in again when what has ended since has ended here too (`restored`).
  await client.query('delete from restored_subjects')
  await client.query('update restored set closed_since = $1, is_listed = false', [now])
  await client.query('update event_heads set epoch_start = feed_pos')
  await client.query('update feed_epoch set previous = epoch, epoch = greatest(epoch + 1, $1::bigint)', [now.getTime()])
}

/**
 * Makes a database that was just restored ready to be read on: the rows of the feed come into partitions of their own, and readers
 * go on where the restored feed ends. On a connection without limits; nobody else works on the database yet.
 */
export async function afterRestore(client: ClientBase, now: Date): Promise<void> {
  await emptyNet(client, EVENT_PARTITIONS)
  await client.query('begin')
  await begin(client, now)
  await client.query('commit')
}

/** The same for databases that were restored with other tools, or that a failover took back in time. Operator's verb. */
export async function beginEpoch({ pool, clock }: Pick<EventDeps, 'pool' | 'clock'>): Promise<{ begun: true }> {
  await transaction(pool, (tx) => begin(tx, clock.now()))
  return { begun: true }
}
