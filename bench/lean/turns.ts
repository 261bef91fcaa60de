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
  /** Of one turn. */
  readonly payments: number
  readonly charges: number
  readonly atOnce: number
}

/** One turn of one program. */
export interface Turn {
  readonly costs: readonly Cost[]
  readonly perSecond: number
  /** Bytes of the server's log, of one. */
  readonly wal: number
  /** Of one; null where the program does not count. */
  readonly counted: Counted | null
}

/** Turns in the order of their rounds: those of a round are pairs. */
export interface Measured {
  readonly name: string
  readonly turns: readonly Turn[]
}

export interface AllMeasured {
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
    return {
      payments: await rounds(paying.map((one) => run(one, effort.payments, []))),
      charges: await rounds(charging.map((one) => run(one, effort.charges, one.mandates))),
      hotCharges: await rounds(charging.map((one) => run(one, effort.charges, one.mandates.slice(0, 1)))),
    }
  } finally {
    await payers.stop()
    await closePool(log)
  }
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
