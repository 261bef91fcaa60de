import type { Cost } from '../processes/payers.ts'
import { quantile } from '../statistics.ts'
import { alignColumns } from '../table.ts'
import type { AllMeasured, Measured, Turn } from './turns.ts'

/** What each program costs as a multiple of the yardstick, per request and whole. */
export function formatRatios({ payments, charges, hotCharges, updates }: AllMeasured): string[] {
  return [
    'One whole payment of a new customer, request by request: processor time of Node.js + PostgreSQL in µs, and how many times the',
    'lean one it is (median of the pairs). What the second copy of the service differs from the first by is noise.',
    '',
    ...ratioTable(payments),
    '',
    'A charge against one of many mandates, and against a single one:',
    '',
    ...ratioTable(charges),
    '',
    ...ratioTable(hotCharges),
    '',
    'Of one: bytes of the log, and where a program counts them, statements, messages that were waited for, and commits that wait',
    'for the disk. A second is wall time, callers on the same processors:',
    '',
    ...sizeTable('payment', payments),
    '',
    ...sizeTable('charge', charges),
    '',
    'Updates of a payment by table, and the share that touched no index:',
    '',
    ...alignColumns([
      ['', 'table', 'updates', 'HOT'],
      ...updates.map(({ program, table, all, hot }) => [
        program,
        table,
        all.toFixed(1),
        `${((100 * hot) / all).toFixed(0)} %`,
      ]),
    ]),
  ]
}

/** What one whole payment costs now, beside what it cost in the other checkout: medians of the pairs. */
export function formatChange({ payments }: AllMeasured, before: string): string[] {
  const yardstick = payments.find(({ name }) => name === before)
  const now = payments.find(({ name }) => name === 'service')
  if (yardstick === undefined || now === undefined) return []
  const rows = (['node', 'postgres'] as const).map((part) => {
    const micros = (one: Measured) =>
      quantile(
        one.turns.map((turn) => costOf(turn, WHOLE)[part]),
        0.5,
      )
    return [part, micros(yardstick).toFixed(0), micros(now).toFixed(0), ratioOf(yardstick, now, WHOLE, part).toFixed(3)]
  })
  const both = ['both', '', '', ratioOf(yardstick, now).toFixed(3)]
  return ['', 'A whole payment, µs:', '', ...alignColumns([['', 'before', 'now', 'ratio'], ...rows, both])]
}

const WHOLE = 'all'

function ratioTable(measured: readonly Measured[]): string[] {
  const [yardstick] = measured
  const names = [...(yardstick?.turns[0]?.costs.map(({ name }) => name) ?? []), WHOLE]
  const head = ['', ...measured.flatMap(({ name }, place) => (place === 0 ? [name] : [name, 'ratio']))]
  const rows = names.map((name) => [
    name,
    ...measured.flatMap((one, place) => {
      const cell = cellOf(one, name)
      return place === 0 || yardstick === undefined ? [cell] : [cell, ratioOf(yardstick, one, name).toFixed(2)]
    }),
  ])
  return alignColumns([head, ...rows])
}

function cellOf({ turns }: Measured, name: string): string {
  const middle = (of: (cost: Cost) => number) =>
    quantile(
      turns.map((turn) => of(costOf(turn, name))),
      0.5,
    ).toFixed(0)
  return `${middle(({ node }) => node)}+${middle(({ postgres }) => postgres)}`
}

/** One divided by the other in each round, and the middle of these. */
function ratioOf(
  yardstick: Measured,
  other: Measured,
  name = WHOLE,
  part: 'node' | 'postgres' | 'both' = 'both',
): number {
  const of = (cost: Cost) => (part === 'both' ? totalOf(cost) : cost[part])
  const pairs = other.turns.map((turn, round) => {
    const beside = yardstick.turns[round]
    return beside === undefined ? Number.NaN : of(costOf(turn, name)) / of(costOf(beside, name))
  })
  return quantile(pairs, 0.5)
}

function costOf({ costs }: Turn, name: string): Cost {
  const chosen = costs.filter((cost) => name === WHOLE || cost.name === name)
  const sum = (of: (cost: Cost) => number) => chosen.reduce((total, cost) => total + of(cost), 0)
  return { name, node: sum(({ node }) => node), postgres: sum(({ postgres }) => postgres) }
}

function totalOf({ node, postgres }: Cost): number {
  return node + postgres
}

function sizeTable(what: string, measured: readonly Measured[]): string[] {
  const rows = measured.map(({ name, turns }) => {
    const middle = (of: (turn: Turn) => number) => quantile(turns.map(of), 0.5)
    const counted = (of: (turn: Turn) => number | undefined) =>
      turns[0]?.counted === null ? '' : middle((turn) => of(turn) ?? 0).toFixed(1)
    return [
      name,
      middle(({ wal }) => wal).toFixed(0),
      counted((turn) => turn.counted?.statements),
      counted((turn) => turn.counted?.trips),
      counted((turn) => turn.counted?.awaited),
      middle(({ perSecond }) => perSecond).toFixed(0),
    ]
  })
  return alignColumns([[`of a ${what}`, 'log', 'statements', 'trips', 'awaited', 'a second'], ...rows])
}
