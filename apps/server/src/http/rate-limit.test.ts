import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { PATIENT_LIMITS } from '../db/testing/patient-limits.ts'
import { PublicError } from '../platform/errors.ts'
import { type AnyLimit, byAddress, type Limit, limit, type Quota } from './limit.ts'
import { createRateLimiter, type RateLimiter } from './rate-limit.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ limits: PATIENT_LIMITS })
})
afterAll(() => database.close())

const node = (limits: AnyLimit[], pool: Pool = database.pool) => createRateLimiter({ pool, limits })

type More = Partial<Pick<Limit<unknown>, 'withoutStore' | 'blocks' | 'ahead'>>

function counted(name: string, quota: Quota, more: More = {}): Limit<unknown> {
  return limit(name, { ...quota, by: byAddress, withoutStore: 'pass', meaning: 'A test.', countedBy: 'key', ...more })
}

/** The pool, and how many questions it was asked. */
function counting() {
  const asked = { questions: 0 }
  const pool = new Proxy(database.pool, {
    get(pool, property) {
      if (property !== 'query') return Reflect.get(pool, property)
      return (query: string) => {
        asked.questions += 1
        return pool.query(query)
      }
    },
  })
  return { asked, pool }
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
  const limits: [number, string, More][] = [
    [7, 'a block of one', {}],
    [120, 'status polling', {}],
    [350, 'a limit its blocks of three do not divide', {}],
    [600, 'blocks of six', {}],
    [610, 'large blocks that it does not divide', { blocks: 20 }],
    [10, 'fewer points than blocks', { blocks: 20 }],
  ]
  test.each(limits)('%i points (%s)', async (points, _, more) => {
    const orders = counted('orders', { points, windowSeconds: 60 }, more)
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
  const visits = counted('ended', { points: 3, windowSeconds: 60 })
  const short = node([visits])
  expect(await passing([short], visits, 'k', 5)).toBe(3)
  // It is over for the database and for this process: a short one could be over before all of the five had come.
  await database.pool.query(`update rate_limits set expire = $1 where key = 'ended:k'`, [Date.now() - 1_000])
  expect(await passing([short], visits, 'k', 5)).toBe(0)
  const right = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => right() + 60_000)
  onTestFinished(() => clock.mockRestore())
  expect(await passing([short], visits, 'k', 5)).toBe(3)
})

test('a block is served without asking the database again', async () => {
  const { asked, pool } = counting()
  const orders = counted('orders', { points: 10_000, windowSeconds: 60 })
  const busy = node([orders], pool)
  for (let call = 0; call < 100; call += 1) await busy.consume(orders, 'shop_busy')
  expect(asked.questions).toBe(1)
  // Nor is it asked again and again for a key that has used up its points.
  const visits = counted('visits', { points: 1, windowSeconds: 60 })
  const flooded = node([visits], pool)
  asked.questions = 0
  expect(await passing([flooded], visits, 'flood', 500)).toBe(1)
  expect(await passing([flooded], visits, 'flood', 500)).toBe(0)
  expect(asked.questions).toBeLessThan(4)
})

test('a limit with few blocks asks seldom', async () => {
  const { asked, pool } = counting()
  const calls = counted('calls', { points: 600, windowSeconds: 60 }, { blocks: 20 })
  const alone = node([calls], pool)
  for (let call = 0; call < 30; call += 1) await alone.consume(calls, 'session')
  expect(asked.questions).toBe(1)
  await alone.consume(calls, 'session')
  expect(asked.questions).toBe(2)
})

describe('in one question', () => {
  const calls = counted('calls_ahead', { points: 40, windowSeconds: 60 }, { blocks: 4 })
  const entries = counted('entries', { points: 3, windowSeconds: 60 }, { ahead: calls })
  const wrongs = counted('wrongs', { points: 4, windowSeconds: 60 })
  const few = counted('wrongs_few', { points: 8, windowSeconds: 60 })

  test('a point is taken, the block of the calls that follow, and other keys are looked at', async () => {
    const { asked, pool } = counting()
    const one = node([calls, entries, wrongs, few], pool)
    for (let wrong = 0; wrong < 2; wrong += 1) {
      for (const each of [wrongs, few]) await one.consume(each, 'who')
    }
    asked.questions = 0
    const along = { look: [[wrongs, 'who'] as const, [few, 'who'] as const], ahead: [[calls, 'session'] as const] }
    const usage = await one.consume(entries, 'session', along)
    expect(usage).toMatchObject({ limit: 3, remaining: 2, fullest: { share: 0.5, resetSeconds: 0 } })
    for (let call = 0; call < 10; call += 1) {
      expect(await one.consume(calls, 'session')).toMatchObject({ remaining: 39 - call, fullest: null })
    }
    expect(asked.questions).toBe(1)
    // Looking takes nothing, and is the same alone.
    expect(await one.fullest(along.look)).toMatchObject({ share: 0.5, resetSeconds: 0 })
    for (let wrong = 0; wrong < 2; wrong += 1) await one.consume(wrongs, 'who')
    const full = await one.consume(entries, 'session', along)
    expect(full?.fullest).toMatchObject({ share: 1, resetSeconds: expect.any(Number) })
    expect(full?.fullest?.resetSeconds).toBeGreaterThan(20)
  })

  test('what is taken ahead counts: over all nodes no more calls pass than the limit says', async () => {
    const nodes = Array.from({ length: 6 }, () => node([calls, entries]))
    const along = { look: [], ahead: [[calls, 'spread'] as const] }
    const taken = await Promise.allSettled(nodes.map((each) => each.consume(entries, 'spread', along)))
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await passing(nodes, calls, 'spread', 200)).toBe(40)
  })

  test('nodes that take the same keys in another order do not wait for each other in a circle', async () => {
    const single = { points: 10_000, windowSeconds: 60 }
    const left = counted('left', single, { blocks: 10_000 })
    const right = counted('right', single, { blocks: 10_000 })
    const both = async (one: RateLimiter, [taken, ahead]: readonly [AnyLimit, AnyLimit]) => {
      const usages = []
      for (let round = 0; round < 40; round += 1) {
        usages.push(await one.consume(taken, 'k', { look: [], ahead: [[ahead, 'k']] }), await one.consume(ahead, 'k'))
      }
      return usages
    }
    const nodes = Array.from({ length: 8 }, () => node([left, right]))
    const orders = [[left, right] as const, [right, left] as const]
    const usages = await Promise.all(nodes.map((one, place) => both(one, orders[place % 2] ?? [left, right])))
    // Null would be a failure that lets the request through.
    expect(usages.flat().filter((usage) => usage === null)).toEqual([])
  })
})

test('windows that ended an hour ago are deleted, five minutes after the start and ever after', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  try {
    const hour = 3_600_000
    await database.pool.query(`insert into rate_limits (key, points, expire) values ('old', 1, $1), ('young', 1, $2)`, [
      Date.now() - hour - 60_000,
      Date.now() - hour + 60_000,
    ])
    node([])
    vi.advanceTimersByTime(300_000)
    const left = async () => {
      const { rows } = await database.pool.query(`select key from rate_limits where key in ('old', 'young')`)
      return rows
    }
    await expect.poll(left).toEqual([{ key: 'young' }])
  } finally {
    vi.useRealTimers()
  }
})

test('a sweep goes through all that is there, however much that is', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  try {
    const ended = Date.now() - 2 * 3_600_000
    await database.pool.query(
      `insert into rate_limits (key, points, expire) select 'crowd' || n, 1, $1 from generate_series(1, 25000) n`,
      [ended],
    )
    node([])
    vi.advanceTimersByTime(300_000)
    const left = async () => {
      const { rows } = await database.pool.query(
        `select count(*)::int as left from rate_limits where key like 'crowd%'`,
      )
      return rows[0]?.left
    }
    await expect.poll(left).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

describe('the clock of a machine does not count', () => {
  const HOUR_MILLIS = 3_600_000
  async function aside<T>(millis: number, work: () => Promise<T>): Promise<T> {
    const right = Date.now
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => right() + millis)
    try {
      return await work()
    } finally {
      clock.mockRestore()
    }
  }

  test.each([
    ['one that is ahead comes later', 0, HOUR_MILLIS],
    ['one that is ahead was first', HOUR_MILLIS, 0],
    ['one that is behind comes later', 0, -HOUR_MILLIS],
    ['one that is behind was first', -HOUR_MILLIS, 0],
  ])('nodes with different clocks share one window: %s', async (_which, first, second) => {
    const visits = counted('clocks', { points: 3, windowSeconds: 60 })
    const key = `${first} ${second}`
    expect(await aside(first, () => passing([node([visits])], visits, key, 5))).toBe(3)
    const other = node([visits])
    expect(await aside(second, () => passing([other], visits, key, 5))).toBe(0)
    const { share, resetSeconds } = await aside(second, () => other.fullest([[visits, key]]))
    expect(share).toBeGreaterThanOrEqual(1)
    expect(resetSeconds).toBeLessThanOrEqual(60)
    const refused = await aside(second, () => other.consume(visits, key).catch((error: unknown) => error))
    expect((refused as PublicError).retryAfterSeconds).toBeLessThanOrEqual(60)
  })

  test('what was counted before the clock of the database was set back counts no more', async () => {
    const visits = counted('set_back', { points: 3, windowSeconds: 60 })
    await database.pool.query(`insert into rate_limits (key, points, expire) values ('set_back:k', 3, $1)`, [
      Date.now() + HOUR_MILLIS,
    ])
    const one = node([visits])
    expect(await one.fullest([[visits, 'k']])).toMatchObject({ share: 0, resetSeconds: 0 })
    expect(await passing([one], visits, 'k', 5)).toBe(3)
  })
})

test('nothing is swept, and nothing kept, of a service that has ended', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const pool = new Pool()
    createRateLimiter({ pool, limits: [] })
    await pool.end()
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(300_000)
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
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
  const guesses = counted('guesses', { points: 10, windowSeconds: 60 }, { withoutStore: 'refuse' })
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
