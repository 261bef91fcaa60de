import { expect } from 'vitest'
import { dbRow } from './flows.ts'
import type { Answer, TestService } from './service.ts'

/**
 * Holds a row that a step needs, changed by a statement over the session `$1`, until the step waits for it; then
 * commits.
 */
export async function sendDuring(
  service: TestService,
  { sessionId, send }: { sessionId: string; send(): Promise<Answer> },
  change: string,
): Promise<Answer> {
  const client = await service.pool.connect()
  try {
    await client.query('begin')
    const { rowCount } = await client.query(change, [sessionId])
    expect(rowCount).toBe(1)
    const sent = send()
    await expect.poll(async () => (await waiting(service)) > 0, { interval: 5 }).toBe(true)
    await client.query('commit')
    return await sent
  } finally {
    client.release()
  }
}

/** How many ask for a lock that is held. */
export async function waiting(service: TestService): Promise<number> {
  const { count } = await dbRow(
    service,
    `select count(*)::int as count from pg_locks join pg_stat_activity using (pid)
     where not granted and datname = current_database()`,
  )
  return count
}
