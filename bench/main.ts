import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type EmbeddedConnection, runningConnection } from '@mintmark/embedded-postgres'
import type { Pool } from 'pg'
import { EMBEDDED_NAME } from '../apps/server/src/commands/database.ts'
import { closePool, createPool } from '../apps/server/src/db/pool.ts'
import { addHistory } from './history.ts'
import { type JourneyEffort, measureJourney, recordJourneys, UNTIMED_ROUNDS } from './journey.ts'
import { type Bench, type Measured, startBench } from './measure.ts'
import { type Operation, prepareOperations } from './operations.ts'
import { formatReport, type Report } from './report.ts'
import { type BenchedService, withService } from './service.ts'

// node bench/main.ts                  about three minutes; npm run bench goes on with events and deliveries
// (bench/all.ts)
// npm run bench -- --quick            some seconds: shows only that the benchmark works
// npm run bench -- --json FILE        the numbers as JSON, too
// npm run bench -- --history 200000   everything again with that many sessions of the past
// npm run bench -- --profile FOLDER   leaves a CPU profile of the service there
// npm run bench -- --only creation    the operations whose name contains a word (journey: the whole journey alone)

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    history: { type: 'string' },
    profile: { type: 'string' },
    only: { type: 'string' },
  },
})
const EFFORT: JourneyEffort = options.quick
  ? { connections: 8, untimedRounds: 1, rounds: 1, seconds: 0.25 }
  : { connections: 16, untimedRounds: UNTIMED_ROUNDS, rounds: 5, seconds: 2 }
const IDLE_MILLIS = options.quick ? 500 : 5_000

const home = await mkdtemp(join(tmpdir(), 'mintmark-bench-'))
try {
  const report = await run()
  console.log(formatReport(report))
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`)
} finally {
  await rm(home, { recursive: true, force: true })
}

async function run(): Promise<Report> {
  const [loadBefore = 0] = loadavg()
  const firstReadyMillis = await withService({ home, profileDirectory: null }, async ({ readyMillis }) => readyMillis)
  const journeys = 'whole journey'.includes(options.only ?? '') ? await recordJourneys(home, EFFORT) : null
  const profileDirectory = options.profile === undefined ? null : resolve(options.profile)
  return withService({ home, profileDirectory }, async (service) => {
    const connection = await runningConnection(home, EMBEDDED_NAME)
    if (connection === undefined) throw new Error('The service runs without its embedded database.')
    const pool = createPool({ connection, max: 1, log: { warn: console.warn } })
    const bench = startBench(service, connection)
    try {
      const { startup, ...measured } = await measureAll(service, connection, pool, bench)
      const journey = journeys === null ? null : await measureJourney(service, connection, journeys, EFFORT)
      const { readyMillis } = service
      return { loadBefore, startup: { firstReadyMillis, readyMillis, ...startup }, ...measured, journey }
    } finally {
      await bench.stop()
      await closePool(pool)
    }
  })
}

async function measureAll(service: BenchedService, connection: EmbeddedConnection, pool: Pool, bench: Bench) {
  const idle = await measureIdle(service, pool)
  const all = await prepareOperations(service, options.quick)
  const chosen = all.filter(({ name }) => name.includes(options.only ?? ''))
  const operations = await measureEach(bench, chosen)
  const startup = { ...idle, loadedMegabytes: await service.residentMegabytes() }
  const sessions = Number(options.history ?? 0)
  if (sessions === 0) return { startup, operations, history: null }
  await addHistory(connection, service.merchantId, sessions)
  return { startup, operations, history: { sessions, operations: await measureEach(bench, chosen) } }
}

async function measureEach(bench: Bench, operations: readonly Operation[]): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const operation of operations) measured.push(await bench.measure(operation, EFFORT))
  return measured
}

/** A service without requests: its memory, and what its clock and its workers ask of the database. */
async function measureIdle(service: BenchedService, pool: Pool) {
  await delay(IDLE_MILLIS / 2)
  const before = await transactions(pool)
  const startedAt = performance.now()
  await delay(IDLE_MILLIS)
  const seconds = (performance.now() - startedAt) / 1000
  const idleTransactionsPerSecond = ((await transactions(pool)) - before) / seconds
  return { idleMegabytes: await service.residentMegabytes(), idleTransactionsPerSecond }
}

async function transactions(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ total: bigint }>(
    'select xact_commit + xact_rollback as total from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.total)
}
