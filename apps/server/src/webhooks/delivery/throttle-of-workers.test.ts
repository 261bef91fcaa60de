// Guarantee: over any number of workers an endpoint has one request on its way, a merchant two and five claims a
// second, by the receivers' own clocks; a secret that is exchanged meanwhile fails no receiver; a dead endpoint costs
// the others nothing (invariant I7, faults E13, E18, E22).
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, silent } from '../../../test/receivers/behaviours.ts'
import { type Receiver, startReceiver } from '../../../test/receivers/receiver.ts'
import { startDatabaseClock } from '../../db/clock.ts'
import { createPool } from '../../db/pool.ts'
import { startLoops } from '../../jobs/loop.ts'
import { startWakes } from '../../jobs/wake.ts'
import { newWebhookSecret } from '../../merchants/api-keys.ts'
import type { Secret } from '../../platform/secret.ts'
import { deliverJob } from './jobs.ts'
import { type Delivering, startDelivering } from './testing/delivering.ts'

let world: Delivering
let stopWorkers: () => Promise<void>
/** What signs for an endpoint now, and what it knows. */
const secretsOf = new Map<string, Secret[]>()

beforeAll(async () => {
  world = await startDelivering()
  const clock = await startDatabaseClock(world.pool)
  const workers = await Promise.all([1, 2, 3, 4].map(() => startWorker()))
  world.deps.clock = clock
  stopWorkers = async () => {
    await Promise.all(workers.map((stop) => stop()))
    clock.stop()
  }
})
afterAll(async () => {
  await stopWorkers?.()
  await world?.close()
})

/** A worker as in a process of its own: pool, clock and loop. */
async function startWorker(): Promise<() => Promise<void>> {
  const { connection } = world.database
  const { log } = world.deps
  const pool = createPool({ connection, max: 4, log })
  const clock = await startDatabaseClock(pool)
  const wakes = startWakes({ pool, connection, log, refreshClock: clock.refresh })
  const openSecrets = async (_merchantId: string, { id }: { id: string }) => secretsOf.get(id) ?? [newWebhookSecret()]
  const loops = startLoops([deliverJob({ ...world.deps, pool, clock, openSecrets })], { log, clock, wakes })
  return async () => {
    await loops.stop()
    await wakes.stop()
    clock.stop()
    await pool.end()
  }
}

interface Seen {
  endpoint: string
  from: number
  to: number
}

/** A receiver that takes its time, and writes down when. */
async function timekeeper(endpoint: string, millis: number, seen: Seen[]): Promise<Receiver> {
  return startReceiver({
    behaviour: {
      async answer(socket: Socket, request) {
        const one = { endpoint, from: performance.now(), to: Number.POSITIVE_INFINITY }
        seen.push(one)
        await delay(millis)
        // Before the answer leaves: who asks again has read it.
        one.to = performance.now()
        await answers(200).answer?.(socket, request)
      },
    },
  })
}

test('four workers: one request an endpoint, two an application, five claims a second', {
  timeout: 60_000,
}, async () => {
  const seen: Seen[] = []
  const merchantId = await world.addMerchant()
  const receivers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => timekeeper(name, 60, seen)))
  for (const { url } of receivers) await world.addEndpoint(merchantId, url)
  const COUNT = 6
  await world.publish(merchantId, COUNT)
  const queued = () => world.rows('webhook_deliveries', `merchant_id = '${merchantId}' and state = 'queued'`)
  await expect.poll(async () => (await queued()).length, { timeout: 50_000, interval: 200 }).toBe(0)
  expect(seen).toHaveLength(COUNT * receivers.length)

  const open = (one: Seen) => seen.filter(({ from, to }) => from <= one.from && one.from < to)
  for (const one of seen) {
    expect(open(one).length).toBeLessThanOrEqual(2)
    expect(open(one).filter(({ endpoint }) => endpoint === one.endpoint)).toHaveLength(1)
  }
  // By the times of the claims no second has six; on its way a request may lose or win a little.
  const { rows } = await world.pool.query(
    'select started_at from webhook_attempts where merchant_id = $1 order by started_at',
    [merchantId],
  )
  const starts = rows.map(({ started_at }) => (started_at as Date).getTime())
  const spans = starts.slice(5).map((start, index) => start - (starts[index] ?? 0))
  expect(Math.min(...spans)).toBeGreaterThanOrEqual(999)
  const arrivals = seen.map(({ from }) => from).sort((one, other) => one - other)
  const lastly = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)
  expect(lastly).toBeGreaterThan((seen.length / 5 - 2) * 1000)
  // Each endpoint had its turns: none was done before another had begun.
  const first = new Map<string, number>()
  for (const { endpoint, from } of seen) first.set(endpoint, Math.min(from, first.get(endpoint) ?? from))
  const ends = receivers.map((_, index) => seen.filter(({ endpoint }) => endpoint === 'abcde'[index]).at(-1)?.from ?? 0)
  expect(Math.max(...first.values())).toBeLessThan(Math.min(...ends))
  await Promise.all(receivers.map((receiver) => receiver.close()))
})

test('a secret exchanged again and again fails no receiver that knows one of the two (E18)', {
  timeout: 60_000,
}, async () => {
  const merchantId = await world.addMerchant()
  const verified: string[] = []
  const failed: string[] = []
  /** What the receiver verifies with: it learns of a new secret some time after it signs, and has one at a time. */
  let known: Secret = newWebhookSecret()
  const receiver = await startReceiver({
    behaviour: {
      async answer(socket, request) {
        const id = request.headers['webhook-id'] ?? ''
        try {
          new Webhook(known.reveal()).verify(request.body.toString(), request.headers)
          verified.push(id)
        } catch {
          failed.push(id)
        }
        await answers(200).answer?.(socket, request)
      },
    },
  })
  const endpointId = await world.addEndpoint(merchantId, receiver.url)
  secretsOf.set(endpointId, [known])
  const ids = await world.publish(merchantId, 20)
  for (let rotations = 0; verified.length + failed.length < ids.length && rotations < 40; rotations += 1) {
    const [current] = secretsOf.get(endpointId) ?? []
    const next = newWebhookSecret()
    if (current === undefined) throw new Error('There is always one.')
    secretsOf.set(endpointId, [next, current])
    await world.pool.query(
      `update webhook_endpoints set secret_sealed = $2, former_secret_sealed = coalesce(secret_sealed, ''),
         former_secret_key_id = 'local:1', former_secret_until = '2100-01-01' where id = $1`,
      [endpointId, Buffer.from(String(rotations))],
    )
    // From here on what is sent is signed with both, and the receiver may know either.
    await delay(120)
    known = next
    await delay(350)
  }
  await expect.poll(() => new Set(verified).size, { timeout: 20_000 }).toBe(ids.length)
  expect(failed).toEqual([])
  await receiver.close()
})

test('endpoints that say nothing cost other merchants nothing (E22)', { timeout: 60_000 }, async () => {
  const dead = await startReceiver({ behaviour: silent() })
  const alive: { at: number }[] = []
  const receiver = await startReceiver({
    behaviour: {
      async answer(socket, request) {
        alive.push({ at: performance.now() })
        await answers(200).answer?.(socket, request)
      },
    },
  })
  for (let count = 0; count < 30; count += 1) {
    const merchantId = await world.addMerchant()
    await world.addEndpoint(merchantId, dead.url)
    await world.publish(merchantId, 3)
  }
  await expect.poll(() => dead.requests.length, { timeout: 20_000 }).toBeGreaterThan(20)
  const others = await Promise.all(Array.from({ length: 10 }, () => world.addMerchant()))
  for (const merchantId of others) await world.addEndpoint(merchantId, receiver.url)
  await Promise.all(others.map((merchantId) => world.publish(merchantId)))
  await expect.poll(() => alive.length, { timeout: 9_000, interval: 20 }).toBe(others.length)
  // Those still wait: no other had to wait for their ten seconds.
  expect(dead.open).toBeGreaterThan(0)
  await Promise.all([dead.close(), receiver.close()])
})
