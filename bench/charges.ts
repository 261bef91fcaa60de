import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbedded } from '@mintmark/embedded-postgres'
import { Client } from 'pg'
// Declare the statements that pgbench sends.
import '../apps/server/src/charges/open-store.ts'
import '../apps/server/src/mandates/take-store.ts'
import { EMBEDDED_NAME } from '../apps/server/src/commands/database.ts'
import { deriveKeys, loadRootKey } from '../apps/server/src/platform/keys.ts'
import { createLog } from '../apps/server/src/platform/log.ts'
import { createRowSeals } from '../apps/server/src/platform/row-seals.ts'
import { addPastCharges, copyMandates, mandateId, mandateIdSql, setUpMandate } from './charges-past.ts'
import { type PgbenchScript, pgbenchVersion, runPgbench } from './pgbench.ts'
import type { HostTask } from './processes/charge-host.ts'
import type { LoadAnswer, LoadTask } from './processes/load.ts'
import { SERVICE_FLAGS, startWorker, type Worker } from './processes/tasks.ts'
import { withService } from './service.ts'
import { quantile } from './statistics.ts'
import { alignColumns } from './table.ts'
import { USER_PLACEHOLDER, type Workload } from './workload.ts'

// node bench/charges.ts                     three minutes: charges of standing mandates, with a network that answers immediately
// node bench/charges.ts --mandates 1000000  over that many mandates
// node bench/charges.ts --past 10000000     everything again with that many charges of the past
// node bench/charges.ts --seconds 5         each measurement for that long
// node bench/charges.ts --callers 1,8       by so many at once
// node bench/charges.ts --profile FOLDER    leaves a CPU profile of the host there
//
// Over HTTP, through the host's whole chain: two transactions and a sealed credential a charge. Beside it (a) pgbench, which sends
// the first of the two transactions over the same mandates in the same database, and (b) the same host
// with rows that do nothing. As many callers each, and each waits for its answer.

const { values: options } = parseArgs({
  options: {
    mandates: { type: 'string', default: '10000' },
    past: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    callers: { type: 'string', default: '1,8,32' },
    profile: { type: 'string' },
  },
})
const MANDATES = Number(options.mandates)
const PAST = Number(options.past)
const SECONDS = Number(options.seconds)
const ROUNDS = Number(options.rounds)
const CALLERS = options.callers.split(',').map(Number)
/** Different mandates of one measurement; chosen anew for each. */
const MAX_PATHS = 50_000
/** For filling only: a checkpoint every 256 MB would take longer than the rows. */
const FILLING = { max_wal_size: '8GB' }

interface Given {
  home: string
  merchantId: string
  authorization: string
  template: string
}

type Server = Awaited<ReturnType<typeof startEmbedded>>

async function filled(what: string, count: number, given: Given, fill: (on: Server['connection']) => Promise<void>) {
  const startedAt = performance.now()
  const server = await startEmbedded({ home: given.home, name: EMBEDDED_NAME, settings: FILLING })
  try {
    await fill(server.connection)
  } finally {
    await server.stop()
  }
  console.log(`${count} ${what} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
}

/** With the server as the service starts it, and without the service: its worker would look for due work. */
async function measured(given: Given, hasPgbench: boolean): Promise<void> {
  const server = await startEmbedded({ home: given.home, name: EMBEDDED_NAME })
  const profiling = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.profile)}`]
  const charges = startWorker<HostTask, { url: string }>('charge-host.ts', [...SERVICE_FLAGS, ...profiling])
  const bare = startWorker<HostTask, { url: string }>('charge-host.ts')
  const load = startWorker<LoadTask, LoadAnswer>('load.ts')
  try {
    const { connection } = server
    const parts = {
      ...given,
      load,
      service: { pid: charges.pid, ...(await charges.run({ kind: 'charges', home: given.home, connection })) },
      bare: { pid: bare.pid, ...(await bare.run({ kind: 'bare' })) },
      pgbench: hasPgbench ? scriptOf(given, connection) : null,
    }
    console.log(`\nload average ${loadavg()[0]?.toFixed(2)}`)
    console.log(alignColumns(await measureAll(parts)).join('\n'))
    console.log(`load average ${loadavg()[0]?.toFixed(2)}`)
  } finally {
    await Promise.all([load.stop(), charges.stop(), bare.stop()])
    await server.stop()
  }
}

interface Parts extends Given {
  load: Worker<LoadTask, LoadAnswer>
  service: { url: string; pid: number }
  bare: { url: string; pid: number }
  pgbench: PgbenchScript | null
}

const HEAD = ['', 'callers', 'service', '(a) pgbench', '(b) bare host', 'of a', 'of b', 'CPU service', 'CPU bare']
const HALF = ['at half', 'p50', 'p99', 'refused']

async function measureAll(parts: Parts): Promise<string[][]> {
  const table = [[...HEAD, ...HALF]]
  for (const [name, mandates] of [
    [`${MANDATES} mandates`, MANDATES],
    ['one mandate', 1],
  ] as const) {
    for (const callers of CALLERS) table.push([name, String(callers), ...(await measureOne(parts, mandates, callers))])
  }
  return table
}

/** Round by round, each time beginning with another one: what the machine does meanwhile hits all three alike. */
async function measureOne(parts: Parts, mandates: number, callers: number): Promise<string[]> {
  const { load, service, bare } = parts
  const seen = { service: [] as LoadAnswer[], bare: [] as LoadAnswer[], pgbench: [] as number[] }
  const asked = (of: { url: string; pid: number }, rate: number | null) =>
    load.run({ ...of, workload: workloadOf(parts, mandates), seconds: SECONDS, connections: callers, rate })
  const turns = [
    async () => seen.service.push(await asked(service, null)),
    async () => seen.bare.push(await asked(bare, null)),
    async () => seen.pgbench.push(await database(parts, mandates, callers)),
  ]
  // The first round warms up.
  for (const turn of turns) await turn()
  for (const list of Object.values(seen)) list.length = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < turns.length; turn += 1) await turns[(round + turn) % turns.length]?.()
  }
  const middle = (answers: readonly LoadAnswer[], pick: (answer: LoadAnswer) => number | null) =>
    quantile(
      answers.map((answer) => pick(answer) ?? Number.NaN),
      0.5,
    )
  const [served, idle] = [seen.service, seen.bare].map((answers) => middle(answers, ({ perSecond }) => perSecond))
  const ceiling = quantile(seen.pgbench, 0.5)
  const half: LoadAnswer[] = []
  for (let round = 0; round < ROUNDS; round += 1) half.push(await asked(service, (served ?? 0) / 2))
  const wait = (share: number) => middle(half, ({ latencies }) => quantile(latencies, share))
  const refused = [...seen.service, ...half].reduce((sum, answer) => sum + answer.refused, 0)
  return [
    ...[served ?? 0, ceiling, idle ?? 0].map((rate) => rate.toFixed(0)),
    ...[(served ?? 0) / ceiling, (served ?? 0) / (idle ?? 0)].map((ratio) => ratio.toFixed(2)),
    ...[seen.service, seen.bare].map((answers) => `${middle(answers, ({ cpuMicros }) => cpuMicros).toFixed(0)} µs`),
    middle(half, ({ perSecond }) => perSecond).toFixed(0),
    ...[wait(0.5), wait(0.99)].map((millis) => `${millis.toFixed(1)} ms`),
    String(refused),
  ]
}

function workloadOf({ authorization }: Given, mandates: number): Workload {
  const random = () => mandateId(1 + Math.floor(Math.random() * mandates))
  const paths = Array.from({ length: mandates === 1 ? 1 : MAX_PATHS }, () => `/v1/mandates/${random()}/charge`)
  const body = JSON.stringify({ amount: '0.01', reference: USER_PLACEHOLDER })
  return { method: 'POST', authorization, paths, body }
}

let run = 0

async function database({ pgbench, ...given }: Parts, mandates: number, clients: number): Promise<number> {
  if (pgbench === null) return Number.NaN
  run += 1
  const { perSecond, transactions } = await runPgbench(pgbench, {
    clients,
    seconds: Math.max(1, Math.round(SECONDS)),
    variables: { mandates, run, k: 0 },
  })
  const opened = await chargesOfRun(given, pgbench.connection, run)
  if (opened !== transactions) throw new Error(`${transactions} statements of pgbench opened ${opened} charges.`)
  return perSecond
}

/** By the primary key: there may be millions of others. */
async function chargesOfRun({ merchantId }: Given, connection: Server['connection'], number: number): Promise<number> {
  const client = new Client(connection)
  await client.connect()
  try {
    const ends = [runPrefix(number), runPrefix(number + 1)]
    const { rows } = await client.query(
      'select count(*)::int from charges where merchant_id = $1 and id >= $2 and id < $3',
      [merchantId, ...ends],
    )
    return rows[0].count
  } finally {
    await client.end()
  }
}

const runPrefix = (number: number) => `txn_${String(number).padStart(6, '0')}`

/** What the service sends first of a merchant's charge, with ids that grow as its own do. */
function scriptOf({ home, merchantId }: Given, connection: Server['connection']): PgbenchScript {
  const id = (prefix: string) =>
    `'${prefix}' || lpad((:run)::text, 6, '0') || lpad((:client_id)::text, 3, '0') || lpad((:k)::text, 17, '0')`
  const noPayee = { payeeUrl: 'null', payeeNetworkName: 'null', payeeCountry: 'null', payeeCategoryCode: 'null' }
  const noAgent = { ownerSeal: 'null::bytea', agentId: 'null', ownerId: 'null', likeness: 'null', alikeSince: 'null' }
  return {
    ...{ connection, home, statements: ['mandates.take', 'charges.insert_opened'] },
    before: ['\\set mandate random(1, :mandates)', '\\set k :k + 1'],
    values: {
      ...{ ...noPayee, payeeName: 'null', payeeCategory: 'null', ...noAgent, merchantId: `'${merchantId}'` },
      ...{ mandateId: mandateIdSql(':mandate'), chargeId: id('txn_'), lineItemId: id('tli_'), reference: id('order-') },
      ...{ amountMinor: '1', wholeCurrencies: "'{}'", asksRepeats: 'false', products: "'[]'", at: 'now()' },
      ...{ deliveryShopId: 'null', deliverySessionId: 'null', lifeMinutes: '60' },
      chargeSeal: `'\\x${'00'.repeat(32)}'::bytea`,
      leaseUntil: "now() + interval '20 seconds'",
    },
  }
}

const home = await mkdtemp(join(tmpdir(), 'mintmark-charges-'))
try {
  const given = await withService({ home, profileDirectory: null }, async (service) => ({
    ...{ home, merchantId: service.merchantId, authorization: `Bearer ${service.secretKey}` },
    template: await setUpMandate(service),
  }))
  const version = await pgbenchVersion()
  if (version === null) console.log('There is no pgbench (name it by PGBENCH): column (a) stays empty.')
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  console.log(`${cpus().length} × ${cpus()[0]?.model}, ${memory}, Node ${process.version}, ${version}`)
  await filled('mandates', MANDATES, given, async (connection) => {
    const seals = createRowSeals({
      key: deriveKeys(await loadRootKey({ home, createIfMissing: false })).rowSeals,
      log: createLog({ level: 'error' }),
    })
    await copyMandates(connection, seals, given.template, MANDATES)
  })
  await measured(given, version !== null)
  if (PAST > 0) {
    await filled('past charges', PAST, given, (connection) =>
      addPastCharges(connection, given.template, MANDATES, PAST),
    )
    await measured(given, version !== null)
  }
} finally {
  await rm(home, { recursive: true, force: true })
}
