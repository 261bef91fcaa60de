import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbedded } from '@mintmark/embedded-postgres'
import type { Pool } from 'pg'
import { startDatabaseClock } from '../apps/server/src/db/clock.ts'
import { single } from '../apps/server/src/db/command.ts'
import { migrate } from '../apps/server/src/db/migrate.ts'
import { type Connection, closePool, createPool } from '../apps/server/src/db/pool.ts'
import { text } from '../apps/server/src/db/row.ts'
import { execute, many } from '../apps/server/src/db/statement.ts'
import { transaction } from '../apps/server/src/db/transaction.ts'
import { type Job, startLoops } from '../apps/server/src/jobs/loop.ts'
import { startWakes, wake } from '../apps/server/src/jobs/wake.ts'
import { dueWork, type WorkDeps } from '../apps/server/src/jobs/work.ts'
import { addSeconds } from '../apps/server/src/platform/clock.ts'
import { createLog } from '../apps/server/src/platform/log.ts'

// node bench/claims.ts        about a minute, on a database of its own
//
// What the claim of due work costs: in two steps (a question over all merchants, then a claim inside each), against one
// locking statement over all merchants; the idle question; the wait from a commit to its claim; and the idle loops.

const ROUNDS = 5
const ROWS = 4_000
const LIMIT = 20
const LEASE_SECONDS = 40

const log = createLog({ level: 'warn' })
async function run(connection: Connection): Promise<void> {
  const pool = createPool({ connection, max: 10, log })
  await migrate(pool)
  const clock = await startDatabaseClock(pool)
  const deps: WorkDeps = { pool, clock, leaseSeconds: LEASE_SECONDS }
  try {
    for (const merchants of [1, 5, 100]) {
      for (const workers of [1, 4]) await compareClaims(deps, merchants, workers)
    }
    await compareQuestions(deps)
  } finally {
    clock.stop()
    await closePool(pool)
  }
  await measureWakes(connection)
  await measureIdle(connection)
}

const parcelWork = dueWork('parcels', 'card', { shape: {} })

const claimOverAll = many(
  'parcels.claim_over_all',
  `with due as materialized (
     select merchant_id, id from open_work where kind = 'card' and due_at <= $at and (lease_until is null or lease_until <= $at)
     order by due_at limit $limit for update skip locked)
   update open_work set lease_until = $leaseUntil, lease_fence = lease_fence + 1, attempts = attempts + 1
   from due where open_work.merchant_id = due.merchant_id and kind = 'card' and open_work.id = due.id
   returning open_work.merchant_id, open_work.id`,
  { merchantId: text, id: text },
)

type Claim = (deps: WorkDeps) => Promise<{ merchantId: string; id: string }[]>

const CLAIMS: Record<string, Claim> = {
  'two steps': async (deps) => (await parcelWork.claim(deps, LIMIT)).rows,
  'one locking statement': (deps) =>
    single(deps, { name: 'parcels.claim', silent: 'test_only' }, ({ on, at }) =>
      claimOverAll(on, { at, leaseUntil: addSeconds(at, LEASE_SECONDS), limit: LIMIT }),
    ),
}

/** The work is done immediately; counted alike for both ways. */
const finish = execute(
  'parcels.finish',
  `delete from open_work where merchant_id = any($merchantIds) and kind = 'card' and id = any($ids)`,
)

/** Claims a second of both ways, which take turns on equal rows. */
async function compareClaims(deps: WorkDeps, merchants: number, workers: number): Promise<void> {
  const rates = new Map(Object.keys(CLAIMS).map((name) => [name, [] as number[]]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, claim] of Object.entries(CLAIMS))
      rates.get(name)?.push(await claimAll(deps, claim, merchants, workers))
  }
  const [two = 0, one = 0] = [...rates.values()].map(median)
  console.log(
    `${merchants} merchants, ${workers} workers: ${two.toFixed(0)} claims/s in two steps, ` +
      `${one.toFixed(0)} in one statement, ratio ${(two / one).toFixed(2)}`,
  )
}

async function claimAll(deps: WorkDeps, claim: Claim, merchants: number, workers: number): Promise<number> {
  await fill(deps.pool, merchants)
  const startedAt = performance.now()
  const counts = await Promise.all(
    Array.from({ length: workers }, async () => {
      let claimed = 0
      for (;;) {
        const rows = await claim(deps)
        if (rows.length === 0) return claimed
        claimed += rows.length
        const ids = rows.map(({ id }) => id)
        const merchantIds = [...new Set(rows.map(({ merchantId }) => merchantId))]
        await single(deps, { name: 'parcels.finish', silent: 'test_only' }, ({ on }) =>
          finish(on, { merchantIds, ids }),
        )
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1000
  return counts.reduce((sum, count) => sum + count, 0) / seconds
}

async function fill(pool: Pool, merchants: number): Promise<void> {
  await pool.query('truncate open_work')
  await pool.query(
    `insert into open_work select 'm' || n % $1, 'card', 'p' || n, clock_timestamp() - n * interval '1 ms' , 0, null, 0
     from generate_series(1, $2::int) n`,
    [merchants, ROWS],
  )
  await pool.query('vacuum analyze open_work')
}

/** What a loop asks when nothing is due: the rows are all of the future. */
async function compareQuestions(deps: WorkDeps): Promise<void> {
  await fill(deps.pool, 100)
  await deps.pool.query(`update open_work set due_at = due_at + interval '1 day'`)
  await deps.pool.query('vacuum analyze open_work')
  const times = new Map<string, number[]>()
  for (let round = 0; round < 400; round += 1) {
    for (const [name, claim] of Object.entries(CLAIMS)) {
      const startedAt = performance.now()
      await claim(deps)
      times.set(name, [...(times.get(name) ?? []), performance.now() - startedAt])
    }
  }
  for (const [name, millis] of times) console.log(`idle question, ${name}: ${median(millis).toFixed(3)} ms`)
}

/** From the end of a commit to the claim of its row, with the loop at rest. */
async function measureWakes(connection: Connection): Promise<void> {
  for (const where of ['this process', 'another process']) {
    const worker = await startNode(connection, true)
    const writer = where === 'this process' ? worker : await startNode(connection, false)
    await writer.pool.query('truncate open_work')
    const waits: number[] = []
    for (let index = 0; index < 100; index += 1) {
      await delay(20)
      await transaction(writer.pool, async (tx) => {
        await tx.query(`insert into open_work values ('m1', 'card', $1, $2, 0, null, 0)`, [
          `p${index}`,
          writer.clock.now(),
        ])
        wake(tx, NAME)
      })
      waits.push(await worker.nextClaim(performance.now()))
    }
    waits.sort((a, b) => a - b)
    console.log(
      `commit to claim, ${where}: median ${median(waits).toFixed(2)} ms, 95 % within ${waits[94]?.toFixed(2)} ms`,
    )
    await worker.stop()
    if (writer !== worker) await writer.stop()
  }
}

const NAME = 'parcels.send'

async function startNode(connection: Connection, withLoop: boolean) {
  const pool = createPool({ connection, max: 4, log })
  const clock = await startDatabaseClock(pool)
  const wakes = startWakes({ pool, connection, log, refreshClock: clock.refresh })
  let claimedAt = Promise.withResolvers<number>()
  const job: Job = {
    name: NAME,
    async run() {
      const { rows, nextDueAt } = await parcelWork.claim({ pool, clock, leaseSeconds: LEASE_SECONDS }, LIMIT)
      if (rows.length > 0) claimedAt.resolve(performance.now())
      return { taken: rows.length, nextDueAt }
    },
  }
  const loops = startLoops(withLoop ? [job] : [], { log, clock, wakes })
  await delay(200)
  return {
    pool,
    clock,
    async nextClaim(since: number) {
      const millis = (await claimedAt.promise) - since
      claimedAt = Promise.withResolvers()
      return Math.max(0, millis)
    },
    async stop() {
      clock.stop()
      await loops.stop()
      await wakes.stop()
      await closePool(pool)
    },
  }
}

/** Transactions a second of loops with nothing to do. */
async function measureIdle(connection: Connection): Promise<void> {
  const pool = createPool({ connection, max: 4, log })
  const clock = await startDatabaseClock(pool)
  clock.stop()
  await pool.query('truncate open_work')
  const wakes = startWakes({ pool, connection, log, refreshClock: clock.refresh })
  const deps: WorkDeps = { pool, clock, leaseSeconds: LEASE_SECONDS }
  const before = [1_000, 500, 500, 60_000, 60_000]
  for (const [words, rests] of [
    ['5 loops, polled every 0.5 to 60 s', before],
    ['15 loops that can be woken, polled every 5 s', Array.from({ length: 15 }, () => 5_000)],
  ] as const) {
    const jobs = rests.map((restMillis, index): Job => {
      return {
        name: `idle.${index}`,
        restMillis,
        async run() {
          const { rows, nextDueAt } = await parcelWork.claim(deps, LIMIT)
          return { taken: rows.length, nextDueAt }
        },
      }
    })
    const loops = startLoops(jobs, { log, clock, wakes })
    await delay(1_000)
    const start = await transactions(pool)
    const startedAt = performance.now()
    await delay(10_000)
    const count = (await transactions(pool)) - start - 1
    const seconds = (performance.now() - startedAt) / 1000
    console.log(`${words}: ${(count / seconds).toFixed(1)} transactions a second`)
    await loops.stop()
  }
  await wakes.stop()
  await closePool(pool)
}

async function transactions(pool: Pool): Promise<number> {
  // Every connection reports its count at most once a second.
  await delay(1_500)
  const { rows } = await pool.query<{ total: bigint }>(
    'select xact_commit + xact_rollback as total from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.total)
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

const home = await mkdtemp(join(tmpdir(), 'mintmark-claims-'))
const server = await startEmbedded({ home })
try {
  await run(server.connection)
} finally {
  await server.stop()
  await rm(home, { recursive: true, force: true })
}
