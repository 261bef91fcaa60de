// Guarantee: over any number of workers an endpoint has one request on its way, a merchant two and five claims a second, by the
// receivers' own clocks; a secret that is exchanged meanwhile fails no receiver; a dead endpoint costs the others nothing (invariant
// I7, faults E13, E18, E22).
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { answers, silent } from '../../../test/receivers/behaviours.ts'
import { type Receiver, type ReceiverOptions, startReceiver } from '../../../test/receivers/receiver.ts'
import { CROWD_LIMITS } from '../../../test/service.ts'
import { startDatabaseClock } from '../../db/clock.ts'
import { createPool } from '../../db/pool.ts'
import { startLoops } from '../../jobs/loop.ts'
import { startWakes } from '../../jobs/wake.ts'
import { newWebhookSecret } from '../../merchants/api-keys.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Secret } from '../../platform/secret.ts'
import { deliverJob } from './jobs.ts'
import { type Delivering, startDelivering } from './testing/delivering.ts'

let world: Delivering
let stopWorkers: () => Promise<void>
/** What signs for an endpoint now, and what it knows. */
const secretsOf = new Map<string, Secret[]>()

beforeAll(async () => {
  // As long as a lease may be: a machine that stands still for seconds must not look like a worker that died.
  world = await startDelivering({ leaseSeconds: 60 })
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

const receivers: Receiver[] = []
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((one) => one.close()))
})

async function receiverOf(options: ReceiverOptions): Promise<Receiver> {
  const one = await startReceiver(options)
  receivers.push(one)
  return one
}

/** A worker as in a process of its own: pool, clock and loop. */
async function startWorker(): Promise<() => Promise<void>> {
  const { connection } = world.database
  const { log } = world.deps
  const pool = createPool({ connection, max: 4, limits: CROWD_LIMITS, log })
  const clock = await startDatabaseClock(pool)
  const wakes = startWakes({ pool, connection, log, refreshClock: clock.refresh })
  const openSecrets = async (_merchantId: string, { id }: { id: string }) => secretsOf.get(id) ?? [newWebhookSecret()]
  const deps = { ...world.deps, staleMillis: undefined, pool, clock: inOneTurn(clock), openSecrets }
  const loops = startLoops([deliverJob(deps)], { log, clock, wakes })
  return async () => {
    await loops.stop()
    await wakes.stop()
    clock.stop()
    await pool.end()
  }
}

/**
 * The claim and the count of the try are written with two readings that follow each other. A process that stands still between them would
 * make the spans between the tries shorter than those between the claims; here both are one reading.
 */
function inOneTurn(clock: Clock): Clock {
  let kept: Date | undefined
  return {
    now() {
      if (kept === undefined) queueMicrotask(() => (kept = undefined))
      kept ??= clock.now()
      return kept
    },
  }
}

interface Seen {
  endpoint: string
  from: number
  to: number
}

/** A receiver that takes its time, and writes down when. */
async function timekeeper(endpoint: string, millis: number, seen: Seen[]): Promise<Receiver> {
  return receiverOf({
    behaviour: {
      async answer(socket: Socket, request) {
        const one = { endpoint, from: performance.now(), to: Number.POSITIVE_INFINITY }
        seen.push(one)
        await delay(millis)
        // Before the answer leaves: a worker that sends again has read it.
        one.to = performance.now()
        await answers(200).answer?.(socket, request)
      },
    },
  })
}

test('four workers: one request an endpoint, two an application, five claims a second', async () => {
  const seen: Seen[] = []
  const merchantId = await world.addMerchant()
  const five = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => timekeeper(name, 60, seen)))
  for (const { url } of five) await world.addEndpoint(merchantId, url)
  const COUNT = 6
  await world.publish(merchantId, COUNT)
  const queued = () => world.rows('webhook_deliveries', `merchant_id = '${merchantId}' and state = 'queued'`)
  await expect.poll(async () => (await queued()).length, { interval: 200 }).toBe(0)
  expect(seen).toHaveLength(COUNT * five.length)

  const open = (one: Seen) => seen.filter(({ from, to }) => from <= one.from && one.from < to)
  for (const one of seen) {
    expect(open(one).length).toBeLessThanOrEqual(2)
    expect(open(one).filter(({ endpoint }) => endpoint === one.endpoint)).toHaveLength(1)
  }
  // By the times of the claims no second has six. Those of the arrivals are of a machine that may stand still in between.
  const { rows } = await world.pool.query(
    'select started_at from webhook_attempts where merchant_id = $1 order by started_at',
    [merchantId],
  )
  const starts = rows.map(({ started_at }) => (started_at as Date).getTime())
  const spans = starts.slice(5).map((start, index) => start - (starts[index] ?? 0))
  expect(Math.min(...spans)).toBeGreaterThanOrEqual(999)
  // Each endpoint had its turns: none was done before another had begun.
  const first = new Map<string, number>()
  for (const { endpoint, from } of seen) first.set(endpoint, Math.min(from, first.get(endpoint) ?? from))
  const ends = five.map((_, index) => seen.filter(({ endpoint }) => endpoint === 'abcde'[index]).at(-1)?.from ?? 0)
  expect(Math.max(...first.values())).toBeLessThan(Math.min(...ends))
})

function isSignedBy(secret: Secret, { headers, body }: Receiver['requests'][number]): boolean {
  try {
    new Webhook(secret.reveal()).verify(body.toString(), headers)
    return true
  } catch {
    return false
  }
}

test('a secret exchanged again and again fails no receiver that knows one of the two (E18)', async () => {
  const merchantId = await world.addMerchant()
  const verified: string[] = []
  const failed: string[] = []
  /** What the receiver verifies with: it learns of a new secret after it has begun to sign, and has one at a time. */
  let known: Secret = newWebhookSecret()
  let next = known
  const receiver = await receiverOf({
    behaviour: {
      async answer(socket, request) {
        const id = request.headers['webhook-id'] ?? ''
        const isBy = (secret: Secret) => isSignedBy(secret, request)
        if (isBy(known)) verified.push(id)
        else failed.push(id)
        // One request at a time: whatever comes after this one is signed with it as well.
        if (isBy(next)) known = next
        await answers(200).answer?.(socket, request)
      },
    },
  })
  const endpointId = await world.addEndpoint(merchantId, receiver.url)
  secretsOf.set(endpointId, [known])
  const ids = await world.publish(merchantId, 20)
  for (let rotations = 0; verified.length + failed.length < ids.length && rotations < 40; rotations += 1) {
    const [current] = secretsOf.get(endpointId) ?? []
    next = newWebhookSecret()
    if (current === undefined) throw new Error('There is always one.')
    secretsOf.set(endpointId, [next, current])
    await world.pool.query(
      `update webhook_endpoints set secret_sealed = $2, former_secret_sealed = coalesce(secret_sealed, ''),
         former_secret_key_id = 'local:1', former_secret_until = '2100-01-01' where id = $1`,
      [endpointId, Buffer.from(String(rotations))],
    )
    // From here on what is sent is signed with both, and the receiver may know either.
    await expect.poll(() => known === next || verified.length + failed.length >= ids.length, { interval: 5 }).toBe(true)
  }
  await expect.poll(() => new Set(verified).size).toBe(ids.length)
  expect(failed).toEqual([])
})

test('endpoints that say nothing cost other merchants nothing (E22)', async () => {
  const dead = await receiverOf({ behaviour: silent() })
  const alive: { at: number }[] = []
  const receiver = await receiverOf({
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
  await expect.poll(() => dead.requests.length).toBeGreaterThan(20)
  const others = await Promise.all(Array.from({ length: 10 }, () => world.addMerchant()))
  for (const merchantId of others) await world.addEndpoint(merchantId, receiver.url)
  await Promise.all(others.map((merchantId) => world.publish(merchantId)))
  await expect.poll(() => alive.length, { interval: 20 }).toBe(others.length)
  // Those still wait: no other merchant had to wait for the end of their time.
  expect(dead.open).toBeGreaterThan(0)
})
