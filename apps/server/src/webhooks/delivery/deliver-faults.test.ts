// Guarantee: whatever changes about an endpoint or dies on the way, nothing is lost, nothing is sent where it no longer
// may, and what is late says nothing (faults E12, E14, E15).
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { answers, silent } from '../../../test/receivers/behaviours.ts'
import { startReceiver } from '../../../test/receivers/receiver.ts'
import { endpointWork } from './store.ts'
import {
  attempts,
  deliverAll,
  deliveries,
  endpoint,
  merchantId,
  receiver,
  told,
  update,
  useOneEndpoint,
  wakeUp,
  work,
  world,
} from './testing/one-endpoint.ts'

const HOUR = 3600

useOneEndpoint()

describe('an endpoint that changes', () => {
  /** Holds the answer until it is told to go on. */
  function held(status: number) {
    const gate = Promise.withResolvers<void>()
    receiver.behave({
      async answer(socket, request) {
        await gate.promise
        await answers(status).answer?.(socket, request)
      },
    })
    return gate.resolve
  }
  const arrived = () => expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBe(1)

  test.each([200, 410, 500])(
    'URL changed while %i is on its way: it says nothing of the new one (E15)',
    async (status) => {
      const goOn = held(status)
      await world.publish(merchantId, 2)
      const delivering = world.deliver()
      await arrived()
      await update(`revision = revision + 1, verified_at = null, enabled = false, url = 'http://localhost:1/new'`)
      goOn()
      await delivering
      expect((await deliveries()).map(({ state }) => state)).toEqual(['cancelled', 'cancelled'])
      expect(await attempts()).toMatchObject([{ http_status: status }])
      expect(await endpoint()).toMatchObject({ failures: 0, disabled_reason: null, revision: 2 })
      expect(told).toEqual([])
      expect(await work()).toBeUndefined()
    },
  )

  test('paused: what is queued waits, and is sent when it is enabled again', async () => {
    await world.publish(merchantId, 2)
    await update('enabled = false')
    await world.deliver()
    expect(receiver.requests).toEqual([])
    const [first] = await deliveries()
    expect((await work())?.due_at).toEqual(first?.window_ends_at)
    await update('enabled = true')
    await wakeUp()
    await deliverAll()
    expect((await deliveries()).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
  })

  test('deleted: nothing is sent, and all that was queued is cancelled, page by page', async () => {
    await world.publish(merchantId, 1_200)
    await update('deleted_at = now(), enabled = false, secret_sealed = null, secret_key_id = null')
    await world.deliver()
    expect(receiver.requests).toEqual([])
    expect(new Set((await deliveries()).map(({ state }) => state))).toEqual(new Set(['cancelled']))
    expect(await work()).toBeUndefined()
  })

  test('what an earlier revision left behind keeps nothing from being sent', async () => {
    await world.publish(merchantId, 1_100)
    await update('revision = 2')
    const [eventId] = await world.publish(merchantId)
    await deliverAll()
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([eventId])
    expect((await deliveries()).filter(({ state }) => state === 'cancelled')).toHaveLength(1_100)
    expect(await work()).toBeUndefined()
  })
})

describe('time', () => {
  test.each([
    ['its owner paused the endpoint', 'enabled = false'],
    ['the endpoint is not verified', 'verified_at = null'],
    ['the endpoint rests', `circuit_until = '2100-01-01'`],
  ])('ends what was not sent within 72 hours because %s', async (_why, set) => {
    await world.publish(merchantId, 3)
    await update(set)
    await world.deliver()
    world.clock.advance(72 * HOUR)
    await world.deliver()
    expect((await deliveries()).map(({ state }) => state)).toEqual(['failed', 'failed', 'failed'])
    expect(receiver.requests).toEqual([])
    expect(await work()).toBeUndefined()
  })

  test('a request that is late by nothing else than a stopped process is not sent', async () => {
    const { deliverJob } = await import('./jobs.ts')
    await world.publish(merchantId)
    const { performance } = globalThis
    const real = performance.now.bind(performance)
    let jump = 0
    performance.now = () => real() + jump
    try {
      const job = deliverJob({
        ...world.deps,
        // Asked for between the claim and the request.
        get headerPrefix() {
          jump += 3_000
          return 'Mintmark'
        },
      })
      await job.run()
      await job.settled?.()
    } finally {
      performance.now = real
    }
    expect(receiver.requests).toEqual([])
    // The tries count, and the delivery is still there.
    expect(await deliveries()).toMatchObject([{ state: 'queued', attempts: 5 }])
  })
})

describe('a worker', () => {
  test('that dies in the middle is followed by another: the same event, a new attempt, and the lost one counts (E12)', async () => {
    await world.publish(merchantId)
    const { rows } = await endpointWork.claim(world.deps, 1)
    expect(rows).toHaveLength(1)
    const dead = await dieInTheMiddle()
    expect(dead).toBe(1)
    await world.deliver()
    expect(receiver.requests).toHaveLength(1)
    world.clock.advance(20)
    await world.deliver()
    expect(receiver.requests).toHaveLength(2)
    const [one, two] = receiver.requests
    expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id'])
    expect(two?.body).toEqual(one?.body)
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 2 }])
    expect(await attempts()).toMatchObject([
      { number: 1, finished_at: null, http_status: null },
      { number: 2, http_status: 200 },
    ])
    expect(await endpoint()).toMatchObject({ failures: 0 })

    /** Everything a process does until its request is on its way, and nothing after. */
    async function dieInTheMiddle(): Promise<number> {
      const { serve } = await import('./deliver.ts')
      const claim = rows[0]
      if (claim === undefined) throw new Error('The endpoint should have been claimed.')
      const send: typeof world.deps.send = async (request) => {
        await world.deps.send(request)
        throw new Error('The process died.')
      }
      await expect(serve({ ...world.deps, send }, { claim, next: 'again' })).rejects.toThrow('died')
      return receiver.requests.length
    }
  })

  test('writes down what came of a try, also while its row moves to a partition of its own', async () => {
    const gate = Promise.withResolvers<void>()
    receiver.behave({
      async answer(socket, request) {
        await gate.promise
        await answers(200).answer?.(socket, request)
      },
    })
    await world.publish(merchantId)
    const delivering = world.deliver()
    await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBe(1)
    const mover = await world.pool.connect()
    try {
      await mover.query('begin')
      await mover.query(
        `with moved as (delete from webhook_deliveries where merchant_id = $1 returning *)
         insert into webhook_deliveries select * from moved`,
        [merchantId],
      )
      gate.resolve()
      const waiting = "datname = current_database() and wait_event_type = 'Lock'"
      await expect
        .poll(async () => (await world.rows('pg_stat_activity', waiting)).length, { timeout: 10_000 })
        .toBeGreaterThan(0)
      await mover.query('commit')
    } finally {
      mover.release()
    }
    await delivering
    expect(receiver.requests).toHaveLength(1)
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1 }])
  })

  test('that is to stop begins no further request, and leaves the rest to another one at once', async () => {
    const { deliverJob } = await import('./jobs.ts')
    const job = deliverJob(world.deps)
    receiver.behave({
      async answer(socket, request) {
        job.stop?.()
        await answers(200).answer?.(socket, request)
      },
    })
    await world.publish(merchantId, 3)
    await job.run()
    await job.settled?.()
    expect(receiver.requests).toHaveLength(1)
    expect(await work()).toMatchObject({ lease_until: null, due_at: world.clock.now() })
    await world.deliver()
    expect((await deliveries()).map(({ state, attempts: tries }) => `${state} ${tries}`)).toEqual(
      Array(3).fill('delivered 1'),
    )
  })

  test('that is told to stop while it looks for what is due sends nothing of it', async () => {
    const { deliverJob } = await import('./jobs.ts')
    const job = deliverJob(world.deps)
    await world.publish(merchantId)
    const running = job.run()
    job.stop?.()
    expect(await running).toMatchObject({ taken: 1 })
    await job.settled?.()
    expect(receiver.requests).toEqual([])
    expect(await work()).toMatchObject({ lease_until: null, due_at: world.clock.now() })
    expect(await deliveries()).toMatchObject([{ state: 'queued', attempts: 0 }])
  })

  test('whose ninth try was lost leaves a delivery that failed', async () => {
    await world.publish(merchantId)
    await world.pool.query('update webhook_deliveries set attempts = 9 where merchant_id = $1', [merchantId])
    await world.deliver()
    expect(await deliveries()).toMatchObject([{ state: 'failed' }])
    expect(receiver.requests).toEqual([])
  })

  test('that was taken for dead writes nothing when it comes back (E14)', async () => {
    const { serve } = await import('./deliver.ts')
    receiver.behave(answers(500))
    await world.publish(merchantId)
    const [claim] = (await endpointWork.claim(world.deps, 1)).rows
    if (claim === undefined) throw new Error('The endpoint should have been claimed.')
    const gate = Promise.withResolvers<void>()
    const send: typeof world.deps.send = async (request) => {
      const result = await world.deps.send(request)
      await gate.promise
      return result
    }
    const late = serve({ ...world.deps, send }, { claim, next: 'again' })
    await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBe(1)
    receiver.behave(answers(200))
    world.clock.advance(20)
    await world.deliver()
    expect(receiver.requests).toHaveLength(2)
    gate.resolve()
    await late
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 2 }])
    expect(await attempts()).toMatchObject([
      { number: 1, finished_at: null, category: null },
      { number: 2, http_status: 200 },
    ])
    expect(await endpoint()).toMatchObject({ failures: 0 })
  })

  test('whose key service is away sends nothing, counts no try, and tries again', async () => {
    const { deliverJob } = await import('./jobs.ts')
    await world.publish(merchantId)
    const job = deliverJob({ ...world.deps, openSecrets: () => Promise.reject(new Error('away')) })
    await job.run()
    await job.settled?.()
    expect(await deliveries()).toMatchObject([{ state: 'queued', attempts: 0 }])
    world.clock.advance(5)
    await world.deliver()
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1 }])
  })

  test('does not wait for a receiver that says nothing: others are served', { timeout: 30_000 }, async () => {
    const slow = await startReceiver({ behaviour: silent() })
    const { deliverJob } = await import('./jobs.ts')
    const job = deliverJob(world.deps)
    try {
      await update(`url = '${slow.url}'`)
      await world.publish(merchantId)
      await job.run()
      await expect.poll(() => slow.requests.length, { timeout: 15_000 }).toBe(1)
      const other = await world.addMerchant()
      await world.addEndpoint(other, receiver.url)
      await world.publish(other)
      await job.run()
      await expect.poll(() => receiver.requests.length, { timeout: 15_000 }).toBe(1)
      expect(slow.open).toBe(1)
    } finally {
      await slow.close()
      await job.settled?.()
    }
  })
})

describe('WEBHOOK_DELIVERY=off', () => {
  test('sends nothing, and forgets nothing', async () => {
    const { deliverJob } = await import('./jobs.ts')
    await world.publish(merchantId)
    const off = deliverJob({ ...world.deps, isOn: false })
    expect(await off.run()).toEqual({ taken: 0, nextDueAt: null })
    await delay(20)
    expect(receiver.requests).toEqual([])
    await world.deliver()
    expect(receiver.requests).toHaveLength(1)
  })
})
