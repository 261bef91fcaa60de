import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, type Pool } from 'pg'
import { expect, inject } from 'vitest'
import { closePool, createPool, type PoolLimits } from '../src/db/pool.ts'
import type { Check } from '../src/ledger/service.ts'
import { expectBooksInOrder } from './books.ts'
import { expectRowsInOrder } from './rows.ts'

/** The parts of a connection to one database. */
export interface ConnectionParts {
  /** A host, or the directory of a unix socket. */
  host: string
  port: number
  user: string
  password: string
  database: string
}

/** What the global setup tells the test processes. */
interface TestServer {
  /** A database to create and drop others from. */
  admin: ConnectionParts
  /** The migrated database that is cloned. */
  template: string
  /** Starts the name of every clone of this run, so that a leaked one is found. */
  clonePrefix: string
}

declare module 'vitest' {
  interface ProvidedContext {
    testServer: TestServer
  }
}

/** A migrated, empty database of one test file. */
export interface TestDatabase {
  pool: Pool
  /** For a child process; works for TCP and for a unix socket. */
  url: string
  connection: ConnectionParts
  /** Drops the database. Throws when the test kept a client, left a connection open, or left money that nothing explains. */
  close(): Promise<void>
}

interface TestDatabaseOptions {
  max?: number
  /** How long its callers wait for what; as in the product, unless given. */
  limits?: PoolLimits | undefined
  /** The database that is cloned, in place of the migrated one. */
  template?: string
  /** What is compared with the ledger when it is closed; all that there is, unless given. */
  checks?: readonly Check[]
  /** Why its rows may contradict themselves when it is closed; none may, unless given. */
  contradicts?: string | undefined
}

const MAX_CLIENTS = 8
const SILENT = { warn: () => {} }

/**
 * Clones the migrated template. Call it in `beforeAll` and `close()` in `afterAll`; a clone that is never closed fails the
 * run.
 */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { admin, template: migrated, clonePrefix } = inject('testServer')
  const template = options.template ?? migrated
  const database = `${clonePrefix}${fileSlug()}_${randomBytes(3).toString('hex')}`
  await withAdmin(admin, (client) =>
    client.query(`create database ${database} template ${template} strategy file_copy`),
  )
  const connection = { ...admin, database }
  const pool = createPool({ connection, max: options.max ?? MAX_CLIENTS, limits: options.limits, log: SILENT })
  return {
    pool,
    url: connectionUrl(connection),
    connection,
    close: () => dropClone(pool, admin, database, options),
  }
}

/**
 * `postgres://user:password@host:port/database`. A socket directory is percent-encoded as the host, which the driver, the
 * PostgreSQL tools and `new URL` all read.
 */
export function connectionUrl({ host, port, user, password, database }: ConnectionParts): string {
  const [where, who, secret, name] = [host, user, password, database].map(encodeURIComponent)
  return `postgres://${who}${password ? `:${secret}` : ''}@${where}:${port}/${name}`
}

/** Runs `work` on a connection of its own to the administration database. */
export async function withAdmin<T>(admin: ConnectionParts, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ ...admin, application_name: 'mintmark-tests' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function dropClone(
  pool: Pool,
  admin: ConnectionParts,
  database: string,
  { checks, contradicts }: TestDatabaseOptions,
): Promise<void> {
  try {
    // Whatever the test did to wallets, and whatever died in it.
    if (!pool.ending) {
      await expectBooksInOrder(pool, checks)
      if (contradicts === undefined) await expectRowsInOrder(pool)
    }
  } finally {
    await drop(pool, admin, database)
  }
}

async function drop(pool: Pool, admin: ConnectionParts, database: string): Promise<void> {
  const returned = pool.ending || (await closePool(pool, 60_000))
  const left = await withAdmin(admin, async (client) => {
    const connections = returned ? await openConnections(client, database) : []
    await client.query(`drop database if exists ${database} with (force)`)
    return connections
  })
  if (!returned) throw new Error('The test kept a client of the pool: release() was never called.')
  if (left.length > 0) throw new Error(`The test left connections open: ${left.join(', ')}.`)
}

/** Connections that are still open after a wait: a process killed just now takes a little to disappear, and on a busy machine more. */
async function openConnections(client: Client, database: string): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    const { rows } = await client.query<{ who: string }>(
      `select format('%s (%s)', application_name, state) as who from pg_stat_activity
       where datname = $1 and backend_type = 'client backend'`,
      [database],
    )
    if (rows.length === 0 || attempt === 600) return rows.map(({ who }) => who)
    await delay(attempt < 100 ? 5 : 100)
  }
}

/** From `charges.test.ts`, `charges`: a leaked database names its file. */
function fileSlug(): string {
  const file = basename(expect.getState().testPath ?? 'test')
  return file
    .replace(/\..*$/, '')
    .replaceAll(/[^a-z0-9]+/gi, '_')
    .toLowerCase()
    .slice(0, 24)
}
