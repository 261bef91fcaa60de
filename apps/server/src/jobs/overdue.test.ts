import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { keepLog } from '../../test/logged.ts'
import { PATIENT_LIMITS } from '../db/testing/patient-limits.ts'
import { addSeconds } from '../platform/clock.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { endOverdue, overdueRows } from './overdue.ts'

// Guarantee: what time ends is found and ended without a lease, each row once; one that fails rests and delays no other; one
// merchant's backlog does not delay the others.

const WAIT_SECONDS = 60

const CREATE = `
  create table breads (merchant_id text not null, id text not null, baked_at timestamptz not null, sold boolean not null,
    constraint breads_pkey primary key (merchant_id, id));
  create index on breads (baked_at) where not sold;
  create index on breads (merchant_id, baked_at) where not sold;`

const stale = overdueRows('breads', {
  table: 'breads',
  due: 'baked_at',
  where: 'not sold',
  afterSeconds: WAIT_SECONDS,
})

let database: TestDatabase
let pool: Pool
let clock: ManualClock
beforeAll(async () => {
  database = await createTestDatabase({ limits: PATIENT_LIMITS })
  pool = database.pool
  await pool.query(CREATE)
})
afterAll(() => database?.close())
beforeEach(async () => {
  clock = new ManualClock()
  lines.length = 0
  await pool.query('truncate breads')
})

const { log, lines, entries } = keepLog('error')
const deps = () => ({ pool, clock, log })

async function bake(merchantId: string, count: number, at: Date = clock.now()): Promise<void> {
  await pool.query(
    `insert into breads select $1, $1 || '_' || lpad(n::text, 6, '0'), $3, false from generate_series(1, $2) n`,
    [merchantId, count, at],
  )
}

async function sell(id: string): Promise<boolean> {
  const { rowCount } = await pool.query('update breads set sold = true where id = $1 and not sold', [id])
  return rowCount === 1
}

/** A round whose rows end unless `fails` names them. */
function rounds(fails: ReadonlySet<string> = new Set()) {
  const handled: string[] = []
  const round = endOverdue<ReturnType<typeof deps>>(stale, {
    name: 'breads.sell',
    async handle(_deps, { id }) {
      handled.push(id)
      if (fails.has(id)) throw new Error('The bread is a stone.')
      return sell(id)
    },
  })
  return { handled, round: (limit = 100) => round(deps(), limit) }
}

test('takes what has waited long enough, the oldest first, and says when the next one will have', async () => {
  await bake('m1', 2)
  await bake('m2', 1, addSeconds(clock.now(), 5))
  const { handled, round } = rounds()
  clock.advance(WAIT_SECONDS - 0.001)
  expect(await round()).toEqual({ taken: 0, nextDueAt: addSeconds(clock.now(), 0.001) })
  clock.advance(0.001)
  expect(await round(1)).toEqual({ taken: 1, nextDueAt: addSeconds(clock.now(), 5) })
  expect(await round()).toMatchObject({ taken: 1 })
  expect(handled).toEqual(['m1_000001', 'm1_000002'])
  clock.advance(5)
  expect(await round()).toEqual({ taken: 1, nextDueAt: null })
})

test('of many workers one ends a row, and only that one counts it', async () => {
  await bake('m1', 20)
  clock.advance(WAIT_SECONDS)
  const { round } = rounds()
  const results = await Promise.all(Array.from({ length: 8 }, () => round()))
  expect(results.reduce((sum, { taken }) => sum + taken, 0)).toBe(20)
})

test('what fails is logged, rests longer each time, and keeps no other from its end', async () => {
  await bake('m1', 3)
  clock.advance(WAIT_SECONDS)
  const { handled, round } = rounds(new Set(['m1_000001']))
  expect((await round(2)).taken).toBe(2)
  expect((await round(2)).taken).toBe(1)
  expect(handled).toEqual(['m1_000001', 'm1_000002', 'm1_000003'])
  expect((await round()).taken).toBe(0)
  clock.advance(1)
  await round()
  clock.advance(1)
  expect((await round()).taken).toBe(0)
  clock.advance(1)
  await round()
  expect(handled.filter((id) => id === 'm1_000001')).toHaveLength(3)
  expect(entries().map(({ attempt }) => attempt)).toEqual([1, 2, 3])
})

test('a backlog of 5,000 older rows of one merchant delays the single row of another by one round at most', async () => {
  await bake('aaa', 5_000, addSeconds(clock.now(), -600))
  await bake('zzz', 1)
  clock.advance(WAIT_SECONDS)
  const { handled, round } = rounds()
  await round(20)
  await round(20)
  expect(handled).toContain('zzz_000001')
  expect(handled).toHaveLength(40)
})
