import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { single } from '../db/command.ts'
import { bigint, int, text } from '../db/row.ts'
import { execute, one, type Queryable } from '../db/statement.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { closeWork, insertWork, openWork } from './fragments.ts'
import { type Claim, dueWork, leaseEnd } from './work.ts'

// Guarantee: work is there exactly if its cause took effect, and one who held earlier work of the same subject never passes
// for the holder of the new.

const toyWork = dueWork('painted_toys', 'card', { shape: {} })
const PAINT =
  "with painted as (update toys set colour = 'blue' where merchant_id = $merchantId and id = $id returning id)" as const
const OPENED = { id: text, leaseFence: bigint, attempts: int }
const openToy = one(
  'painted_toys.open_work',
  `${PAINT} ${openWork('card', 'painted', '$at')} returning id, lease_fence, attempts`,
  OPENED,
)
const holdToy = one(
  'painted_toys.hold_work',
  `${PAINT} ${insertWork('card', 'painted.id', '$at', '1', '$leaseUntil')} from painted returning id, lease_fence, attempts`,
  OPENED,
)
const closeToy = execute(
  'painted_toys.close_work',
  `with sold as (delete from toys where merchant_id = $merchantId and id = $id returning id) ${closeWork('card', 'sold')}`,
)

const id = 'm1_1'

let database: TestDatabase
let pool: Pool
let clock: ManualClock
beforeAll(async () => {
  database = await createTestDatabase()
  pool = database.pool
  await pool.query('create table toys (merchant_id text, id text, colour text, primary key (merchant_id, id))')
})
afterAll(() => database?.close())
beforeEach(async () => {
  clock = new ManualClock()
  await pool.query('truncate toys, open_work')
})

const deps = () => ({ pool, clock, leaseSeconds: 40 })
const claim = () => toyWork.claim(deps(), 100)
const write = <T>(work: (on: Queryable) => Promise<T>) =>
  single(deps(), { name: 'toys.write', silent: 'test_only' }, ({ on }) => work(on))
const addToy = () => pool.query(`insert into toys values ('m1', $1, 'red')`, [id])

/** The work on the toy; undefined: there is none. */
async function toy() {
  const { rows } = await pool.query(
    'select due_at as "dueAt", lease_until as "leaseUntil" from open_work where id = $1',
    [id],
  )
  return rows[0]
}

const open = () => write((on) => openToy(on, { merchantId: 'm1', id, at: clock.now() }))
const close = () => write((on) => closeToy(on, { merchantId: 'm1', id }))

test('is there if the cause was, and only then', async () => {
  expect(await open()).toBeUndefined()
  await addToy()
  expect(await open()).toMatchObject({ id, attempts: 0 })
  expect(await toy()).toMatchObject({ dueAt: clock.now(), leaseUntil: null })
  expect(await close()).toBe(1)
  expect(await toy()).toBeUndefined()
  expect((await claim()).rows).toEqual([])
})

test('may be in the hands of who opens it', async () => {
  await addToy()
  const leaseUntil = leaseEnd(deps(), clock.now())
  const opened = await write((on) => holdToy(on, { merchantId: 'm1', id, at: clock.now(), leaseUntil }))
  expect(opened).toMatchObject({ attempts: 1 })
  expect(await toy()).toMatchObject({ leaseUntil })
  expect((await claim()).rows).toEqual([])
  expect(await write((on) => toyWork.finish(on, { merchantId: 'm1', attempts: 1, ...opened } as Claim))).toBe(true)
})

test('and is opened anew leaves its holder of before nothing to write', async () => {
  await addToy()
  await open()
  const [before] = (await claim()).rows
  if (before === undefined) throw new Error('The work should have been claimed.')
  clock.advance(1)
  expect(await open()).toMatchObject({ attempts: 0, leaseFence: before.leaseFence + 1n })
  expect(await toy()).toMatchObject({ dueAt: clock.now(), leaseUntil: null })
  expect(await write((on) => toyWork.finish(on, before))).toBe(false)
})

test('never has a fence again that it had in an earlier life', async () => {
  const fences = new Set<bigint>()
  for (let life = 0; life < 50; life += 1) {
    await addToy()
    await open()
    const [held] = (await claim()).rows
    if (held === undefined) throw new Error('The work should have been claimed.')
    fences.add(held.leaseFence)
    await close()
  }
  expect(fences.size).toBe(50)
})
