// Guarantee: a delivery waits for the database so many times, with so many commits, and not once more.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../../test/receivers/receiver.ts'
import { recordWaits } from '../../../test/waits.ts'
import { type Delivering, startDelivering } from './testing/delivering.ts'

/** To look, to read the event, to claim and count the try, to record what came of it: the last two are a transaction each. */
const MAX_WAITS = 6
const MAX_COMMITS = 2

let world: Delivering
let receiver: Receiver
let recorder: ReturnType<typeof recordWaits>
beforeAll(async () => {
  // A lease that is extended, because a busy machine took its time, would be one question more.
  world = await startDelivering({ leaseSeconds: 300 })
  receiver = await startReceiver()
  recorder = recordWaits()
})
afterAll(async () => {
  recorder?.stop()
  await receiver?.close()
  await world?.close()
})

beforeEach(() => {
  receiver.requests.length = 0
})

/** The question who has due work is one for many deliveries. */
const OF_MANY = /\.find_due/

async function waitsOf(merchantId: string, events: number): Promise<string[]> {
  await world.publish(merchantId, events)
  recorder.take()
  await world.deliver()
  const waits = recorder.take().map(({ name }) => name)
  return waits.filter((name) => !OF_MANY.test(name))
}

test('of an endpoint with one event', async () => {
  const merchantId = await world.addMerchant()
  await world.addEndpoint(merchantId, receiver.url)
  // The first of an account makes the row that its pace is kept in.
  await waitsOf(merchantId, 1)
  for (let round = 0; round < 3; round += 1) {
    world.clock.advance(2)
    expectFew(await waitsOf(merchantId, 1), 1)
  }
  expect(receiver.requests).toHaveLength(4)
})

test('of an endpoint with a queue, each', async () => {
  const merchantId = await world.addMerchant()
  await world.addEndpoint(merchantId, receiver.url)
  await waitsOf(merchantId, 1)
  world.clock.advance(2)
  receiver.requests.length = 0
  expectFew(await waitsOf(merchantId, 4), 4)
  expect(receiver.requests).toHaveLength(4)
})

/** A failure names them. */
function expectFew(waits: readonly string[], deliveries: number): void {
  expect(waits.length, waits.join('\n')).toBeLessThanOrEqual(MAX_WAITS * deliveries)
  expect(waits.filter((name) => name.includes('transaction.commit')).length).toBeLessThanOrEqual(
    MAX_COMMITS * deliveries,
  )
  // What writes beside a transaction is a commit, too.
  const alone = waits.filter((name) => !name.includes(','))
  expect(alone.filter((name) => !/find|list/.test(name))).toEqual([])
}
