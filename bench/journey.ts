import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize } from 'node:v8'
import { startEmbedded } from '@mintmark/embedded-postgres'
import { EMBEDDED_NAME } from '../apps/server/src/commands/database.ts'
import { type Connection, closePool, createPool } from '../apps/server/src/db/pool.ts'
import type { Effort, Sample } from './measure.ts'
import type { BareJourneysTask } from './processes/bare-journeys.ts'
import type { CardholdersAnswer, CardholdersTask } from './processes/cardholders.ts'
import type { LeanAnswer, LeanTask } from './processes/lean-host.ts'
import { startWorker } from './processes/tasks.ts'
import type { RecordedStatement } from './replay.ts'
import { type BenchedService, withService } from './service.ts'
import { measureSpace, type Space, spaceOfOne } from './space.ts'
import { quantile, spreadOf } from './statistics.ts'

/** Whole payments of new customers, beside the same statements without the service, and beside the leanest program that does the same. */
export interface MeasuredJourney {
  readonly service: Sample
  readonly database: Sample
  readonly lean: Sample
  readonly ofDatabase: number
  readonly ofLean: number
  /** Messages to the database of one journey that are waited for, the simulated network's among them. */
  readonly roundTrips: number
  readonly ofNetwork: number
  readonly latency: { readonly p50: number; readonly p99: number }
  /** What one journey left in the service's database, and its updates, by table. */
  readonly space: readonly Space[]
}

/** The database that the bare loop has to itself, beside the service's on the same server. */
export const BARE_DATABASE = 'bare'
/** On average, in one second, of one round. More would only make the rounds longer. */
const JOURNEYS_PER_SECOND = 100
/**
 * Before the first round, so many rounds that are not timed: a program that has just started compiles what it runs, and its first
 * hundreds of payments take twice the processor time of those after the first thousands. A service runs for weeks.
 */
export const UNTIMED_ROUNDS = 15

export interface JourneyEffort extends Effort {
  readonly untimedRounds: number
}

export interface RecordedJourneys {
  readonly file: string
  readonly count: number
}

/** Lets a service record journeys that are not timed, and makes the database in which they are replayed. */
export async function recordJourneys(
  home: string,
  { rounds, seconds, connections }: Effort,
): Promise<RecordedJourneys> {
  const file = join(home, 'journeys.bin')
  const count = Math.max(connections, Math.ceil(JOURNEYS_PER_SECOND * seconds * Math.min(rounds, 2)))
  await withService({ home, profileDirectory: null, recordTo: file }, async (service) => {
    const cardholders = startWorker<CardholdersTask, CardholdersAnswer>('cardholders.ts')
    try {
      await cardholders.run({ ...targetOf(service), journeys: count, atOnce: connections })
    } finally {
      await cardholders.stop()
    }
  })
  await copyDatabase(home)
  return { file, count }
}

async function copyDatabase(home: string): Promise<void> {
  const server = await startEmbedded({ home, name: EMBEDDED_NAME })
  // A database in use cannot be copied, and a connection has to be to some database.
  const connection = { ...server.connection, database: 'postgres' }
  const pool = createPool({ connection, max: 1, log: { warn: console.warn } })
  try {
    await pool.query(`create database ${BARE_DATABASE} template ${EMBEDDED_NAME}`)
  } finally {
    await closePool(pool)
    await server.stop()
  }
}

const CONTENDERS = ['service', 'database', 'lean'] as const

/** Service, bare loop and lean program take turns, each round beginning with another. */
export async function measureJourney(
  service: BenchedService,
  connection: Extract<Connection, object>,
  { file, count }: RecordedJourneys,
  { untimedRounds, rounds, connections }: JourneyEffort,
): Promise<MeasuredJourney> {
  const cardholders = startWorker<CardholdersTask, CardholdersAnswer>('cardholders.ts')
  const database = startWorker<BareJourneysTask, Run>('bare-journeys.ts')
  const host = startWorker<LeanTask, LeanAnswer>('lean-host.ts')
  const bare = { connection: { ...connection, database: BARE_DATABASE }, file, connections }
  const runs: Record<(typeof CONTENDERS)[number], Run[]> = { service: [], database: [], lean: [] }
  const latencies: number[] = []
  const contenders = {
    async service() {
      const answer = await cardholders.run({ ...targetOf(service), journeys: count, atOnce: connections })
      latencies.push(...answer.latencies)
      return answer
    },
    database: () => database.run(bare),
    lean: () => cardholders.run({ ...lean, pid: host.pid, journeys: count, atOnce: connections }),
  }
  let lean = { url: '', secretKey: '' }
  try {
    lean = await host.run({
      kind: 'start',
      connection: { ...connection, database: 'lean' },
      mandates: [],
    })
    await cardholders.run({ ...lean, pid: host.pid, journeys: count * untimedRounds, atOnce: connections })
    await cardholders.run({ ...targetOf(service), journeys: count * untimedRounds, atOnce: connections })
    const before = await measureSpace(connection)
    for (let round = 0; round < rounds; round += 1) {
      for (let turn = 0; turn < CONTENDERS.length; turn += 1) {
        const name = CONTENDERS[(round + turn) % CONTENDERS.length] ?? 'service'
        runs[name].push(await contenders[name]())
      }
    }
    const samples = { service: sampleOf(runs.service), database: sampleOf(runs.database), lean: sampleOf(runs.lean) }
    const rate = samples.service.perSecond.median
    return {
      ...samples,
      ...(await countRoundTrips(file)),
      ofDatabase: rate / samples.database.perSecond.median,
      ofLean: rate / samples.lean.perSecond.median,
      latency: { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) },
      space: spaceOfOne(before, await measureSpace(connection), count * rounds),
    }
  } finally {
    await Promise.all([cardholders.stop(), database.stop(), host.stop()])
  }
}

interface Run {
  perSecond: number
  cpuMicros: number | null
}

function sampleOf(runs: readonly Run[]): Sample {
  const cpu = runs.flatMap(({ cpuMicros }) => cpuMicros ?? [])
  return {
    perSecond: spreadOf(runs.map(({ perSecond }) => perSecond)),
    cpuMicros: cpu.length === 0 ? null : quantile(cpu, 0.5),
  }
}

async function countRoundTrips(file: string): Promise<Pick<MeasuredJourney, 'roundTrips' | 'ofNetwork'>> {
  const journeys = deserialize(await readFile(file)) as RecordedStatement[][]
  const median = (pick: (journey: RecordedStatement[]) => number) => quantile(journeys.map(pick), 0.5)
  return {
    roundTrips: median((journey) => journey.filter(({ isWithLast }) => !isWithLast).length),
    ofNetwork: median((journey) => journey.filter(({ text }) => text.includes('simnet.')).length),
  }
}

function targetOf({ url, pid, secretKey }: BenchedService) {
  return { url, pid, secretKey }
}
