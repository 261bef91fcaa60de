import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { PublicError } from '../platform/errors.ts'
import { type AnyLimit, byAddress, type Limit, limit, type Quota } from './limit.ts'
import { createRateLimiter, type RateLimiter } from './rate-limit.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const node = (limits: AnyLimit[], pool: Pool = database.pool) => createRateLimiter({ pool, limits })

function counted(name: string, quota: Quota, withoutStore: 'pass' | 'refuse' = 'pass'): Limit<unknown> {
  return limit(name, { ...quota, by: byAddress, withoutStore, meaning: 'A test.', countedBy: 'key' })
}

/** How many of `count` concurrent calls pass, spread over the nodes in turn. */
async function passing(nodes: RateLimiter[], by: AnyLimit, key: string, count: number): Promise<number> {
  const calls = Array.from({ length: count }, (_, at) => nodes[at % nodes.length]?.consume(by, key))
  const outcomes = await Promise.allSettled(calls)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'RATE_LIMITED', status: 429 })
  }
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

describe('the limit holds over all nodes together', () => {
  const limits: [number, string][] = [
    [7, 'a block of one'],
    [120, 'status polling'],
    [350, 'a limit its blocks of three do not divide'],
    [600, 'blocks of six'],
  ]
  test.each(limits)('%i points (%s)', async (points) => {
    const orders = counted('orders', { points, windowSeconds: 60 })
    const nodes = [node([orders]), node([orders]), node([orders])]
    expect(await passing(nodes, orders, `shop_${points}`, points * 2 + 50)).toBe(points)
    expect(await passing(nodes, orders, `shop_${points}`, 10)).toBe(0)
    // Another key has a limit of its own.
    expect(await passing(nodes, orders, `shop_other_${points}`, 5)).toBe(5)
  })

  test('and one node alone may use all of it, one after the other', async () => {
    const orders = counted('orders', { points: 250, windowSeconds: 60 })
    const single = node([orders])
    for (let left = 249; left >= 0; left -= 1) {
      expect(await single.consume(orders, 'shop_single')).toMatchObject({ limit: 250, remaining: left })
    }
    const refused = await single.consume(orders, 'shop_single').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(PublicError)
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) })
  })
})

test('a window ends, and the points come back', async () => {
  const visits = counted('visits', { points: 3, windowSeconds: 1 })
  const short = node([visits])
  expect(await passing([short], visits, 'k', 5)).toBe(3)
  await delay(1_050)
  expect(await passing([short], visits, 'k', 5)).toBe(3)
})

test('a block is served without asking the database again', async () => {
  let queries = 0
  const counting = new Proxy(database.pool, {
    get(pool, property) {
      if (property !== 'query') return Reflect.get(pool, property)
      return (query: string) => {
        queries += 1
        return pool.query(query)
      }
    },
  })
  const orders = counted('orders', { points: 10_000, windowSeconds: 60 })
  const busy = node([orders], counting)
  for (let call = 0; call < 100; call += 1) await busy.consume(orders, 'shop_busy')
  expect(queries).toBe(1)
  // Nor is it asked again and again for a key that has used up its points.
  const visits = counted('visits', { points: 1, windowSeconds: 60 })
  const flooded = node([visits], counting)
  queries = 0
  expect(await passing([flooded], visits, 'flood', 500)).toBe(1)
  expect(await passing([flooded], visits, 'flood', 500)).toBe(0)
  expect(queries).toBeLessThan(4)
})

test('keys of any length are kept apart', async () => {
  const visits = counted('visits', { points: 1, windowSeconds: 60 })
  const long = 'x'.repeat(5_000)
  expect(await passing([node([visits])], visits, `${long}a`, 2)).toBe(1)
  expect(await passing([node([visits])], visits, `${long}b`, 2)).toBe(1)
  expect(await passing([node([visits])], visits, `${long}a`, 2)).toBe(0)
})

test('without the store, what guards secrets refuses and the rest lets through', async () => {
  const dead = new Pool({ host: '127.0.0.1', port: 1, connectionTimeoutMillis: 500 })
  const orders = counted('orders', { points: 10, windowSeconds: 60 })
  const guesses = counted('guesses', { points: 10, windowSeconds: 60 }, 'refuse')
  const alone = node([orders, guesses], dead)
  expect(await alone.consume(orders, 'k')).toBeNull()
  await expect(alone.consume(guesses, 'k')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 })
  await dead.end()
})

test('configured points replace the declared ones, by name; the window stays', async () => {
  const orders = counted('orders', { points: 10, windowSeconds: 60 })
  const visits = counted('visits', { points: 10, windowSeconds: 60 })
  const limiter = createRateLimiter({ pool: database.pool, limits: [orders, visits], points: { orders: 2 } })
  expect(limiter.quotaOf(orders)).toEqual({ points: 2, windowSeconds: 60 })
  expect(limiter.quotaOf(visits)).toEqual({ points: 10, windowSeconds: 60 })
  expect(await passing([limiter], orders, 'configured', 5)).toBe(2)
  await expect(limiter.consume(counted('orders', orders), 'k')).rejects.toThrow('built without the limit')
})
