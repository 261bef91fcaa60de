import type { Pool } from 'pg'

/**
 * What a backup brings back: the rows of the service as they are now. Those of the simulated network stay as they are
 * when it is played back: it stands for a system of another company, which was not restored. Partitioned tables come
 * with their children.
 */
export async function backUp(pool: Pool): Promise<() => Promise<void>> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'sandbox_clock'`,
  )
  await pool.query('create schema backup')
  for (const { name } of rows) await pool.query(`create table backup.${name} as select * from public.${name}`)
  return async () => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query('set local session_replication_role = replica')
      for (const { name } of rows) await client.query(`delete from public.${name}`)
      for (const { name } of rows) await client.query(`insert into public.${name} select * from backup.${name}`)
      await client.query('commit')
      await client.query('drop schema backup cascade')
    } finally {
      client.release()
    }
  }
}
