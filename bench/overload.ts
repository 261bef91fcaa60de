import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cpuMillis } from './processes/cpu.ts'
import { type BenchedService, withService } from './service.ts'
import { Shop, type ShopOptions, STEPS, send, type Tally } from './shop.ts'
import { quantile } from './statistics.ts'

// node bench/overload.ts                       about two minutes
// node bench/overload.ts --seconds 60 --times 5 --rounds 1
// node bench/overload.ts --pause 1000          its callers think for a second between the creation and what follows
// node bench/overload.ts --connections new     each request comes by a connection of its own
// node bench/overload.ts --merchants 10        its callers are of ten merchants in turn
//
// Finds how many whole payments (create, complete, payment result) a second the service carries, offers several times
// as many, and looks whether it goes on doing what it can; and again, since other work of the machine hits either of the two.
// Callers give up after ten seconds and never try again.

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    times: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    pause: { type: 'string', default: '0' },
    connections: { type: 'string', default: 'kept' },
    merchants: { type: 'string', default: '1' },
  },
})
const SECONDS = Number(options.seconds)
const TIMES = Number(options.times)
const ROUNDS = Number(options.rounds)
/** Between the creation and what follows: none, as of a program, or as long as a person takes. */
const PAUSE_MILLIS = Number(options.pause)
/** Or each request opens one of its own, as callers without a pool do. */
const KEEPS_CONNECTIONS = options.connections === 'kept'
const AT_ONCE = 32
const MAX_OPEN = 3_000
const MERCHANTS = Number(options.merchants)
const RETRY_AFTER_MILLIS = 1_000

interface Carried {
  perSecond: number
  refused: number
  cpuMillis: number
}

/** As fast as `AT_ONCE` callers go, each waiting for the one before. */
async function capacity(service: BenchedService, how: ShopOptions, seconds: number): Promise<Carried> {
  const shop = new Shop(service, how)
  const cpu = await cpuMillis(service.pid)
  const until = performance.now() + seconds * 1000
  const callers = Array.from({ length: AT_ONCE }, async () => {
    while (performance.now() < until) {
      // The service may refuse here too, when the machine is busy; callers that came again without a pause would be an overload.
      if (!(await shop.buy())) await delay(RETRY_AFTER_MILLIS)
    }
  })
  await Promise.all(callers)
  shop.close()
  const { payments, statuses } = shop.tally
  const refused = statuses.get(503) ?? 0
  return { perSecond: payments / seconds, refused, cpuMillis: spent(cpu, await cpuMillis(service.pid)) / payments }
}

function spent(before: number | null, after: number | null): number {
  return before === null || after === null ? Number.NaN : after - before
}

interface Overload {
  tally: Tally
  /** Processor time of the service for each whole payment, with all that it refused. */
  cpuMillis: number
  residentMegabytes: number[]
  ready: number[]
  health: number[]
  /** From the end of the load to the first of ten purchases in a row that all went well; null: never. */
  wellAfterMillis: number | null
}

async function overload(service: BenchedService, how: ShopOptions, perSecond: number): Promise<Overload> {
  const shop = new Shop(service, { ...how, pauseMillis: PAUSE_MILLIS })
  const seen: Omit<Overload, 'tally' | 'cpuMillis' | 'wellAfterMillis'> = {
    residentMegabytes: [],
    ready: [],
    health: [],
  }
  const looker = new Agent({ keepAlive: true })
  const looking = setInterval(async () => {
    seen.residentMegabytes.push(await service.residentMegabytes())
    seen.ready.push((await send(service, { agent: looker, path: '/ready', authorization: null })).status)
    seen.health.push((await send(service, { agent: looker, path: '/health', authorization: null })).status)
  }, 1_000)
  const cpu = await cpuMillis(service.pid)
  const start = performance.now()
  let begun = 0
  let open = 0
  while (performance.now() - start < SECONDS * 1000) {
    const due = Math.floor(((performance.now() - start) / 1000) * perSecond)
    for (; begun < due; begun += 1) {
      if (open >= MAX_OPEN) continue
      open += 1
      void shop.buy().then(() => {
        open -= 1
      })
    }
    await delay(2)
  }
  const tally = structuredClone(shop.tally)
  const cpuOfAll = spent(cpu, await cpuMillis(service.pid))
  const wellAfterMillis = await untilWell(service, how)
  clearInterval(looking)
  looker.destroy()
  while (open > 0) await delay(10)
  shop.close()
  return { tally, cpuMillis: cpuOfAll / tally.payments, wellAfterMillis, ...seen }
}

async function untilWell(service: BenchedService, how: ShopOptions): Promise<number | null> {
  const shop = new Shop(service, how)
  const start = performance.now()
  let first = start
  for (let inRow = 0; performance.now() - start < 60_000; ) {
    if (inRow === 0) first = performance.now()
    const begun = performance.now()
    const isWell = (await shop.buy()) && performance.now() - begun < 1_000
    inRow = isWell ? inRow + 1 : 0
    if (inRow < 10) continue
    shop.close()
    return first - start
  }
  shop.close()
  return null
}

function counted(values: readonly number[]): string {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([value, count]) => `${value} × ${count}`).join(', ')
}

interface Round {
  carried: Carried
  overload: Overload
}

const share = ({ carried, overload: { tally } }: Round) => tally.payments / SECONDS / carried.perSecond
const percent = (part: number) => `${(part * 100).toFixed(0)} %`

/** The lines of the table: a name, and what it is in a round. */
const LINES: [string, (round: Round) => string][] = [
  ['capacity, payments/s', ({ carried }) => carried.perSecond.toFixed(0)],
  ['refused while it was measured', ({ carried }) => String(carried.refused)],
  ['offered, sessions/s', ({ carried }) => (carried.perSecond * TIMES).toFixed(0)],
  ['payments/s while overloaded', ({ overload: { tally } }) => (tally.payments / SECONDS).toFixed(0)],
  ['of the capacity', (round) => percent(share(round))],
  ['`complete` p50 / p99 / max, ms', ({ overload: { tally } }) => waits(tally.latencies.complete)],
  [
    'refused at creation / complete / result',
    ({ overload: { tally } }) => STEPS.map((step) => tally.refusals[step]).join(' / '),
  ],
  [
    '503 / 429 / 500 / given up',
    ({ overload: { tally } }) => [503, 429, 500, 0].map((status) => tally.statuses.get(status) ?? 0).join(' / '),
  ],
  [
    'processor time of the service a payment, alone / overloaded, ms',
    ({ carried, overload }) => `${carried.cpuMillis.toFixed(1)} / ${overload.cpuMillis.toFixed(1)}`,
  ],
  ['resident memory, MB', ({ overload: { residentMegabytes: seen } }) => `${least(seen)} to ${most(seen)}`],
  ['`/health`', ({ overload }) => counted(overload.health)],
  ['`/ready`', ({ overload }) => counted(overload.ready)],
  ['well again after the end, ms', ({ overload }) => overload.wellAfterMillis?.toFixed(0) ?? 'never'],
]

const least = (values: readonly number[]) => Math.min(...values).toFixed(0)
const most = (values: readonly number[]) => Math.max(...values).toFixed(0)
const waits = (latencies: readonly number[]) =>
  [0.5, 0.99, 1].map((part) => quantile(latencies, part).toFixed(0)).join(' / ')

function report(rounds: readonly Round[]): string {
  const heads = rounds.map((_, index) => `round ${index + 1}`)
  const rows = LINES.map(([name, cell]) => [name, ...rounds.map(cell)])
  const lines = [['', ...heads], ['---', ...heads.map(() => '---')], ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return `${lines.join('\n')}\n\nMedian of the capacity: ${percent(quantile(rounds.map(share), 0.5))}.`
}

async function run(service: BenchedService): Promise<void> {
  const others = await service.addMerchants(MERCHANTS - 1)
  const how = { secretKeys: [service.secretKey, ...others], keepsConnections: KEEPS_CONNECTIONS, most: MAX_OPEN }
  await capacity(service, how, 3)
  const rounds: Round[] = []
  while (rounds.length < ROUNDS) {
    const carried = await capacity(service, how, Math.max(5, SECONDS / 2))
    rounds.push({ carried, overload: await overload(service, how, carried.perSecond * TIMES) })
  }
  console.log(report(rounds))
}

const home = await mkdtemp(join(tmpdir(), 'mintmark-overload-'))
try {
  console.log(`load average ${loadavg()[0]?.toFixed(2)}`)
  await withService({ home, profileDirectory: null }, run)
} finally {
  console.log(`load average ${loadavg()[0]?.toFixed(2)}`)
  await rm(home, { recursive: true, force: true })
}
