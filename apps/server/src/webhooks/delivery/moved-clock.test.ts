// Guarantee: however a sandbox moves its clock, an endpoint has one request on its way and a merchant five claims a second, in the
// seconds of the receivers (invariant I7); and who was stopped before its request sends none.
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { answers } from '../../../test/receivers/behaviours.ts'
import { type Receiver, startReceiver } from '../../../test/receivers/receiver.ts'
import { startDatabaseClock } from '../../db/clock.ts'
import { unmoved } from '../../platform/clock.ts'
import { ManualClock } from '../../platform/testing/manual-clock.ts'
import { sendAlone } from './direct.ts'
import { deliverJob } from './jobs.ts'
import { type Delivering, startDelivering } from './testing/delivering.ts'

/** A clock that is moved, and that also goes on by itself. */
class SandboxClock extends ManualClock {
  #moved = 0

  move(seconds: number): void {
    this.#moved += seconds
    this.advance(seconds)
  }

  unmoved(): Date {
    return new Date(this.now().getTime() - this.#moved * 1000)
  }
}

const clock = new SandboxClock()
let world: Delivering
let receiver: Receiver
beforeAll(async () => {
  world = await startDelivering({ clock })
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver?.close()
  await world?.close()
})
afterEach(() => void vi.restoreAllMocks())

async function newEndpoint() {
  receiver.behave(answers(200))
  receiver.requests.length = 0
  const merchantId = await world.addMerchant()
  return { merchantId, endpointId: await world.addEndpoint(merchantId, receiver.url) }
}

test('a clock that is moved by minutes gives no claims away', async () => {
  const { merchantId } = await newEndpoint()
  await world.publish(merchantId, 12)
  await world.deliver()
  expect(receiver.requests).toHaveLength(5)
  clock.move(150)
  await world.deliver()
  expect(receiver.requests).toHaveLength(5)
  for (const more of [10, 12]) {
    clock.advance(1)
    await world.deliver()
    expect(receiver.requests).toHaveLength(more)
  }
})

test('a request that is on its way is so after it, too, though its lease is over', async () => {
  const { merchantId } = await newEndpoint()
  const gate = Promise.withResolvers<void>()
  receiver.behave({
    async answer(socket, request) {
      await gate.promise
      await answers(200).answer?.(socket, request)
    },
  })
  await world.publish(merchantId, 2)
  const [first, second] = [deliverJob(world.deps), deliverJob(world.deps)]
  await first.run()
  await expect.poll(() => receiver.requests.length).toBe(1)
  clock.move(150)
  await second.run()
  // It has found the place taken.
  await second.settled?.()
  expect(receiver.requests).toHaveLength(1)
  gate.resolve()
  await Promise.all([first.settled?.(), second.settled?.()])
  clock.advance(16)
  await world.deliver()
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
})

test('the clock of the database tells how it would go on unmoved', async () => {
  const moving = await startDatabaseClock(world.pool)
  /** One reading between two of the other kind: it goes on while it is read. */
  const look = () => {
    const [before, now, after] = [unmoved(moving), moving.now(), unmoved(moving)].map((at) => at.getTime())
    return { before: before ?? Number.NaN, now: now ?? Number.NaN, after: after ?? Number.NaN }
  }
  try {
    const first = look()
    expect(first.now).toBeGreaterThanOrEqual(first.before)
    expect(first.now).toBeLessThanOrEqual(first.after)
    await moving.advance(5_000)
    const second = look()
    expect(second.before - first.before).toBeLessThan(4_000_000)
    expect(second.now - 5_000_000).toBeGreaterThanOrEqual(second.before)
    expect(second.now - 5_000_000).toBeLessThanOrEqual(second.after)
  } finally {
    moving.stop()
  }
})

test('who was stopped between its place and its request sends none, and gives the place back', async () => {
  const ref = await newEndpoint()
  const real = performance.now.bind(performance)
  let jump = 0
  const times = vi.spyOn(performance, 'now').mockImplementation(() => {
    jump += 2_100
    return real() + jump
  })
  const send = vi.fn(async () => undefined)
  await expect(sendAlone({ ...world.deps, staleMillis: undefined }, ref, send)).rejects.toThrow()
  expect(send).not.toHaveBeenCalled()
  times.mockRestore()
  await sendAlone(world.deps, ref, send)
  expect(send).toHaveBeenCalledTimes(1)
})

test('who waits for a place looks once more when the wait is over, however long the look before has taken', async () => {
  const ref = await newEndpoint()
  for (let claims = 0; claims < 5; claims += 1) await sendAlone(world.deps, ref, async () => undefined)
  const real = performance.now.bind(performance)
  let passed = 0
  vi.spyOn(performance, 'now').mockImplementation(() => real() + passed)
  /** Five seconds pass while it is looked at for the first time: what is seen is of their beginning. */
  const slow = {
    now: () => clock.now(),
    unmoved() {
      const at = clock.unmoved()
      if (passed === 0) clock.advance(5)
      passed = 5_000
      return at
    },
  }
  const send = vi.fn(async () => undefined)
  await sendAlone({ ...world.deps, clock: slow }, ref, send)
  expect(send).toHaveBeenCalledTimes(1)
})
