import type { ClientBase } from 'pg'
import type { CommandDeps } from '../db/command.ts'
import { emptyNet } from '../db/partitions.ts'
import { transaction } from '../db/transaction.ts'
import { startEpoch as beginFeedEpoch } from '../events/epoch.ts'
import { EVENT_PARTITIONS } from '../events/retention.ts'

async function start(client: ClientBase, now: Date): Promise<void> {
  // Callers are let in again when what has ended since has ended here too.
  await client.query('delete from restored_subjects')
  await client.query('update restored set closed_since = $1, is_listed = false', [now])
  await beginFeedEpoch(client, now)
}

/**
 * Makes a database that was just restored ready to be read on: the rows of the feed come into partitions of their own,
 * and readers go on where the restored feed ends. On a connection without limits; no other process works on the
 * database yet.
 */
export async function afterRestore(client: ClientBase, now: Date): Promise<void> {
  await emptyNet(client, EVENT_PARTITIONS)
  await client.query('begin')
  await start(client, now)
  await client.query('commit')
}

/**
 * The same for databases that were restored with other tools, or that a failover took back in time. Operator's verb.
 */
export async function startEpoch({ pool, clock }: Pick<CommandDeps, 'pool' | 'clock'>): Promise<{ begun: true }> {
  await transaction(pool, (tx) => start(tx, clock.now()))
  return { begun: true }
}
