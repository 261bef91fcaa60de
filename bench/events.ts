import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startEmbedded } from '@mintmark/embedded-postgres'
import { Client, type Pool } from 'pg'
import { type DatabaseClock, startDatabaseClock } from '../apps/server/src/db/clock.ts'
import { type Captured, single, singleWithEvent } from '../apps/server/src/db/command.ts'
import { migrate } from '../apps/server/src/db/migrate.ts'
import { type Connection, closePool, createPool } from '../apps/server/src/db/pool.ts'
import { text } from '../apps/server/src/db/row.ts'
import { execute, one } from '../apps/server/src/db/statement.ts'
import { bodyOf } from '../apps/server/src/events/body.ts'
import { createCursors } from '../apps/server/src/events/cursor.ts'
import { INSERT_EVENT } from '../apps/server/src/events/fragments.ts'
import { eventJobs } from '../apps/server/src/events/jobs.ts'
import { createEventService, createEventSink, type EventService } from '../apps/server/src/events/service.ts'
import { startLoops } from '../apps/server/src/jobs/loop.ts'
import { startWakes } from '../apps/server/src/jobs/wake.ts'
import { createLog } from '../apps/server/src/platform/log.ts'
import { secret } from '../apps/server/src/platform/secret.ts'
import { quantile } from './statistics.ts'
import { alignColumns } from './table.ts'

// node bench/events.ts                    a minute, on a database of its own: capture, sequencer, feed pages at 10,000 events
// node bench/events.ts --events 1000000   feed pages at that many, too
// node bench/events.ts --seconds 5        each measurement for that long
// node bench/events.ts --only delay       one of: capture, delay, sequencer, pages
//
// Each number stands beside a ceiling of the same run: a change without its event, a bare move of rows, a bare query of a page.

const { values: options } = parseArgs({
  options: {
    events: { type: 'string' },
    only: { type: 'string' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
  },
})
const isChosen = (name: string) => options.only === undefined || options.only === name
const SECONDS = Number(options.seconds)
const ROUNDS = Number(options.rounds)
const MIN_EVENTS = 10_000
const CLIENTS = 8
const MERCHANT = 'ma_bench00001'
const log = createLog({ level: 'warn' })
const cursorKey = secret(Buffer.alloc(32, 9))

interface World {
  connection: Exclude<Connection, string>
  pool: Pool
  clock: DatabaseClock
  events: EventService
}

/** A change of a row as small as one can be, and the same with its event: what is between them is the capture. */
const updateToy = one(
  'toys.update',
  'update toys set version = version + 1 where merchant_id = $merchantId and id = $id returning id as resource_id',
  { resourceId: text },
)
const updateToyWithEvent = one(
  'toys.update_with_event',
  `with changed as (update toys set version = version + 1 where merchant_id = $merchantId and id = $id returning id)
   ${INSERT_EVENT}`,
  { resourceId: text },
)
const moveBatch = execute(
  'toys.move_batch',
  `with moved as (
     delete from bare_captured where merchant_id = $merchantId and parked is null and id = any (array(
       select id from bare_captured where merchant_id = $merchantId and parked is null order by id limit $limit)) returning *
   ) insert into bare_events select * from moved returning id`,
)
const listBare = execute(
  'toys.list_bare',
  'select * from events where merchant_id = $merchantId and feed_pos > $after order by feed_pos limit $limit',
)

let resources = 0
function payment(): Captured<'payment.succeeded'> {
  resources += 1
  const id = `txn_${String(resources).padStart(26, '0')}`
  const data = {
    ...{ session_id: 'sess_06gq2w9k5v0000000000000002', mandate_id: null, order_id: 'ord_06gq2w9k5v0000000000000003' },
    ...{ external_order_ref: 'order-1001', status: 'completed', amount: { value: '40.00', currency: 'USD' } },
    ...{ outcome_source: 'merchant_reported', failure_category: null, error_code: null },
  }
  return { merchantId: MERCHANT, type: 'payment.succeeded', resource: { type: 'payment', id, version: 3 }, data }
}

/** How often a second `CLIENTS` callers can do something, each after the other. */
async function rate(work: (client: number) => Promise<unknown>): Promise<number> {
  const endsAt = performance.now() + SECONDS * 1000
  const startedAt = performance.now()
  const counts = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      let count = 0
      for (; performance.now() < endsAt; count += 1) await work(client)
      return count
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - startedAt) / 1000)
}

/** Medians of some rounds, in which all take turns. */
async function compare(ways: Record<string, () => Promise<number>>): Promise<Map<string, number>> {
  const found = new Map<string, number[]>()
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, way] of Object.entries(ways)) found.set(name, [...(found.get(name) ?? []), await way()])
  }
  return new Map([...found].map(([name, values]) => [name, quantile(values, 0.5)]))
}

function print(title: string, unit: string, rates: Map<string, number>): void {
  const [ceiling = 1] = rates.values()
  const rows = [...rates].map(([name, value]) => [name, value.toFixed(0), (value / ceiling).toFixed(2)])
  console.log(`\n${title}\n${alignColumns([['', unit, 'of the first'], ...rows]).join('\n')}`)
}

function sinkOf({ pool, clock }: Pick<World, 'pool' | 'clock'>) {
  return { pool, clock, events: createEventSink({ environment: 'sandbox', log }) }
}

/** The jobs of events in a loop, woken by commits as in the service. */
async function withSequencer<T>({ connection, pool, clock, events }: World, work: () => Promise<T>): Promise<T> {
  const wakes = startWakes({ pool, connection, log, refreshClock: clock.refresh })
  const loops = startLoops(eventJobs(events, clock.now), { log, clock, wakes })
  try {
    return await work()
  } finally {
    await loops.stop()
    await wakes.stop()
  }
}

async function makeToys(pool: Pool): Promise<void> {
  await pool.query(`create table toys (merchant_id text, id text, version int, primary key (merchant_id, id))
    with (fillfactor = 50)`)
  await pool.query(`insert into toys select $1, 'toy_' || n, 0 from generate_series(0, $2::int) n`, [MERCHANT, CLIENTS])
}

async function measureCapture(world: World): Promise<void> {
  const deps = sinkOf(world)
  const silent = { name: 'toys.update', silent: 'test_only' } as const
  const emits = { name: 'toys.update', emits: ['payment.succeeded'] } as const
  const place = (client: number) => ({ merchantId: MERCHANT, id: `toy_${client}` })
  const plain = (client: number) => single(deps, silent, ({ on }) => updateToy(on, place(client)))
  const withEvent = (client: number) =>
    singleWithEvent(deps, emits, payment(), ({ on, at, event }) =>
      updateToyWithEvent(on, { ...place(client), at, ...event }),
    )
  const rates = await compare({
    'a change without its event': () => rate(plain),
    'with its event': () => rate(withEvent),
    'with its event, and the sequencer at work': () => withSequencer(world, () => rate(withEvent)),
  })
  print('Capture, changes a second of the smallest kind', 'a second', rates)
}

const BATCH = 500
const CAPTURED = 20_000

async function fillCaptured(pool: Pool, merchants: number): Promise<void> {
  await pool.query('truncate captured_events, events, event_heads')
  await pool.query(
    `insert into captured_events select 'ma_m' || lpad((n % $1)::text, 9, '0'), 'evt_06gq2w9k5v' || lpad(n::text, 16, '0'),
       'payment.succeeded', 'payment', 'txn_' || lpad(n::text, 26, '0'), 3, '2026-11-01', 'sandbox', $2, $3, null
     from generate_series(1, $4::int) n`,
    [merchants, JSON.stringify(payment().data), new Date(), CAPTURED],
  )
  await pool.query('vacuum analyze captured_events')
}

async function measureSequencer({ pool, clock, events }: World): Promise<void> {
  await pool.query(`create table bare_captured (like captured_events including all);
    create table bare_events (like captured_events including all)`)
  for (const merchants of [1, 100]) {
    const rates = await compare({
      'a bare move in batches, one merchant': async () => {
        await fillCaptured(pool, 1)
        await pool.query(`truncate bare_captured, bare_events`)
        await pool.query('insert into bare_captured select * from captured_events')
        await pool.query('vacuum analyze bare_captured')
        const startedAt = performance.now()
        const silent = { name: 'toys.move', silent: 'test_only' } as const
        const move = () =>
          single({ pool, clock }, silent, ({ on }) => moveBatch(on, { merchantId: 'ma_m000000000', limit: BATCH }))
        while ((await move()) > 0);
        return CAPTURED / ((performance.now() - startedAt) / 1000)
      },
      [`the sequencer, ${merchants} ${merchants === 1 ? 'merchant' : 'merchants'}`]: async () => {
        await fillCaptured(pool, merchants)
        const startedAt = performance.now()
        while ((await events.numberWaiting()).taken > 0);
        return CAPTURED / ((performance.now() - startedAt) / 1000)
      },
    })
    print(`Sequencer, events a second out of a backlog of ${CAPTURED}`, 'a second', rates)
  }
}

const CAPTURES_A_SECOND = 500

/** From the commit of an event to the page that has it, with commits at an even pace. */
async function measureDelay(world: World): Promise<void> {
  const { pool, events } = world
  await pool.query('truncate captured_events, events, event_heads')
  const deps = sinkOf(world)
  const committed = new Map<string, number>()
  const commits: number[] = []
  const readAt = new Map<string, number>()
  let isOver = false
  const reader = async () => {
    let cursor: string | undefined
    while (!isOver || readAt.size < committed.size) {
      const page = await events.list({ ...EVERYTHING, cursor, limit: 100 })
      const now = performance.now()
      for (const { resourceId } of page.events) {
        if (!readAt.has(resourceId)) readAt.set(resourceId, now)
      }
      cursor = page.nextCursor ?? cursor
      if (page.nextCursor === null) await delay(5)
    }
  }
  await withSequencer(world, async () => {
    const reading = reader()
    const startedAt = performance.now()
    const pending: Promise<void>[] = []
    const count = CAPTURES_A_SECOND * Math.max(4, SECONDS)
    for (let number = 0; number < count; number += 1) {
      const dueAt = startedAt + (number * 1000) / CAPTURES_A_SECOND
      if (dueAt > performance.now()) await delay(dueAt - performance.now())
      const event = payment()
      const begunAt = performance.now()
      const capture = singleWithEvent(
        deps,
        { name: 'toys.update', emits: ['payment.succeeded'] },
        event,
        ({ on, at, event: row }) =>
          updateToyWithEvent(on, { merchantId: MERCHANT, id: `toy_${number % CLIENTS}`, at, ...row }),
      )
      pending.push(
        capture.then(() => {
          committed.set(event.resource.id, performance.now())
          commits.push(performance.now() - begunAt)
        }),
      )
    }
    await Promise.all(pending)
    isOver = true
    await reading
  })
  // The reader may be told before the writer is.
  const waits = [...committed].map(([id, since]) => Math.max(0, (readAt.get(id) ?? Number.POSITIVE_INFINITY) - since))
  const commit = [0.5, 0.99].map((share) => quantile(commits, share).toFixed(0))
  const [half, most, all] = [0.5, 0.99, 1].map((share) => quantile(waits, share).toFixed(0))
  console.log(
    `\nFrom commit to reader, ${CAPTURES_A_SECOND} events a second: median ${half} ms, 99 % within ${most} ms, all of ${waits.length} within ${all} ms (aim 250);\n  the change itself took ${commit[0]} ms, and 99 % of them ${commit[1]}`,
  )
}
const EVERYTHING = { merchantId: MERCHANT, types: undefined, resourceId: undefined, from: undefined, to: undefined }

async function fillFeed({ connection }: World, count: number): Promise<void> {
  // Not from the pool, whose time-outs are for requests.
  const client = new Client(connection)
  await client.connect()
  await client.query('truncate captured_events, events, event_heads')
  const step = 50_000
  for (let first = 1; first <= count; first += step) {
    await client.query(
      `insert into events (merchant_id, feed_pos, occurred_at, day, resource_version, id, type, resource_type, resource_id,
         schema_version, environment, data)
       select $1, n, at, (at at time zone 'UTC')::date, 3, 'evt_06gq2w9k5v' || lpad(n::text, 16, '0'),
         case when n % 100000 = 5 then 'card.deleted' else 'payment.succeeded' end, 'payment',
         'txn_' || lpad(n::text, 26, '0'), '2026-11-01', 'sandbox', $2
       from (select n, $3::timestamptz - ($4 - n) * interval '2 seconds' as at from generate_series($5::int, $6::int) n) rows`,
      [MERCHANT, JSON.stringify(payment().data), new Date(), count, first, Math.min(count, first + step - 1)],
    )
  }
  await client.query('insert into event_heads values ($1, $2, 0)', [MERCHANT, count])
  await client.query('vacuum analyze events')
  await client.end()
}

async function measurePages(world: World, count: number): Promise<void> {
  const { pool, events } = world
  await fillFeed(world, count)
  const { encode } = createCursors(cursorKey)
  const somewhere = () => BigInt(Math.floor(Math.random() * (count - 50)))
  const cursor = () => encode(MERCHANT, { epoch: 1n, position: somewhere() })
  const list = (query: object = {}) => events.list({ ...EVERYTHING, cursor: cursor(), limit: 50, ...query })
  const render = async (page: ReturnType<typeof list>) => (await page).events.map(bodyOf).join().length
  const resource = () => `txn_${String(somewhere() + 1n).padStart(26, '0')}`
  const rates = await compare({
    'a bare query of 50 rows': () =>
      rate(() => listBare(pool, { merchantId: MERCHANT, after: somewhere(), limit: 50 })),
    'a page of 50, rendered': () => rate(() => render(list())),
    'a page of one resource': () => rate(() => render(list({ cursor: undefined, resourceId: resource() }))),
    'a page of a rare kind': () => rate(() => render(list({ types: ['card.deleted'] }))),
    'the end of the feed, where nothing is new': () =>
      rate(() => render(list({ cursor: encode(MERCHANT, { epoch: 1n, position: BigInt(count) }) }))),
  })
  print(`Feed, pages a second at ${count} events`, 'a second', rates)
}

const home = await mkdtemp(join(tmpdir(), 'mintmark-events-'))
const server = await startEmbedded({ home, name: 'mintmark', settings: { max_wal_size: '4GB' } })
try {
  const { connection } = server
  const pool = createPool({ connection, max: 12, log })
  await migrate(pool)
  const clock = await startDatabaseClock(pool)
  const events = createEventService({ ...sinkOf({ pool, clock }), log, cursorKey, onNumbered: [] })
  const world: World = { connection, pool, clock, events }
  await events.keepPartitions()
  console.log(`Load before: ${loadavg()[0]?.toFixed(1)}`)
  try {
    await makeToys(pool)
    if (isChosen('capture')) await measureCapture(world)
    if (isChosen('delay')) await measureDelay(world)
    if (isChosen('sequencer')) await measureSequencer(world)
    if (isChosen('pages')) await measurePages(world, MIN_EVENTS)
    if (isChosen('pages') && options.events !== undefined) await measurePages(world, Number(options.events))
  } finally {
    clock.stop()
    await closePool(pool)
  }
} finally {
  await server.stop()
  await rm(home, { recursive: true, force: true })
}
