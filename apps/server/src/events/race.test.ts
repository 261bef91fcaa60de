import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startWireProxy, type WireMessage } from '../../test/crash/wire-proxy.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { closePool, createPool } from '../db/pool.ts'
import { PATIENT_LIMITS } from '../db/testing/patient-limits.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { captured, eventWorld, feedOf, MERCHANT, OTHER, readOn } from './testing/world.ts'

// Guarantee (I8, E23): every committed event is in the feed once, in one fixed order, and none appears behind a cursor that a
// reader was given; whatever writers, sequencers and readers run at once, and wherever they die.
//
// FEED_RACE_SECONDS sets how long it runs (FEED_RACE_SECONDS=600 for an evening).

const SECONDS = Number(process.env.FEED_RACE_SECONDS ?? 3)
const MERCHANTS = [MERCHANT, OTHER]
const quiet = { warn: () => {} }

let database: TestDatabase
let pool: Pool
beforeAll(async () => {
  database = await createTestDatabase({ max: 16, limits: PATIENT_LIMITS })
  pool = database.pool
})
afterAll(() => database?.close())
beforeEach(() => pool.query('truncate captured_events, events, event_heads'))

/** What a writer did, as its own transaction knows it. */
interface Oracle {
  committed: Map<string, Set<string>>
  aborted: Set<string>
  /** The connection broke around the commit: either. */
  unknown: Set<string>
}

/** A life of one transaction after the other: short and long ones, some that are rolled back, some whose connection breaks. */
async function write(oracle: Oracle, clock: ManualClock, isOver: () => boolean): Promise<void> {
  const own = createPool({ connection: database.connection, max: 1, log: quiet, limits: PATIENT_LIMITS })
  const { deps } = eventWorld(own, { clock })
  while (!isOver()) {
    const merchantId = MERCHANTS[Math.floor(Math.random() * MERCHANTS.length)] ?? MERCHANT
    const event = captured({ merchantId })
    const { id: resource } = event.resource
    const fate = Math.random()
    const client = await own.connect()
    let broken = false
    try {
      await client.query('begin')
      await appendRaw(client, deps, event, clock.now())
      if (fate < 0.15) await delay(Math.random() * 400)
      if (fate > 0.9) {
        await client.query('rollback')
        oracle.aborted.add(resource)
      } else if (fate > 0.85) {
        broken = true
        oracle.aborted.add(resource)
      } else if (fate > 0.8) {
        broken = true
        oracle.unknown.add(resource)
        void client.query('commit').catch(() => undefined)
      } else {
        await client.query('commit')
        oracle.committed.get(merchantId)?.add(resource)
      }
    } finally {
      client.release(broken)
    }
    clock.advance(0.001)
    if (fate < 0.5) await delay(Math.random() * 10)
  }
  await closePool(own)
}

/** As `append`, in a transaction of the test. */
async function appendRaw(
  client: PoolClient,
  { events }: ReturnType<typeof eventWorld>['deps'],
  event: ReturnType<typeof captured>,
  at: Date,
): Promise<void> {
  const { withActions } = await import('../db/transaction.ts')
  await withActions(pool, client, () => events.append(client, [event], at))
}

/** A worker that numbers; from time to time its connections are killed and it begins again. */
async function sequence(clock: ManualClock, isOver: () => boolean): Promise<number> {
  let kills = 0
  while (!isOver()) {
    const own = createPool({ connection: database.connection, max: 3, log: quiet, limits: PATIENT_LIMITS })
    const { events } = eventWorld(own, { clock })
    const endsAt = performance.now() + 100 + Math.random() * 400
    while (!isOver() && performance.now() < endsAt) {
      await events.numberWaiting().catch(() => undefined)
      await delay(Math.random() * 8)
    }
    const dying = events.numberWaiting().catch(() => undefined)
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'mintmark' and pid <> pg_backend_pid()
         and state = 'idle in transaction' and query like '%event_heads%' and datname = current_database()`,
    )
    kills += 1
    await dying
    await closePool(own)
  }
  return kills
}

/** What one reader saw, page by page, keeping the last cursor as the guide says. */
async function read(merchantId: string, clock: ManualClock, isOver: () => boolean): Promise<string[]> {
  const { events } = eventWorld(pool, { clock })
  const seen: string[] = []
  const known = new Set<string>()
  let cursor: string | undefined
  const limit = 1 + Math.floor(Math.random() * 20)
  for (let isLast = false; !isLast; ) {
    isLast = isOver()
    for (let isBehind = true; isBehind; ) {
      const page = await events.list({ ...NO_FILTER, merchantId, cursor, limit })
      for (const { eventId } of page.events) {
        if (known.has(eventId)) continue
        known.add(eventId)
        seen.push(eventId)
      }
      isBehind = page.nextCursor !== null
      cursor = page.nextCursor ?? cursor
    }
    await delay(Math.random() * 15)
  }
  return seen
}

/** What is held by a sequencer that was killed a moment ago takes another round. */
async function numberAll(events: ReturnType<typeof eventWorld>['events']): Promise<void> {
  const lag = () => events.numberWaiting().then(() => events.findLag())
  await expect.poll(lag).toBe(0)
}

const NO_FILTER = { types: undefined, resourceId: undefined, from: undefined, to: undefined }

test('writers, sequencers that are killed, and readers at once', { timeout: SECONDS * 1000 + 300_000 }, async () => {
  const clock = new ManualClock()
  const oracle: Oracle = {
    committed: new Map(MERCHANTS.map((merchantId) => [merchantId, new Set<string>()])),
    aborted: new Set(),
    unknown: new Set(),
  }
  let phase: 'writing' | 'numbering' | 'over' = 'writing'
  const writers = Array.from({ length: 6 }, () => write(oracle, clock, () => phase !== 'writing'))
  const sequencers = Array.from({ length: 3 }, () => sequence(clock, () => phase === 'over'))
  const readers = [...MERCHANTS, ...MERCHANTS].map((merchantId) => read(merchantId, clock, () => phase === 'over'))
  await delay(SECONDS * 1000)
  // A busy machine takes longer for something to look at.
  await expect.poll(() => Math.min(...[...oracle.committed.values()].map(({ size }) => size))).toBeGreaterThan(10)
  phase = 'numbering'
  await Promise.all(writers)
  const { events } = eventWorld(pool, { clock })
  await numberAll(events)
  phase = 'over'
  const kills = await Promise.all(sequencers)
  const seen = await Promise.all(readers)
  expect(kills.every((count) => count > 0)).toBe(true)

  for (const [place, merchantId] of MERCHANTS.entries()) {
    const feed = await feedOf(pool, merchantId)
    expect(feed.map(({ position }) => position)).toEqual(feed.map((_, index) => BigInt(index + 1)))
    const order = feed.map(({ id }) => id)
    // A reader that read it while it grew, and in whatever steps, read what it is in the end.
    expect(seen[place]).toEqual(order)
    expect(seen[place + MERCHANTS.length]).toEqual(order)
    const resources = feed.map(({ resource }) => resource)
    expect(new Set(resources).size).toBe(resources.length)
    const committed = oracle.committed.get(merchantId) ?? new Set()
    expect([...committed].filter((resource) => !resources.includes(resource))).toEqual([])
    expect(resources.filter((resource) => !committed.has(resource) && !oracle.unknown.has(resource))).toEqual([])
    expect(resources.filter((resource) => oracle.aborted.has(resource))).toEqual([])
  }
})

async function isThere(pid: number | undefined): Promise<boolean> {
  return ((await pool.query('select 1 from pg_stat_activity where pid = $1', [pid])).rowCount ?? 0) > 0
}

test('a sequencer that dies at any message of its transaction numbers all of it or nothing', async () => {
  await pool.query('create table marks (merchant_id text not null, mark text not null)')
  const proxy = await startWireProxy(database.connection)
  const clock = new ManualClock()
  const told: string[] = []
  const onNumbered = [
    async (tx: PoolClient, { upTo }: { upTo: bigint }) => {
      await tx.query(`insert into marks values ($1, $2)`, [MERCHANT, `told ${upTo}`])
      told.push(String(upTo))
    },
  ]
  const counts = ({ direction, type }: WireMessage) => direction === 'frontend' && 'QS'.includes(type) && type !== ''
  const { events, capture } = eventWorld(pool, { clock, onNumbered })
  await capture()
  await numberAll(events)
  const given: string[] = []
  let deaths = 0
  for (let at = 1, isWhole = false; !isWhole; at += 1) {
    for (const when of ['before', 'after'] as const) {
      given.push(await capture(), await capture())
      const own = createPool({ connection: proxy.url, max: 1, log: quiet, limits: PATIENT_LIMITS })
      const { rows: backends } = await own.query<{ pid: number }>('select pg_backend_pid() as pid')
      void proxy.arm({ counts, at, when, action: 'drop' })
      await eventWorld(own, { clock, onNumbered })
        .events.numberWaiting()
        .catch(() => undefined)
      const { happened } = proxy.disarm()
      isWhole = !happened
      deaths += happened ? 1 : 0
      await closePool(own)
      // What it held it holds until the server has seen its end, and the next one would leave that for later.
      await expect.poll(() => isThere(backends[0]?.pid)).toBe(false)
      // In one snapshot: what the server was told to commit it may commit a little later.
      const { rows } = await pool.query<{ mark: string; last: bigint }>(
        'select mark, (select max(feed_pos) from events where merchant_id = $1) as last from marks',
        [MERCHANT],
      )
      const feed = await feedOf(pool)
      // What rode on it is there exactly if the numbers are.
      const last = rows[0]?.last
      expect(rows.map(({ mark }) => mark)).toContain(`told ${last}`)
      expect(rows.filter(({ mark }) => BigInt(mark.slice(5)) > (last ?? 0n))).toEqual([])
      expect(feed.map(({ position }) => position)).toEqual(feed.map((_, index) => BigInt(index + 1)))
    }
  }
  await proxy.close()
  await numberAll(events)
  const ids = (await readOn({ events })).ids
  expect(ids.slice(1).sort()).toEqual([...given].sort())
  expect(deaths).toBeGreaterThan(8)
})
