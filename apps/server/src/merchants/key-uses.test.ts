// Guarantee: when a key was last used is known to within five minutes, and exactly after a stop; no request writes it,
// and each process writes a key once in five minutes at most.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { createLog } from '../platform/log.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { createKeyUses, keepKeyUses } from './key-uses.ts'

const FIVE_MINUTES = 5 * 60_000
const SILENT = createLog({ level: 'silent' })

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService()
  merchant = service.merchant
})
afterAll(() => service?.close())
afterEach(() => {
  vi.useRealTimers()
})

const idOf = (key: string) => key.slice(8, 24)
const lastUse = async (key = merchant.secretKey) => {
  const listed = await service.app.merchants.listKeys(merchant.merchantId)
  return listed.find(({ id }) => id === idOf(key))?.lastUsedAt
}

/** A pool that counts what is done on it. */
function counting() {
  const counted = { writes: 0 }
  const pool = new Proxy(service.pool, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (name === 'query' || name === 'connect') counted.writes += 1
      return member.bind(target)
    },
  })
  return { pool, counted }
}

test('two uses within five minutes are one write, in which many keys are; none is left at the stop', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const clock = new ManualClock(new Date('2030-01-01T00:00:00.000Z'))
  const { pool, counted } = counting()
  const uses = createKeyUses({ pool, clock })
  const keeper = keepKeyUses(uses, SILENT)
  const wait = (millis: number) => {
    clock.advance(millis / 1000)
    return vi.advanceTimersByTimeAsync(millis)
  }

  uses.note(idOf(merchant.secretKey))
  await wait(60_000)
  uses.note(idOf(merchant.secretKey))
  uses.note(idOf(merchant.publishableKey))
  await wait(FIVE_MINUTES - 60_001)
  expect(counted.writes).toBe(0)
  await wait(1)
  await expect.poll(() => lastUse()).toEqual(new Date('2030-01-01T00:01:00.000Z'))
  expect(await lastUse(merchant.publishableKey)).toEqual(new Date('2030-01-01T00:01:00.000Z'))
  expect(counted.writes).toBe(1)

  await wait(FIVE_MINUTES)
  expect(counted.writes).toBe(1)
  await wait(1_000)
  uses.note(idOf(merchant.secretKey))
  await keeper.stop()
  expect(await lastUse()).toEqual(new Date('2030-01-01T00:10:01.000Z'))
  expect(counted.writes).toBe(2)
  await wait(2 * FIVE_MINUTES)
  expect(counted.writes).toBe(2)
})

test('of two processes the later use stays, whoever writes last', async () => {
  const [early, late] = [new ManualClock(new Date('2031-01-01')), new ManualClock(new Date('2031-01-02'))]
  const [one, two] = [early, late].map((clock) => createKeyUses({ pool: service.pool, clock }))
  for (const uses of [two, one]) {
    uses?.note(idOf(merchant.secretKey))
    await uses?.write()
  }
  expect(await lastUse()).toEqual(late.now())
})

test('what could not be written is written the next time', async () => {
  const clock = new ManualClock(new Date('2032-01-01'))
  let isAway = true
  const pool = new Proxy(service.pool, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (isAway && (name === 'query' || name === 'connect')) return () => Promise.reject(new Error('away'))
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const uses = createKeyUses({ pool, clock })
  uses.note(idOf(merchant.secretKey))
  await expect(uses.write()).rejects.toThrow('away')
  isAway = false
  await uses.write()
  expect(await lastUse()).toEqual(clock.now())
})

test('a request that is let in is a use, one that is refused is none, and the row is as good as before', async () => {
  const keeper = service.app.merchants.keepKeyUses(SILENT)
  const { key } = await service.app.merchants.createKey(merchant.merchantId, 'secret')
  const [used, refused] = [key.reveal(), `${key.reveal().slice(0, -1)}${key.reveal().endsWith('0') ? '1' : '0'}`]
  const call = (text: string) =>
    fetch(`${service.apiUrl}/v1/mandates`, { headers: { authorization: `Bearer ${text}` } }).then(
      ({ status }) => status,
    )
  expect(await call(refused)).toBe(401)
  await keeper.stop()
  expect(await lastUse(used)).toBeNull()
  const from = service.clock.now()
  expect(await call(used)).toBe(200)
  expect(await lastUse(used)).toBeNull()
  await keeper.stop()
  expect((await lastUse(used))?.getTime()).toBeGreaterThanOrEqual(from.getTime())
  // Its seal holds: read from the database anew, which what is remembered for half a second is not, it opens.
  await delay(600)
  expect(await call(used)).toBe(200)
})
