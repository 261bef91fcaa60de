import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startEmbedded } from '@mintmark/embedded-postgres'
import { type DatabaseClock, startDatabaseClock } from '../../src/db/clock.ts'
import { migrate } from '../../src/db/migrate.ts'
import { type Connection, closePool, createPool } from '../../src/db/pool.ts'
import { createLog } from '../../src/platform/log.ts'
import { addEndpoint, addMerchant, publish } from '../../src/webhooks/delivery/testing/rows.ts'
import { createReceivers, overlaps, type Receivers } from './receivers.ts'

// npm run soak -- --minutes N
//
// Workers are killed and stopped every few seconds while receivers fail at random. At the end every event has arrived at every
// endpoint, none is lost, and no receiver has seen more requests at a time than it may. Duplicates are counted: delivery is at
// least once.

const { values: options } = parseArgs({ options: { minutes: { type: 'string', default: '1' } } })
const MILLIS = Number(options.minutes) * 60_000
const WORKERS = 3
const MERCHANTS = 4
const ENDPOINTS = 2
const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))
/** Longer than a lease, shorter than a request is believed to be on its way: then overlaps would be no fault (E14). */
const STOPPED_MILLIS = 5_000
const DRAINED_WITHIN_MILLIS = 240_000

const log = createLog({ level: 'warn' })
const home = await mkdtemp(join(tmpdir(), 'mintmark-soak-'))
const server = await startEmbedded({ home, name: 'mintmark' })
const pool = createPool({ connection: server.connection, max: 5, log })
const receivers = createReceivers()
const workers = new Set<ChildProcess>()
const counts = { killed: 0, stopped: 0, events: 0 }
try {
  await migrate(pool)
  const clock = await startDatabaseClock(pool)
  for (let count = 0; count < WORKERS; count += 1) startWorker(server.connection)
  const merchants = await addMerchants(clock)
  await endure(clock, merchants)
  receivers.recover()
  await drain(clock)
  clock.stop()
  process.exitCode = (await judge()) ? 0 : 1
} finally {
  for (const worker of workers) worker.kill('SIGKILL')
  receivers.close()
  await closePool(pool)
  await server.stop()
  await rm(home, { recursive: true, force: true })
}

function startWorker(connection: Connection): void {
  const child = spawn(process.execPath, [WORKER, JSON.stringify(connection)], { stdio: ['pipe', 'inherit', 'inherit'] })
  workers.add(child)
  child.once('exit', () => workers.delete(child))
}

async function addMerchants(clock: DatabaseClock): Promise<string[]> {
  const ids: string[] = []
  for (let count = 0; count < MERCHANTS; count += 1) {
    const merchantId = await addMerchant(pool, clock.now())
    ids.push(merchantId)
    for (let place = 0; place < ENDPOINTS; place += 1) {
      const { url, name } = await receivers.start()
      name(merchantId, await addEndpoint(pool, clock.now(), merchantId, url))
    }
  }
  return ids
}

/** Events come, and workers go. */
async function endure(clock: DatabaseClock, merchants: readonly string[]): Promise<void> {
  const endsAt = performance.now() + MILLIS
  let nextBlow = performance.now() + 2_000
  while (performance.now() < endsAt) {
    for (const merchantId of merchants) {
      if (Math.random() < 0.6) continue
      await publish(pool, { merchantId, count: 1, type: 'payment.succeeded', at: clock.now() })
      counts.events += 1
    }
    if (performance.now() > nextBlow) {
      strike()
      nextBlow = performance.now() + 2_000 + Math.random() * 3_000
    }
    await delay(400)
  }
}

function strike(): void {
  const [...all] = workers
  const victim = all[Math.floor(Math.random() * all.length)]
  if (victim === undefined) return
  if (Math.random() < 0.5) {
    counts.killed += 1
    victim.kill('SIGKILL')
    startWorker(server.connection)
  } else {
    counts.stopped += 1
    victim.kill('SIGSTOP')
    setTimeout(() => victim.kill('SIGCONT'), 1_000 + Math.random() * (STOPPED_MILLIS - 1_000))
  }
}

/** Moves the clock to what is due next, whenever nothing is on its way: a clock that jumps is no fault that is looked for here. */
async function drain(clock: DatabaseClock): Promise<void> {
  const endsAt = performance.now() + DRAINED_WITHIN_MILLIS
  await delay(STOPPED_MILLIS)
  for (;;) {
    const { rows } = await pool.query<{ due: Date | null; held: boolean | null; at: Date }>(
      'select min(due_at) as due, bool_or(lease_until is not null) as held from open_work',
    )
    const [{ due = null, held = null } = {}] = rows
    if (due === null) return
    if (performance.now() > endsAt) throw new Error('Deliveries are still queued: something waits that nobody serves.')
    const seconds = (due.getTime() - clock.now().getTime()) / 1000
    if (seconds > 20 && held === false && receivers.open() === 0) await clock.advance(Math.ceil(seconds))
    await delay(1_100)
  }
}

async function judge(): Promise<boolean> {
  const { rows } = await pool.query<{ event_id: string; endpoint_id: string; state: string }>(
    'select event_id, endpoint_id, state from webhook_deliveries',
  )
  const arrived = new Set(receivers.seen.filter(({ acknowledged }) => acknowledged).map(nameOf))
  const lost = rows.filter(({ event_id, endpoint_id }) => !arrived.has(`${event_id} ${endpoint_id}`))
  const states = rows.filter(({ state }) => state !== 'delivered').length
  const missing = counts.events * ENDPOINTS - rows.length
  const good = receivers.seen.filter(({ acknowledged }) => acknowledged).length
  const { endpoints, merchants } = overlaps(receivers)
  say(
    `${counts.events} events to ${ENDPOINTS} endpoints each; ${counts.killed} workers killed, ${counts.stopped} stopped; ` +
      `${receivers.seen.length} requests, ${good - arrived.size} acknowledged ones more than once`,
  )
  say(
    `lost ${lost.length}, never queued ${missing}, not delivered ${states}, ` +
      `more than one request at an endpoint ${endpoints}, more than two of a merchant ${merchants}`,
  )
  return lost.length + missing + states + endpoints + merchants === 0
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function nameOf({ eventId, endpointId }: Receivers['seen'][number]): string {
  return `${eventId} ${endpointId}`
}
