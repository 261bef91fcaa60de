// Guarantee: a process takes on only what it can finish, and what it refuses costs almost nothing.
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { createDoor, type Door } from './door.ts'
import { exchange, hasJson } from './testing/raw-socket.ts'
import { countingLimiter, SECRET_KEY, silentLog, toyKey } from './testing/toy-host.ts'
import { FOREVER_MILLIS, hostWith, JSON_TYPE, PLACES } from './testing/working-host.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.close())

const callerOf = (key: string, isAnonymous = false, isStranger = isAnonymous) => ({ key, isAnonymous, isStranger })

/** A place, if there is one at once. */
function seat(door: Door, begins = false, key = 'x', isAnonymous = false) {
  const place = door.arrive({ begins, goesOn: false, ...callerOf(key, isAnonymous) })
  door.enter(place, () => undefined)
  return place.taken ? place : undefined
}

const isFull = (door: Door) => door.usage().inHand >= door.usage().open

/** A clock that only the test moves: a door is judged by it, and not by how busy the machine is. */
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
    const host = await hostWith(database, () => gate.promise)
    const inside = [host.post(), host.post()]
    await expect.poll(() => isFull(host.door)).toBe(true)
    // The body is announced and never sent: a host that waited for it would not respond.
    const head = 'POST /work HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n'
    const refused = await exchange(host.port, head, hasJson)
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

  test('anonymous requests fill their share, of places and of the line, and nothing of what is kept for credentials', () => {
    const { clock } = handMoved()
    const door = createDoor({ places: 8, waiting: 4, log: silentLog(), ...clock })
    const answers: string[] = []
    const come = (key: string, isAnonymous: boolean) => {
      const place = door.arrive({ begins: false, goesOn: false, ...callerOf(key, isAnonymous) })
      door.enter(place, (isIn) => answers.push(`${key} ${isIn ? 'in' : 'refused'}`))
      return place
    }
    // From as many addresses as there are requests: fairness by address does not help.
    const strangers = Array.from({ length: 8 }, (_, at) => come(`stranger ${at}`, true))
    expect(door.usage()).toMatchObject({ inHand: 4, waiting: 4 })
    const known = Array.from({ length: 4 }, (_, at) => come(`merchant ${at}`, false))
    expect(door.usage()).toMatchObject({ inHand: 8, waiting: 4 })
    answers.length = 0
    // The line is full, and not for long.
    come('merchant 4', false)
    come('stranger 8', true)
    expect(answers).toEqual(['stranger 7 refused', 'stranger 8 refused'])
    known[0]?.leave()
    strangers[0]?.leave()
    expect(answers.slice(2)).toEqual(['merchant 4 in', 'stranger 4 in'])
    expect(door.usage()).toMatchObject({ inHand: 8, waiting: 2 })
  })

  test.each([
    ['one account', () => callerOf('noisy'), 8, 2],
    ['from many addresses, without a credential', (at: number) => callerOf(`address ${at}`, true), 4, 2],
    ['with many that are made up', (at: number) => callerOf(`shown ${at}`, false, true), 8, 2],
  ])('who keeps the door busy keeps nobody from beginning: %s', (_, callerAt, most, share) => {
    const door = createDoor({ places: 8, waiting: 40, log: silentLog(), ...handMoved().clock })
    const come = (caller: ReturnType<typeof callerOf>, begins: boolean) => {
      const place = door.arrive({ begins, goesOn: !begins, ...caller })
      door.enter(place, () => undefined)
      return place
    }
    const takenOf = (places: ReturnType<typeof come>[]) => places.filter(({ taken }) => taken)
    const noisy = Array.from({ length: 20 }, (_, at) => come(callerAt(at), false))
    expect(takenOf(noisy)).toHaveLength(most)
    const quiet = Array.from({ length: 8 }, () => come(callerOf('quiet'), true))
    // Each that is done makes room for the next, and what is noisy comes again at once.
    for (let done = 0; done < 30; done += 1) {
      takenOf(noisy)[0]?.leave()
      noisy.push(come(callerAt(20 + done), false))
    }
    // With one more they would hold more than half of what the others do.
    expect(takenOf(quiet)).toHaveLength(share)
  })

  test('of strangers who show a credential one at a time begins before others: it may be good, and most are made up', () => {
    const door = createDoor({ places: 8, waiting: 40, log: silentLog(), ...handMoved().clock })
    const come = (caller: ReturnType<typeof callerOf>, begins: boolean) => {
      const place = door.arrive({ begins, goesOn: false, ...caller })
      door.enter(place, () => undefined)
      return place
    }
    const busy = Array.from({ length: 20 }, () => come(callerOf('busy'), false))
    const made = Array.from({ length: 20 }, (_, at) => come(callerOf(`shown ${at}`, false, true), true))
    const inHand = () => made.filter(({ taken }) => taken).length
    for (const place of busy.filter(({ taken }) => taken).slice(0, 3)) place.leave()
    expect(inHand()).toBe(1)
    made.find(({ taken }) => taken)?.leave()
    expect(inHand()).toBe(1)
    expect(busy.filter(({ taken }) => taken)).toHaveLength(7)
  })

  test('what many begin, each a little, leaves places to what goes on', () => {
    const door = createDoor({ places: 64, waiting: 0, log: silentLog() })
    const begun = Array.from({ length: 64 }, (_, at) => seat(door, true, `merchant ${at}`))
    expect(begun.filter((place) => place !== undefined)).toHaveLength(32)
  })

  test('of one open place anonymous requests may have that one', () => {
    const door = createDoor({ places: 1, waiting: 0, log: silentLog() })
    expect(seat(door, false, 'x', true)).toBeDefined()
  })

  test('refuses a beginning while the same host still goes on with what was begun', async () => {
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const host = await hostWith(database, () => {
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
    const host = await hostWith(database, handler, FOREVER_MILLIS, countingLimiter(), { waiting: 20 })
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
    const time = handMoved()
    const options = { waiting: 20, burstMillis: 100, ...time.clock }
    const host = await hostWith(database, () => gate.promise, FOREVER_MILLIS, countingLimiter(), options)
    const first = host.post('/begin')
    await expect.poll(() => host.door.usage()).toMatchObject({ inHand: 1, waiting: 0 })
    const second = host.post('/begin')
    await expect.poll(() => host.door.usage()).toMatchObject({ inHand: 1, waiting: 1 })
    time.pass(100)
    const refused = await second
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    gate.resolve()
    expect((await first).status).toBe(200)
    await host.close()
  })

  test('what goes on waits on when a burst is over, for its caller is far on the way; only who shows whose it is does', async () => {
    const gate = Promise.withResolvers<void>()
    const time = handMoved()
    const options = { waiting: 20, burstMillis: 100, goesOnMillis: 300, ...time.clock }
    const host = await hostWith(database, () => gate.promise, FOREVER_MILLIS, countingLimiter(), options)
    const usage = () => host.door.usage()
    const inside = [host.post('/work'), host.post('/work')]
    await expect.poll(usage).toMatchObject({ inHand: 2, waiting: 0 })
    const known = { ...JSON_TYPE, authorization: `Bearer ${SECRET_KEY}` }
    const goesOn = fetch(`${host.baseUrl}/go-on`, { method: 'POST', body: '{}', headers: known })
    const others = [host.post('/go-on'), host.post('/work'), host.post('/begin')]
    await expect.poll(usage).toMatchObject({ inHand: 2, waiting: 4 })
    time.pass(299)
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([503, 503, 503])
    expect(usage()).toMatchObject({ inHand: 2, waiting: 1 })
    time.pass(1)
    expect((await goesOn).status).toBe(503)
    gate.resolve()
    expect((await Promise.all(inside)).map(({ status }) => status)).toEqual([200, 200])
    await host.close()
  })

  test('a credential that was good is its account at the door from then on, and one that was not is a stranger', async () => {
    const host = await hostWith(database, async () => undefined)
    const callerOfKey = (value: string) => host.door.callers.of({ name: toyKey.name, value }, '127.0.0.1')
    const goOn = (key: string) =>
      fetch(`${host.baseUrl}/go-on`, {
        method: 'POST',
        body: '{}',
        headers: { ...JSON_TYPE, authorization: `Bearer ${key}` },
      })
    expect(callerOfKey(SECRET_KEY).isStranger).toBe(true)
    expect([(await goOn(SECRET_KEY)).status, (await goOn('sk_test_made_up')).status]).toEqual([200, 401])
    expect(callerOfKey(SECRET_KEY)).toMatchObject({ isStranger: false, key: expect.stringMatching(/^account /) })
    expect(callerOfKey('sk_test_made_up').isStranger).toBe(true)
    await host.close()
  })

  test('a body that is slow to arrive takes no place', async () => {
    const host = await hostWith(database, async () => undefined)
    const arrived = vi.fn()
    host.app.server.on('request', arrived)
    const slow = Array.from({ length: PLACES * 3 }, () => {
      const sent = request(`${host.baseUrl}/work`, { method: 'POST', headers: { ...JSON_TYPE, 'content-length': 2 } })
      sent.write('{')
      return sent
    })
    // Their heads are looked at, and of those that were let in the bodies are awaited.
    await expect.poll(() => arrived.mock.calls.length).toBe(slow.length)
    await expect.poll(() => host.door.usage().inHand).toBe(0)
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
    const host = await hostWith(database, () => gate.promise)
    const callers = Array.from({ length: PLACES }, () => new AbortController())
    const calls = callers.map(({ signal }) =>
      fetch(`${host.baseUrl}/work`, { method: 'POST', body: '{}', headers: JSON_TYPE, signal }).catch(() => 'gone'),
    )
    await expect.poll(() => isFull(host.door)).toBe(true)
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
    const host = await hostWith(database, handler, FOREVER_MILLIS, { ...countingLimiter(), consume })
    const inHand = () => host.door.usage().inHand
    const caller = new AbortController()
    const call = fetch(`${host.baseUrl}/look`, { signal: caller.signal }).catch(() => 'gone')
    await asked.promise
    expect(inHand()).toBe(1)
    caller.abort()
    expect(await call).toBe('gone')
    await expect.poll(inHand).toBe(0)
    gate.resolve()
    // By the time of the answer to a later one, theirs has gone as far as it goes.
    expect((await fetch(`${host.baseUrl}/look`)).status).toBe(200)
    await expect.poll(inHand).toBe(0)
    expect(handler).toHaveBeenCalledTimes(1)
    await host.close()
  })

  test('a response that is made keeps no place, however long it waits to be read', async () => {
    const first = Promise.withResolvers<undefined>()
    const handler = vi.fn(async () => undefined).mockReturnValueOnce(first.promise)
    const host = await hostWith(database, handler)
    const inHand = () => host.door.usage().inHand
    const work = 'POST /work HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
    const look = 'GET /look HTTP/1.1\r\nHost: x\r\n\r\n'
    const patient = connect(host.port, '127.0.0.1')
    patient.write(work)
    await expect.poll(inHand).toBe(1)
    // The second response is made, and waits behind the first.
    patient.write(look)
    await expect.poll(() => handler.mock.calls.length).toBe(2)
    await expect.poll(inHand).toBe(1)
    patient.destroy()
    await expect.poll(inHand).toBe(0)
    await host.close()
  })
})
