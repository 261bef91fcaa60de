import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { type EmbeddedConnection, runningConnection } from '@mintmark/embedded-postgres'
// Declares the statement that pgbench sends.
import '../apps/server/src/checkout/quotes/store.ts'
import { EMBEDDED_NAME } from '../apps/server/src/commands/database.ts'
import { type PgbenchScript, pgbenchVersion, runPgbench } from './pgbench.ts'
import type { LoadAnswer, LoadTask } from './processes/load.ts'
import type { ShopTask } from './processes/quoting-shop.ts'
import { startWorker } from './processes/tasks.ts'
import { type BenchedService, withService } from './service.ts'
import { quantile } from './statistics.ts'
import { alignColumns } from './table.ts'
import type { Workload } from './workload.ts'

// node bench/quotes.ts                half a minute: quotes, at a shop that answers immediately
// node bench/quotes.ts --seconds 5    each measurement for that long
//
// Over HTTP, through the service's whole chain and its guarded connector, one connection to the shop a quote. Beside it (a) pgbench,
// which writes the same row, a transaction each, to the same database; and (b) the shop alone, asked directly over open connections.

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '2' }, rounds: { type: 'string', default: '3' } },
})
const SECONDS = Number(options.seconds)
const ROUNDS = Number(options.rounds)
const CALLERS = 16
const ENV = { CHECKOUT_ALLOW_LOOPBACK: 'on', RATE_LIMIT_SHOPPING: '100000000' }

const EXECUTABLE = new URL('../bin/mintmark', import.meta.url).pathname

/** The number of a run of pgbench, whose ids begin with it. */
let run = 0

const home = await mkdtemp(join(tmpdir(), 'mintmark-quotes-bench-'))
const shop = startWorker<ShopTask, { url: string }>('quoting-shop.ts')
const load = startWorker<LoadTask, LoadAnswer>('load.ts')
try {
  const { url: shopUrl } = await shop.run({})
  console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${await pgbenchVersion()}`)
  await withService({ home, profileDirectory: null, env: ENV }, (service) => measure(service, shopUrl))
} finally {
  await Promise.all([shop.stop(), load.stop()])
  await rm(home, { recursive: true, force: true })
}

async function measure(service: BenchedService, shopUrl: string): Promise<void> {
  const connection = await runningConnection(home, EMBEDDED_NAME)
  if (connection === undefined) throw new Error('The service runs without its embedded database.')
  const shopId = await addShop(shopUrl)
  const authorization = `Bearer ${service.secretKey}`
  const item = { variant_id: `var_${shopId.slice('shop_'.length)}.mug-blue`, quantity: 1 }
  const quote: Workload = {
    ...{ method: 'POST', authorization, paths: ['/v1/quotes'] },
    body: JSON.stringify({ merchant: shopId, items: [item] }),
  }
  const direct: Workload = { ...quote, paths: ['/api/quotes/qte_1'], body: JSON.stringify({ items: [item] }) }
  const script = scriptOf(connection, service.merchantId, shopId)
  const asked = (url: string, pid: number, workload: Workload, rate: number | null = null) =>
    load.run({ url, pid, workload, seconds: SECONDS, connections: CALLERS, rate })
  const seen = { service: [] as LoadAnswer[], shop: [] as LoadAnswer[], pgbench: [] as number[] }
  const turns = [
    async () => seen.service.push(await asked(service.url, service.pid, quote)),
    async () => seen.shop.push(await asked(shopUrl, shop.pid, direct)),
    async () => seen.pgbench.push(await database(script)),
  ]
  // The first round warms up.
  for (const turn of turns) await turn()
  for (const list of Object.values(seen)) list.length = 0
  console.log(`load average ${loadavg()[0]?.toFixed(2)}`)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < turns.length; turn += 1) await turns[(round + turn) % turns.length]?.()
  }
  const rate = (answers: readonly LoadAnswer[]) =>
    quantile(
      answers.map(({ perSecond }) => perSecond),
      0.5,
    )
  const [served, a, b] = [rate(seen.service), quantile(seen.pgbench, 0.5), rate(seen.shop)]
  const half = await asked(service.url, service.pid, quote, served / 2)
  const micros = quantile(
    seen.service.map(({ cpuMicros }) => cpuMicros ?? Number.NaN),
    0.5,
  )
  const both = 1 / (1 / a + 1 / b)
  const refused = [...seen.service, half].reduce((sum, answer) => sum + answer.refused, 0)
  const table = [
    ['', 'service', '(a) pgbench', '(b) shop', 'of a', 'of b', 'of both', 'CPU', 'p50', 'p99', 'refused'],
    [
      'quote creation',
      ...[served, a, b].map((value) => value.toFixed(0)),
      ...[served / a, served / b, served / both].map((value) => value.toFixed(2)),
      `${micros.toFixed(0)} µs`,
      ...[0.5, 0.99].map((share) => `${quantile(half.latencies, share).toFixed(1)} ms`),
      String(refused),
    ],
  ]
  console.log(alignColumns(table).join('\n'))
  console.log(`load average ${loadavg()[0]?.toFixed(2)}`)
}

/** As an operator does it: the row carries a seal. */
async function addShop(baseUrl: string): Promise<string> {
  const shop = ['--name', 'Bench Shop', '--url', 'https://shop.example', '--country', 'US', '--adapter', 'native']
  const env = { ...process.env, ...ENV, MINTMARK_HOME: home }
  const { stdout } = await promisify(execFile)(EXECUTABLE, ['shop', 'add', ...shop, '--base-url', baseUrl], { env })
  return (JSON.parse(stdout) as { id: string }).id
}

async function database(script: PgbenchScript): Promise<number> {
  run += 1
  const variables = { run, k: 0 }
  return (await runPgbench(script, { clients: CALLERS, seconds: SECONDS, variables })).perSecond
}

/** What the service writes, with ids that grow as its own do. */
function scriptOf(connection: EmbeddedConnection, merchantId: string, shopId: string): PgbenchScript {
  const line =
    '{"productId":"mug","variantId":"mug-blue","title":"Stoneware mug","quantity":1,"unitPrice":"18.00","total":"18.00"}'
  const id = `'qte_' || lpad((:run)::text, 6, '0') || lpad((:client_id)::text, 3, '0') || lpad((:k)::text, 17, '0')`
  return {
    ...{ connection, home, statements: ['quotes.insert'] },
    before: ['\\set k :k + 1'],
    values: {
      ...{ merchantId: `'${merchantId}'`, id, shopId: `'${shopId}'`, shopRef: id, shopName: "'Bench Shop'" },
      ...{ shopUrl: "'https://shop.example'", shopCountry: "'US'", currency: "'USD'", itemsMinor: '1800' },
      ...{ shippingMinor: '495', taxMinor: '115', discountMinor: '0', totalMinor: '2410', lines: `'[${line}]'` },
      ...{
        warnings: "'{}'",
        seal: 'sha256(random()::text::bytea)',
        at: 'now()',
        expiresAt: "now() + interval '15 minutes'",
      },
    },
  }
}
