import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { PublicError } from '../platform/errors.ts'
import { createRateLimiter, type Limit, type LimitName, type RateLimiter } from './rate-limit.ts'
import { ROOMY_LIMITS } from './testing/toy-host.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const node = (limits: Partial<Record<LimitName, Limit>>, pool: Pool = database.pool) =>
  createRateLimiter({ pool, limits: { ...ROOMY_LIMITS, ...limits } })

/** How many of `count` concurrent calls pass, spread over the nodes in turn. */
async function passing(nodes: RateLimiter[], name: LimitName, key: string, count: number): Promise<number> {
  const calls = Array.from({ length: count }, (_, at) => nodes[at % nodes.length]?.consume(name, key))
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
    const merchant = { points, windowSeconds: 60 }
    const nodes = [node({ merchant }), node({ merchant }), node({ merchant })]
    expect(await passing(nodes, 'merchant', `ma_${points}`, points * 2 + 50)).toBe(points)
    expect(await passing(nodes, 'merchant', `ma_${points}`, 10)).toBe(0)
    // Another key has a limit of its own.
    expect(await passing(nodes, 'merchant', `ma_other_${points}`, 5)).toBe(5)
  })

  test('and one node alone may use all of it, one after the other', async () => {
    const single = node({ merchant: { points: 250, windowSeconds: 60 } })
    for (let left = 249; left >= 0; left -= 1) {
      expect(await single.consume('merchant', 'ma_single')).toMatchObject({ limit: 250, remaining: left })
    }
    const refused = await single.consume('merchant', 'ma_single').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(PublicError)
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) })
  })
})

test('a window ends, and the points come back', async () => {
  const short = node({ launch: { points: 3, windowSeconds: 1 } })
  expect(await passing([short], 'launch', 'k', 5)).toBe(3)
  await delay(1_050)
  expect(await passing([short], 'launch', 'k', 5)).toBe(3)
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
  const busy = node({ merchant: { points: 10_000, windowSeconds: 60 } }, counting)
  for (let call = 0; call < 100; call += 1) await busy.consume('merchant', 'ma_busy')
  expect(queries).toBe(1)
  // Nor is it asked again and again for a key that has used up its points.
  const flooded = node({ launch: { points: 1, windowSeconds: 60 } }, counting)
  queries = 0
  expect(await passing([flooded], 'launch', 'flood', 500)).toBe(1)
  expect(await passing([flooded], 'launch', 'flood', 500)).toBe(0)
  expect(queries).toBeLessThan(4)
})

test('keys of any length are kept apart', async () => {
  const launch = { points: 1, windowSeconds: 60 }
  const long = 'x'.repeat(5_000)
  expect(await passing([node({ launch })], 'launch', `${long}a`, 2)).toBe(1)
  expect(await passing([node({ launch })], 'launch', `${long}b`, 2)).toBe(1)
  expect(await passing([node({ launch })], 'launch', `${long}a`, 2)).toBe(0)
})

test('without the store, what guards secrets refuses and the rest lets through', async () => {
  const dead = new Pool({ host: '127.0.0.1', port: 1, connectionTimeoutMillis: 500 })
  const alone = node({}, dead)
  for (const name of ['merchant', 'surface', 'document', 'failed_authentication'] as const) {
    expect(await alone.consume(name, 'k')).toBeNull()
  }
  for (const name of ['launch', 'surface_secret_entry'] as const) {
    await expect(alone.consume(name, 'k')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 })
  }
  await dead.end()
})
