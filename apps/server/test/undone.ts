import type { Pool, PoolClient } from 'pg'

/** Work in a transaction that is rolled back: rows may be edited for it, and are as they were behind it. */
export async function undone<T>({ pool }: { pool: Pool }, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    return await work(client)
  } finally {
    await client.query('rollback')
    client.release()
  }
}
