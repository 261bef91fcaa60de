import { cpus, totalmem } from 'node:os'
import type { MeasuredJourney } from './journey.ts'
import type { Measured, Sample } from './measure.ts'
import { spaceTable } from './space.ts'
import { alignColumns } from './table.ts'

interface Startup {
  readonly firstReadyMillis: number
  readonly readyMillis: number
  readonly idleMegabytes: number
  readonly idleTransactionsPerSecond: number
  readonly loadedMegabytes: number
}

export interface Report {
  /** The machine's one-minute load before the benchmark began: what others were doing. */
  readonly loadBefore: number
  readonly startup: Startup
  readonly operations: readonly Measured[]
  /** Null: it was not asked for. */
  readonly journey: MeasuredJourney | null
  /** The same again with this many sessions of the past in the database. */
  readonly history: { readonly sessions: number; readonly operations: readonly Measured[] } | null
}

const AIMS = {
  ratio: 0.5,
  p99Millis: 25,
  readyMillis: 2_000,
  idleMegabytes: 200,
  idleTransactionsPerSecond: 10,
  journeys: 200,
}

export function formatReport({ loadBefore, startup, operations, journey, history }: Report): string {
  const lines = [
    `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`,
    `Load before the run ${loadBefore.toFixed(1)}; the rounds of one measurement differ by up to ${noise([
      ...operations,
      ...(history?.operations ?? []),
    ]).toFixed(1)} times. On a quiet machine: near 0, and below 1.3.`,
    '',
    ...startupTable(startup),
    '',
    ...(operations.length === 0 ? [] : throughputTable(operations)),
    ...(journey === null ? [] : ['', ...journeyTable(journey)]),
  ]
  if (history !== null) {
    lines.push('', `With ${history.sessions} sessions of the past:`, '', ...throughputTable(history.operations))
  }
  return `${lines.join('\n')}\n`
}

function startupTable(startup: Startup): string[] {
  const seconds = (millis: number) => `${(millis / 1000).toFixed(2)} s`
  const { firstReadyMillis, readyMillis, idleMegabytes, idleTransactionsPerSecond, loadedMegabytes } = startup
  return alignColumns([
    ['', 'measured', 'aim', ''],
    ['first start, ready', seconds(firstReadyMillis), '', ''],
    ['start, ready', seconds(readyMillis), `≤ ${seconds(AIMS.readyMillis)}`, verdict(readyMillis <= AIMS.readyMillis)],
    [
      'idle memory of the service',
      `${idleMegabytes.toFixed(0)} MB`,
      `< ${AIMS.idleMegabytes} MB`,
      verdict(idleMegabytes < AIMS.idleMegabytes),
    ],
    ['its memory after the load', `${loadedMegabytes.toFixed(0)} MB`, '', ''],
    [
      'idle transactions a second',
      idleTransactionsPerSecond.toFixed(1),
      `< ${AIMS.idleTransactionsPerSecond}`,
      verdict(idleTransactionsPerSecond < AIMS.idleTransactionsPerSecond),
    ],
  ])
}

function throughputTable(operations: readonly Measured[]): string[] {
  const rows = operations.map((measured) => [
    measured.name,
    perSecond(measured.service),
    perSecond(measured.database),
    perSecond(measured.http),
    measured.ofDatabase.toFixed(2),
    measured.ofHttp.toFixed(2),
    measured.ofBoth.toFixed(2),
    verdict(measured.ofBoth >= AIMS.ratio),
    measured.halfLoad.perSecond.toFixed(0),
    `${measured.halfLoad.p50.toFixed(1)} ms`,
    `${measured.halfLoad.p99.toFixed(1)} ms`,
    verdict(measured.halfLoad.p99 < AIMS.p99Millis),
  ])
  const cpuRows = operations.map(({ name, service, database, http }) => [
    name,
    ...[service, database, http].map(({ cpuMicros }) =>
      cpuMicros === null ? 'unknown' : `${cpuMicros.toFixed(0)} µs`,
    ),
  ])
  const refused = operations
    .filter((measured) => measured.refused > 0)
    .map((measured) => `${measured.name}: ${measured.refused} requests were turned away (503).`)
  return [
    'Per second (median of the rounds, lowest–highest), as a share of each ceiling and of both one after the other',
    `(aim ≥ ${AIMS.ratio}), and latency at half of the service's throughput (aim p99 < ${AIMS.p99Millis} ms):`,
    '',
    ...alignColumns([
      ['', 'service', '(a) database', '(b) HTTP', 'of a', 'of b', 'of both', '', 'at half', 'p50', 'p99', ''],
      ...rows,
    ]),
    ...refused,
    '',
    "Processor time an operation of the service's process, the bare loop's and the bare server's (without PostgreSQL):",
    '',
    ...alignColumns([['', 'service', '(a) database', '(b) HTTP'], ...cpuRows]),
  ]
}

function journeyTable({ space, ...journey }: MeasuredJourney): string[] {
  const { service, database, lean, ofDatabase, ofLean, latency, roundTrips, ofNetwork } = journey
  const micros = ({ cpuMicros }: Sample) => (cpuMicros === null ? 'unknown' : `${cpuMicros.toFixed(0)} µs`)
  return [
    'Whole journeys of new customers a second (create, launch, card, passkey, approve, result, report), beside the same',
    `statements in a bare loop and beside the leanest program with the same requests (bench/lean.ts compares processor time, by`,
    `request). Aim ≥ ${AIMS.journeys} a second. One journey is ${roundTrips} round trips to the database, ${ofNetwork} of`,
    'them by name those of the simulated network:',
    '',
    ...alignColumns([
      [
        '',
        'service',
        '(a) database',
        '(b) lean',
        'of a',
        'of b',
        '',
        'p50',
        'p99',
        'CPU service',
        'CPU loop',
        'CPU lean',
      ],
      [
        'whole journey',
        perSecond(service),
        perSecond(database),
        perSecond(lean),
        ofDatabase.toFixed(2),
        ofLean.toFixed(2),
        verdict(service.perSecond.median >= AIMS.journeys),
        `${latency.p50.toFixed(1)} ms`,
        `${latency.p99.toFixed(1)} ms`,
        micros(service),
        micros(database),
        micros(lean),
      ],
    ]),
    '',
    ...spaceTable(space),
  ]
}

/** How far the rounds of the shakiest measurement lie apart. */
function noise(operations: readonly Measured[]): number {
  const spreads = operations.flatMap(({ service, database, http }) => [service, database, http])
  return Math.max(1, ...spreads.map(({ perSecond: { lowest, highest } }) => highest / lowest))
}

function perSecond({ perSecond: { median, lowest, highest } }: Sample): string {
  return `${median.toFixed(0)} (${lowest.toFixed(0)}–${highest.toFixed(0)})`
}

function verdict(passed: boolean): string {
  return passed ? 'pass' : 'MISS'
}
