import type { ClientBase } from 'pg'

/**
 * Begins another epoch, in an open transaction: positions from now on may have been given before, to events that were
 * lost. It is named by a time, because a backup that is restored twice would otherwise give two epochs one name.
 */
export async function startEpoch(client: ClientBase, now: Date): Promise<void> {
  await client.query('update event_heads set epoch_start = feed_pos')
  await client.query('update feed_epoch set previous = epoch, epoch = greatest(epoch + 1, $1::bigint)', [now.getTime()])
}
