import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { checkMigrated, migrate } from './migrate.ts'
import { keepPartitions } from './partitions.ts'
import { closePool, createPool } from './pool.ts'
import { checkServer } from './server.ts'

// Guarantee: a migration is applied once, whole, in order, however many start at the same time; and a program never runs on a
// schema that does not fit it.

let database: TestDatabase
let directory: string

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.close())
beforeEach(async () => {
  await database.pool.query('drop schema if exists simnet cascade; drop schema public cascade; create schema public')
  directory = await mkdtemp(join(tmpdir(), 'mintmark-migrations-'))
})
afterEach(() => rm(directory, { recursive: true }))

const write = (name: string, sql: string) => writeFile(join(directory, name), sql)
const run = () => migrate(database.pool, { directory })

async function tables(): Promise<string[]> {
  const { rows } = await database.pool.query<{ tablename: string }>(
    `select tablename from pg_tables where schemaname = 'public' order by 1`,
  )
  return rows.map(({ tablename }) => tablename)
}

test('applies what is missing, in order, and says what', async () => {
  await write('0001_first.sql', 'create table first (id text)')
  await write('schema.sql', 'not a migration')
  expect(await run()).toEqual(['first'])
  await write('0002_second.sql', 'alter table first rename to second; create table third (id text);')
  expect(await run()).toEqual(['second'])
  expect(await tables()).toEqual(['schema_migrations', 'second', 'third'])
})

/** As a user who may do what `grants` says, and is no superuser. */
async function asUser(grants: (role: string) => string, work: (pool: Pool) => Promise<void>): Promise<void> {
  const role = `owner_${process.pid}`
  const url = new URL(database.url)
  Object.assign(url, { username: role, password: 'x' })
  await database.pool.query(`create role ${role} login password 'x'; ${grants(role)}`)
  const pool = createPool({ connection: url.href, max: 1, log: { warn: () => {} } })
  try {
    await work(pool)
  } finally {
    await closePool(pool)
    await database.pool.query(`drop owned by ${role}; drop role ${role}`)
  }
}

const mayCreate = (role: string) => `grant create on database "${database.connection.database}" to ${role}`

test('makes the whole schema, and partitions, as a user who is no superuser', () =>
  asUser(
    (role) => `${mayCreate(role)}; grant usage, create on schema public to ${role}`,
    async (pool) => {
      expect(await migrate(pool)).toContain('foundation')
      const events = { table: 'events', keepDays: 44 }
      expect(await keepPartitions(pool, events, new Date('2026-11-21T12:00:00Z'))).not.toMatchObject({ made: 0 })
      expect(await tables()).toContain('charges')
    },
  ))

test('is refused to a user who may not use the schema, for whom all tables would be temporary', () =>
  asUser(
    (role) => `${mayCreate(role)}; grant create on schema public to ${role}`,
    async (pool) => {
      await expect(migrate(pool)).rejects.toMatchObject({ code: '42501' })
      const { rows } = await pool.query(`select relname from pg_class where relpersistence = 't'`)
      expect(rows).toEqual([])
    },
  ))

test('a new table is said to hold one merchant’s rows, until it is analyzed', async () => {
  // Servers before 18 take no statistics from a client, and are told nothing.
  const takes = (await checkServer(database.pool)).versionNumber >= 180_000
  const distinct = async () => {
    const { rows } = await database.pool.query<{ table: string; distinct: number }>(
      `select tablename as table, n_distinct::float as distinct from pg_stats
       where schemaname = 'public' and attname = 'merchant_id' order by 1`,
    )
    return rows.map(({ table, distinct }) => [table, distinct])
  }
  await write('0001_first.sql', 'create table first (merchant_id text, id text)')
  await run()
  expect(await distinct()).toEqual(takes ? [['first', 1]] : [])
  await database.pool.query(`insert into first select 'ma_' || n % 4, n from generate_series(1, 100) n; analyze first`)
  await write('0002_second.sql', 'create table second (merchant_id text, id text)')
  await run()
  expect(await distinct()).toEqual([['first', 4], ...(takes ? [['second', 1]] : [])])
})

test('is one query when there is nothing to do', async () => {
  await write('0001_first.sql', 'create table first (id text)')
  await run()
  const query = vi.spyOn(database.pool, 'query')
  const connect = vi.spyOn(database.pool, 'connect')
  expect(await run()).toEqual([])
  expect(query).toHaveBeenCalledTimes(1)
  // The pool takes its own connection for a query, with a callback; a transaction would take one without.
  expect(connect.mock.calls.filter((args: unknown[]) => args.length === 0)).toEqual([])
})

test('is only looked at by who may not change it', async () => {
  const check = () => checkMigrated(database.pool, { directory })
  await write('0001_first.sql', 'create table first (id text)')
  await expect(check()).rejects.toThrow(
    /^The database has no schema yet: migration 1 \(first\) .+ Nothing was changed\.$/,
  )
  expect(await tables()).toEqual([])
  await run()
  await check()
  await write('0002_second.sql', 'create table second (id text)')
  await expect(check()).rejects.toThrow(
    /^The database has the schema of an earlier release: migration 2 \(second\) was not applied\. Run "mintmark migrate"/,
  )
  expect(await tables()).toEqual(['first', 'schema_migrations'])
  // A newer one that it works with is no reason.
  await run()
  await rm(join(directory, '0002_second.sql'))
  await check()
})

test('leaves nothing of a file that fails, and keeps the ones before it', async () => {
  await write('0001_first.sql', 'create table first (id text)')
  await write('0002_broken.sql', 'create table half (id text); select 1 / 0;')
  await expect(run()).rejects.toThrow('Migration 2 (broken) failed: division by zero')
  expect(await tables()).toEqual(['first', 'schema_migrations'])
})

test('a step that waits for a long transaction is left out as a whole, and is to be run again', async () => {
  await write('0001_first.sql', 'create table first (id text)')
  await run()
  await write('0002_second.sql', 'create table second (id text); alter table first add column more text')
  const holder = await database.pool.connect()
  try {
    // It rests for longer than the pool would let it.
    await holder.query(
      'begin; set local idle_in_transaction_session_timeout = 0; lock table first in access share mode',
    )
    await expect(run()).rejects.toThrow(
      /^Migration 2 \(second\) failed: .*lock timeout\. A long transaction has held .+ run "mintmark migrate" again\.$/,
    )
    await holder.query('commit')
  } finally {
    holder.release()
  }
  expect(await tables()).toEqual(['first', 'schema_migrations'])
  expect(await run()).toEqual(['second'])
})

test('of nodes that start together, each file is applied by one', async () => {
  await write('0001_first.sql', 'create table first (id text)')
  await write('0002_slow.sql', 'select pg_sleep(0.2); create table second (id text);')
  await write('0003_third.sql', 'create table third (id text)')
  const results = await Promise.all([run(), run(), run(), run()])
  expect(results.flat().sort()).toEqual(['first', 'slow', 'third'])
})

test('the pool’s statement timeout does not cut a long migration short, nor wait for one', async () => {
  await write('0001_first.sql', `create table first as select current_setting('statement_timeout') as value`)
  await run()
  expect((await database.pool.query('select value from first')).rows).toEqual([{ value: '0' }])
  expect((await database.pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '5s' }])
})

test.each([
  ['changed', '0001_first.sql', 'create table other (id text)'],
  ['renamed', '0001_other.sql', 'create table first (id text)'],
])('an applied migration that was %s is refused', async (_what, name, sql) => {
  await write('0001_first.sql', 'create table first (id text)')
  await run()
  await rm(join(directory, '0001_first.sql'))
  await write(name, sql)
  await expect(run()).rejects.toThrow('was changed after it was applied')
})

test('line ends of a checkout are no change', async () => {
  await write('0001_first.sql', 'create table first (\nid text\n)')
  await run()
  await write('0001_first.sql', 'create table first (\r\nid text\r\n)')
  expect(await run()).toEqual([])
})

test.each([
  ['-- only adds a table', true],
  ['-- incompatible-with-previous: a column is gone', false],
])('an older program on a newer schema whose migration says "%s": allowed %s', async (header, allowed) => {
  await write('0001_first.sql', 'create table first (id text)')
  await write('0002_newer.sql', `${header}\ncreate table second (id text)`)
  await run()
  await rm(join(directory, '0002_newer.sql'))
  if (allowed) expect(await run()).toEqual([])
  else await expect(run()).rejects.toThrow('The database is newer than this program: migration 2 (newer)')
})

test.each([
  ['a gap', ['0001_a.sql', '0003_c.sql'], 'follows a gap: 2 is missing'],
  ['a wrong start', ['0002_b.sql'], 'follows a gap: 1 is missing'],
  ['a number used twice', ['0001_a.sql', '0001_b.sql'], 'has a number that is used twice'],
  ['a stray file', ['0001_a.sql', 'notes.sql'], 'is not named like'],
])('%s among the files is refused before anything runs', async (_what, names, message) => {
  for (const name of names) await write(name, 'create table never (id text)')
  await expect(run()).rejects.toThrow(message)
  expect(await tables()).toEqual([])
})
