import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Pool } from 'pg'
import { type DatabaseClock, startDatabaseClock } from '../../src/db/clock.ts'
import { closePool, createPool } from '../../src/db/pool.ts'
import { createLog } from '../../src/platform/log.ts'
import { killAll } from '../processes/spawn.ts'
import { capture, pay } from './causes.ts'
import { judge } from './judge.ts'
import { createReceivers } from './receivers.ts'
import { type Account, addEndpoints, type Service, startService } from './service.ts'
import { createWorkers, MAX_STOP_MILLIS } from './workers.ts'

// npm run soak -- --minutes N
//
// The service as it is run: its API in one process and its workers in others, which are killed and stopped every few seconds while
// receivers fail at random, and the clock is moved. At the end every event of the feed has arrived, signed, at every endpoint that wants its kind, none is
// lost, and no receiver has seen more than it may. Duplicates are counted: delivery is at least once.

const { values: options } = parseArgs({ options: { minutes: { type: 'string', default: '1' } } })
const MILLIS = Number(options.minutes) * 60_000
const WORKERS = 3
const ACCOUNTS = 4
const BURST = 3
const DRAINED_WITHIN_MILLIS = 240_000
/** So much more than until the next try the clock is moved: others are due soon after it. */
const MORE_SECONDS = 60
const MAX_JUMP_SECONDS = 200

const directory = await mkdtemp(join(tmpdir(), 'mintmark-soak-'))
const receivers = createReceivers()
let service: Service | undefined
let pool: Pool | undefined
try {
  service = await startService(directory)
  pool = createPool({ connection: service.database.connection, max: 3, log: createLog({ level: 'warn' }) })
  const clock = await startDatabaseClock(pool)
  const accounts = await addAccounts(service)
  const workers = createWorkers(WORKERS, service.startWorker)
  const captured = await endure(pool, clock, accounts, workers.strike)
  receivers.recover()
  await drain(pool, clock, accounts[0] as Account)
  clock.stop()
  workers.check()
  const { faults, events, arrived, duplicates } = await judge(pool, receivers, accounts, captured)
  const { killed, stopped } = workers.counts
  say(
    `${events} events, ${arrived} deliveries; ${killed} workers killed, ${stopped} stopped; ${receivers.seen.length} requests, ` +
      `${duplicates} acknowledged more than once`,
  )
  for (const [fault, count] of Object.entries(faults)) if (count > 0) say(`FAULT: ${fault}: ${count}`)
  process.exitCode = Object.values(faults).some((count) => count > 0) || killed + stopped === 0 ? 1 : 0
} finally {
  if (pool !== undefined) await closePool(pool)
  await receivers.close()
  // The API drains; what is stopped or at work is of no use any more.
  await service?.close()
  killAll()
  await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

async function addAccounts({ demo, addAccount }: Service): Promise<Account[]> {
  const others = Array.from({ length: ACCOUNTS - 1 }, (_, place) => addAccount(`Soak ${place + 1}`))
  const accounts = [demo, ...(await Promise.all(others))]
  for (const account of accounts) await addEndpoints(account, receivers)
  return accounts
}

/** Events come, and workers go. Returns what was captured without the API. */
async function endure(
  on: Pool,
  clock: DatabaseClock,
  accounts: readonly Account[],
  strike: () => void,
): Promise<string[]> {
  const endsAt = performance.now() + MILLIS
  let nextStrike = performance.now() + 2_000
  let nextJump = performance.now() + MILLIS / 2
  const captured: string[] = []
  while (performance.now() < endsAt) {
    const account = accounts[Math.floor(Math.random() * accounts.length)] as Account
    if (Math.random() < 0.3) await pay(account)
    else captured.push(...(await capture(on, account, BURST, clock.now())))
    if (performance.now() > nextStrike) {
      strike()
      nextStrike = performance.now() + 2_000 + Math.random() * 3_000
    }
    if (performance.now() > nextJump) {
      await jump(account, Math.ceil(Math.random() * MAX_JUMP_SECONDS))
      nextJump = performance.now() + 10_000 + Math.random() * 20_000
    }
    await delay(400)
  }
  return captured
}

/** Until all is sent. Moves the clock to what is due next, whenever nothing is on its way. */
async function drain(on: Pool, clock: DatabaseClock, account: Account): Promise<void> {
  const endsAt = performance.now() + DRAINED_WITHIN_MILLIS
  // A worker that is stopped goes on within this time.
  await delay(MAX_STOP_MILLIS)
  for (;;) {
    const { rows } = await on.query<{ due: Date | null; held: boolean; waiting: boolean }>(
      `select min(due_at) as due, coalesce(bool_or(lease_until > $1), false) as held,
         exists (select 1 from captured_events where parked is null) as waiting
       from open_work where kind = 'endpoint'`,
      [clock.now()],
    )
    const [{ due = null, held = false, waiting = false } = {}] = rows
    if (due === null && !waiting) return
    if (performance.now() > endsAt) throw new Error('Deliveries are still queued: something waits that nobody serves.')
    const seconds = due === null ? 0 : (due.getTime() - clock.now().getTime()) / 1000
    if (seconds > 3 && !held && !waiting && receivers.open() === 0) {
      await jump(account, Math.ceil(seconds) + MORE_SECONDS)
      await clock.refresh()
    }
    await delay(500)
  }
}

/** The sandbox's clock, in the middle of everything or not: no process lives through its minutes. */
async function jump(account: Account, seconds: number): Promise<void> {
  await account.call('POST', '/v1/test_helpers/clock/advance', { seconds })
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
