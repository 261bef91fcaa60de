import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type EmbeddedConnection, runningConnection } from '@mintmark/embedded-postgres'
import type { Pool } from 'pg'
import { EMBEDDED_NAME } from '../apps/server/src/commands/database.ts'
// Declares the statements that pgbench sends.
import '../apps/server/src/db/command.ts'
import { closePool, createPool } from '../apps/server/src/db/pool.ts'
import { createLedgerService } from '../apps/server/src/ledger/service.ts'
import '../apps/server/src/wallets/carts/store.ts'
import { verifyOrders } from '../apps/server/src/wallets/orders/service.ts'
import { addCarts, addressId, cartId, customerId, ordersScript, WRITES, walletId } from './orders-carts.ts'
import { pgbenchVersion, runPgbenchText } from './pgbench.ts'
import { type BenchedService, withService } from './service.ts'
import { quantile } from './statistics.ts'
import { alignColumns } from './table.ts'

// node bench/orders.ts                a minute: orders by wallet over HTTP, beside pgbench doing the same writes
// node bench/orders.ts --seconds 1    each measurement for that long
// node bench/orders.ts --callers 1,8  by so many at once
//
// Each order pays a cart of two products, of a thousand customers, at one shop with fifty products. pgbench sends what
// an order writes, in one transaction, over carts of its own in the same database: no HTTP, no reads, no rules.

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    callers: { type: 'string', default: '1,8,32' },
  },
})
const SECONDS = Number(options.seconds)
const ROUNDS = Number(options.rounds)
const CALLERS = options.callers.split(',').map(Number)
/** More than one measurement orders. */
const CARTS_A_MEASUREMENT = Math.ceil(SECONDS * 4_000)

const home = await mkdtemp(join(tmpdir(), 'mintmark-orders-'))
try {
  await withService({ home, profileDirectory: null }, async (service) => {
    const connection = await runningConnection(home, EMBEDDED_NAME)
    if (connection === undefined) throw new Error('The service runs without its embedded database.')
    const pool = createPool({ connection, max: 1, log: { warn: console.warn } })
    try {
      await measureAll(service, connection, pool)
    } finally {
      await closePool(pool)
    }
  })
} finally {
  await rm(home, { recursive: true, force: true })
}

async function measureAll(service: BenchedService, connection: EmbeddedConnection, pool: Pool): Promise<void> {
  const hasPgbench = (await pgbenchVersion()) !== null
  if (!hasPgbench) console.log('There is no pgbench: set PGBENCH.')
  // A warm-up, and both contenders in each round.
  const carts = CALLERS.length * (ROUNDS + 1) * 2 * CARTS_A_MEASUREMENT
  await addCarts(connection, service.merchantId, carts)
  console.log(`${carts} carts, load average ${loadavg()[0]?.toFixed(2)}, ${WRITES.length} writes an order`)
  const next = numbers()
  const table = [['callers', 'orders/s', 'pgbench/s', 'ratio', 'p50 ms', 'p99 ms', 'refused']]
  for (const callers of CALLERS) {
    const served: Served[] = []
    const written: number[] = []
    for (let round = 0; round <= ROUNDS; round += 1) {
      served.push(await order(service, callers, next()))
      if (hasPgbench) written.push(await write(connection, service.merchantId, callers, next()))
    }
    // The first round warms up.
    const [measured, ceilings] = [served.slice(1), written.slice(1)]
    const perSecond = quantile(
      measured.map((one) => one.perSecond),
      0.5,
    )
    const ceiling = quantile(ceilings, 0.5)
    const waits = measured.flatMap(({ millis }) => millis)
    const refused = measured.reduce((sum, one) => sum + one.refused, 0)
    const cells = [perSecond, ceiling].map((rate) => rate.toFixed(0))
    const times = [0.5, 0.99].map((share) => quantile(waits, share).toFixed(1))
    table.push([String(callers), ...cells, (perSecond / ceiling).toFixed(2), ...times, String(refused)])
  }
  console.log(alignColumns(table).join('\n'))
  await checkBooks(pool)
}

/** Where the carts of each measurement begin. */
function numbers(): () => number {
  let from = -CARTS_A_MEASUREMENT
  return () => {
    from += CARTS_A_MEASUREMENT
    return from
  }
}

interface Served {
  perSecond: number
  millis: number[]
  /** Turned away by the door; the service may do that when it must. */
  refused: number
}

/** Each caller waits for its answer before it orders the next cart. */
async function order(service: BenchedService, callers: number, from: number): Promise<Served> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  const millis: number[] = []
  let refused = 0
  let next = from
  const startedAt = performance.now()
  const endsAt = startedAt + SECONDS * 1_000
  const call = async () => {
    while (performance.now() < endsAt && next < from + CARTS_A_MEASUREMENT) {
      const number = next++
      const askedAt = performance.now()
      if (await place(service, agent, number)) millis.push(performance.now() - askedAt)
      else refused += 1
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  agent.destroy()
  return { perSecond: (millis.length * 1_000) / (performance.now() - startedAt), millis, refused }
}

function place({ walletUrl, walletKey }: BenchedService, agent: Agent, number: number): Promise<boolean> {
  const path = `/v1/customers/${customerId(number)}/carts/${cartId(number)}/order/wallet/${walletId(number)}`
  const headers = { 'api-key': walletKey, 'idempotency-key': randomUUID(), 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const sent = request(walletUrl + path, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', () => {
        if (answer.statusCode === 201 || answer.statusCode === 503) resolve(answer.statusCode === 201)
        else reject(new Error(`An order was answered ${answer.statusCode}.`))
      })
    })
    sent.on('error', reject).end(JSON.stringify({ address: addressId(number) }))
  })
}

async function write(
  connection: EmbeddedConnection,
  merchantId: string,
  clients: number,
  from: number,
): Promise<number> {
  const variables = { from, share: Math.floor(CARTS_A_MEASUREMENT / clients), i: 0 }
  const text = ordersScript(merchantId)
  return (await runPgbenchText({ connection, home }, text, { clients, seconds: SECONDS, variables })).perSecond
}

/** Both have written whole orders. */
async function checkBooks(pool: Pool): Promise<void> {
  const { transfers, problems } = await createLedgerService({ pool, seals: null, checks: [verifyOrders] }).verify()
  if (problems.length > 0) throw new Error(`The books are not in order: ${JSON.stringify(problems[0])}`)
  console.log(`${transfers} transfers, and the books are in order`)
}
