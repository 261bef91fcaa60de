import type { Connection } from '../apps/server/src/db/pool.ts'
import type { Operation } from './operations.ts'
import type { DatabaseAnswer, DatabaseTask } from './processes/bare-database.ts'
import type { BareHttpTask } from './processes/bare-http.ts'
import type { LoadAnswer, LoadTask } from './processes/load.ts'
import { startWorker, type Worker } from './processes/tasks.ts'
import type { BenchedService } from './service.ts'
import { quantile, type Spread, spreadOf } from './statistics.ts'

export interface Effort {
  readonly connections: number
  readonly rounds: number
  /** How long each measurement takes. */
  readonly seconds: number
}

export interface Sample {
  readonly perSecond: Spread
  /** Processor time of the one process, an operation: the service, the bare server, the bare loop. Not PostgreSQL's. */
  readonly cpuMicros: number | null
}

/** Operations a second, and what the service's number means beside the ceilings'. */
export interface Measured {
  readonly name: string
  readonly service: Sample
  readonly http: Sample
  readonly database: Sample
  readonly ofHttp: number
  readonly ofDatabase: number
  /** Beside a ceiling that does the bare request and then the bare statements. */
  readonly ofBoth: number
  /** Requests of all rounds that the service's door turned away. They count as nothing else. */
  readonly refused: number
  readonly halfLoad: {
    readonly perSecond: number
    readonly refused: number
    readonly p50: number
    readonly p99: number
  }
}

export interface Bench {
  measure(operation: Operation, effort: Effort): Promise<Measured>
  stop(): Promise<void>
}

/** The three processes beside the service: the load, and the two ceilings. */
export function startBench(service: BenchedService, connection: Connection): Bench {
  const load = startWorker<LoadTask, LoadAnswer>('load.ts')
  const http = startWorker<BareHttpTask, { url: string }>('bare-http.ts')
  const database = startWorker<DatabaseTask, DatabaseAnswer>('bare-database.ts')
  return {
    async measure(operation, effort) {
      const contenders = contendersOf(operation, { service, connection, load, http, database })
      const { refused, ...samples } = await alternate(contenders, effort)
      const rate = samples.service.perSecond.median
      const halfLoad = await measureHalfLoad(load, service, operation, effort, rate / 2)
      const [a, b] = [samples.database.perSecond.median, samples.http.perSecond.median]
      return {
        name: operation.name,
        ...samples,
        refused: refused + halfLoad.refused,
        ofHttp: rate / b,
        ofDatabase: rate / a,
        ofBoth: rate * (1 / a + 1 / b),
        halfLoad,
      }
    },
    async stop() {
      await Promise.all([load.stop(), http.stop(), database.stop()])
    },
  }
}

const CONTENDERS = ['service', 'http', 'database'] as const
type Contender = (typeof CONTENDERS)[number]
interface Round {
  perSecond: number
  cpuMicros: number | null
  refused?: number
}
type Contenders = Record<Contender, (seconds: number, connections: number) => Promise<Round>>

interface Parts {
  service: BenchedService
  connection: Connection
  load: Worker<LoadTask, LoadAnswer>
  http: Worker<BareHttpTask, { url: string }>
  database: Worker<DatabaseTask, DatabaseAnswer>
}

function contendersOf(operation: Operation, parts: Parts): Contenders {
  const { workload, sampleAnswer: responseBody, databaseWork: work } = operation
  const requests = (url: string, pid: number, seconds: number, connections: number) =>
    parts.load.run({ url, pid, workload, seconds, connections, rate: null })
  return {
    service: (seconds, connections) => requests(parts.service.url, parts.service.pid, seconds, connections),
    async http(seconds, connections) {
      const { url } = await parts.http.run({ responseBody })
      return requests(url, parts.http.pid, seconds, connections)
    },
    database: (seconds, connections) =>
      parts.database.run({ connection: parts.connection, work, seconds, connections }),
  }
}

/** Round by round, each time beginning with another one: what the machine does meanwhile hits all three alike. */
async function alternate(
  contenders: Contenders,
  effort: Effort,
): Promise<Record<Contender, Sample> & { refused: number }> {
  const { rounds, seconds, connections } = effort
  const results: Record<Contender, Round[]> = { service: [], http: [], database: [] }
  for (const name of CONTENDERS) await contenders[name](seconds, connections)
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < CONTENDERS.length; turn += 1) {
      const name = CONTENDERS[(round + turn) % CONTENDERS.length] ?? 'service'
      results[name].push(await contenders[name](seconds, connections))
    }
  }
  const sample = (measured: Round[]): Sample => {
    const cpu = measured.flatMap(({ cpuMicros }) => cpuMicros ?? [])
    return {
      perSecond: spreadOf(measured.map(({ perSecond }) => perSecond)),
      cpuMicros: cpu.length === 0 ? null : quantile(cpu, 0.5),
    }
  }
  return {
    service: sample(results.service),
    http: sample(results.http),
    database: sample(results.database),
    refused: results.service.reduce((sum, { refused = 0 }) => sum + refused, 0),
  }
}

async function measureHalfLoad(
  load: Worker<LoadTask, LoadAnswer>,
  { url, pid }: BenchedService,
  { workload }: Operation,
  { connections, seconds, rounds }: Effort,
  rate: number,
): Promise<Measured['halfLoad']> {
  const runs: Measured['halfLoad'][] = []
  for (let round = 0; round < rounds; round += 1) {
    const { perSecond, refused, latencies } = await load.run({ url, pid, workload, connections, seconds, rate })
    runs.push({ perSecond, refused, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) })
  }
  const middle = (pick: (run: (typeof runs)[number]) => number) => quantile(runs.map(pick), 0.5)
  return {
    perSecond: middle((run) => run.perSecond),
    refused: runs.reduce((sum, { refused }) => sum + refused, 0),
    p50: middle((run) => run.p50),
    p99: middle((run) => run.p99),
  }
}
