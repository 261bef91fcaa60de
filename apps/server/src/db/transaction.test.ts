import { startEmbedded } from '@mintmark/embedded-postgres'
import { cleanUpWith, temporaryHome } from '@mintmark/embedded-postgres/testing/harness'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { isDatabaseUnavailable, UnknownCommitError } from './errors.ts'
import { closePool, createPool } from './pool.ts'
import { transaction } from './transaction.ts'

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

it('calls a commit unknown when the wait for the synchronous standby was cut short', async () => {
  const server = await startEmbedded({ home: await temporaryHome(), settings: { fsync: 'off' } })
  cleanUpWith(() => server.stop())
  const pool = createPool({ connection: server.connection, log: { warn: () => undefined } })
  cleanUpWith(() => closePool(pool))
  await pool.query('create table t (id int)')
  await pool.query("alter system set synchronous_standby_names = 'nobody'")
  await pool.query('select pg_reload_conf()')
  let waitingPid = 0
  // Handled from the start: on a busy machine our own statement time-out may cut the wait before the operator does.
  const outcome = transaction(pool, async (tx) => {
    waitingPid = (await tx.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0
    await tx.query('insert into t values (1)')
  }).catch((thrown: unknown) => thrown)
  let ended = false
  outcome.finally(() => {
    ended = true
  })
  // What an operator does who sees commits hang.
  const isWaiting = "select from pg_stat_activity where pid = $1 and wait_event = 'SyncRep'"
  const seen = async () => ended || (await pool.query(isWaiting, [waitingPid])).rowCount === 1
  await expect.poll(seen, { timeout: 10_000 }).toBe(true)
  await pool.query('select pg_cancel_backend($1)', [waitingPid])
  const error = await outcome
  expect(error).toBeInstanceOf(UnknownCommitError)
  expect(isDatabaseUnavailable(error)).toBe(true)
  // Re-reading by key tells.
  expect((await pool.query('select id from t')).rowCount).toBe(1)
})
