import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startWireProxy } from '../../test/crash/wire-proxy.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { startDeafLine } from '../../test/deaf-line.ts'
import { startDatabaseClock } from '../db/clock.ts'
import { command } from '../db/command.ts'
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
const LONG_REST_MILLIS = 60_000

const log = createLog({ level: 'silent' })
const parcelWork = dueWork('parcels', 'token', { job: NAME, shape: {} })

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
  /** When each question was asked, and what each claimed. */
  asked: number[]
  claimed: { id: string; millis: number }[]
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
  const asked: number[] = []
  const claimed: Node['claimed'] = []
  const job: Job = {
    name: NAME,
    restMillis,
    async run() {
      asked.push(performance.now())
      const { rows, nextDueAt } = await parcelWork.claim({ pool, clock, leaseSeconds: 40 }, 10)
      claimed.push(...rows.map(({ id }) => ({ id, millis: performance.now() })))
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
  const node = { wakes, pool, clock, loop, asked, claimed }
  if (withLoop) await untilResting(node, listening)
  return node
}

/** The loop has asked, and once more when the connection came. */
async function untilResting({ asked }: Node, listening: boolean): Promise<void> {
  await vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(listening ? 2 : 1))
  await delay(30)
}

const INSERT = `insert into open_work values ('m1', 'token', $1, $2, 0, null, 0)`

/** Commits a due row with a wake, and returns when that was. */
async function send({ pool, clock }: Node, id: string): Promise<number> {
  await transaction(pool, async (tx) => {
    await tx.query(INSERT, [id, clock.now()])
    wake(tx, NAME)
  })
  return performance.now()
}

/** A loop at rest looks once a minute: one that claims within this was woken. */
async function millisToClaim(node: Node, id: string, committed: number): Promise<number> {
  const found = await vi.waitFor(
    () => {
      const claim = node.claimed.find((candidate) => candidate.id === id)
      if (claim === undefined) throw new Error(`${id} was not claimed.`)
      return claim
    },
    { timeout: 8_000, interval: 5 },
  )
  return found.millis - committed
}

test('a commit wakes the loop of its own process', async () => {
  const node = await startNode()
  await millisToClaim(node, 'p1', await send(node, 'p1'))
})

test('what is given back wakes its loop, in whichever process: it looks again when that is due', async () => {
  const [node, server] = [await startNode(), await startNode({ withLoop: false })]
  for (const [holder, id] of [
    [node, 'p1'],
    [server, 'p2'],
  ] as const) {
    const { pool, clock } = holder
    const change = { name: 'parcels.hold', why: 'Test.', together: 'statement' } as const
    // Held by the process that has made it: no loop knows of it.
    const leaseUntil = addSeconds(clock.now(), 40)
    await pool.query(`insert into open_work values ('m1', 'token', $1, $2, 1, $3, 7)`, [id, clock.now(), leaseUntil])
    const claim = { merchantId: 'm1', id, leaseFence: 7n, attempts: 1 }
    await command({ pool, clock }, change, ({ on, at }) => parcelWork.postpone(on, claim, addSeconds(at, 0.2)))
    await millisToClaim(node, id, performance.now())
  }
})

test('also when there is no connection for notifications', async () => {
  const node = await startNode({ listening: false })
  await millisToClaim(node, 'p1', await send(node, 'p1'))
})

test('a commit wakes the loop of another process', async () => {
  const worker = await startNode()
  const server = await startNode({ withLoop: false })
  await millisToClaim(worker, 'p1', await send(server, 'p1'))
})

test('a write without a transaction of its own wakes too', async () => {
  const node = await startNode()
  await command(node, { name: 'parcels.insert', why: 'Test.', together: 'statement' }, async ({ on, at }) => {
    await on.query(INSERT, ['p1', at])
    wake(on, NAME)
  })
  await millisToClaim(node, 'p1', performance.now())
})

test('a rollback wakes nothing, and neither does a name without a loop', async () => {
  const node = await startNode()
  const asked = node.asked.length
  await transaction(node.pool, async (tx) => {
    wake(tx, NAME)
    return rollback
  })
  await transaction(node.pool, async (tx) => {
    wake(tx, NAME)
    throw new Error('No.')
  }).catch(() => undefined)
  await transaction(node.pool, async (tx) => wake(tx, 'parcels.return'))
  await delay(50)
  expect(node.asked).toHaveLength(asked)
})

test('outside a transaction there is nothing to wait for', () => {
  expect(() => wake(database.pool, NAME)).toThrow('There is no open transaction.')
})

test('a thousand commits send few notifications', async () => {
  const worker = await startNode()
  const server = await startNode({ withLoop: false })
  const asked = worker.asked.length
  const startedAt = performance.now()
  for (let index = 0; index < 1000; index += 1) await transaction(server.pool, async (tx) => wake(tx, NAME))
  await delay(50)
  const rounds = (performance.now() - startedAt) / 10
  expect(worker.asked.length - asked).toBeGreaterThan(0)
  expect(worker.asked.length - asked).toBeLessThan(rounds + 5)
})

test('polling finds what no notification told', async () => {
  const worker = await startNode({ restMillis: 300, listening: false })
  const server = await startNode({ withLoop: false })
  await millisToClaim(worker, 'p1', await send(server, 'p1'))
})

test('a lost connection is opened again, all loops look once when it is back, and wakes arrive again', async () => {
  const worker = await startNode()
  const server = await startNode({ withLoop: false })
  const asked = worker.asked.length
  await killListeners()
  await vi.waitFor(() => expect(worker.asked.length).toBeGreaterThan(asked), { timeout: 15_000 })
  await untilResting(worker, true)
  await vi.waitFor(() => countListeners().then((count) => expect(count).toBe(2)), { timeout: 15_000 })
  await millisToClaim(worker, 'p1', await send(server, 'p1'))
})

test('a connection that is dead and does not say so is given up, and what was to be said on it is said on the next', {
  timeout: 20_000,
}, async () => {
  const proxy = await startWireProxy(database.connection)
  try {
    const worker = await startNode()
    const server = await startNode({ withLoop: false, line: proxy.url })
    await vi.waitFor(() => countListeners().then((count) => expect(count).toBe(2)), { timeout: 15_000 })
    const dead = proxy.arm({ at: 1, when: 'before', action: 'hold' })
    const committed = await send(server, 'p1')
    await dead
    await millisToClaim(worker, 'p1', committed)
    await millisToClaim(worker, 'p2', await send(server, 'p2'))
  } finally {
    await proxy.close()
  }
})

test('nor does such a connection keep a process from its stop', async () => {
  const line = await startDeafLine(database.connection)
  try {
    const server = await startNode({ withLoop: false, line: line.url })
    await vi.waitFor(() => countListeners().then((count) => expect(count).toBe(1)), { timeout: 15_000 })
    line.goDeaf()
    // The line is deaf until after this: a stop that waits for its answer has no end.
    await server.wakes.stop()
  } finally {
    await line.close()
  }
})

test('nor one that is dead when it is to be closed, of a process that stops while it opens it', async () => {
  const line = await startDeafLine(database.connection, { deafAt: FAREWELL })
  try {
    const server = await startNode({ withLoop: false, line: line.url })
    await server.wakes.stop()
    expect(line.isDeaf()).toBe(true)
  } finally {
    await line.close()
  }
})
/** Terminate, of the protocol. */
const FAREWELL = 'X\0\0\0\x04'

test('what is to be said while a process stops is not said, and keeps it from nothing', async () => {
  const server = await startNode({ withLoop: false })
  await vi.waitFor(() => countListeners().then((count) => expect(count).toBe(1)), { timeout: 15_000 })
  const stopped = server.wakes.stop()
  // A commit that came to its end meanwhile: its connection is being closed, and no other one is opened.
  server.wakes.wake('parcels.return')
  await stopped
  await vi.waitFor(() => countListeners().then((count) => expect(count).toBe(0)), { timeout: 15_000 })
})

test('a loop sleeps until the next row is due', async () => {
  const node = await startNode()
  const dueAt = new Date(node.clock.now().getTime() + 400)
  await transaction(node.pool, async (tx) => {
    await tx.query(INSERT, ['p1', dueAt])
    // Looks now, and learns when to look again.
    wake(tx, NAME)
  })
  const due = performance.now() + dueAt.getTime() - node.clock.now().getTime()
  const late = await millisToClaim(node, 'p1', due)
  expect(late).toBeGreaterThanOrEqual(-1)
})

test('moving the clock wakes every loop of every process', async () => {
  const here = await startNode()
  const there = await startNode()
  const dueAt = new Date(here.clock.now().getTime() + 3600_000)
  await database.pool.query(INSERT, ['p1', dueAt])
  const moved = here.clock.advance(3600)
  await moved
  const movedAt = performance.now()
  await vi.waitFor(() => expect([...here.claimed, ...there.claimed].map(({ id }) => id)).toEqual(['p1']))
  await vi.waitFor(() => expect(there.asked.at(-1)).toBeGreaterThan(movedAt - 50))
  expect(there.clock.now().getTime()).toBeGreaterThan(dueAt.getTime() - 1)
})

test('what a worker held that was stopped in its work is claimed by another when the lease ends', async () => {
  const node = await startNode({ restMillis: 200 })
  await send(node, 'p1')
  await millisToClaim(node, 'p1', performance.now())
  await node.clock.advance(40)
  await vi.waitFor(() => expect(node.claimed.map(({ id }) => id)).toEqual(['p1', 'p1']), { timeout: 15_000 })
})

test('stopping leaves no connection and no timer, also while the database cannot be reached', async () => {
  const node = await startNode({ listening: false })
  const rest = startLoop({ name: 'idle', run: async () => ({ taken: 0, nextDueAt: null }) }, { log, clock: node.clock })
  // Both loops rest for a minute: stops that wait it out take longer than a test has.
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
