// Guarantee: a process takes on only what it can finish; what it refuses costs almost nothing, and no wait outlives a
// request's time.
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { int } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { transaction } from '../db/transaction.ts'
import { open } from './credential.ts'
import { createDoor, type Door, type DoorOptions } from './door.ts'
import { createReadiness, healthRoutes } from './health.ts'
import { byAddress, limit } from './limit.ts'
import { type Route, route } from './route.ts'
import { exchange } from './testing/raw-socket.ts'
import { countingLimiter, silentLog, startToyHost } from './testing/toy-host.ts'

const PLACES = 2
const sleep = one('door_test.sleep', 'select 1 as done, pg_sleep($seconds) is null as slept', { done: int })

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ max: 2 })
})
afterAll(() => database?.close())

const anyone = limit<null>('anyone', {
  points: 100_000,
  windowSeconds: 60,
  withoutStore: 'pass',
  by: byAddress,
  meaning: 'Toys.',
  countedBy: 'address',
})

/** A host with rows whose handler is given, and the health checks. */
async function hostWith(
  handler: () => Promise<unknown>,
  deadlineMillis = 10_000,
  limiter = countingLimiter(),
  options: Partial<DoorOptions> = { waiting: 0 },
) {
  const warnings: string[] = []
  const log = { ...silentLog(), warn: (message: string) => warnings.push(message) }
  const door = createDoor({ places: PLACES, log: log as never, deadlineMillis, ...options })
  const work = {
    method: 'POST',
    summary: 'Work',
    tag: 'Work',
    auth: open('A toy.'),
    limit: anyone,
    body: Type.Object({}),
    status: 200,
    response: Type.Object({ ok: Type.Boolean() }),
    errors: [],
    handler: async () => {
      await handler()
      return { ok: true }
    },
  } as const
  const { body: _, ...bodiless } = work
  const rows = [
    route({ ...work, path: '/work', operationId: 'work' }),
    route({ ...work, path: '/begin', operationId: 'begin', begins: true }),
    route({ ...bodiless, method: 'GET', path: '/look', operationId: 'look' }),
  ]
  const readiness = createReadiness({ connection: database.connection, pool: database.pool, failingJobs: () => [] })
  const routes: Route[] = [...rows, ...healthRoutes(readiness)]
  const host = await startToyHost({ routes, door, limiter, onClose: readiness.close })
  const post = (path = '/work') => fetch(host.baseUrl + path, { method: 'POST', body: '{}', headers: JSON_TYPE })
  return { ...host, door, post, warnings }
}
const JSON_TYPE = { 'content-type': 'application/json' }

/** A place, if there is one at once. */
function seat(door: Door, begins = false, key = 'x') {
  const place = door.arrive(begins, key)
  door.enter(place, () => undefined)
  return place.taken ? place : undefined
}

const isFull = (door: Door) => door.usage().inHand >= door.usage().open

/** A clock that only the test moves. */
function handMoved() {
  let now = 1_000
  const pass = (millis: number) => {
    now += millis
  }
  return { clock: { monotonicMillis: () => now }, pass }
}

/** How many places are free, of 64. */
function roomOf(door: Door, begins = false): number {
  const taken = Array.from({ length: 64 }, () => seat(door, begins)).filter((place) => place !== undefined)
  for (const place of taken) door.leave(place)
  return taken.length
}

describe('the door', () => {
  test('refuses beyond its places, without a look at the body, and says when to come again', async () => {
    const gate = Promise.withResolvers<void>()
    const host = await hostWith(() => gate.promise)
    const inside = [host.post(), host.post()]
    while (!isFull(host.door)) await delay(2)
    // The body is announced and never sent: a host that waited for it would not respond.
    const head = 'POST /work HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n'
    const refused = await exchange(host.port, head, 300)
    expect({ status: refused.status, retryAfter: refused.header('retry-after') }).toEqual({
      status: 503,
      retryAfter: '1',
    })
    expect(refused.header('x-response-id')).toBeDefined()
    expect(refused.json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } })
    // Alive, and doing what it can: where all nodes are at their limit, none may be taken out.
    expect((await fetch(`${host.baseUrl}/health`)).status).toBe(200)
    expect((await fetch(`${host.baseUrl}/ready`)).status).toBe(200)
    gate.resolve()
    expect((await Promise.all(inside)).map(({ status }) => status)).toEqual([200, 200])
    expect((await host.post()).status).toBe(200)
    expect(host.warnings).toHaveLength(1)
    await host.close()
  })

  test('narrows while requests are slow, and widens again with quick ones; waits for the network do not count', () => {
    const time = handMoved()
    const door = createDoor({ places: 64, waiting: 0, log: silentLog(), slowMillis: 20, ...time.clock })
    const room = () => roomOf(door)
    const taken = Array.from({ length: 64 }, () => seat(door))
    expect(seat(door)).toBeUndefined()
    time.pass(30)
    for (const [index, place] of taken.entries()) {
      if (place === undefined) throw new Error('There were places.')
      if (index % 16 === 0) time.pass(210)
      door.leave(place)
    }
    const narrow = room()
    expect(narrow).toBeLessThan(40)
    expect(narrow).toBeGreaterThanOrEqual(4)
    for (let quick = 0; quick < 200; quick += 1) room()
    expect(room()).toBe(64)
    const away = seat(door)
    if (away === undefined) throw new Error('There were places.')
    time.pass(230)
    away.bounds.awayMillis = 230
    door.leave(away)
    expect(room()).toBe(64)
  })

  test('narrows by no slow request of a few, and is whole again after some calm', () => {
    const time = handMoved()
    const times = { slowMillis: 20, calmMillis: 300, ...time.clock }
    const door = createDoor({ places: 64, waiting: 0, log: silentLog(), ...times })
    const slowly = (count: number) => {
      const taken = Array.from({ length: count }, () => seat(door))
      time.pass(30)
      for (const place of taken) if (place !== undefined) door.leave(place)
    }
    slowly(20)
    expect(roomOf(door)).toBe(64)
    slowly(64)
    expect(roomOf(door)).toBeLessThan(64)
    time.pass(310)
    expect(roomOf(door)).toBe(64)
  })

  test('what begins something leaves places to what goes on, and always has one on an empty door', async () => {
    const door = createDoor({ places: 64, waiting: 0, log: silentLog() })
    expect(roomOf(door, true)).toBe(32)
    const begun = Array.from({ length: 32 }, () => seat(door))
    expect([roomOf(door, true), roomOf(door)]).toEqual([0, 32])
    for (const place of begun) if (place !== undefined) door.leave(place)
    expect(roomOf(createDoor({ places: 1, waiting: 0, log: silentLog() }), true)).toBe(1)
  })

  test('refuses a beginning while the same host still goes on with what was begun', async () => {
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const host = await hostWith(() => {
      begun.resolve()
      return gate.promise
    })
    const first = host.post('/begin')
    await begun.promise
    const second = await host.post('/begin')
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1'])
    const on = host.post('/work')
    gate.resolve()
    expect([(await first).status, (await on).status]).toEqual([200, 200])
    expect((await host.post('/begin')).status).toBe(200)
    await host.close()
  })

  test('what comes at the same moment waits for a place; a caller who hangs up waits no longer', async () => {
    const gate = Promise.withResolvers<void>()
    const handler = vi.fn(() => gate.promise)
    const host = await hostWith(handler, 10_000, countingLimiter(), { waiting: 20 })
    const usage = () => host.door.usage()
    const inside = Array.from({ length: 20 }, () => host.post('/begin'))
    await expect.poll(usage).toMatchObject({ inHand: 1, waiting: 19 })
    const on = host.post('/work')
    await expect.poll(usage).toMatchObject({ inHand: 2, waiting: 19 })
    const caller = new AbortController()
    const gone = fetch(`${host.baseUrl}/look`, { signal: caller.signal }).catch(() => 'gone')
    await expect.poll(usage).toMatchObject({ inHand: 2, waiting: 20 })
    caller.abort()
    expect(await gone).toBe('gone')
    await expect.poll(usage).toMatchObject({ inHand: 2, waiting: 19 })
    gate.resolve()
    expect((await Promise.all([...inside, on])).map(({ status }) => status)).toEqual(Array(21).fill(200))
    expect([usage(), handler.mock.calls.length]).toEqual([{ inHand: 0, open: PLACES, waiting: 0 }, 21])
    await host.close()
  })

  test('what has waited for as long as a burst takes is refused', async () => {
    const gate = Promise.withResolvers<void>()
    const host = await hostWith(() => gate.promise, 10_000, countingLimiter(), { waiting: 20, burstMillis: 100 })
    const first = host.post('/begin')
    await expect.poll(() => host.door.usage().inHand).toBe(1)
    const refused = await host.post('/begin')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    gate.resolve()
    expect((await first).status).toBe(200)
    await host.close()
  })

  test('a body that is slow to arrive takes no place', async () => {
    const host = await hostWith(async () => undefined)
    const slow = Array.from({ length: PLACES * 3 }, () => {
      const sent = request(`${host.baseUrl}/work`, { method: 'POST', headers: { ...JSON_TYPE, 'content-length': 2 } })
      sent.write('{')
      return sent
    })
    await delay(100)
    expect((await host.post()).status).toBe(200)
    const statuses = slow.map(async (sent) => {
      sent.end('}')
      const [response] = await once(sent, 'response')
      response.resume()
      return response.statusCode
    })
    expect((await Promise.all(statuses)).includes(200)).toBe(true)
    await host.close()
  })

  test('a place is free again when the caller hangs up', async () => {
    const gate = Promise.withResolvers<void>()
    const host = await hostWith(() => gate.promise)
    const callers = Array.from({ length: PLACES }, () => new AbortController())
    const calls = callers.map(({ signal }) =>
      fetch(`${host.baseUrl}/work`, { method: 'POST', body: '{}', headers: JSON_TYPE, signal }).catch(() => 'gone'),
    )
    while (!isFull(host.door)) await delay(2)
    for (const caller of callers) caller.abort()
    expect(await Promise.all(calls)).toEqual(['gone', 'gone'])
    await expect.poll(() => isFull(host.door)).toBe(false)
    gate.resolve()
    await host.close()
  })

  test('a caller who hangs up while a limit is looked up takes no place, and nothing is begun for them', async () => {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const consume = async () => {
      asked.resolve()
      await gate.promise
      return null
    }
    const handler = vi.fn(async () => undefined)
    const host = await hostWith(handler, 10_000, { ...countingLimiter(), consume })
    const inHand = () => host.door.usage().inHand
    const caller = new AbortController()
    const call = fetch(`${host.baseUrl}/look`, { signal: caller.signal }).catch(() => 'gone')
    await asked.promise
    expect(inHand()).toBe(1)
    caller.abort()
    expect(await call).toBe('gone')
    await expect.poll(inHand).toBe(0)
    gate.resolve()
    await delay(20)
    expect(inHand()).toBe(0)
    expect(handler).not.toHaveBeenCalled()
    await host.close()
  })

  test('a response that is made keeps no place, however long it waits to be read', async () => {
    const first = Promise.withResolvers<undefined>()
    const handler = vi.fn(async () => undefined).mockReturnValueOnce(first.promise)
    const host = await hostWith(handler)
    const inHand = () => host.door.usage().inHand
    const work = 'POST /work HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
    const request = 'GET /look HTTP/1.1\r\nHost: x\r\n\r\n'
    const patient = connect(host.port, '127.0.0.1')
    patient.write(work)
    await expect.poll(inHand).toBe(1)
    // The second response is made, and waits behind the first.
    patient.write(request)
    await expect.poll(() => handler.mock.calls.length).toBe(2)
    await expect.poll(inHand).toBe(1)
    patient.destroy()
    await expect.poll(inHand).toBe(0)
    await host.close()
  })
})

describe('the time of a request', () => {
  test('bounds the wait for a connection', async () => {
    const host = await hostWith(() => database.pool.query('select 1'), 200)
    const holders = [await database.pool.connect(), await database.pool.connect()]
    // A caller whom no request bounds waits as long as the pool lets them.
    let isOver = false
    const unbounded = database.pool
      .connect()
      .catch(() => undefined)
      .finally(() => {
        isOver = true
      })
    const response = await host.post()
    expect(isOver).toBe(false)
    expect({ status: response.status, retryAfter: response.headers.get('retry-after') }).toEqual({
      status: 503,
      retryAfter: '2',
    })
    for (const holder of [...holders, await unbounded]) holder?.release()
    // The connection that came too late went back to the pool.
    await expect.poll(() => database.pool.idleCount).toBe(2)
    await host.close()
  })

  test('bounds a statement', async () => {
    const host = await hostWith(() => sleep(database.pool, { seconds: 3 }), 200)
    // The same one without a request, begun before it.
    let isOver = false
    const unbounded = sleep(database.pool, { seconds: 3 }).finally(() => {
      isOver = true
    })
    expect((await host.post()).status).toBe(503)
    expect(isOver).toBe(false)
    await unbounded
    await host.close()
  })

  test('nothing is started once it is over', async () => {
    let began = false
    const host = await hostWith(async () => {
      await delay(250)
      await sleep(database.pool, { seconds: 0 })
      began = true
    }, 200)
    const response = await host.post()
    // Every 503 says when to come again.
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect(began).toBe(false)
    await host.close()
  })

  test('nothing is committed for a caller who has hung up', async () => {
    await database.pool.query('create table left_behind (id integer)')
    const inserted = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const failed = Promise.withResolvers<unknown>()
    const host = await hostWith(() =>
      transaction(database.pool, async (tx) => {
        await tx.query('insert into left_behind values (1)')
        inserted.resolve()
        await gone.promise
      }).then(() => failed.resolve('committed'), failed.resolve),
    )
    const caller = new AbortController()
    const connected = once(host.app.server, 'connection') as Promise<[Socket]>
    const call = fetch(`${host.baseUrl}/work`, {
      method: 'POST',
      body: '{}',
      headers: JSON_TYPE,
      signal: caller.signal,
    }).catch(() => 'gone')
    await inserted.promise
    const [line] = await connected
    const closed = once(line, 'close')
    caller.abort()
    await Promise.all([call, closed])
    gone.resolve()
    expect(await failed.promise).toMatchObject({ status: 503 })
    expect((await database.pool.query('select 1 from left_behind')).rowCount).toBe(0)
    await host.close()
  })
})
