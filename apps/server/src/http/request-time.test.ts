// Guarantee: no wait outlives a request's time.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { closePool, createPool } from '../db/pool.ts'
import { int } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { PATIENT_LIMITS } from '../db/testing/patient-limits.ts'
import { transaction } from '../db/transaction.ts'
import { silentLog } from './testing/toy-host.ts'
import { hostWith, JSON_TYPE } from './testing/working-host.ts'

const sleep = one('door_test.sleep', 'select 1 as done, pg_sleep($seconds) is null as slept', { done: int })

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.close())

describe('the time of a request', () => {
  /** A pool whose own limits no test reaches: only the time of a request ends a wait. */
  let patient: Pool
  beforeAll(() => {
    patient = createPool({ connection: database.connection, max: 2, log: silentLog(), limits: PATIENT_LIMITS })
  })
  afterAll(() => closePool(patient))

  async function listSleepers(): Promise<number[]> {
    const { rows } = await database.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and state = 'active' and wait_event = 'PgSleep'`,
    )
    return rows.map(({ pid }) => pid)
  }

  test('bounds the wait for a connection', async () => {
    const host = await hostWith(database, () => patient.query('select 1'), 200)
    const holders = [await patient.connect(), await patient.connect()]
    // Work that no request bounds waits as long as the pool lets it.
    const unbounded = patient.connect()
    const response = await host.post()
    expect({ status: response.status, retryAfter: response.headers.get('retry-after') }).toEqual({
      status: 503,
      retryAfter: '2',
    })
    for (const holder of holders) holder.release()
    // It outlasted the request. The connection that came too late went back to the pool.
    const held = await unbounded
    held.release()
    await expect.poll(() => patient.idleCount).toBe(2)
    await host.close()
  })

  test('bounds a statement', async () => {
    const host = await hostWith(database, () => sleep(patient, { seconds: 600 }), 200)
    // The same one without a request, begun before it, which only the test ends.
    const unbounded = sleep(patient, { seconds: 600 })
    const ended = expect(unbounded).rejects.toMatchObject({ code: '57014' })
    const asleep = () => listSleepers().then((pids) => pids.length)
    await expect.poll(asleep).toBe(1)
    const [pid] = await listSleepers()
    expect((await host.post()).status).toBe(503)
    expect(await listSleepers()).toContain(pid)
    // Also that of the request, whose caller no longer waits for it.
    await database.pool.query('select pg_cancel_backend(pid) from unnest($1::int[]) as pid', [await listSleepers()])
    await ended
    await expect.poll(asleep).toBe(0)
    await host.close()
  })

  test('nothing is started once it is over', async () => {
    let began = false
    const host = await hostWith(
      database,
      async () => {
        await delay(250)
        await sleep(database.pool, { seconds: 0 })
        began = true
      },
      200,
    )
    const response = await host.post()
    // Every 503 says when to come again.
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect(began).toBe(false)
    await host.close()
  })

  test('nothing is committed for a caller who has hung up', async () => {
    await database.pool.query('create table left_behind (id integer)')
    const inserted = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const failed = Promise.withResolvers<unknown>()
    const host = await hostWith(database, () =>
      transaction(database.pool, async (tx) => {
        await tx.query('insert into left_behind values (1)')
        inserted.resolve()
        await gone.promise
      }).then(() => failed.resolve('committed'), failed.resolve),
    )
    const caller = new AbortController()
    const connected = once(host.app.server, 'connection') as Promise<[Socket]>
    const call = fetch(`${host.baseUrl}/work`, {
      method: 'POST',
      body: '{}',
      headers: JSON_TYPE,
      signal: caller.signal,
    }).catch(() => 'gone')
    await inserted.promise
    const [line] = await connected
    const closed = once(line, 'close')
    caller.abort()
    await Promise.all([call, closed])
    gone.resolve()
    expect(await failed.promise).toMatchObject({ status: 503 })
    expect((await database.pool.query('select 1 from left_behind')).rowCount).toBe(0)
    await host.close()
  })
})
