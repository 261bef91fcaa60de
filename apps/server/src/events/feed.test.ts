import { EVENT_TYPES, type EventType } from '@mintmark/contract'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { transaction } from '../db/transaction.ts'
import { addSeconds } from '../platform/clock.ts'
import { secret } from '../platform/secret.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { createCursors } from './cursor.ts'
import { beginEpoch } from './epoch.ts'
import { eventWorld, MERCHANT, OTHER, readOn } from './testing/world.ts'

// Guarantee: a feed shows a merchant's numbered events of the last 30 days, each once, in one order; a cursor stays good for ever,
// and nothing that was not given to this merchant is one.

const DAY = 24 * 60 * 60
let database: TestDatabase
let pool: Pool
let clock: ManualClock
let world: ReturnType<typeof eventWorld>
beforeAll(async () => {
  database = await createTestDatabase()
  pool = database.pool
})
afterAll(() => database?.close())
beforeEach(async () => {
  clock = new ManualClock()
  world = eventWorld(pool, { clock })
  await pool.query('truncate captured_events, events, event_heads')
  await pool.query('update feed_epoch set epoch = 1, previous = null')
})

/** Captures and numbers one after the other; returns the ids. */
async function publish(count: number, merchantId = MERCHANT, type: EventType = 'payment.failed'): Promise<string[]> {
  const ids: string[] = []
  for (let place = 0; place < count; place += 1) {
    ids.push(await world.capture({ merchantId, type }))
    clock.advance(1)
  }
  await world.events.numberWaiting()
  return ids
}

/** Many events of one merchant, straight into the feed. */
async function fill(count: number, type: EventType = 'payment.failed'): Promise<void> {
  await pool.query(`insert into event_heads values ($1, 0, 0) on conflict do nothing`, [MERCHANT])
  await pool.query(
    `with head as (update event_heads set feed_pos = feed_pos + $2 where merchant_id = $1 returning feed_pos - $2 as before)
     insert into events (merchant_id, feed_pos, occurred_at, day, resource_version, id, type, resource_type, resource_id,
       schema_version, environment, data)
     select $1, before + n, $3, ($3::timestamptz at time zone 'UTC')::date, 1, 'evt_' || (before + n), $4, 'payment',
       'txn_' || (before + n), '2026-11-01', 'sandbox', '{}' from head, generate_series(1, $2) n`,
    [MERCHANT, count, clock.now(), type],
  )
}
const page = (query: object = {}) =>
  world.events.list({
    ...{ merchantId: MERCHANT, cursor: undefined, types: undefined, resourceId: undefined, from: undefined },
    ...{ to: undefined, limit: 50, ...query },
  })
const idsOf = ({ events }: Awaited<ReturnType<typeof page>>) => events.map(({ eventId }) => eventId)
const refused = (query: object) =>
  page(query).then(
    () => 'taken',
    (error: { code: string; details: object }) => ({ code: error.code, details: error.details }),
  )

describe('pages', () => {
  test('an empty feed is read to its end', async () => {
    expect(await page()).toEqual({ events: [], nextCursor: null })
    await publish(1, OTHER)
    expect(await page()).toEqual({ events: [], nextCursor: null })
  })

  test('follow each other; there is no cursor where nothing follows, and the last one goes on', async () => {
    const ids = await publish(7)
    const first = await page({ limit: 3 })
    const second = await page({ limit: 3, cursor: first.nextCursor })
    const third = await page({ limit: 3, cursor: second.nextCursor })
    expect([idsOf(first), idsOf(second), idsOf(third)]).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)])
    expect(third.nextCursor).toBeNull()
    const more = await publish(3)
    expect(idsOf(await page({ limit: 50, cursor: second.nextCursor }))).toEqual([...ids.slice(6), ...more])
    // A full page that reaches the end is the last one.
    expect((await page({ limit: 10 })).nextCursor).toBeNull()
  })

  test('begin with the oldest kept for 0 and for no cursor', async () => {
    const ids = await publish(2)
    expect(idsOf(await page({ cursor: '0' }))).toEqual(ids)
    expect(idsOf(await page())).toEqual(ids)
  })

  test('have no event that is not numbered', async () => {
    await publish(1)
    await world.capture()
    expect((await page()).events).toHaveLength(1)
  })
})

describe('a cursor', () => {
  test.each([
    ...[
      'x',
      '-1',
      '1',
      '00',
      '0x0',
      '9223372036854775808',
      '18446744073709551616',
      '٠',
      'null',
      '0 ',
      'AA',
      'a'.repeat(100),
    ],
    Buffer.alloc(25).toString('base64url'),
    Buffer.alloc(25, 255).toString('base64url'),
  ])('that was never given is refused: %s', async (cursor) => {
    expect(await refused({ cursor })).toEqual({ code: 'VAL_2001', details: { cursor: expect.any(String) } })
  })

  test('that was changed, or is of another merchant, is refused', async () => {
    await publish(3)
    await publish(3, OTHER)
    const { nextCursor: own } = await page({ limit: 1 })
    const { nextCursor: theirs } = await page({ limit: 1, merchantId: OTHER })
    expect(own).toEqual(expect.any(String))
    expect(await refused({ cursor: theirs })).toMatchObject({ code: 'VAL_2001' })
    const bytes = Buffer.from(own ?? '', 'base64url')
    for (let place = 0; place < bytes.length; place += 1) {
      const changed = Buffer.from(bytes)
      changed[place] = (changed[place] ?? 0) ^ 1
      expect(await refused({ cursor: changed.toString('base64url') }), `byte ${place}`).toMatchObject({
        code: 'VAL_2001',
      })
    }
    for (const text of [`${own}=`, `${own}A`, ` ${own}`, own?.slice(0, -1)]) {
      expect(await refused({ cursor: text })).toMatchObject({ code: 'VAL_2001' })
    }
  })

  test('that is ahead of the feed, or of an epoch to come, is refused', async () => {
    await publish(3)
    const { encode } = createCursors(secret(Buffer.alloc(32, 9)))
    expect((await page({ cursor: encode(MERCHANT, { epoch: 1n, position: 3n }) })).nextCursor).toBeNull()
    for (const cursor of [
      { epoch: 1n, position: 4n },
      { epoch: 2n, position: 1n },
    ]) {
      expect(await refused({ cursor: encode(MERCHANT, cursor) })).toMatchObject({ code: 'VAL_2001' })
    }
  })

  test('from before what is kept goes on with the oldest kept', async () => {
    const old = await publish(5)
    const { nextCursor } = await page({ limit: 2 })
    clock.advance(31 * DAY)
    expect(await page({ cursor: nextCursor })).toEqual({ events: [], nextCursor: null })
    const young = await publish(2)
    expect(idsOf(await page({ cursor: nextCursor }))).toEqual(young)
    await world.events.keepPartitions()
    expect(idsOf(await page({ cursor: nextCursor }))).toEqual(young)
    clock.advance(14 * DAY)
    await world.events.keepPartitions()
    const { rows } = await pool.query<{ id: string }>('select id from events where merchant_id = $1', [MERCHANT])
    expect(rows.map(({ id }) => id)).not.toContain(old[0])
    expect(idsOf(await page({ cursor: nextCursor }))).toEqual(young)
  })
})

describe('after a restore', () => {
  /** The database as it was when the feed ended there. */
  async function restore(head: number) {
    await pool.query('delete from events where feed_pos > $1', [head])
    await pool.query('update event_heads set feed_pos = $1', [head])
    clock.advance(1)
    await transaction(pool, (tx) => beginEpoch(tx, clock.now()))
  }

  test('a reader goes on at the lower of where it was and where the restored feed ended', async () => {
    await publish(10)
    const [behind, ahead] = [(await page({ limit: 4 })).nextCursor, (await page({ limit: 9 })).nextCursor]
    await restore(6)
    const lost = await publish(5)
    expect(idsOf(await page({ cursor: ahead }))).toEqual(lost)
    expect(idsOf(await page({ cursor: behind })).slice(2)).toEqual(lost)
    expect(idsOf(await page({ cursor: behind }))).toHaveLength(7)
  })

  test('a merchant who had no events then is read from the start', async () => {
    await publish(5)
    const { nextCursor } = await page({ limit: 4 })
    await pool.query('truncate events, event_heads')
    await transaction(pool, (tx) => beginEpoch(tx, clock.now()))
    const ids = await publish(2)
    expect(idsOf(await page({ cursor: nextCursor }))).toEqual(ids)
  })

  test('a cursor of two restores ago goes on with the oldest kept', async () => {
    const ids = await publish(5)
    const { nextCursor } = await page({ limit: 4 })
    await restore(5)
    const { nextCursor: between } = await page({ limit: 3 })
    await restore(5)
    expect(idsOf(await page({ cursor: nextCursor }))).toEqual(ids)
    expect(idsOf(await page({ cursor: between }))).toEqual(ids.slice(3))
  })

  test('a backup that is restored twice gives two epochs', async () => {
    await publish(5)
    await restore(5)
    await publish(3)
    const { nextCursor: lost } = await page({ limit: 7 })
    // The same backup again.
    await pool.query('update feed_epoch set epoch = 1, previous = null')
    await pool.query('update event_heads set epoch_start = 0')
    await restore(5)
    const ids = await publish(4)
    // The cursor is of an epoch that this database never knew: nothing may be missed.
    expect(idsOf(await page({ cursor: lost })).slice(-4)).toEqual(ids)
  })
})

describe('filters', () => {
  test('by kind, resource and time find what a look at everything finds', async () => {
    const types = EVENT_TYPES.slice(0, 3)
    for (let place = 0; place < 60; place += 1) {
      const resourceId = `txn_${place % 7}`
      await world.capture({ type: types[place % 3] ?? 'payment.failed', resourceId, version: place + 1 })
      if (place % 5 === 0) await world.events.numberWaiting()
      clock.advance(600)
    }
    await world.events.numberWaiting()
    const all = (await page({ limit: 100 })).events
    expect(all).toHaveLength(60)
    const times = [undefined, ...[5, 20, 59].map((place) => all[place]?.occurredAt)]
    for (const type of [undefined, ...types]) {
      for (const resourceId of [undefined, 'txn_3', 'txn_none']) {
        for (const from of times) {
          for (const to of times) {
            if (from !== undefined && to !== undefined && to < from) continue
            const filter = { types: type && [type], resourceId, from, to }
            const expected = all.filter(
              (event) =>
                (type === undefined || event.eventType === type) &&
                (resourceId === undefined || event.resourceId === resourceId) &&
                (from === undefined || event.occurredAt >= from) &&
                (to === undefined || event.occurredAt <= to),
            )
            const { ids } = await readOn(world, { ...filter, limit: 7 })
            expect(ids, JSON.stringify(filter)).toEqual(expected.map(({ eventId }) => eventId))
          }
        }
      }
    }
  })

  test('that find nothing still advance, and a page looks at a bounded part of the feed', async () => {
    await fill(5_000)
    await fill(1, 'card.deleted')
    await fill(1_500)
    const first = await page({ types: ['card.deleted'] })
    expect(first.events).toEqual([])
    expect(first.nextCursor).not.toBeNull()
    const { ids, pages } = await readOn(world, { types: ['card.deleted'] })
    expect(ids).toEqual(['evt_5001'])
    expect(pages).toBe(4)
    expect((await readOn(world, { types: ['session.revoked'] })).ids).toEqual([])
  })

  test('a time begins where it is in the feed, not where the feed begins', async () => {
    await fill(5_000)
    clock.advance(DAY)
    const from = clock.now()
    await fill(3)
    clock.advance(DAY)
    await fill(5_000)
    const found = await page({ from, to: addSeconds(from, 60) })
    expect(idsOf(found)).toEqual(['evt_5001', 'evt_5002', 'evt_5003'])
    expect(found.nextCursor).toBeNull()
  })

  test.each([
    '0000-01-01T00:00:00+23:59',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59-23:59',
  ])('a time at an end of the calendar is before or after all events: %s', async (text) => {
    const ids = await publish(2)
    const time = new Date(text)
    const [before, after] = time < clock.now() ? [[], ids] : [ids, []]
    expect(await page({ to: time })).toMatchObject({ nextCursor: null })
    expect(idsOf(await page({ to: time }))).toEqual(before)
    expect(idsOf(await page({ from: time }))).toEqual(after)
    expect(idsOf(await page({ from: time, to: time, resourceId: 'txn_1' }))).toEqual([])
  })

  test('a time that is none, or too long, is refused by its name', async () => {
    const now = clock.now()
    const problem = { code: 'VAL_2001', details: { to: expect.any(String) } }
    expect(await refused({ from: now, to: addSeconds(now, -1) })).toEqual(problem)
    expect(await refused({ from: now, to: addSeconds(now, 30 * DAY + 1) })).toEqual(problem)
    expect(await refused({ from: now, to: addSeconds(now, 30 * DAY), cursor: 'x' })).toEqual({
      code: 'VAL_2001',
      details: { cursor: expect.any(String) },
    })
  })
})

describe('one event', () => {
  test('by its id, for 30 days, and of the merchant alone', async () => {
    const [id = ''] = await publish(1)
    const found = () => world.events.find({ merchantId: MERCHANT, eventId: id })
    expect((await found()).eventId).toBe(id)
    const notFound = { code: 'NOT_FOUND' }
    await expect(world.events.find({ merchantId: OTHER, eventId: id })).rejects.toMatchObject(notFound)
    // The last two have times that no calendar of the database has.
    const strays = [`${id.slice(0, -16)}${'0'.repeat(16)}`, `evt_8${'0'.repeat(25)}`, `evt_${'z'.repeat(26)}`]
    for (const eventId of [`${id}0`, id.slice(0, -1), 'evt_', '', 'txn_1', ...strays]) {
      await expect(world.events.find({ merchantId: MERCHANT, eventId })).rejects.toMatchObject(notFound)
    }
    clock.advance(30 * DAY - 2)
    expect((await found()).eventId).toBe(id)
    clock.advance(2)
    // Its partition is still there.
    expect((await pool.query('select 1 from events where id = $1', [id])).rowCount).toBe(1)
    await expect(found()).rejects.toMatchObject(notFound)
    expect(await page()).toEqual({ events: [], nextCursor: null })
  })

  test('is not there before it has a number', async () => {
    const eventId = await world.capture()
    await expect(world.events.find({ merchantId: MERCHANT, eventId })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
