import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { deserialize } from 'node:v8'
import { type EmbeddedConnection, startEmbedded } from '@mintmark/embedded-postgres'
import type { PoolClient } from 'pg'
import { EMBEDDED_NAME } from '../apps/server/src/commands/database.ts'
import { closePool, createPool } from '../apps/server/src/db/pool.ts'
import { BARE_DATABASE, recordJourneys } from './journey.ts'
import { emptied, type RecordedStatement, replay } from './replay.ts'
import { quantile } from './statistics.ts'
import { alignColumns } from './table.ts'

// node bench/statements.ts        some minutes, on a database of its own; Linux only
//
// What each statement of a whole payment costs in processor time of PostgreSQL: recorded journeys are played back, one
// after the other on one connection, as they are and without some of what the database does for them.

const ROUNDS = 2
/** Not counted: statements are prepared and planned, and the tables analyzed after them. */
const WARM_UP = 30
const MICROS = 1_000

const CONSTRAINTS = (type: string) =>
  `do $$ declare c record; begin
     for c in select conrelid::regclass as of, conname from pg_constraint
       where contype = '${type}' and coninhcount = 0 and connamespace in ('public'::regnamespace, 'simnet'::regnamespace)
     loop execute format('alter table %s drop constraint if exists %I', c.of, c.conname); end loop; end $$`

const VARIANTS: Readonly<Record<string, string>> = {
  'as it is': 'select',
  'without CHECKs': CONSTRAINTS('c'),
  'without foreign keys': CONSTRAINTS('f'),
  'not waiting for the disk': 'set synchronous_commit = off',
}

/** Processor time in nanoseconds of each execution, by statement. */
type Costs = Map<string, number[]>

const home = await mkdtemp(join(tmpdir(), 'mintmark-statements-'))
try {
  const { file } = await recordJourneys(home, { rounds: 1, seconds: 1, connections: 8 })
  const journeys = deserialize(await readFile(file)) as RecordedStatement[][]
  const server = await startEmbedded({ home, name: EMBEDDED_NAME })
  try {
    const costs = new Map<string, Costs>(Object.keys(VARIANTS).map((name) => [name, new Map()]))
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, change] of Object.entries(VARIANTS)) {
        await withCopy(server.connection, change, (client) => play(client, journeys, costs.get(name) ?? new Map()))
      }
    }
    print(costs, (journeys.length - WARM_UP) * ROUNDS)
  } finally {
    await server.stop()
  }
} finally {
  await rm(home, { recursive: true, force: true })
}

async function withCopy(
  connection: EmbeddedConnection,
  change: string,
  work: (client: PoolClient) => Promise<void>,
): Promise<void> {
  const open = (database: string) => createPool({ connection: { ...connection, database }, max: 1, log: console })
  const admin = open('postgres')
  const copy = open('copy')
  try {
    await admin.query('drop database if exists copy')
    await admin.query(`create database copy template ${BARE_DATABASE}`)
    const client = await copy.connect()
    await client.query(await emptied(client))
    await client.query(change)
    await work(client).finally(() => client.release(true))
  } finally {
    await closePool(copy)
    await closePool(admin)
  }
}

async function play(client: PoolClient, journeys: readonly RecordedStatement[][], costs: Costs): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const pid = rows[0]?.pid ?? 0
  for (const statement of journeys.slice(0, WARM_UP).flat()) await replay(client, statement)
  await client.query('analyze')
  for (const statement of journeys.slice(WARM_UP).flat()) {
    const before = await processorNanos(pid)
    await replay(client, statement)
    const name = statement.name ?? statement.text.slice(0, 30)
    costs.set(name, [...(costs.get(name) ?? []), (await processorNanos(pid)) - before])
  }
}

async function processorNanos(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')[0])
}

/**
 * The lower quartile of a statement's executions, times how often a journey sends it: other work only ever adds to it.
 */
function print(costs: ReadonlyMap<string, Costs>, journeys: number): void {
  const micros = (name: string, variant: string) => {
    const nanos = costs.get(variant)?.get(name) ?? []
    return nanos.length === 0 ? 0 : (quantile(nanos, 0.25) * nanos.length) / journeys / MICROS
  }
  const variants = [...costs.keys()]
  const [first = ''] = variants
  const names = [...(costs.get(first)?.keys() ?? [])].sort((a, b) => micros(b, first) - micros(a, first))
  const total = (variant: string) => names.reduce((sum, name) => sum + micros(name, variant), 0)
  console.log(`Processor time of PostgreSQL for one whole payment, in µs. Load ${loadavg()[0]?.toFixed(1)}.\n`)
  const rows = names.map((name) => [name, ...variants.map((variant) => micros(name, variant).toFixed(0))])
  const last = ['all', ...variants.map((variant) => total(variant).toFixed(0))]
  for (const line of alignColumns([['statement', ...variants], ...rows, last])) console.log(line)
}
