import type { Client, Pool } from 'pg'

// Leases are short, because what a dead process held waits for their end. A process that starts need not wait where it knows that no
// other is there. Each process holds a lock, shared with all others, on a connection of its own for as long as it lives: the server lets go
// of it in the moment in which the process dies, however that was.

/** Any fixed number: what matters is that every process asks for the same one. */
const LOCK_KEY = 5_274_613_004n

/** This process is there until the connection ends. */
export async function announce(client: Client): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1)', [LOCK_KEY])
}

/**
 * Does the work if no process is there. Those that start meanwhile announce themselves after it. One that lives and has lost its connection
 * for a moment is taken for dead: the fence of what it holds refuses what it writes then, as after a lease that has ended.
 */
export async function whenAlone(pool: Pool, work: () => Promise<unknown>): Promise<void> {
  const client = await pool.connect()
  let isDone = false
  try {
    await client.query('begin')
    const { rows } = await client.query<{ alone: boolean }>('select pg_try_advisory_xact_lock($1) as alone', [LOCK_KEY])
    if (rows[0]?.alone === true) await work()
    await client.query('commit')
    isDone = true
  } finally {
    // Closing it ends the lock, too.
    client.release(!isDone)
  }
}
