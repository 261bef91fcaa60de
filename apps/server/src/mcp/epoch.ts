import type { ClientBase } from 'pg'

/** A backup revives tokens that were traded or ended since: after a restore clients are let in anew. In an open transaction. */
export async function endTokens(client: ClientBase): Promise<void> {
  await client.query('delete from oauth_entries')
}
