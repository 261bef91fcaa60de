import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { answers, answersBy } from '../../../test/receivers/behaviours.ts'
import { startReceiver } from '../../../test/receivers/receiver.ts'
import { workOfMerchant } from '../../../test/rows/work.ts'
import { addSeconds } from '../../platform/clock.ts'
import { SECRETS } from './testing/delivering.ts'
import {
  attempts,
  deliverAll,
  deliveries,
  endpoint,
  endpointId,
  incidents,
  merchantId,
  own,
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

/** Moves the clock to when the next try is due. */
async function nextTry(): Promise<void> {
  const due = (await work())?.due_at as Date
  world.clock.advance(Math.max(0, (due.getTime() - world.clock.now().getTime()) / 1000))
  await world.deliver()
}

describe('an event', () => {
  test('is queued with its number, for the endpoints that want it then', async () => {
    const other = await world.addEndpoint(merchantId, receiver.url, { events: ['card.deleted', 'payment.succeeded'] })
    await world.addEndpoint(merchantId, receiver.url, { events: ['card.deleted'] })
    const ids = await world.publish(merchantId, 2)
    await world.publish(merchantId, 1, 'card.deleted')
    const queued = await deliveries()
    const places = queued.map((row) => `${row.event_type} ${row.endpoint_id}`)
    expect(places.sort()).toEqual(
      [
        ...ids.flatMap(() => [`payment.succeeded ${endpointId}`, `payment.succeeded ${other}`]),
        `card.deleted ${other}`,
        `card.deleted ${(await world.rows('webhook_endpoints', `${own()} and place = 3`))[0]?.id}`,
      ].sort(),
    )
    const at = world.clock.now()
    for (const row of queued) {
      expect(row).toMatchObject({
        state: 'queued',
        attempts: 0,
        send_at: at,
        window_ends_at: addSeconds(at, 72 * HOUR),
      })
      expect(row.id).toMatch(/^whd_[0-9a-hjkmnp-tv-z]{26}$/)
    }
    expect(new Set(queued.map(({ id }) => id)).size).toBe(queued.length)
    // One piece of work an endpoint, however many events.
    expect(await workOfMerchant(world.pool, merchantId)).toHaveLength(3)
  })

  test.each([
    ['paused', 'enabled = false'],
    ['not verified', 'verified_at = null'],
    ['disabled', `disabled_reason = 'gone'`],
    ['deleted', 'deleted_at = now(), secret_sealed = null, secret_key_id = null'],
  ])('is not queued for an endpoint that is %s', async (_state, set) => {
    await update(set)
    await world.publish(merchantId)
    expect(await deliveries()).toEqual([])
    expect(await work()).toBeUndefined()
  })

  test('is not sent to a destination that an editor put into the row', async () => {
    const elsewhere = await startReceiver()
    try {
      await world.publish(merchantId)
      await world.pool.query('update webhook_endpoints set url = $2 where id = $1', [endpointId, elsewhere.url])
      await world.deliver()
      await world.publish(merchantId)
      await world.deliver()
      expect([...receiver.requests, ...elsewhere.requests]).toEqual([])
      expect(await deliveries()).toMatchObject([
        { state: 'queued', attempts: 0 },
        { state: 'queued', attempts: 0 },
      ])
      // As it was, it is the merchant's again.
      await world.pool.query('update webhook_endpoints set url = $2 where id = $1', [endpointId, receiver.url])
      await wakeUp()
      await deliverAll()
      expect(receiver.requests).toHaveLength(2)
    } finally {
      await elsewhere.close()
    }
  })

  test('of which the answer comes when the row was edited leaves it as it is', async () => {
    receiver.behave({
      async answer(socket, request) {
        await world.pool.query(`update webhook_endpoints set verified_at = 'epoch' where id = $1`, [endpointId])
        await answers(410).answer?.(socket, request)
      },
    })
    const { seal } = await endpoint()
    await world.publish(merchantId)
    await world.deliver()
    expect(await endpoint()).toMatchObject({ seal, revision: 1, disabled_reason: null, failures: 0 })
    expect(await deliveries()).toMatchObject([{ state: 'cancelled' }])
  })

  test('is sent signed, with its bytes, and acknowledged by any 2xx, whatever follows', async () => {
    receiver.behave(answers(204))
    const [eventId] = await world.publish(merchantId)
    await world.deliver()
    const [request] = receiver.requests
    const [delivery] = await deliveries()
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 1, finished_at: world.clock.now() })
    expect(await attempts()).toMatchObject([
      { number: 1, http_status: 204, category: null, finished_at: world.clock.now() },
    ])
    expect(await work()).toBeUndefined()
    expect(request?.headers).toMatchObject({ 'webhook-id': eventId, 'webhook-delivery-id': delivery?.id })
    const body = request?.body.toString() ?? ''
    expect(new Webhook(SECRETS[0]?.reveal() ?? '').verify(body, request?.headers ?? {})).toMatchObject({
      id: eventId,
      type: 'payment.succeeded',
      account_id: merchantId,
      data: { n: 1 },
    })
  })

  test('reaches an endpoint in the order in which its deliveries were due', async () => {
    const ids = await world.publish(merchantId, 1)
    world.clock.advance(1)
    ids.push(...(await world.publish(merchantId, 1)))
    world.clock.advance(1)
    ids.push(...(await world.publish(merchantId, 1)))
    await deliverAll()
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual(ids)
  })
})

describe('a failing endpoint', () => {
  test('is tried nine times in 72 hours, with the same bytes, and then no more (E19)', async () => {
    receiver.behave(answers(503))
    await world.publish(merchantId)
    const begun = world.clock.now().getTime()
    await world.deliver()
    for (let number = 2; number <= 9; number += 1) {
      expect(await deliveries()).toMatchObject([{ state: 'queued', attempts: number - 1 }])
      await nextTry()
    }
    expect(await deliveries()).toMatchObject([{ state: 'failed', attempts: 9 }])
    expect(await work()).toBeUndefined()
    expect(receiver.requests).toHaveLength(9)
    expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1)
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-delivery-id'])).size).toBe(1)
    const tries = await attempts()
    expect(tries.map(({ category, http_status }) => `${category} ${http_status}`)).toEqual(Array(9).fill('status 503'))
    const starts = tries.map(({ started_at }) => ((started_at as Date).getTime() - begun) / 1000)
    expect(starts.at(-1)).toBeLessThan(72 * HOUR)
    // The circuit opened with the fifth: a try that is due during its rest waits for its end.
    const planned = [0, 5, 300, 1_800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 20 * HOUR, 26 * HOUR]
    starts.slice(1).forEach((start, index) => {
      const wait = start - (starts[index] ?? 0)
      expect(wait).toBeGreaterThan((planned[index + 1] ?? 0) * 0.9 - 1)
      expect(wait).toBeLessThan((planned[index + 1] ?? 0) * 1.1 + 1)
    })
  })

  test.each([
    ['7200', 7_200, 7_200],
    ['999999999', 6 * HOUR, 6 * HOUR],
    ['-5', 4.5, 5.5],
    ['garbage', 4.5, 5.5],
  ])('may ask for time: Retry-After %s (E19)', async (retryAfter, least, most) => {
    receiver.behave(answers(429, '', { 'retry-after': retryAfter }))
    await world.publish(merchantId)
    await world.deliver()
    const [delivery] = await deliveries()
    const wait = (Number(delivery?.send_at) - world.clock.now().getTime()) / 1000
    expect(wait).toBeGreaterThanOrEqual(least)
    expect(wait).toBeLessThanOrEqual(most)
    expect((await work())?.due_at).toEqual(delivery?.send_at)
  })

  test('rests after five in a row, and one probe decides, also across a restart (E20)', async () => {
    receiver.behave(answers(500))
    await world.publish(merchantId, 7)
    await deliverAll()
    expect(receiver.requests).toHaveLength(5)
    expect(await endpoint()).toMatchObject({ failures: 5 })
    const rest = (await endpoint()).circuit_until as Date
    expect((await work())?.due_at).toEqual(rest)
    expect(await incidents()).toMatchObject([{ reason: 'circuit_open', closed_at: null }])
    expect(told).toEqual(['opened circuit_open'])
    // New events wait with the others.
    await world.publish(merchantId)
    await world.deliver()
    expect((await work())?.due_at).toEqual(rest)
    expect(receiver.requests).toHaveLength(5)
    // Nothing of it is in the process: another one goes on.
    const restarted = await startAgain()
    world.clock.advance((rest.getTime() - world.clock.now().getTime()) / 1000 - 0.5)
    await restarted()
    expect(receiver.requests).toHaveLength(5)
    world.clock.advance(0.5)
    await restarted()
    expect(receiver.requests).toHaveLength(6)
    expect((await endpoint()).circuit_until).toEqual(addSeconds(rest, 300))
    expect(told).toEqual(['opened circuit_open'])
    receiver.behave(answers(200))
    world.clock.advance(300)
    await restarted()
    await deliverAll()
    expect(await endpoint()).toMatchObject({ failures: 0, circuit_until: null })
    expect(told).toEqual(['opened circuit_open', 'closed circuit_open'])
    expect(await incidents()).toMatchObject([{ closed_at: expect.any(Date) }])
    expect((await deliveries()).filter(({ state }) => state !== 'delivered')).toEqual([])
  })

  test('one success among failures begins the count anew', async () => {
    let count = 0
    receiver.behave(answersBy(() => ({ status: ++count % 5 === 0 ? 200 : 500 })))
    await world.publish(merchantId, 9)
    await deliverAll()
    expect(receiver.requests.length).toBeGreaterThanOrEqual(9)
    expect(told).toEqual([])
  })

  test('that is gone is disabled, and what is queued is cancelled (E8)', async () => {
    receiver.behave(answers(410))
    await world.publish(merchantId, 3)
    await deliverAll()
    expect(receiver.requests).toHaveLength(1)
    expect(await endpoint()).toMatchObject({ disabled_reason: 'gone', revision: 2 })
    expect((await deliveries()).map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(await attempts()).toMatchObject([{ http_status: 410, category: 'gone' }])
    expect(await incidents()).toMatchObject([{ reason: 'gone', closed_at: null }])
    expect(told).toEqual(['opened gone'])
    expect(await work()).toBeUndefined()
    // New events are not even queued.
    await world.publish(merchantId)
    expect(await deliveries()).toHaveLength(3)
  })

  test('whose address is forbidden is disabled, and its rest ends with it', async () => {
    receiver.behave(answers(500))
    await world.publish(merchantId, 6)
    await deliverAll()
    await update(`url = 'https://10.0.0.1/hook'`)
    world.clock.advance(300)
    await deliverAll()
    expect(await endpoint()).toMatchObject({ disabled_reason: 'forbidden_address', circuit_until: null, failures: 0 })
    expect(told).toEqual(['opened circuit_open', 'closed circuit_open', 'opened forbidden_address'])
    expect((await incidents()).filter(({ closed_at }) => closed_at === null)).toMatchObject([
      { reason: 'forbidden_address' },
    ])
    expect((await attempts()).at(-1)).toMatchObject({ category: expect.any(String) })
    expect((await deliveries()).filter(({ state }) => state === 'cancelled')).toHaveLength(6)
  })
})

/** Another process: it knows nothing but what is stored. */
async function startAgain(): Promise<() => Promise<void>> {
  const { deliverJob } = await import('./jobs.ts')
  const job = deliverJob({ ...world.deps, incidentListeners: world.deps.incidentListeners })
  return async () => {
    while ((await job.run()).taken > 0) await job.settled?.()
  }
}
