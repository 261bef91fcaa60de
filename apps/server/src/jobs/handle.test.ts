// Guarantee: what is not done is tried again, each time later, and a late holder writes nothing; a row that waits for another party's
// system keeps no other row of its job waiting, and a stop waits for it.
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { keepLog } from '../../test/logged.ts'
import { single } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { workBeside, workOff } from './handle.ts'
import { dueWork } from './work.ts'

const LEASE_SECONDS = 40

const toyWork = dueWork('toys_in_hand', 'card', { shape: {} })

let database: TestDatabase
let pool: Pool
let clock: ManualClock
beforeAll(async () => {
  database = await createTestDatabase()
  pool = database.pool
})
afterAll(() => database?.close())
beforeEach(async () => {
  clock = new ManualClock()
  await pool.query('truncate open_work')
})

const deps = () => ({ pool, clock, leaseSeconds: LEASE_SECONDS, log: createLog({ level: 'silent' }) })

/** Due work on so many toys of a merchant. */
async function addToys(merchantId: string, count: number): Promise<void> {
  await pool.query(
    `insert into open_work select $1, 'card', $1 || '_' || n, $3, 0, null, 0 from generate_series(1, $2) n`,
    [merchantId, count, clock.now()],
  )
}

async function toy(id: string) {
  const { rows } = await pool.query(
    'select due_at as "dueAt", attempts, lease_until as "leaseUntil" from open_work where id = $1',
    [id],
  )
  return rows[0]
}

describe('a round', () => {
  test('postpones what was not handled or failed, by its number of attempts, and tells how much it took', async () => {
    await addToys('m1', 3)
    const handle = async ({ id }: { id: string }) => {
      if (id === 'm1_1') throw new Error('The network is away.')
      return id === 'm1_2'
    }
    expect(await workOff(deps(), toyWork, { name: 'toys.paint', limit: 10, handle })).toEqual({
      taken: 3,
      nextDueAt: null,
    })
    expect(await toy('m1_1')).toMatchObject({ dueAt: addSeconds(clock.now(), 1), leaseUntil: null })
    expect(await toy('m1_2')).toMatchObject({ dueAt: clock.now(), leaseUntil: addSeconds(clock.now(), 40) })
    expect(await toy('m1_3')).toMatchObject({ dueAt: addSeconds(clock.now(), 1), leaseUntil: null })
    clock.advance(1)
    await workOff(deps(), toyWork, { name: 'toys.paint', limit: 10, handle })
    expect(await toy('m1_3')).toMatchObject({ dueAt: addSeconds(clock.now(), 2), attempts: 2 })
  })

  test('says so when a row has been tried for a quarter of an hour, and every half hour from then on', async () => {
    await addToys('m1', 1)
    const { log, lines, entries } = keepLog('error')
    const begun = clock.now().getTime()
    const alarms: number[] = []
    for (let tries = 1; tries <= 100; tries += 1) {
      await workOff({ ...deps(), log }, toyWork, { name: 'toys.paint', limit: 10, handle: async () => false })
      if (lines.length > alarms.length) alarms.push(Math.round((clock.now().getTime() - begun) / 60_000))
      clock.advance(30)
    }
    expect(alarms).toEqual([17, 47])
    expect(entries()[0]).toMatchObject({
      ...{ alarm: 'work_stuck', job: 'toys.paint', merchant_id: 'm1', row_id: 'm1_1', attempt: 34 },
    })
  })

  test('of a worker that slept past its lease does not undo the work of the next holder', async () => {
    await addToys('m1', 1)
    const handle = async () => {
      clock.advance(LEASE_SECONDS)
      const [next] = (await toyWork.claim(deps(), 1)).rows
      if (next === undefined) throw new Error('The row should have been free.')
      await single(deps(), { name: 'toys.finish', silent: 'test_only' }, ({ on }) => toyWork.finish(on, next))
      return false
    }
    expect((await workOff(deps(), toyWork, { name: 'toys.paint', limit: 10, handle })).taken).toBe(1)
    expect(await toy('m1_1')).toBeUndefined()
  })
})

/** A job whose rows wait until each is told how it ends, and what it has begun. */
function waitingJob(limit: number) {
  const begun = new Map<string, PromiseWithResolvers<boolean>>()
  const job = workBeside(deps(), toyWork, {
    name: 'toys.paint',
    limit,
    handle: ({ id }) => {
      const end = Promise.withResolvers<boolean>()
      begun.set(id, end)
      return end.promise
    },
  })
  const end = (id: string, handled: boolean) => begun.get(id)?.resolve(handled)
  return { job, end, begun: () => [...begun.keys()].sort() }
}

test('a row that waits for somebody else keeps neither its round nor what falls due meanwhile waiting', async () => {
  await addToys('m1', 1)
  const { job, end, begun } = waitingJob(10)
  expect(await job.run()).toMatchObject({ taken: 1 })
  await addToys('m2', 1)
  expect(await job.run()).toMatchObject({ taken: 1 })
  expect(begun()).toEqual(['m1_1', 'm2_1'])
  end('m2_1', false)
  await expect.poll(async () => (await toy('m2_1')).leaseUntil).toBe(null)
  expect(await toy('m2_1')).toMatchObject({ dueAt: addSeconds(clock.now(), 1), attempts: 1 })
  expect(await toy('m1_1')).toMatchObject({ leaseUntil: addSeconds(clock.now(), LEASE_SECONDS) })
  end('m1_1', true)
  await job.settled?.()
})

test('what takes several steps begins none after the stop, and goes on when the job runs again', async () => {
  await addToys('m1', 1)
  let mayGoOn = () => false
  const handle = async (_row: unknown, may: () => boolean) => {
    mayGoOn = may
    return true
  }
  const job = workBeside(deps(), toyWork, { name: 'toys.paint', limit: 10, handle })
  await job.run()
  await job.settled?.()
  const said = [mayGoOn()]
  job.stop?.()
  said.push(mayGoOn())
  await job.run()
  said.push(mayGoOn())
  expect(said).toEqual([true, false, true])
})

test('it has so many in hand and no more, and a stop waits for them', async () => {
  await addToys('m1', 5)
  const { job, end, begun } = waitingJob(3)
  expect(await job.run()).toMatchObject({ taken: 3 })
  const round = job.run()
  expect(begun()).toEqual(['m1_1', 'm1_2', 'm1_3'])
  end('m1_2', true)
  expect(await round).toMatchObject({ taken: 1 })
  expect(begun()).toEqual(['m1_1', 'm1_2', 'm1_3', 'm1_4'])
  let isSettled = false
  const settled = job.settled?.().then(() => {
    isSettled = true
  })
  for (const id of ['m1_1', 'm1_3']) end(id, false)
  await expect.poll(async () => (await toy('m1_3')).leaseUntil).toBe(null)
  expect(isSettled).toBe(false)
  end('m1_4', true)
  await settled
})

test('a stop that comes while all places are taken begins nothing further', async () => {
  await addToys('m1', 2)
  const { job, end, begun } = waitingJob(1)
  expect(await job.run()).toMatchObject({ taken: 1 })
  const round = job.run()
  job.stop?.()
  end('m1_1', true)
  expect(await round).toMatchObject({ taken: 0 })
  expect(begun()).toEqual(['m1_1'])
  expect(await toy('m1_2')).toMatchObject({ attempts: 0, leaseUntil: null })
})

test('one that cannot be given back is no error of the loop: its lease ends', async () => {
  await addToys('m1', 1)
  const { log, entries } = keepLog('error')
  let isAway = false
  const now = () => {
    if (isAway) throw new Error('The database is away.')
    return clock.now()
  }
  const handle = async () => {
    isAway = true
    return false
  }
  const job = workBeside({ ...deps(), log, clock: { now } }, toyWork, { name: 'toys.paint', limit: 10, handle })
  expect(await job.run()).toMatchObject({ taken: 1 })
  await job.settled?.()
  expect(entries()).toMatchObject([{ message: 'work was not given back', job: 'toys.paint' }])
  expect(await toy('m1_1')).toMatchObject({ leaseUntil: addSeconds(clock.now(), LEASE_SECONDS), attempts: 1 })
})
