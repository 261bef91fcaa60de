import type { ClientBase } from 'pg'

/** A backup revives sessions that were ended since: after a restore owners sign in again. In an open transaction. */
export async function endSessions(client: ClientBase): Promise<void> {
  await client.query('delete from owner_sessions')
}
