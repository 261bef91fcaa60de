import { EVENT_TYPES } from '@mintmark/contract'
import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { keepLog } from '../../test/logged.ts'
import { command, rollback } from '../db/command.ts'
import { createPool } from '../db/pool.ts'
import { PATIENT_LIMITS } from '../db/testing/patient-limits.ts'
import { addSeconds } from '../platform/clock.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import type { Numbered } from './deps.ts'
import { captured, eventWorld, feedOf, MERCHANT, OTHER } from './testing/world.ts'

// Guarantee: every committed event gets one number of its merchant, in an order in which nothing comes behind what was numbered
// before, however many sequencers there are and wherever they die.

let database: TestDatabase
let pool: Pool
let clock: ManualClock
beforeAll(async () => {
  database = await createTestDatabase({ max: 12, limits: PATIENT_LIMITS })
  pool = database.pool
})
afterAll(() => database?.close())
beforeEach(async () => {
  clock = new ManualClock()
  await pool.query('truncate captured_events, events, event_heads')
})
const world = (options: Parameters<typeof eventWorld>[1] = {}) => eventWorld(pool, { clock, ...options })
const idsOf = async (merchantId?: string) => (await feedOf(pool, merchantId)).map(({ id }) => id)

test('from 1, without gaps, each merchant by itself', async () => {
  const { capture, events } = world()
  const own = [await capture(), await capture()]
  const theirs = [await capture({ merchantId: OTHER })]
  expect(await feedOf(pool)).toEqual([])
  expect(await events.numberWaiting()).toEqual({ taken: 2, nextDueAt: null })
  own.push(await capture())
  await events.numberWaiting()
  const feed = await feedOf(pool)
  expect(feed.map(({ position }) => position)).toEqual([1n, 2n, 3n])
  expect(new Set(feed.map(({ id }) => id))).toEqual(new Set(own))
  expect(feed[2]?.id).toBe(own[2])
  expect(await idsOf(OTHER)).toEqual(theirs)
  expect((await pool.query('select 1 from captured_events')).rowCount).toBe(0)
  expect((await events.numberWaiting()).taken).toBe(0)
})

test('a transaction that commits late gets a later number, and one that is rolled back none', async () => {
  const { deps, capture, events } = world()
  const declaration = { name: 'toys.paint', emits: EVENT_TYPES }
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
  const { promise: hasWritten, resolve: written } = Promise.withResolvers<void>()
  const slow = captured()
  // Its row is there before the other is captured.
  const late = command(deps, declaration, async ({ tx, at, emit }) => {
    await deps.events.append(tx, [slow], at)
    written()
    await mayCommit
    emit(captured())
  })
  await hasWritten
  clock.advance(1)
  const early = await capture()
  await command(deps, declaration, async ({ tx, at }) => {
    await deps.events.append(tx, [captured()], at)
    return rollback
  })
  await events.numberWaiting()
  expect(await idsOf()).toEqual([early])
  commit()
  await late
  await events.numberWaiting()
  const feed = await feedOf(pool)
  expect(feed).toHaveLength(3)
  expect(feed[0]?.id).toBe(early)
  expect(feed.slice(1).map(({ resource }) => resource)).toContain(slow.resource.id)
})

test('versions of a resource keep their order, though the later one read the clock earlier', async () => {
  const { capture, events } = world()
  const start = clock.now()
  await capture({ resourceId: 'txn_a', version: 2 })
  clock.advance(1)
  // More than one transaction numbers, all of them older than the first version.
  await pool.query(
    `insert into captured_events (merchant_id, id, type, resource_type, resource_id, resource_version, schema_version,
       environment, data, occurred_at)
     select $1, (select left(id, 14) from captured_events) || 'zzzz' || lpad(n::text, 12, '0'), 'payment.failed', 'payment', 'txn_' || n, 1, '2026-11-01', 'sandbox', '{}', $2
     from generate_series(1, 700) n`,
    [MERCHANT, addSeconds(start, 1)],
  )
  clock.advance(1)
  await capture({ resourceId: 'txn_a', version: 1 })
  await capture({ resourceId: 'txn_b', version: 1 })
  await events.numberWaiting()
  const feed = await feedOf(pool)
  expect(feed.map(({ position }) => position)).toEqual(feed.map((_, place) => BigInt(place + 1)))
  expect(feed).toHaveLength(703)
  expect(feed.filter(({ resource }) => resource === 'txn_a').map(({ version }) => version)).toEqual([1, 2])
})

describe('who rides on it', () => {
  test('is told of the range in the same transaction', async () => {
    const told: (Numbered & { seen: number })[] = []
    const { capture, events } = world({
      onNumbered: [
        async (tx, numbered) => {
          const { rowCount } = await tx.query(
            'select 1 from events where merchant_id = $1 and feed_pos > $2 and feed_pos <= $3',
            [numbered.merchantId, numbered.after, numbered.upTo],
          )
          told.push({ ...numbered, seen: rowCount ?? 0 })
        },
      ],
    })
    await capture()
    await capture()
    await events.numberWaiting()
    await capture()
    await events.numberWaiting()
    await events.numberWaiting()
    const at = clock.now()
    expect(told).toEqual([
      { merchantId: MERCHANT, after: 0n, upTo: 2n, at, seen: 2 },
      { merchantId: MERCHANT, after: 2n, upTo: 3n, at, seen: 1 },
    ])
  })

  test('and fails for one merchant delays that merchant alone', async () => {
    const failing = new Set([MERCHANT])
    const { capture, events } = world({
      onNumbered: [
        async (_tx, { merchantId }) => {
          if (failing.has(merchantId)) throw new Error('Planted.')
        },
      ],
    })
    const [own, theirs] = [await capture(), await capture({ merchantId: OTHER })]
    await events.numberWaiting()
    expect([await idsOf(), await idsOf(OTHER)]).toEqual([[], [theirs]])
    failing.clear()
    await expect.poll(async () => events.numberWaiting().then(() => idsOf())).toEqual([own])
  })
})

describe('many merchants', () => {
  const insertMany = (merchants: number, each: number) =>
    pool.query(
      `insert into captured_events (merchant_id, id, type, resource_type, resource_id, resource_version, schema_version,
         environment, data, occurred_at)
       select 'ma_many' || lpad(m::text, 6, '0'), 'evt_' || lpad(m::text, 6, '0') || lpad(n::text, 20, '0'), 'payment.failed', 'payment',
         'txn_' || m || '_' || n, 1, '2026-11-01', 'sandbox', '{}', $3
       from generate_series(1, $1::int) m, generate_series(1, $2::int) n`,
      [merchants, each, clock.now()],
    )
  const counted = async () => {
    const { rows } = await pool.query(
      `select count(*)::int as merchants, min(events)::int as least, max(events)::int as most, bool_and(events = last) as whole
       from (select count(*) as events, max(feed_pos) as last from events group by merchant_id) each_one`,
    )
    return rows[0]
  }

  test('with an event each are numbered by few transactions', async () => {
    await insertMany(200, 1)
    let taken = 0
    const count = () => {
      taken += 1
    }
    pool.on('acquire', count)
    await world().events.numberWaiting()
    pool.off('acquire', count)
    expect(await counted()).toEqual({ merchants: 200, least: 1, most: 1, whole: true })
    // Eight for the numbers, and some questions.
    expect(taken).toBeLessThan(20)
  })

  test('that share a transaction share nothing else: the failure of one, and a long backlog, are its own', async () => {
    await insertMany(40, 60)
    const failing = new Set(['ma_many000007'])
    const { events } = world({
      onNumbered: [
        async (_tx, { merchantId }) => {
          if (failing.has(merchantId)) throw new Error('Planted.')
        },
      ],
    })
    await events.numberWaiting()
    expect(await counted()).toEqual({ merchants: 39, least: 60, most: 60, whole: true })
    failing.clear()
    await expect.poll(() => events.numberWaiting().then(counted)).toMatchObject({ merchants: 40, least: 60 })
  })
})

test('many sequencers at once: each event once, without gaps', async () => {
  const { capture } = world()
  const merchants = Array.from({ length: 6 }, (_, place) => `ma_many00000${place}`)
  const given = new Map<string, Set<string>>(merchants.map((merchantId) => [merchantId, new Set()]))
  const pools = Array.from({ length: 3 }, () =>
    createPool({ connection: database.connection, max: 4, log: { warn: () => {} }, limits: PATIENT_LIMITS }),
  )
  let writing = true
  const sequencers = pools.map(async (own) => {
    const { events } = eventWorld(own, { clock })
    for (;;) {
      const isLast = !writing
      const { taken } = await events.numberWaiting()
      if (isLast && taken === 0) return
    }
  })
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(
      merchants.map(async (merchantId) => {
        const resourceId = `txn_${merchantId}_${round}`
        await capture({ merchantId, resourceId })
        given.get(merchantId)?.add(resourceId)
      }),
    )
  }
  writing = false
  await Promise.all(sequencers)
  await Promise.all(pools.map((own) => own.end()))
  for (const [merchantId, resources] of given) {
    // One that was held elsewhere in the last round is found in the next.
    await world().events.numberWaiting()
    const feed = await feedOf(pool, merchantId)
    expect(feed.map(({ position }) => position)).toEqual(feed.map((_, place) => BigInt(place + 1)))
    expect(feed.map(({ resource }) => resource).sort()).toEqual([...resources].sort())
  }
})

test('a sequencer that stops between two statements, with the head locked, delays no other merchant', async () => {
  const { capture, events } = world()
  await capture()
  await events.numberWaiting()
  const [own, theirs] = [await capture(), await capture({ merchantId: OTHER })]
  const stopped: PoolClient = await pool.connect()
  await stopped.query('begin')
  await stopped.query('select 1 from event_heads where merchant_id = $1 for update', [MERCHANT])
  const { nextDueAt } = await events.numberWaiting()
  expect(await idsOf(OTHER)).toEqual([theirs])
  expect(await idsOf()).not.toContain(own)
  // It looks again soon, without being woken.
  expect(nextDueAt).not.toBeNull()
  stopped.release(true)
  await expect.poll(async () => events.numberWaiting().then(() => idsOf())).toContain(own)
})

describe('parked', () => {
  const { log, alarms, lines } = keepLog('error')
  beforeEach(() => {
    lines.length = 0
  })

  test('what is above 64 KiB; its cause is committed, and the others go on', async () => {
    const { capture, events } = world({ log })
    const before = await capture()
    const large = await capture({ data: { text: 'é'.repeat(33_000) } })
    const after = await capture()
    await events.numberWaiting()
    expect(new Set(await idsOf())).toEqual(new Set([before, after]))
    expect(await events.listParked()).toEqual([
      expect.objectContaining({ id: large, parked: 'too_large', dataBytes: 66_011 }),
    ])
    expect(alarms('event_parked')).toEqual([expect.objectContaining({ event_id: large, merchant_id: MERCHANT })])
    expect(await events.findLag()).toBe(0)
  })

  test('what tells of a version again; the others go on', async () => {
    const { capture, events } = world({ log })
    await capture({ resourceId: 'txn_twice' })
    await events.numberWaiting()
    const [again, other] = [await capture({ resourceId: 'txn_twice' }), await capture()]
    await events.numberWaiting()
    expect(await idsOf()).toContain(other)
    expect(await idsOf()).not.toContain(again)
    expect(await events.listParked()).toEqual([expect.objectContaining({ id: again, parked: 'duplicate' })])
    expect(alarms('event_parked')).toHaveLength(1)
  })

  test('for 30 days', async () => {
    const { capture, events } = world({ log })
    await capture({ data: { text: 'x'.repeat(70_000) } })
    clock.advance(29 * 24 * 3600)
    await events.keepPartitions()
    expect(await events.listParked()).toHaveLength(1)
    clock.advance(2 * 24 * 3600)
    await events.keepPartitions()
    expect(await events.listParked()).toEqual([])
  })

  test('also behind many of a merchant that are not that old', async () => {
    const { capture, events } = world({ log })
    const old = await capture({ data: { text: 'x'.repeat(70_000) } })
    clock.advance(31 * 24 * 3600)
    await database.pool.query(
      `insert into captured_events (merchant_id, id, type, resource_type, resource_id, resource_version, schema_version,
         environment, data, occurred_at, parked)
       select 'ma_0', 'evt_' || n, 'payment.failed', 'payment', 'txn_' || n, 1, '2026-11-21', 'sandbox', '{}', $1, 'duplicate'
       from generate_series(1, 501) n`,
      [clock.now()],
    )
    await events.keepPartitions()
    const { rows } = await database.pool.query('select count(*)::int as count from captured_events where id = $1', [
      old,
    ])
    expect(rows).toEqual([{ count: 0 }])
  })
})

test('how long the oldest waits', async () => {
  const { capture, events } = world()
  expect(await events.findLag()).toBe(0)
  await capture()
  clock.advance(7)
  await capture({ merchantId: OTHER })
  expect(await events.findLag()).toBe(7)
  await events.numberWaiting()
  expect(await events.findLag()).toBe(0)
})
