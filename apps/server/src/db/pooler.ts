import type { Pool, PoolClient } from 'pg'
import { UnsuitableServerError } from './errors.ts'
import { SEARCH_PATH, STATEMENT_TIMEOUT_MILLIS } from './pool.ts'

const WHAT_TO_DO = 'Name the PostgreSQL server itself, as the service keeps connections by its own pool.'

/**
 * Refuses a pooler between the service and its server that takes away what a connection has: its settings, or its
 * server between two transactions, and with that prepared statements and notifications. All would seem well, and fail
 * one by one.
 */
export async function refusePooler(pool: Pool): Promise<void> {
  const clients: PoolClient[] = []
  try {
    clients.push(await pool.connect(), await pool.connect())
    const [one, other] = clients
    if (one === undefined || other === undefined) return
    const problem = (await settingsProblem(one)) ?? (await lendingProblem(one, other))
    if (problem !== undefined) throw new UnsuitableServerError(`${problem} ${WHAT_TO_DO}`)
  } finally {
    for (const client of clients) client.release()
  }
}

async function settingsProblem(client: PoolClient): Promise<string | undefined> {
  const { rows } = await client.query<{ path: string; millis: string }>(
    `select current_setting('search_path') as path,
       (extract(epoch from current_setting('statement_timeout')::interval) * 1000)::int::text as millis`,
  )
  if (rows[0]?.path === SEARCH_PATH && rows[0].millis === String(STATEMENT_TIMEOUT_MILLIS)) return undefined
  return (
    'DATABASE_URL leads to a server that does not take the settings of a connection (search_path, statement_timeout): ' +
    'a pooler such as PgBouncer stands in between and drops them.'
  )
}

/** Two connections that are open at the same time have two servers, each its own and always the same one. */
async function lendingProblem(one: PoolClient, other: PoolClient): Promise<string | undefined> {
  const before = await backendOf(one)
  await other.query('begin')
  try {
    if ((await backendOf(other)) !== before && (await backendOf(one)) === before) return undefined
  } finally {
    await other.query('rollback')
  }
  return (
    'DATABASE_URL leads to a pooler that lends a connection for one transaction (PgBouncer with pool_mode = transaction or statement): ' +
    'prepared statements and notifications are lost there.'
  )
}

async function backendOf(client: PoolClient): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}
