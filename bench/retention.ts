import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { EmbeddedConnection } from '@mintmark/embedded-postgres'
import { Client } from 'pg'
import { openFoundation } from '../apps/server/src/commands/foundation.ts'
import { makeHome } from '../apps/server/src/commands/home.ts'
import { type App, compose } from '../apps/server/src/compose/app.ts'
import { readConfig } from '../apps/server/src/config.ts'
import type { Job } from '../apps/server/src/jobs/loop.ts'
import { createLog } from '../apps/server/src/platform/log.ts'
import { addHistory } from './history.ts'
import { quantile } from './statistics.ts'
import { alignColumns } from './table.ts'
import { SESSION_BODY, USER_PLACEHOLDER } from './workload.ts'

// node bench/retention.ts                    some minutes, most of them for the rows
// node bench/retention.ts 20000 --share 0.9  with that many sessions, of which a share is to go
//
// The first walk of retention over many sessions, one merchant's: the job of the service, run as its loop does, which is without a rest
// until nothing is left. Beside it sessions are created by HTTP, evenly, as before it. Every second session has the evidence of an approval.

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { share: { type: 'string', default: '0.5' } },
})
const SESSIONS = Number(positionals[0] ?? 1_000_000)
const SHARE = Number(options.share)
const RETENTION_DAYS = 540
/** So far apart that the share is older than that, and the rest is not. */
const SECONDS_APART = (RETENTION_DAYS * 24 * 60 * 60) / (1 - SHARE) / SESSIONS

const CREATIONS_A_SECOND = 20
const IDLE_SECONDS = 30
const WARM_UP_SECONDS = 5
const REST_MILLIS = 2_000

const load = () => loadavg()[0]?.toFixed(1)
const seconds = (millis: number) => `${(millis / 1000).toFixed(1)} s`
const millisText = (millis: number) => `${millis.toFixed(1)} ms`

async function measure(home: string): Promise<void> {
  const config = readConfig({
    MINTMARK_HOME: home,
    RETENTION_DAYS: String(RETENTION_DAYS),
    RATE_LIMIT_MERCHANT: '100000000',
    LOG_LEVEL: 'warn',
  })
  await makeHome(home)
  const foundation = await openFoundation(config, createLog({ level: 'warn' }))
  try {
    const app = compose(foundation)
    const { merchantId, secretKey } = await app.merchants.createMerchant({
      ...{ name: 'Tea House', allowedOrigins: [], networkProfile: 'simulator', sessionAllowance: null },
    })
    const connection = foundation.connection as EmbeddedConnection
    await addSessions(connection, merchantId)
    const host = await app.buildApiHost()
    try {
      const url = await host.listen({ host: '127.0.0.1', port: 0 })
      await compare(app, connection, creator(url, secretKey.reveal()))
    } finally {
      await host.close()
    }
  } finally {
    await foundation.close()
  }
}

async function addSessions(connection: EmbeddedConnection, merchantId: string): Promise<void> {
  const startedAt = performance.now()
  await addHistory(connection, merchantId, SESSIONS, { secondsApart: SECONDS_APART })
  await onOwnLine(connection, async (client) => {
    await client.query(
      `insert into approvals (merchant_id, subject_type, subject_id, passkey_id, terms, nonce, client_data_json,
         authenticator_data, signature, approved_at)
       select merchant_id, 'session', id, 'past', repeat('0123456789', 60), sha256('n'), sha256('c') || sha256('d') || sha256('e'),
         sha256('a'), sha256('s') || sha256('t'), created_at
       from sessions where merchant_id = $1 and right(order_id, 1) in ('0', '2', '4', '6', '8')`,
      [merchantId],
    )
    await client.query('vacuum analyze')
    await client.query('checkpoint')
  })
  console.log(`${SESSIONS.toLocaleString('en')} sessions in ${seconds(performance.now() - startedAt)}, load ${load()}`)
}

/** Not from the service's pool, whose time-outs are for requests. */
async function onOwnLine<T>(connection: EmbeddedConnection, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Makes one session, and returns how long that took. */
function creator(url: string, key: string): (user: string) => Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return async (user) => {
    const startedAt = performance.now()
    const body = SESSION_BODY.replace(USER_PLACEHOLDER, user)
    const response = await fetch(`${url}/v1/sessions`, { method: 'POST', headers, body })
    await response.arrayBuffer()
    if (response.status !== 201) throw new Error(`A session was refused with ${response.status}.`)
    return performance.now() - startedAt
  }
}

/** Creates sessions, evenly, until it is over, whether or not those before have returned; returns how long each took. */
async function createEvenly(create: (user: string) => Promise<number>, isOver: () => boolean): Promise<number[]> {
  const begun: Promise<number>[] = []
  const startedAt = performance.now()
  while (!isOver()) {
    begun.push(create(`user-${startedAt}-${begun.length}`))
    await delay(Math.max(0, startedAt + (begun.length * 1000) / CREATIONS_A_SECOND - performance.now()))
  }
  return Promise.all(begun)
}

const after = (idleSeconds: number) => {
  const endsAt = performance.now() + idleSeconds * 1000
  return () => performance.now() >= endsAt
}

async function compare(
  { jobs }: App,
  connection: EmbeddedConnection,
  create: (user: string) => Promise<number>,
): Promise<void> {
  const job = jobs.find(({ name }) => name === 'sessions.delete_old')
  if (job === undefined) throw new Error('No job deletes old sessions.')
  await createEvenly(create, after(WARM_UP_SECONDS))
  const before = await createEvenly(create, after(IDLE_SECONDS))
  const counted = await countSessions(connection)
  let isWalking = true
  const creating = createEvenly(create, () => !isWalking)
  const startedAt = performance.now()
  const runs = await walk(job).finally(() => {
    isWalking = false
  })
  const millis = performance.now() - startedAt
  const beside = await creating
  const deleted = counted + beside.length - (await countSessions(connection))
  await delay(REST_MILLIS)
  const afterwards = await createEvenly(create, after(IDLE_SECONDS))
  const again = (await walk(job)).reduce((sum, run) => sum + run, 0)

  console.log(`load ${load()}`)
  const rate = Math.round(deleted / (millis / 1000)).toLocaleString('en')
  console.log(`${deleted.toLocaleString('en')} deleted in ${seconds(millis)}: ${rate} a second, in ${runs.length} runs`)
  const of = (share: number) => millisText(quantile(runs, share))
  console.log(`a run, which is one transaction of 500: p50 ${of(0.5)}, p99 ${of(0.99)}, the longest ${of(1)}`)
  console.log(`the next walk, in which nothing is old: ${millisText(again)}`)
  const rows = Object.entries({ before, beside, afterwards }).map(([name, times]) => [
    `creation, ${name}`,
    ...[String(times.length), ...[0.5, 0.99, 1].map((share) => millisText(quantile(times, share)))],
  ])
  console.log(alignColumns([['', 'created', 'p50', 'p99', 'longest'], ...rows]).join('\n'))
}

/** A walk, as the loop runs it: again and again until nothing is left. Returns how long each run took. */
async function walk(job: Job): Promise<number[]> {
  const runs: number[] = []
  for (;;) {
    const startedAt = performance.now()
    const { taken } = await job.run()
    runs.push(performance.now() - startedAt)
    if (taken === 0) return runs
  }
}

async function countSessions(connection: EmbeddedConnection): Promise<number> {
  const { rows } = await onOwnLine(connection, (client) =>
    client.query<{ count: number }>('select count(*)::int as count from sessions'),
  )
  return rows[0]?.count ?? 0
}

const directory = await mkdtemp(join(tmpdir(), 'mintmark-retention-'))
try {
  await measure(join(directory, 'home'))
} finally {
  await rm(directory, { recursive: true, force: true })
}
