import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startEmbedded } from '@mintmark/embedded-postgres'
import { Client } from 'pg'
import { startDatabaseClock } from '../apps/server/src/db/clock.ts'
import { migrate } from '../apps/server/src/db/migrate.ts'
import { dayOf } from '../apps/server/src/db/partitions.ts'
import { closePool, createPool } from '../apps/server/src/db/pool.ts'
import { newWebhookSecret } from '../apps/server/src/merchants/api-keys.ts'
import { PUBLIC_AND_LOOPBACK } from '../apps/server/src/platform/egress/policy.ts'
import { send } from '../apps/server/src/platform/egress/send.ts'
import { newOrderedId } from '../apps/server/src/platform/ids.ts'
import { createLog } from '../apps/server/src/platform/log.ts'
import { createRowSeals } from '../apps/server/src/platform/row-seals.ts'
import { secret } from '../apps/server/src/platform/secret.ts'
import { deliverJob } from '../apps/server/src/webhooks/delivery/jobs.ts'
import { findQueue, NONE } from '../apps/server/src/webhooks/delivery/queue-store.ts'
import type { DeliveryDeps } from '../apps/server/src/webhooks/delivery/service.ts'
import { endpointWork } from '../apps/server/src/webhooks/delivery/store.ts'
import { destinationSeal } from '../apps/server/src/webhooks/seal.ts'

// node bench/deliveries.ts            two minutes, on a database of its own
// node bench/deliveries.ts --quick    some seconds: shows that it works
//
// Deliveries a second of one worker to a fast receiver on this machine, beside bare requests to it through the same
// connector; and what a claim and the read of a queue cost with few and with a million queued deliveries at two
// thousand endpoints.

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const ENDPOINTS = options.quick ? 100 : 2_000
const QUEUED = options.quick ? 5_000 : 1_000_000
const MERCHANTS = ENDPOINTS / 5
const DELIVERIES = options.quick ? 100 : 3_000
const CLAIMS = options.quick ? 20 : 200

const log = createLog({ level: 'warn' })
const secrets = [newWebhookSecret()]
const seals = createRowSeals({ key: secret(Buffer.alloc(32, 5)), log })
const home = await mkdtemp(join(tmpdir(), 'mintmark-deliveries-'))
const server = await startEmbedded({ home, name: 'mintmark' })
const pool = createPool({ connection: server.connection, max: 10, log })
try {
  await migrate(pool)
  const clock = await startDatabaseClock(pool)
  const deps: DeliveryDeps = {
    pool,
    clock,
    log,
    seals,
    events: { prepare: refuse, append: refuse },
    leaseSeconds: 3,
    isOn: true,
    headerPrefix: 'Mintmark',
    incidentListeners: [],
    send: (request) => send({ ...request, method: 'POST', policy: PUBLIC_AND_LOOPBACK }),
    openSecrets: async () => secrets,
  }
  await measureDeliveries(deps)
  await measureClaims(deps)
  clock.stop()
} finally {
  await closePool(pool)
  await server.stop()
  await rm(home, { recursive: true, force: true })
}

/** As the program seals endpoints that it writes. */
async function sealAll(on: Client): Promise<void> {
  const { rows } = await on.query(
    `select merchant_id as "merchantId", id, url, revision, verified_at as "verifiedAt", enabled, is_account as "isAccount"
     from webhook_endpoints`,
  )
  await on.query(
    `update webhook_endpoints set seal = one.seal from unnest($1::text[], $2::bytea[]) one (id, seal)
     where webhook_endpoints.id = one.id`,
    [rows.map(({ id }) => id), rows.map((row) => destinationSeal({ seals }, row))],
  )
}

function refuse(): never {
  throw new Error('No delivery captures an event.')
}

/** One delivery each of many merchants, whose pace is not what is measured. */
async function measureDeliveries(deps: DeliveryDeps): Promise<void> {
  let received = 0
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      received += 1
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const bare = await rate(DELIVERIES, 50, () => deps.send({ url, headers: {}, body: '{"id":"evt_1"}' }))
  await fill(url, { merchants: DELIVERIES, endpoints: 1, queued: DELIVERIES })
  received = 0
  const job = deliverJob(deps)
  const startedAt = performance.now()
  // As the loop does: it rests while nothing is due that is not in hand.
  while (received < DELIVERIES) if ((await job.run()).taken === 0) await delay(5)
  await job.settled?.()
  const deliveries = DELIVERIES / ((performance.now() - startedAt) / 1000)
  console.log(
    `deliveries of one worker: ${deliveries.toFixed(0)}/s, ${(deliveries / bare).toFixed(2)} of bare requests (${bare.toFixed(0)}/s)`,
  )
  receiver.close()
  receiver.closeAllConnections()
}

async function measureClaims(deps: DeliveryDeps): Promise<void> {
  const times = new Map<string, number[]>()
  for (const queued of [ENDPOINTS, QUEUED]) {
    await fill('http://127.0.0.1:1/', { merchants: MERCHANTS, endpoints: 5, queued })
    const { rows } = await deps.pool.query('select merchant_id, id from webhook_endpoints order by random() limit $1', [
      CLAIMS,
    ])
    const claims: number[] = []
    const looks: number[] = []
    for (const { merchant_id: merchantId, id: endpointId } of rows) {
      const claimAt = performance.now()
      await endpointWork.claim(deps, 10)
      const lookAt = performance.now()
      claims.push(lookAt - claimAt)
      await findQueue(deps.pool, { merchantId, endpointId, revision: 1, except: NONE })
      looks.push(performance.now() - lookAt)
    }
    times.set(`${queued}`, [median(claims), median(looks)])
    console.log(
      `${queued} queued at ${ENDPOINTS} endpoints, all due: a claim of ten ${median(claims).toFixed(2)} ms, the look at a queue ${median(looks).toFixed(2)} ms`,
    )
  }
  const [few = [], many = []] = [...times.values()]
  const ratio = (place: number) => ((many[place] ?? 0) / (few[place] ?? 1)).toFixed(2)
  console.log(`with ${QUEUED / ENDPOINTS} times as many: claim ${ratio(0)}, look ${ratio(1)} times as long`)
}

async function rate(count: number, atOnce: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  let left = count
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left > 0) {
        left -= 1
        await work()
      }
    }),
  )
  return count / ((performance.now() - startedAt) / 1000)
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}

/** Endpoints with due work and queued deliveries, as fan-out leaves them; what was there before is gone. */
async function fill(
  url: string,
  { merchants, endpoints, queued }: { merchants: number; endpoints: number; queued: number },
): Promise<void> {
  const at = new Date()
  const bulk = [merchants, endpoints, url, at]
  // Without the limits of a pool: a million rows take longer.
  const on = new Client(server.connection)
  await on.connect()
  await on.query(
    'truncate webhook_deliveries, webhook_attempts, webhook_applications, webhook_incidents, webhook_endpoints, open_work, events',
  )
  await on.query(
    `insert into merchants (id, name, status, allowed_origins, webhook_secret_sealed, webhook_secret_key_id, created_at)
     select 'ma_' || m, 'Bench', 'active', '{}', '', (select min(id) from key_encryption_keys), $2
     from generate_series(1, $1::int) m on conflict do nothing`,
    [merchants, at],
  )
  // As the first request of each leaves it.
  await on.query(
    `insert into webhook_applications (merchant_id, last_claims, flights, waiting)
     select 'ma_' || m, '{}', '{}', '{}' from generate_series(1, $1::int) m`,
    [merchants],
  )
  await on.query(
    `insert into webhook_endpoints (merchant_id, id, place, name, url, events, is_account, revision, enabled, verified_at, failures,
       secret_sealed, secret_key_id, created_at, updated_at)
     select 'ma_' || m, 'we_' || m || '_' || e, e, 'Bench', $3, '{payment.succeeded}', false, 1, true, $4, 0, '',
       (select min(id) from key_encryption_keys), $4, $4
     from generate_series(1, $1::int) m, generate_series(1, $2::int) e`,
    bulk,
  )
  await sealAll(on)
  await on.query(
    `insert into open_work (merchant_id, kind, id, due_at, attempts, lease_until, lease_fence)
     select merchant_id, 'endpoint', id, $1, 0, null, 0 from webhook_endpoints`,
    [at],
  )
  // Tests, whose bodies are their own: an event in the feed is not what is measured.
  await on.query(
    `insert into webhook_deliveries (merchant_id, id, day, endpoint_id, revision, event_id, event_type, body, state, send_at, attempts,
       window_ends_at, created_at)
     select 'ma_' || m, $5 || lpad(n::text, 16, '0'), $6, 'we_' || m || '_' || e, 1, 'evt_' || n, 'payment.succeeded',
       '{"id":"evt"}', 'queued', $4, 0, $4::timestamptz + interval '72 hours', $4
     from (select n, 1 + n % $1::int as m, 1 + (n / $1::int) % $2::int as e from generate_series(1, $3::int) n) one`,
    [merchants, endpoints, queued, at, newOrderedId('delivery', at).slice(0, 14), dayOf(at)],
  )
  await on.query('vacuum analyze webhook_deliveries, open_work, webhook_endpoints')
  await on.end()
}
