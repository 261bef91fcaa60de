import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startWireProxy } from '../../test/crash/wire-proxy.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { startDeafLine } from '../../test/deaf-line.ts'
import { startDatabaseClock } from '../db/clock.ts'
import { single } from '../db/command.ts'
import { closePool, createPool } from '../db/pool.ts'
import { rollback, transaction } from '../db/transaction.ts'
import { addSeconds, type Clock } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import { type Job, type RunningLoop, startLoop, startLoops } from './loop.ts'
import { EVERY_LOOP, startWakes, type Wakes, wake } from './wake.ts'
import { dueWork } from './work.ts'

// Guarantee: a commit wakes the loop that has to do with it, in every process; a rollback wakes nothing; without the
// connection for notifications all work is still found, only later.

const NAME = 'parcels.send'
/** Longer than a test has. */
const LONG_REST_MILLIS = 3_600_000

/** As long as one may be. */
const LEASE_SECONDS = 60

const log = createLog({ level: 'silent' })
const parcelWork = dueWork('parcels', 'card', { job: NAME, shape: {} })

let database: TestDatabase
let stops: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.close())
beforeEach(() => database.pool.query('truncate open_work'))
afterEach(async () => {
  for (const stop of stops.reverse()) await stop()
  stops = []
})

/** A process: a pool, its connection for notifications, and one loop that claims parcels. */
interface Node {
  wakes: Wakes
  pool: TestDatabase['pool']
  clock: Clock & { advance(seconds: number): Promise<Date> }
  loop: Pick<RunningLoop, 'stop'>
  /** Questions that were asked, and those of them that were answered. */
  asked: number
  answered: number
  /** What was claimed, and by the time of the process no later than when. */
  claimed: { id: string; at: Date }[]
}

async function startNode(
  options: { restMillis?: number; withLoop?: boolean; listening?: boolean; line?: string } = {},
): Promise<Node> {
  const { restMillis = LONG_REST_MILLIS, withLoop = true, listening = true } = options
  const pool = createPool({ connection: database.connection, max: 4, log })
  const clock = await startDatabaseClock(pool)
  const connection =
    options.line ?? (listening ? database.connection : { ...database.connection, database: 'no_such_database' })
  const wakes = startWakes({ pool, connection, log, refreshClock: clock.refresh })
  clock.onMoved(() => wakes.wake(EVERY_LOOP))
  const counted: Pick<Node, 'asked' | 'answered' | 'claimed'> = { asked: 0, answered: 0, claimed: [] }
  const job: Job = {
    name: NAME,
    restMillis,
    async run() {
      counted.asked += 1
      const { rows, nextDueAt } = await parcelWork.claim({ pool, clock, leaseSeconds: LEASE_SECONDS }, 10)
      counted.claimed.push(...rows.map(({ id }) => ({ id, at: clock.now() })))
      counted.answered += 1
      return { taken: rows.length, nextDueAt }
    },
  }
  const loop = startLoops(withLoop ? [job] : [], { log, clock, wakes })
  stops.push(async () => {
    clock.stop()
    await loop.stop()
    await wakes.stop()
    await closePool(pool)
  })
  const node = Object.assign(counted, { wakes, pool, clock, loop })
  if (withLoop) await untilResting(node, listening)
  return node
}

/** The loop has asked, and once more when the connection came; and it does not ask now. */
async function untilResting(node: Node, listening: boolean): Promise<void> {
  const isResting = () => node.asked >= (listening ? 2 : 1) && node.answered === node.asked
  await expect.poll(isResting, EAGER).toBe(true)
}
/** How often it is looked. */
const EAGER = { interval: 5 }

const INSERT = `insert into open_work values ('m1', 'card', $1, $2, 0, null, 0)`

/** Commits a due row with a wake. */
async function send({ pool, clock }: Node, id: string): Promise<void> {
  await transaction(pool, async (tx) => {
    await tx.query(INSERT, [id, clock.now()])
    wake(tx, NAME)
  })
}

/** A loop at rest looks once an hour: one that claims within a test was woken. Returns by when it did, by its own time. */
async function claimOf(node: Node, id: string): Promise<Date> {
  const found = () => node.claimed.find((candidate) => candidate.id === id)
  await expect.poll(found, EAGER).toBeDefined()
  return found()?.at ?? new Date(Number.NaN)
}

test('a commit wakes the loop of its own process', async () => {
  const node = await startNode()
  await send(node, 'p1')
  await claimOf(node, 'p1')
})

test('what is given back wakes its loop, in whichever process: it looks again when that is due', async () => {
  const [node, server] = [await startNode(), await startNode({ withLoop: false })]
  for (const [holder, id] of [
    [node, 'p1'],
    [server, 'p2'],
  ] as const) {
    const { pool, clock } = holder
    const change = { name: 'parcels.hold', silent: 'test_only' } as const
    // Held by the process that has made it: no loop knows of it.
    const leaseUntil = addSeconds(clock.now(), 40)
    await pool.query(`insert into open_work values ('m1', 'card', $1, $2, 1, $3, 7)`, [id, clock.now(), leaseUntil])
    const claim = { merchantId: 'm1', id, leaseFence: 7n, attempts: 1 }
    await single({ pool, clock }, change, ({ on, at }) => parcelWork.postpone(on, claim, addSeconds(at, 0.2)))
    await claimOf(node, id)
  }
})

test('also when there is no connection for notifications', async () => {
  const node = await startNode({ listening: false })
  await send(node, 'p1')
  await claimOf(node, 'p1')
})

test('a commit wakes the loop of another process', async () => {
  const worker = await startNode()
  const server = await startNode({ withLoop: false })
  await send(server, 'p1')
  await claimOf(worker, 'p1')
})

test('a write without a transaction of its own wakes too', async () => {
  const node = await startNode()
  await single(node, { name: 'parcels.insert', silent: 'test_only' }, async ({ on, at }) => {
    await on.query(INSERT, ['p1', at])
    wake(on, NAME)
  })
  await claimOf(node, 'p1')
})

test('a rollback wakes nothing, and neither does a name without a loop', async () => {
  const [node, server] = [await startNode(), await startNode({ withLoop: false })]
  const heard = await listen()
  const { asked } = node
  await transaction(node.pool, async (tx) => {
    wake(tx, NAME)
    return rollback
  })
  await transaction(node.pool, async (tx) => {
    wake(tx, NAME)
    throw new Error('No.')
  }).catch(() => undefined)
  await transaction(node.pool, async (tx) => wake(tx, 'parcels.return'))
  await expect.poll(() => heard).toEqual(['parcels.return'])
  // What wakes comes behind all that was said before it: with that the loop has been woken once.
  await transaction(server.pool, async (tx) => wake(tx, NAME))
  await expect.poll(() => heard).toEqual(['parcels.return', NAME])
  await expect.poll(() => node.asked).toBeGreaterThan(asked)
  await untilResting(node, true)
  expect(node.asked).toBe(asked + 1)
})

/** What the processes say to each other from now on. */
async function listen(): Promise<string[]> {
  const client = new Client(database.connection)
  const heard: string[] = []
  client.on('notification', ({ payload = '' }) => heard.push(payload))
  await client.connect()
  await client.query('listen mintmark_jobs')
  stops.push(() => client.end())
  return heard
}

test('outside a transaction there is nothing to wait for', () => {
  expect(() => wake(database.pool, NAME)).toThrow('There is no open transaction.')
})

test('a thousand commits send few notifications', async () => {
  const worker = await startNode()
  const server = await startNode({ withLoop: false })
  const heard = await listen()
  const { asked } = worker
  const startedAt = performance.now()
  for (let index = 0; index < 1000; index += 1) await transaction(server.pool, async (tx) => wake(tx, NAME))
  await expect.poll(() => worker.asked).toBeGreaterThan(asked)
  // One in ten milliseconds, however many there are; twice as many for timers that are early by as long as their tick has lasted.
  const rounds = (2 * (performance.now() - startedAt)) / 10
  expect(heard.length).toBeLessThan(rounds + 5)
})

test('polling finds what no notification told', async () => {
  const worker = await startNode({ restMillis: 300, listening: false })
  const server = await startNode({ withLoop: false })
  await send(server, 'p1')
  await claimOf(worker, 'p1')
})

test('a lost connection is opened again, all loops look once when it is back, and wakes arrive again', async () => {
  const worker = await startNode()
  const server = await startNode({ withLoop: false })
  await expect.poll(countListeners).toBe(2)
  const { asked } = worker
  await killListeners()
  await expect.poll(() => worker.asked).toBeGreaterThan(asked)
  await untilResting(worker, true)
  await expect.poll(countListeners).toBe(2)
  await send(server, 'p1')
  await claimOf(worker, 'p1')
})

test('a connection that is dead and does not say so is given up, and what was to be said on it is said on the next', async () => {
  const proxy = await startWireProxy(database.connection)
  try {
    const worker = await startNode()
    const server = await startNode({ withLoop: false, line: proxy.url })
    await expect.poll(countListeners).toBe(2)
    const dead = proxy.arm({ at: 1, when: 'before', action: 'hold' })
    await send(server, 'p1')
    await dead
    await claimOf(worker, 'p1')
    await send(server, 'p2')
    await claimOf(worker, 'p2')
  } finally {
    await proxy.close()
  }
})

test('nor does such a connection keep a process from its stop', async () => {
  const line = await startDeafLine(database.connection)
  try {
    const server = await startNode({ withLoop: false, line: line.url })
    await expect.poll(countListeners).toBe(1)
    line.goDeaf()
    // The line is deaf until after this: a stop that waits for its answer has no end.
    await server.wakes.stop()
  } finally {
    await line.close()
  }
})

test('what is to be said while a process stops is not said, and keeps it from nothing', async () => {
  const server = await startNode({ withLoop: false })
  await expect.poll(countListeners).toBe(1)
  const stopped = server.wakes.stop()
  // A commit that came to its end meanwhile: its connection is being closed, and no other one is opened.
  server.wakes.wake('parcels.return')
  await stopped
  await expect.poll(countListeners).toBe(0)
})

test('a loop sleeps until the next row is due', async () => {
  const node = await startNode()
  const dueAt = new Date(node.clock.now().getTime() + 400)
  await transaction(node.pool, async (tx) => {
    await tx.query(INSERT, ['p1', dueAt])
    // Looks now, and learns when to look again.
    wake(tx, NAME)
  })
  expect((await claimOf(node, 'p1')).getTime()).toBeGreaterThanOrEqual(dueAt.getTime())
})

test('moving the clock wakes every loop of every process', async () => {
  const here = await startNode()
  const there = await startNode()
  const dueAt = new Date(here.clock.now().getTime() + 3600_000)
  await database.pool.query(INSERT, ['p1', dueAt])
  const { asked } = there
  await here.clock.advance(3600)
  await expect.poll(() => [...here.claimed, ...there.claimed].map(({ id }) => id)).toEqual(['p1'])
  await expect.poll(() => there.asked).toBeGreaterThan(asked)
  // To the second: each reads the time of the database by itself.
  expect(there.clock.now().getTime()).toBeGreaterThan(dueAt.getTime() - 60_000)
})

test('what a worker held that was stopped in its work is claimed by another when the lease ends', async () => {
  const node = await startNode({ restMillis: 200 })
  await send(node, 'p1')
  await claimOf(node, 'p1')
  await node.clock.advance(LEASE_SECONDS)
  await expect.poll(() => node.claimed.map(({ id }) => id)).toEqual(['p1', 'p1'])
})

test('stopping leaves no connection and no timer, also while the database cannot be reached', async () => {
  const node = await startNode({ listening: false })
  const rest = startLoop({ name: 'idle', run: async () => ({ taken: 0, nextDueAt: null }) }, { log, clock: node.clock })
  // Both loops rest for long: stops that wait it out take longer than a test has.
  await rest.stop()
  await node.loop.stop()
  await node.wakes.stop()
})

async function countListeners(): Promise<number> {
  const { rowCount } = await database.pool.query(
    `select 1 from pg_stat_activity
     where datname = current_database() and application_name = 'mintmark-notifications'`,
  )
  return rowCount ?? 0
}

async function killListeners(): Promise<void> {
  const { rowCount } = await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'mintmark-notifications'`,
  )
  expect(rowCount).toBeGreaterThan(0)
}
