import { setTimeout as delay } from 'node:timers/promises'
import { closePool, createPool } from '../../apps/server/src/db/pool.ts'
import type { Cost, PayersAnswer, PayersTask } from '../processes/payers.ts'
import { startWorker, type Worker } from '../processes/tasks.ts'
import type { Contender, Contenders } from './beside.ts'
import type { Counted } from './database.ts'

export interface Effort {
  /** To charge in turn. */
  readonly mandates: number
  readonly rounds: number
  /** Payments and charges of each program before the first round: what has just started compiles, and plans. */
  readonly untimed: number
  /** Payments, or charges, that one turn makes. */
  readonly payments: number
  readonly charges: number
  readonly atOnce: number
  /** A connection that has rested for so long has told what it has updated. */
  readonly restMillis: number
}

/** One turn of one program. */
export interface Turn {
  readonly costs: readonly Cost[]
  readonly perSecond: number
  /** Bytes of the server's log, of one. */
  readonly wal: number
  /** What one payment or charge asks of the database; null where the program does not count. */
  readonly counted: Counted | null
}

/** Turns in the order of their rounds: those of a round are pairs. */
export interface Measured {
  readonly name: string
  readonly turns: readonly Turn[]
}

/** Updates of one payment or charge, by table, in the program's database; and how many of them touched no index. */
export interface Updates {
  readonly program: string
  readonly table: string
  readonly all: number
  readonly hot: number
}

export interface AllMeasured {
  readonly updates: readonly Updates[]
  readonly payments: readonly Measured[]
  readonly charges: readonly Measured[]
  readonly hotCharges: readonly Measured[]
}

/** The lean one is the first. */
export async function measureTurns({ list, ...at }: Contenders, effort: Effort): Promise<AllMeasured> {
  const payers = startWorker<PayersTask, PayersAnswer>('payers.ts')
  const log = createPool({ connection: at.connection, max: 1, log: console })
  const run = (contender: Contender, count: number, mandates: readonly string[]): Run => {
    const task = { ...pick(contender), count, mandates, atOnce: effort.atOnce }
    return { contender, task: { ...task, watched: { pid: contender.pid, postmaster: at.postmaster } } }
  }
  const turn = (work: Run) => takeTurn(payers, log, work)
  const rounds = async (runs: readonly Run[]): Promise<Measured[]> => {
    for (const { contender, task } of runs) await turn({ contender, task: { ...task, count: effort.untimed } })
    return alternate(runs, effort.rounds, turn)
  }
  try {
    const charging = list.filter(({ mandates }) => mandates.length > 0)
    const paying = list.filter(({ pays }) => pays)
    const payments = await rounds(paying.map((one) => run(one, effort.payments, [])))
    await delay(effort.restMillis)
    const count = effort.untimed + effort.rounds * effort.payments
    return {
      payments,
      // Before charges make updates of their own, and when the server has written its statistics down.
      updates: await updatesOf(paying, at.connection, count),
      charges: await rounds(charging.map((one) => run(one, effort.charges, one.mandates))),
      hotCharges: await rounds(charging.map((one) => run(one, effort.charges, one.mandates.slice(0, 1)))),
    }
  } finally {
    await payers.stop()
    await closePool(log)
  }
}

async function updatesOf(
  paying: readonly Contender[],
  connection: Contenders['connection'],
  count: number,
): Promise<Updates[]> {
  const updates: Updates[] = []
  for (const { name: program, database } of paying) {
    if (database === null) continue
    const pool = createPool({ connection: { ...connection, database }, max: 1, log: console })
    const { rows } = await pool.query<{ table: string; all: number; hot: number }>(
      `select relid::regclass::text as table, n_tup_upd::float8 / $1 as all, n_tup_hot_upd::float8 / $1 as hot
       from pg_stat_user_tables where n_tup_upd > $1 / 2 order by n_tup_upd desc`,
      [count],
    )
    await closePool(pool)
    updates.push(...rows.map((row) => ({ program, ...row })))
  }
  return updates
}

interface Run {
  readonly contender: Contender
  readonly task: PayersTask
}

function pick({ url, secretKey }: Contender) {
  return { url, secretKey }
}

/** Round by round, each time beginning with another one: what the machine does meanwhile hits all alike. */
async function alternate(runs: readonly Run[], rounds: number, turn: (run: Run) => Promise<Turn>): Promise<Measured[]> {
  const measured = runs.map(({ contender: { name } }) => ({ name, turns: [] as Turn[] }))
  for (let round = 0; round < rounds; round += 1) {
    for (let place = 0; place < runs.length; place += 1) {
      const index = (round + place) % runs.length
      const [run, into] = [runs[index], measured[index]]
      if (run !== undefined && into !== undefined) into.turns.push(await turn(run))
    }
  }
  return measured
}

/** Work that the last program left to its background is done by then: events are numbered within milliseconds. */
const QUIET_MILLIS = 50

type Log = ReturnType<typeof createPool>

async function takeTurn(payers: Worker<PayersTask, PayersAnswer>, log: Log, { contender, task }: Run): Promise<Turn> {
  const [countedBefore, before] = [await contender.count(), await logPosition(log)]
  const { steps, perSecond } = await payers.run(task)
  await delay(QUIET_MILLIS)
  const [countedAfter, after] = [await contender.count(), await logPosition(log)]
  const wal = Number(after - before) / task.count
  return { costs: steps, perSecond, wal, counted: ofOne(countedBefore, countedAfter, task.count) }
}

async function logPosition(log: Log): Promise<bigint> {
  const { rows } = await log.query<{ bytes: bigint }>(`select (pg_current_wal_insert_lsn() - '0/0')::bigint as bytes`)
  return rows[0]?.bytes ?? 0n
}

function ofOne(before: Counted | null, after: Counted | null, count: number): Counted | null {
  if (before === null || after === null) return null
  const each = (name: keyof Counted) => (after[name] - before[name]) / count
  return { statements: each('statements'), trips: each('trips'), awaited: each('awaited') }
}
