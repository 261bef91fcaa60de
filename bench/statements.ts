import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { deserialize } from 'node:v8'
import { type EmbeddedConnection, startEmbedded } from '@mintmark/embedded-postgres'
import type { PoolClient } from 'pg'
import { EMBEDDED_NAME } from '../apps/server/src/commands/database.ts'
import { closePool, createPool } from '../apps/server/src/db/pool.ts'
import { BARE_DATABASE, recordJourneys } from './journey.ts'
import { createReplay, emptied, type RecordedStatement, sentTogether } from './replay.ts'
import { quantile } from './statistics.ts'
import { alignColumns } from './table.ts'

// node bench/statements.ts               some minutes, on databases of its own; Linux only
// node bench/statements.ts --swap FILE   with other texts in place of some: FILE exports a `Swap` as its default
//
// What each statement of a whole payment costs in processor time of PostgreSQL: recorded journeys are played back, one after the other on one
// connection a database: as they are, and without some of what the database does for them. Each journey is played in all databases before
// the next one, so that what the machine does meanwhile hits all alike; ratios are the middle of these pairs. A payment that is played back
// and is not complete ends the run: what finds no row costs next to nothing.

/** Other texts, to be measured before they are in the product. */
interface Swap {
  /** Sent once to its database, such as an index that a text needs. */
  readonly before?: string
  /**
   * By name of the statement: its text with `$1`, `$2`, and what it is given of what was recorded (all of it, unless said). Null: it is not
   * sent. Several instead of one: they are sent together, and count as one.
   */
  readonly statements: Readonly<Record<string, Swapped | readonly Swapped[] | null>>
}
interface Swapped {
  readonly text: string
  readonly values?: (recorded: readonly unknown[]) => unknown[]
}

const { values: options } = parseArgs({ options: { swap: { type: 'string' } } })

/** Not counted: statements are prepared and planned, and the tables analyzed after them. */
const WARM_UP = 30
const MICROS = 1_000

const CONSTRAINTS = (type: string) =>
  `do $$ declare c record; begin
     for c in select conrelid::regclass as of, conname from pg_constraint
       where contype = '${type}' and coninhcount = 0 and connamespace in ('public'::regnamespace, 'simnet'::regnamespace)
     loop execute format('alter table %s drop constraint if exists %I', c.of, c.conname); end loop; end $$`

const KEPT: Swap = { statements: {} }
const VARIANTS: Readonly<Record<string, Swap>> = {
  'as it is': KEPT,
  ...(options.swap === undefined
    ? {
        'without CHECKs': { ...KEPT, before: CONSTRAINTS('c') },
        'without foreign keys': { ...KEPT, before: CONSTRAINTS('f') },
        'not waiting for the disk': { ...KEPT, before: 'set synchronous_commit = off' },
      }
    : { swapped: await loadSwap(options.swap) }),
  // What this one differs from the first by is noise.
  'as it is, again': KEPT,
}

async function loadSwap(file: string): Promise<Swap> {
  return ((await import(pathToFileURL(resolve(file)).href)) as { default: Swap }).default
}

/** One variant, in a database of its own. */
interface Player {
  readonly name: string
  readonly swap: Swap
  readonly client: PoolClient
  readonly pid: number
  /** Nanoseconds of each execution, by statement. */
  readonly costs: Map<string, number[]>
  /** Nanoseconds of each journey as a whole. */
  readonly journeys: number[]
}

const home = await mkdtemp(join(tmpdir(), 'mintmark-statements-'))
try {
  const { file } = await recordJourneys(home, { rounds: 2, seconds: 1, connections: 8 })
  const journeys = deserialize(await readFile(file)) as RecordedStatement[][]
  const server = await startEmbedded({ home, name: EMBEDDED_NAME })
  const pools: ReturnType<typeof createPool>[] = []
  try {
    const players: Player[] = []
    for (const [place, [name, swap]] of Object.entries(VARIANTS).entries())
      players.push(await open(server.connection, pools, `copy_${place}`, name, swap))
    for (const player of players) await warmUp(player, journeys.slice(0, WARM_UP))
    for (const [place, journey] of journeys.slice(WARM_UP).entries())
      for (let turn = 0; turn < players.length; turn += 1) {
        const player = players[(place + turn) % players.length]
        if (player !== undefined) await play(player, journey)
      }
    for (const player of players) await checkComplete(player, journeys.length)
    print(players, journeys.length - WARM_UP)
    for (const { client } of players) client.release(true)
  } finally {
    await Promise.all(pools.map(closePool))
    await server.stop()
  }
} finally {
  await rm(home, { recursive: true, force: true })
}

async function open(
  connection: EmbeddedConnection,
  pools: ReturnType<typeof createPool>[],
  database: string,
  name: string,
  swap: Swap,
): Promise<Player> {
  const admin = createPool({ connection: { ...connection, database: 'postgres' }, max: 1, log: console })
  await admin.query(`create database ${database} template ${BARE_DATABASE}`)
  await closePool(admin)
  const pool = createPool({ connection: { ...connection, database }, max: 1, log: console })
  pools.push(pool)
  const client = await pool.connect()
  await client.query(await emptied(client))
  if (swap.before !== undefined) await client.query(swap.before)
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return { name, swap, client, pid: rows[0]?.pid ?? 0, costs: new Map(), journeys: [] }
}

async function warmUp(player: Player, journeys: readonly RecordedStatement[][]): Promise<void> {
  for (const journey of journeys) await play(player, journey)
  await player.client.query('analyze')
  player.costs.clear()
  player.journeys.length = 0
}

async function play(
  { client, pid, swap, costs, journeys }: Player,
  journey: readonly RecordedStatement[],
): Promise<void> {
  const replay = createReplay(client)
  const begunAt = await processorNanos(pid)
  let before = begunAt
  for (const recorded of sentTogether(journey)) {
    const sent = recorded.flatMap((statement) => swappedBy(swap, statement))
    if (sent.length > 0) await replay(sent)
    const after = await processorNanos(pid)
    const name = recorded.map(nameOf).join(', ')
    costs.set(name, [...(costs.get(name) ?? []), after - before])
    before = after
  }
  journeys.push(before - begunAt)
}

function nameOf({ name, text }: RecordedStatement): string {
  return name ?? text.slice(0, 30)
}

function swappedBy({ statements }: Swap, statement: RecordedStatement): RecordedStatement[] {
  const swapped = statements[nameOf(statement)]
  if (swapped === undefined) return [statement]
  return (swapped === null ? [] : [swapped].flat()).map(({ text, values = (recorded) => [...recorded] }, place) => ({
    ...statement,
    name: `${nameOf(statement)}.swapped_${place}`,
    text,
    values: values(statement.values),
  }))
}

async function checkComplete({ client, name }: Player, journeys: number): Promise<void> {
  const { rows } = await client.query<{ complete: number }>(
    `select count(*)::int as complete from charges where status = 'completed'`,
  )
  const complete = rows[0]?.complete ?? 0
  if (complete !== journeys) throw new Error(`${name}: of ${journeys} payments ${complete} are complete.`)
}

async function processorNanos(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')[0])
}

/** The lower quartile of a statement's executions, times how often a journey sends it: other work only ever adds to it. */
function print(players: readonly Player[], journeys: number): void {
  const [first] = players
  if (first === undefined) return
  const micros = (player: Player, name: string) => {
    const nanos = player.costs.get(name) ?? []
    return nanos.length === 0 ? 0 : (quantile(nanos, 0.25) * nanos.length) / journeys / MICROS
  }
  const names = [...first.costs.keys()].sort((a, b) => micros(first, b) - micros(first, a))
  const total = (player: Player) => names.reduce((sum, name) => sum + micros(player, name), 0)
  const ratio = (player: Player) =>
    quantile(
      player.journeys.map((nanos, place) => nanos / (first.journeys[place] ?? Number.NaN)),
      0.5,
    )
  console.log(`Processor time of PostgreSQL for one whole payment, in µs. Load ${loadavg()[0]?.toFixed(1)}.\n`)
  const rows = names.map((name) => [name, ...players.map((player) => micros(player, name).toFixed(0))])
  const all = ['all', ...players.map((player) => total(player).toFixed(0))]
  const pairs = ['of the first, by pairs', ...players.map((player) => ratio(player).toFixed(2))]
  for (const line of alignColumns([['statement', ...players.map(({ name }) => name)], ...rows, all, pairs]))
    console.log(line)
}
