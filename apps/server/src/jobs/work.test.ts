import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { single } from '../db/command.ts'
import { text } from '../db/row.ts'
import type { Queryable } from '../db/statement.ts'
import { PATIENT_LIMITS } from '../db/testing/patient-limits.ts'
import { addSeconds } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { MAX_LEASE_SECONDS, takeShares } from './due.ts'
import { holding } from './handle.ts'
import { dueWork, leaseEnd, releaseLeases } from './work.ts'

// Guarantee: a due row is held by one worker at a time, however many there are; a late holder writes nothing; what a
// dead worker held returns; one merchant's backlog does not delay the others (faults D3, E12, E14).

const LEASE_SECONDS = 40

// Toys and boxes stand for what has work in the program.
const toyWork = dueWork('toys', 'card', {
  shape: { colour: text },
  list: 'toys.colour',
  joins: 'join toys on toys.merchant_id = $merchantId and toys.id = work.id',
})
const boxWork = dueWork('boxes', 'mandate', {
  shape: { toyId: text, colour: text },
  list: 'boxes.toy_id, toys.colour',
  joins: `join boxes on boxes.merchant_id = $merchantId and boxes.id = work.id
    join toys on toys.merchant_id = $merchantId and toys.id = boxes.toy_id`,
})
const CREATE = `
  create table toys (merchant_id text not null, id text not null, colour text not null,
    constraint toys_pkey primary key (merchant_id, id));
  create table boxes (merchant_id text not null, id text not null, toy_id text not null,
    constraint boxes_pkey primary key (merchant_id, id));`

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
  await pool.query('truncate toys, boxes, open_work')
})

const deps = () => ({ pool, clock, leaseSeconds: LEASE_SECONDS, log: createLog({ level: 'silent' }) })
const claim = (limit = 100) => toyWork.claim(deps(), limit)
const write = <T>(work: (on: Queryable) => Promise<T>) =>
  single(deps(), { name: 'toys.write', silent: 'test_only' }, ({ on }) => work(on))

async function addToys(merchantId: string, count: number, dueAt: Date | null = clock.now()): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into toys select $1, $1 || '_' || lpad(n::text, 6, '0'), 'red' from generate_series(1, $2) n returning id`,
    [merchantId, count],
  )
  const ids = rows.map(({ id }) => id)
  if (dueAt !== null) await addWork('card', merchantId, ids, dueAt)
}

async function addBox(merchantId: string, id: string, toyId: string): Promise<void> {
  await pool.query('insert into boxes values ($1, $2, $3)', [merchantId, id, toyId])
  await addWork('mandate', merchantId, [id], clock.now())
}

async function addWork(kind: string, merchantId: string, ids: string[], dueAt: Date): Promise<void> {
  await pool.query('insert into open_work select $1, $2, unnest($3::text[]), $4, 0, null, 0', [
    merchantId,
    kind,
    ids,
    dueAt,
  ])
}

/** The work on a toy; undefined: there is none. */
async function toy(id: string) {
  const { rows } = await pool.query(
    `select due_at as "dueAt", attempts, lease_until as "leaseUntil", lease_fence as "leaseFence"
     from open_work where kind = 'card' and id = $1`,
    [id],
  )
  return rows[0]
}

describe('a claim', () => {
  test('returns the row with its claim, leases it, raises the fence and counts the attempt', async () => {
    await addToys('m1', 1)
    const { rows } = await claim()
    expect(rows).toEqual([{ merchantId: 'm1', id: 'm1_000001', leaseFence: 1n, attempts: 1, colour: 'red' }])
    const leaseUntil = addSeconds(clock.now(), LEASE_SECONDS)
    expect(await toy('m1_000001')).toEqual({ dueAt: clock.now(), attempts: 1, leaseUntil, leaseFence: 1n })
    expect(leaseEnd(deps(), clock.now())).toEqual(leaseUntil)
  })

  test('joins inside the same merchant only', async () => {
    await addToys('m1', 1, null)
    await pool.query(`insert into toys values ('m2', 'm1_000001', 'blue')`)
    await addBox('m1', 'b1', 'm1_000001')
    const { rows } = await boxWork.claim(deps(), 10)
    expect(rows).toEqual([
      { merchantId: 'm1', id: 'b1', leaseFence: 1n, attempts: 1, toyId: 'm1_000001', colour: 'red' },
    ])
  })

  test('takes at most as many as asked for, the longest due first within a merchant', async () => {
    await addToys('m1', 3, addSeconds(clock.now(), -1))
    await addToys('m1x', 0)
    await pool.query(`update open_work set due_at = $1 where id = 'm1_000003'`, [addSeconds(clock.now(), -60)])
    expect((await claim(1)).rows.map(({ id }) => id)).toEqual(['m1_000003'])
    expect((await claim(1)).rows).toHaveLength(1)
  })

  test('leaves alone what is not due, what has no work or work of another kind, and what is held', async () => {
    await addToys('later', 1, addSeconds(clock.now(), 10))
    await addToys('idle', 1, null)
    await addToys('boxed', 1, null)
    await addBox('boxed', 'b1', 'boxed_000001')
    await addToys('held', 1)
    expect((await claim()).rows.map(({ merchantId }) => merchantId)).toEqual(['held'])
    expect((await claim()).rows).toEqual([])
  })

  test('says when the next row falls due, also while there is work', async () => {
    expect((await claim()).nextDueAt).toBeNull()
    const next = addSeconds(clock.now(), 30)
    await addToys('m1', 2)
    await addToys('m2', 1, addSeconds(clock.now(), 90))
    await addToys('m3', 1, next)
    expect((await claim()).nextDueAt).toEqual(next)
    expect(await claim()).toEqual({ rows: [], nextDueAt: next })
  })
})

describe('a lease', () => {
  test('that ended lets another worker take over, and the fence refuses the late writer', async () => {
    await addToys('m1', 1)
    const [late] = (await claim()).rows
    clock.advance(LEASE_SECONDS)
    const [next] = (await claim()).rows
    if (late === undefined || next === undefined) throw new Error('Both should have claimed the row.')
    expect(next).toMatchObject({ leaseFence: 2n, attempts: 2 })
    expect(await write((on) => toyWork.postpone(on, late, clock.now()))).toBe(false)
    expect(await write((on) => toyWork.finish(on, late))).toBe(false)
    expect(await write((on) => toyWork.finish(on, next))).toBe(true)
    expect(await toy('m1_000001')).toBeUndefined()
    // Over: a second finish or postpone brings it back to no worker.
    expect(await write((on) => toyWork.postpone(on, next, clock.now()))).toBe(false)
  })

  test('one millisecond before its end still holds', async () => {
    await addToys('m1', 1)
    await claim()
    clock.advance(LEASE_SECONDS - 0.001)
    expect((await claim()).rows).toEqual([])
  })

  test('further ahead than any lease can be, after a clock was turned back, holds nothing', async () => {
    await addToys('m1', 2)
    const ends = [2 * MAX_LEASE_SECONDS, 2 * MAX_LEASE_SECONDS + 1].map((seconds) => addSeconds(clock.now(), seconds))
    await pool.query(`update open_work set lease_until = $1 where id = 'm1_000001'`, [ends[0]])
    await pool.query(`update open_work set lease_until = $1 where id = 'm1_000002'`, [ends[1]])
    expect((await claim()).rows.map(({ id }) => id)).toEqual(['m1_000002'])
  })

  test('of a dead worker: the question says when it ends, not seconds later', async () => {
    await addToys('m1', 1)
    await claim()
    await addToys('m2', 1, addSeconds(clock.now(), 300))
    expect(await claim()).toEqual({ rows: [], nextDueAt: leaseEnd(deps(), clock.now()) })
  })

  test('is extended while its holder works, and ends soon after the holder died', async () => {
    await addToys('m1', 1)
    const short = { ...deps(), leaseSeconds: 0.3 }
    const [row] = (await toyWork.claim(short, 1)).rows
    if (row === undefined) throw new Error('The row should have been claimed.')
    const died = holding(short, toyWork, row, async () => {
      for (let step = 0; step < 4; step += 1) {
        clock.advance(0.2)
        const extended = { leaseUntil: leaseEnd(short, clock.now()) }
        await expect.poll(() => toy(row.id)).toMatchObject(extended)
        expect((await claim()).rows).toEqual([])
      }
      throw new Error('The worker died.')
    })
    await expect(died).rejects.toThrow('died')
    clock.advance(0.31)
    // An extension that went on would come by now, and put the end off.
    await delay(250)
    expect((await claim()).rows).toMatchObject([{ leaseFence: 2n }])
  })

  test('is not extended once the row is settled or taken over', async () => {
    await addToys('m1', 2)
    const [one, other] = (await claim()).rows
    if (one === undefined || other === undefined) throw new Error('Both should have been claimed.')
    await write((on) => toyWork.finish(on, one))
    expect(await write((on) => toyWork.extend(on, one, addSeconds(clock.now(), 5)))).toBe(false)
    expect(await toy(one.id)).toBeUndefined()
    expect(await write((on) => toyWork.extend(on, { ...other, leaseFence: 0n }, clock.now()))).toBe(false)
  })

  test('is given back where the process before is known to be dead, of every table and merchant', async () => {
    await addToys('m1', 3)
    await addToys('m2', 1)
    await addBox('m1', 'b1', 'm1_000001')
    const held = (await claim()).rows
    await boxWork.claim(deps(), 10)
    clock.advance(1)
    await releaseLeases(deps())
    const again = (await claim()).rows
    expect(again.map(({ id }) => id).sort()).toEqual(held.map(({ id }) => id).sort())
    for (const row of again) expect(row).toMatchObject({ leaseFence: 2n, attempts: 2 })
    expect((await boxWork.claim(deps(), 10)).rows).toHaveLength(1)
    // A holder that was taken for dead, and was not, writes nothing.
    for (const row of held) expect(await write((on) => toyWork.finish(on, row))).toBe(false)
  })

  test('of a postponed row is over, and the row returns when it is due', async () => {
    await addToys('m1', 1)
    const [row] = (await claim()).rows
    if (row === undefined) throw new Error('The row should have been claimed.')
    const retryAt = addSeconds(clock.now(), 5)
    expect(await write((on) => toyWork.postpone(on, row, retryAt))).toBe(true)
    expect(await claim()).toEqual({ rows: [], nextDueAt: retryAt })
    clock.advance(5)
    expect((await claim()).rows).toMatchObject([{ id: 'm1_000001', leaseFence: 2n, attempts: 2 }])
  })
})

describe('many workers', () => {
  test('claim each of many rows once, and all of them', async () => {
    const merchants = ['m1', 'm2', 'm3', 'm4', 'm5']
    for (const merchantId of merchants) await addToys(merchantId, 80)
    const claimed: string[] = []
    const worker = async () => {
      while (claimed.length < 400) claimed.push(...(await claim(7)).rows.map(({ id }) => id))
    }
    await Promise.all(Array.from({ length: 6 }, worker))
    expect((await claim()).rows).toEqual([])
    expect(claimed).toHaveLength(400)
    expect(new Set(claimed).size).toBe(400)
  })

  test('do not wait for a row that another transaction has locked', async () => {
    await addToys('m1', 2)
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query(`select 1 from open_work where id = 'm1_000001' for update`)
      expect((await claim()).rows.map(({ id }) => id)).toEqual(['m1_000002'])
    } finally {
      await client.query('rollback')
      client.release()
    }
    // A worker that died in its claim held nothing.
    expect((await claim()).rows.map(({ id }) => id)).toEqual(['m1_000001'])
  })
})

describe('fairness', () => {
  test('a claim takes its shares out of what was seen, merchants with few rows whole', () => {
    const seen = new Map([
      ['one', 1],
      ['three', 3],
      ['many', 1000],
    ])
    const take = (limit: number) => takeShares(seen, limit)
    expect(take(2)).toEqual([
      ['one', 1],
      ['three', 1],
    ])
    expect(take(10)).toEqual([
      ['three', 2],
      ['many', 8],
    ])
    expect(seen).toEqual(new Map([['many', 992]]))
    expect(take(0)).toEqual([])
    expect(takeShares(new Map(), 5)).toEqual([])
  })

  test('a backlog of 10,000 older rows of one merchant delays the single row of another by one round at most', async () => {
    await addToys('aaa', 10_000, addSeconds(clock.now(), -600))
    await addToys('zzz', 1)
    const rounds = [await claim(20), await claim(20)].map(({ rows }) => rows.map(({ merchantId }) => merchantId))
    expect(rounds.flat()).toContain('zzz')
    expect(rounds.flat()).toHaveLength(40)
  })

  test('what one question saw of a merchant is not claimed again for the others: new rows are found', async () => {
    await addToys('m1', 150)
    await claim(20)
    await pool.query(`delete from open_work where merchant_id = 'm1'`)
    await addToys('m2', 1)
    expect((await claim(20)).rows.map(({ merchantId }) => merchantId)).toEqual(['m2'])
  })

  test('with several backlogs every merchant has its turn', async () => {
    for (const merchantId of ['b1', 'b2', 'b3', 'b4']) await addToys(merchantId, 500, addSeconds(clock.now(), -600))
    for (const merchantId of ['a9', 'b25', 'c9']) await addToys(merchantId, 1)
    const seen = new Set<string>()
    for (let round = 0; round < 20; round += 1)
      for (const { merchantId } of (await claim(20)).rows) seen.add(merchantId)
    expect([...seen].sort()).toEqual(['a9', 'b1', 'b2', 'b25', 'b3', 'b4', 'c9'])
  })
})
