import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { keepLog } from '../../test/logged.ts'
import { rowJob } from './jobs.ts'
import { TABLE_COUNT } from './verify.ts'

// Guarantee: a process comes to every row in its turn, asks for a bounded number at a time, and says what it finds.

const { log, lines, entries } = keepLog('warn')
let database: TestDatabase
let found: [string, number][] = []
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.close())
afterEach(async () => {
  lines.length = 0
  found = []
  await database.pool.query('delete from open_work')
})

const NOW = new Date('2026-11-30T12:00:00Z')
const job = (random = 0) =>
  rowJob(
    {
      pool: database.pool,
      clock: { now: () => NOW },
      log,
      onFound: (table, count) => found.push([table, count]),
    },
    () => random,
  )

/** Work of merchants, each of which has so many rows. Its kind is one that there is not. */
const insert = (merchants: number, each: number, kind = 'charge') =>
  database.pool.query(
    `insert into open_work (merchant_id, kind, id, due_at, attempts, lease_fence)
     select 'ma_' || m, $3, 'txn_' || n, now(), 0, 0 from generate_series(1, $1) m, generate_series(1, $2) n`,
    [merchants, each, kind],
  )

/** Runs it until a round is over; returns how many runs that took. */
async function round({ run }: ReturnType<typeof job>): Promise<number> {
  for (let runs = 1; ; runs += 1) {
    const { taken, nextDueAt } = await run()
    expect(taken).toBe(0)
    if (nextDueAt === null) return runs
    expect(nextDueAt.getTime() - NOW.getTime()).toBe(2_000)
  }
}

test('where there is nothing a round is one run', async () => {
  expect(await round(job())).toBe(1)
  expect([lines, found]).toEqual([[], []])
})

test.each([0, 0.5, 0.999])(
  'a round that begins at any table comes to all, and the next one as well (%f)',
  async (random) => {
    await insert(1, 1, 'other')
    const looking = job(random)
    await round(looking)
    expect(found).toEqual([['open_work', 1]])
    await round(looking)
    expect(found).toHaveLength(2)
  },
)

test('many rows take several runs, of a thousand each', async () => {
  await insert(1, 3_500, 'other')
  expect(await round(job())).toBe(4)
  expect(found.map(([, count]) => count)).toEqual([1_000, 1_000, 1_000, 500])
})

test('many merchants take several runs, of twenty questions each', async () => {
  await insert(50, 1)
  const runs = await round(job())
  expect(runs).toBe(Math.ceil((50 + TABLE_COUNT) / 20))
})

test('one line tells of a page, with the first row, its merchant and how many there are', async () => {
  await insert(2, 3, 'other')
  await round(job())
  expect(found).toEqual([
    ['open_work', 3],
    ['open_work', 3],
  ])
  expect(entries()).toMatchObject([
    { alarm: 'row_contradicts', table: 'open_work', merchant_id: 'ma_1', row_id: 'other/txn_1', count: 3 },
    { alarm: 'row_contradicts', table: 'open_work', merchant_id: 'ma_2', row_id: 'other/txn_1', count: 3 },
  ])
})

test('a run that fails goes on where it stood', async () => {
  await insert(1, 1, 'other')
  const looking = job()
  await database.pool.query('alter table sessions rename to away')
  await expect(looking.run()).rejects.toThrow('sessions')
  await database.pool.query('alter table away rename to sessions')
  await round(looking)
  expect(found).toEqual([['open_work', 1]])
})
