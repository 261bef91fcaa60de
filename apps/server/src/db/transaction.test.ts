import { startEmbedded } from '@mintmark/embedded-postgres'
import { cleanUpWith, temporaryHome } from '@mintmark/embedded-postgres/testing/harness'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { isDatabaseUnavailable, UnknownCommitError } from './errors.ts'
import { closePool, createPool } from './pool.ts'
import { autocommit, transaction } from './transaction.ts'

// Guarantee: what a transaction acknowledged is committed, and what it is not sure of it does not acknowledge.

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.close())

it('runs the whole work again after a deadlock', async () => {
  let attempts = 0
  const result = await transaction(database.pool, async (tx) => {
    attempts += 1
    if (attempts < 3) await tx.query("do $$ begin raise exception 'x' using errcode = '40P01'; end $$")
    return attempts
  })
  expect(result).toBe(3)
})

it('does not acknowledge a transaction in which an error was swallowed', async () => {
  const swallow = transaction(database.pool, (tx) => tx.query('select 1/0').catch(() => 'fine'))
  await expect(swallow).rejects.toThrow(/rolled back/)
})

const INSERT = 'insert into t values (pg_backend_pid())'
it.each([
  ['a transaction', (pool: Pool) => transaction(pool, (tx) => tx.query(INSERT))],
  ['one statement', (pool: Pool) => autocommit(pool, (on) => on.query(INSERT))],
])('calls the commit of %s unknown when the wait for the synchronous standby was cut short', async (_name, write) => {
  const server = await startEmbedded({ home: await temporaryHome(), settings: { fsync: 'off' } })
  cleanUpWith(() => server.stop())
  const pool = createPool({ connection: server.connection, log: { warn: () => undefined } })
  cleanUpWith(() => closePool(pool))
  await pool.query('create table t (pid int)')
  await pool.query("alter system set synchronous_standby_names = 'nobody'")
  await pool.query('select pg_reload_conf()')
  // A write is held once the server's checkpointer has read the setting, so the first ones may pass.
  let outcome: Promise<unknown> | undefined
  let held: Promise<unknown> | undefined
  const writing = () => write(pool).catch((thrown: unknown) => thrown)
  // What an operator does who sees commits hang.
  const cancel = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'"
  const cancelled = async () => {
    outcome ??= writing().finally(() => {
      outcome = undefined
    })
    held = outcome
    return ((await pool.query(cancel)).rowCount ?? 0) > 0
  }
  await expect.poll(cancelled).toBe(true)
  const error = await held
  expect(error).toBeInstanceOf(UnknownCommitError)
  expect(isDatabaseUnavailable(error)).toBe(true)
  // Re-reading by key tells.
  expect((await pool.query('select pid from t')).rowCount).toBeGreaterThan(0)
})
