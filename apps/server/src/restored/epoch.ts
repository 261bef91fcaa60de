import { AGENT_CLOCK_SKEW_SECONDS } from '@mintmark/contract/agent-signature'
import type { ClientBase } from 'pg'
import type { CommandDeps } from '../db/command.ts'
import { emptyNet } from '../db/partitions.ts'
import { transaction } from '../db/transaction.ts'
import { beginEpoch as beginFeedEpoch } from '../events/epoch.ts'
import { EVENT_PARTITIONS } from '../events/retention.ts'

/** What of the rooms above does not outlive a restore: it is deleted in the transaction that closes the door. */
export type Ending = (client: ClientBase) => Promise<void>

async function begin(client: ClientBase, now: Date, endings: readonly Ending[]): Promise<void> {
  // Callers are let in again when what has ended since has ended here too.
  await client.query('delete from restored_subjects')
  await client.query(
    `update restored set closed_since = $1, is_listed = false,
       agents_held_since = case when exists (select 1 from agents where status = 'active') then $1::timestamptz end,
       signatures_since = clock_timestamp() + make_interval(secs => $2)`,
    // Whatever was signed before the door was closed, by a clock that is as far ahead as may be.
    [now, AGENT_CLOCK_SKEW_SECONDS],
  )
  for (const end of endings) await end(client)
  await beginFeedEpoch(client, now)
}

/**
 * Makes a database that was just restored ready to be read on: the rows of the feed come into partitions of their own, and readers
 * go on where the restored feed ends. On a connection without limits; no other process works on the database yet.
 */
export async function afterRestore(client: ClientBase, now: Date, endings: readonly Ending[]): Promise<void> {
  await emptyNet(client, EVENT_PARTITIONS)
  await client.query('begin')
  await begin(client, now, endings)
  await client.query('commit')
}

export interface EpochDeps extends Pick<CommandDeps, 'pool' | 'clock'> {
  endings: readonly Ending[]
}

/** The same for databases that were restored with other tools, or that a failover took back in time. Operator's verb. */
export async function beginEpoch({ pool, clock, endings }: EpochDeps): Promise<{ begun: true }> {
  await transaction(pool, (tx) => begin(tx, clock.now(), endings))
  return { begun: true }
}
