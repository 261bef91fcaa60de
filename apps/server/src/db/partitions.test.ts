import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { addSeconds } from '../platform/clock.ts'
import { withCopyClient } from './copy.ts'
import {
  addWeek,
  dayOf,
  emptyNet,
  keepPartitions,
  listWeeks,
  makeWeek,
  type PartitionedTable,
  weekOf,
} from './partitions.ts'

// Guarantee: rows of a partitioned table lie in the partition of their week, and are dropped with it when their time is over; a
// process that makes or drops partitions keeps others waiting for moments only.

const DAY = 24 * 60 * 60
const NOW = new Date('2026-11-21T12:00:00.000Z')
const TOYS: PartitionedTable = { table: 'toys', keepDays: 34 }

let database: TestDatabase
let pool: Pool
beforeAll(async () => {
  database = await createTestDatabase()
  pool = database.pool
})
afterAll(() => database?.close())
beforeEach(async () => {
  await pool.query(`drop table if exists toys;
    create table toys (merchant_id text not null, id int not null, day date not null,
      constraint toys_pkey primary key (merchant_id, id, day)) partition by range (day);
    create table toys_default partition of toys default;`)
})

let ids = 0
async function addToy(at: Date): Promise<number> {
  ids += 1
  await pool.query('insert into toys values ($1, $2, $3)', ['m1', ids, dayOf(at)])
  return ids
}
const toys = async (table = 'toys') =>
  (await pool.query<{ id: number }>(`select id from ${table} order by id`)).rows.map(({ id }) => id)
const later = (days: number) => addSeconds(NOW, days * DAY)

test.each([
  ['2026-11-16T00:00:00.000Z', '2026-11-16'],
  ['2026-11-22T23:59:59.999Z', '2026-11-16'],
  ['2026-11-23T00:00:00.000Z', '2026-11-23'],
  ['1970-01-01T00:00:00.000Z', '1969-12-29'],
  ['2027-01-01T00:00:00.000Z', '2026-12-28'],
])('the week of %s begins on %s', (at, week) => {
  expect(weekOf(new Date(at))).toBe(week)
})

test('this week and three more are made ahead, once', async () => {
  expect(await keepPartitions(pool, TOYS, NOW)).toEqual({ made: 4, dropped: 0, late: false })
  expect(await listWeeks(pool, TOYS)).toEqual(['2026-11-16', '2026-11-23', '2026-11-30', '2026-12-07'])
  expect(await keepPartitions(pool, TOYS, NOW)).toEqual({ made: 0, dropped: 0, late: false })
  const id = await addToy(NOW)
  expect(await toys('toys_20261116')).toEqual([id])
  expect(await toys('toys_default')).toEqual([])
})

test('the planner knows of a new one that all its rows may be one merchant’s', async () => {
  await makeWeek(pool, TOYS, '2026-11-16')
  const { rows } = await pool.query<{ distinct: number; version: number }>(
    `select current_setting('server_version_num')::int as version,
       (select n_distinct from pg_stats where tablename = 'toys_20261116' and attname = 'merchant_id') as distinct`,
  )
  const [{ distinct, version } = { distinct: null, version: 0 }] = rows
  expect(distinct).toBe(version >= 180_000 ? 1 : null)
})

test('who reads while rows move into it, on a connection that has not planned its question yet, sees all of them', async () => {
  const ids = [await addToy(NOW), await addToy(NOW)]
  const [maker, reader] = [await pool.connect(), await pool.connect()]
  try {
    await maker.query('begin')
    await addWeek(maker, TOYS, '2026-11-16')
    const seen = reader.query<{ id: number }>('select id from toys where merchant_id = $1 order by id', ['m1'])
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await expect.poll(async () => (await pool.query(waiting)).rows.length, { interval: 5 }).toBe(1)
    await maker.query('commit')
    expect((await seen).rows.map(({ id }) => id)).toEqual(ids)
  } finally {
    maker.release()
    reader.release()
  }
  expect(await toys('toys_20261116')).toEqual(ids)
})

test('rows that come into the net after it was looked at stop the maker, who moves them at the next try', async () => {
  const maker = await pool.connect()
  let id = 0
  const meddled = {
    async query(text: string, values: unknown[]) {
      if (text.startsWith('create table')) id = await addToy(NOW)
      return maker.query(text, values)
    },
  } as unknown as typeof maker
  try {
    await maker.query('begin')
    await expect(addWeek(meddled, TOYS, '2026-11-16')).rejects.toMatchObject({ code: '23514' })
    await maker.query('rollback')
  } finally {
    maker.release()
  }
  expect(await makeWeek(pool, TOYS, '2026-11-16')).toBe('done')
  expect(await toys('toys_20261116')).toEqual([id])
})

test('many workers at once make each of them once', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => keepPartitions(pool, TOYS, NOW)))
  expect(all.reduce((sum, { made }) => sum + made, 0)).toBe(4)
  expect(await listWeeks(pool, TOYS)).toHaveLength(4)
})

test('a week goes when all of its days are past their time, with what was in it', async () => {
  await keepPartitions(pool, TOYS, NOW)
  const [old, young] = [await addToy(NOW), await addToy(later(7))]
  // The week ends before 23 November; 34 days later is 27 December.
  await keepPartitions(pool, TOYS, new Date('2026-12-26T23:59:59.000Z'))
  expect(await toys()).toEqual([old, young])
  expect(await keepPartitions(pool, TOYS, new Date('2026-12-27T00:00:00.000Z'))).toMatchObject({ dropped: 1 })
  expect(await toys()).toEqual([young])
})

describe('the net', () => {
  test('takes what comes after a jump of the clock, and is emptied into partitions', async () => {
    await keepPartitions(pool, TOYS, NOW)
    const before = await addToy(NOW)
    const jumped = await addToy(later(365))
    expect(await toys('toys_default')).toEqual([jumped])
    expect(await keepPartitions(pool, TOYS, later(365))).toMatchObject({ late: false, dropped: 4 })
    expect(await toys('toys_default')).toEqual([])
    expect(await toys(`toys_${weekOf(later(365)).replaceAll('-', '')}`)).toEqual([jumped])
    expect(await toys()).not.toContain(before)
  })

  test('keeps nothing that is past its time', async () => {
    await addToy(NOW)
    await keepPartitions(pool, TOYS, later(365))
    expect(await toys()).toEqual([])
    expect(await listWeeks(pool, TOYS)).toHaveLength(4)
  })

  test('of a whole backup is emptied at once', async () => {
    const given = [await addToy(NOW), await addToy(later(-20)), await addToy(later(3)), await addToy(later(-19))]
    await withCopyClient(database.connection, (client) => emptyNet(client, TOYS))
    expect(await toys('toys_default')).toEqual([])
    expect(await toys()).toEqual(given)
    expect(await listWeeks(pool, TOYS)).toEqual(['2026-10-26', '2026-11-02', '2026-11-16', '2026-11-23'])
  })
})

test('one that cannot get its locks gives up soon, says so, and is done the next time', async () => {
  await keepPartitions(pool, TOYS, NOW)
  await addToy(NOW)
  const reader = await pool.connect()
  await reader.query('begin')
  await reader.query('select 1 from toys')
  let waits: Promise<unknown> = Promise.resolve()
  const dropping = keepPartitions(pool, TOYS, later(60))
  // A reader behind it in the queue waits for moments.
  for (let round = 0; round < 10; round += 1) {
    waits = pool.query('select 1 from toys where merchant_id = $1', ['m1'])
    await waits
    await delay(20)
  }
  expect(await dropping).toMatchObject({ late: true })
  await reader.query('rollback')
  reader.release()
  expect(await keepPartitions(pool, TOYS, later(60))).toMatchObject({ late: false, dropped: 4 })
})

test('a partition has the keys and indexes of its table', async () => {
  await makeWeek(pool, TOYS, '2026-11-16')
  const { rows } = await pool.query(
    `select indisprimary from pg_index where indrelid = 'toys_20261116'::regclass and indisvalid`,
  )
  expect(rows).toEqual([{ indisprimary: true }])
})
