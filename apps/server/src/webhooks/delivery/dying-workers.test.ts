// Guarantee: wherever in its messages to the database a worker dies or loses its connection, the event arrives, every try that was sent
// is counted, and nothing stays behind: no work, no place among the requests (fault E12).
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWireProxy, type WireMessage, type WireProxy } from '../../../test/crash/wire-proxy.ts'
import { type Receiver, startReceiver } from '../../../test/receivers/receiver.ts'
import { CROWD_LIMITS } from '../../../test/service.ts'
import { closePool, createPool } from '../../db/pool.ts'
import { deliverJob } from './jobs.ts'
import { type Delivering, startDelivering } from './testing/delivering.ts'

let world: Delivering
let receiver: Receiver
let proxy: WireProxy
beforeAll(async () => {
  world = await startDelivering()
  receiver = await startReceiver()
  proxy = await startWireProxy(world.database.connection)
})
afterAll(async () => {
  await proxy?.close()
  await receiver?.close()
  await world?.close()
})

/** Also in the middle of what is sent together: before and after each statement of it. */
const counts = ({ direction, type }: WireMessage) => direction === 'frontend' && /^[QES]$/.test(type)

/** A worker that is cut off at a message, and what it does after that. Returns whether it came to that message. */
async function workUntil(at: number, when: 'before' | 'after', dies: boolean): Promise<boolean> {
  const own = createPool({ connection: proxy.url, max: 2, limits: CROWD_LIMITS, log: { warn: () => undefined } })
  await own.query('select 1')
  let isDead = false
  void proxy.arm({ counts, at, when, action: 'drop' }).then(() => {
    isDead = dies
  })
  const connect = own.connect.bind(own) as (...given: unknown[]) => unknown
  // The dead open no connection.
  const refuse = (callback?: (error: Error) => void) => {
    const error = new Error('The process is dead.')
    return callback === undefined ? Promise.reject(error) : callback(error)
  }
  const pool: Pool = Object.create(own, {
    connect: { value: (callback?: (error: Error) => void) => (isDead ? refuse(callback) : connect(callback)) },
  })
  const job = deliverJob({ ...world.deps, pool })
  await job.run().catch(() => undefined)
  await job.settled?.()
  const { happened } = proxy.disarm()
  await closePool(own)
  // The server may still be at what it got last.
  await proxy.ended()
  return happened
}

test.each([
  { who: 'that dies', dies: true },
  { who: 'that loses its connection', dies: false },
])('a worker $who at any message', async ({ dies }) => {
  let deaths = 0
  for (let at = 1, isWhole = false; !isWhole; at += 1) {
    for (const when of ['before', 'after'] as const) {
      await world.pool.query('delete from open_work')
      receiver.requests.length = 0
      const merchantId = await world.addMerchant()
      await world.addEndpoint(merchantId, receiver.url)
      const [eventId] = await world.publish(merchantId)
      const happened = await workUntil(at, when, dies)
      isWhole = !happened
      deaths += happened ? 1 : 0
      const place = `${when} message ${at}`
      const sentBefore = receiver.requests.length
      expect(sentBefore, place).toBeLessThanOrEqual(1)
      // What a lost process held comes back when its request must be over.
      world.clock.advance(20)
      await world.deliver()
      const own = `merchant_id = '${merchantId}'`
      const [delivery] = await world.rows('webhook_deliveries', own)
      const attempts = await world.rows('webhook_attempts', `${own} order by number`)
      const requests = receiver.requests.map(({ headers }) => headers['webhook-id'])
      expect({
        place,
        state: delivery?.state,
        counted: delivery?.attempts,
        work: await world.rows('open_work', own),
      }).toEqual({
        place,
        state: 'delivered',
        counted: attempts.length,
        work: [],
      })
      expect(new Set(requests), place).toEqual(new Set([eventId]))
      expect(requests.length, place).toBeLessThanOrEqual(attempts.length)
      expect(attempts.at(-1), place).toMatchObject({ http_status: 200 })
      const [application] = await world.rows('webhook_applications', own)
      expect(application?.flights, place).toEqual({})
    }
  }
  expect(deaths).toBeGreaterThan(30)
})
