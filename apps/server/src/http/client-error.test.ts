import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkedBy } from './credential.ts'
import { exchange, hasJson, type RawAnswer } from './testing/raw-socket.ts'
import { SECRET_KEY, startToyHost, type ToyHost, toyKey } from './testing/toy-host.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const HOST = 'Host: api.example\r\n'
const KEY = `Authorization: Bearer ${SECRET_KEY}\r\n`
const JSON_TYPE = 'Content-Type: application/json\r\n'
const POST = `POST /v1/orders HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}`

/** As long as a test has, and the longest that Node takes: a busy machine is refused nothing for it. */
const FOREVER_MILLIS = 300_000
const PATIENT = { headersMillis: FOREVER_MILLIS, requestMillis: FOREVER_MILLIS, stalledMillis: FOREVER_MILLIS }

let host: ToyHost
/** Ends what is slow to come, and is asked for nothing else. */
let hasty: ToyHost
beforeAll(async () => {
  host = await startToyHost({ timeouts: { ...PATIENT, checkMillis: 50 } })
  hasty = await startToyHost({ timeouts: { headersMillis: 300, requestMillis: 600, checkMillis: 50 } })
})
afterAll(() => Promise.all([host.close(), hasty.close()]))

function expectRefusal(answer: RawAnswer, status: number, code = 'VAL_2001'): void {
  expect(answer.status, answer.text).toBe(status)
  expect(answer.header('x-response-id')).toMatch(UUID)
  expect(answer.json()).toMatchObject({ error: { code, message: expect.any(String) } })
}

const count = (text: string) => text.split('HTTP/1.1 ').length - 1

describe('bytes that never become a request', () => {
  const cases: [string, string, number][] = [
    ['a request line that is none', 'NONSENSE\r\n\r\n', 400],
    ['an unknown method', `BREW / HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['HTTP/2 without negotiation', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['a header without a colon', `GET / HTTP/1.1\r\n${HOST}Broken\r\n\r\n`, 400],
    ['a folded header', `GET / HTTP/1.1\r\n${HOST}A: b\r\n c\r\n\r\n`, 400],
    ['a space before the colon', `POST /v1/orders HTTP/1.1\r\n${HOST}Content-Length : 5\r\n\r\nhello`, 400],
    ['headers that are too large', `GET / HTTP/1.1\r\n${HOST}A: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['both lengths', `${POST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
    ['a length that is no number', `${POST}Content-Length: +2\r\n\r\n{}`, 400],
    ['a chunked coding that is not last', `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, 400],
    ['a chunk size that is none', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`, 400],
    ['a bare line feed in a chunk', `${POST}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n`, 400],
  ]
  test.each(cases)('%s is refused once, and the connection closed', async (_what, bytes, status) => {
    // What follows would be a second request, if the server took it for one.
    const answer = await exchange(
      host.port,
      `${bytes}GET /v1/orders?customer_id=smuggled HTTP/1.1\r\n${HOST}${KEY}\r\n`,
    )
    expectRefusal(answer, status)
    expect(answer.closed).toBe(true)
    expect(count(answer.text)).toBe(1)
  })

  test('headers that never end are 408', async () => {
    expectRefusal(await exchange(hasty.port, `GET / HTTP/1.1\r\n${HOST}A: `), 408)
  })

  test('a body that never ends is 408', async () => {
    const answer = await exchange(hasty.port, `${POST}Content-Length: 10\r\n\r\n{`)
    expectRefusal(answer, 408)
    expect(answer.closed).toBe(true)
  })

  test('a body that never comes after its request was refused gets no second response', async () => {
    const unread = [
      `POST /nope HTTP/1.1\r\n${HOST}${JSON_TYPE}`,
      `POST /v1/orders HTTP/1.1\r\n${HOST}${JSON_TYPE}`,
      `POST /v1/orders HTTP/1.1\r\n${HOST}${KEY}Content-Type: text/plain\r\n`,
    ]
    for (const head of unread) {
      const answer = await exchange(hasty.port, `${head}Content-Length: 100\r\n\r\n{`)
      expect({ answers: count(answer.text), closed: answer.closed }, answer.text).toEqual({ answers: 1, closed: true })
      const garbage = await exchange(hasty.port, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)
      expect({ answers: count(garbage.text), closed: garbage.closed }).toEqual({ answers: 1, closed: true })
    }
  })

  test('a slow request after a good one is still 408', async () => {
    const late = await startToyHost({ timeouts: { ...PATIENT, checkMillis: 50 } })
    const good = `${POST}Content-Length: 14\r\n\r\n{"amount":"1"}`
    const answer = await exchange(late.port, `${good}GET / HTTP/1.1\r\n${HOST}A: `, (text) => {
      // The limit is short from here on: the good one has passed.
      if (hasJson(text)) late.app.server.headersTimeout = 300
      return false
    })
    expect(answer.text).toMatch(/^HTTP\/1\.1 201 [\s\S]*HTTP\/1\.1 408 /)
    await late.close()
  })

  test('a silent connection is closed', async () => {
    expect((await exchange(hasty.port, '')).closed).toBe(true)
  })
})

describe('a caller who does not read their response', () => {
  const MUCH = 'x'.repeat(30_000_000)
  const PART = 1_000_000

  test('is cut off, and one who takes their time is not', async () => {
    const few = await startToyHost({
      timeouts: { stalledMillis: 2_000 },
      extra: (app) => void app.get('/much', () => MUCH),
    })
    const ask = `GET /much HTTP/1.1\r\n${HOST}\r\n`
    const deaf = connect(few.port, '127.0.0.1').pause()
    deaf.write(ask)
    const [served] = (await once(few.app.server, 'connection')) as [Socket]
    const cutOff = once(served, 'close')
    const patient = connect(few.port, '127.0.0.1')
    let read = 0
    const isServed = new Promise<boolean>((resolve) => {
      patient.on('close', () => resolve(false))
      patient.on('data', ({ length }) => {
        // A pause after each part: all of them together are longer than the limit, and none is by far.
        const isPause = Math.floor((read + length) / PART) > Math.floor(read / PART)
        read += length
        if (read > MUCH.length) resolve(true)
        if (!isPause) return
        patient.pause()
        setTimeout(() => patient.resume(), 100)
      })
    })
    patient.write(ask)
    await cutOff
    deaf.destroy()
    expect(await isServed, `${read} bytes`).toBe(true)
    patient.destroy()
    await few.close()
  })

  test('but a process that stood still cuts off no caller for it', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const slow = await startToyHost({
      timeouts: { stalledMillis: 400 },
      extra: (app) => void app.get('/slow', () => released.then(() => 'done')),
    })
    const caller = connect(slow.port, '127.0.0.1')
    const arrived = once(slow.app.server, 'request')
    caller.write(`GET /slow HTTP/1.1\r\n${HOST}\r\n`)
    await arrived
    // Longer than a caller may be silent, and no event of a socket is read meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
    await delay(1)
    release()
    const [response] = await once(caller, 'data')
    expect(String(response)).toContain('done')
    caller.destroy()
    await slow.close()
  })
})

describe('a message that two readers could read differently', () => {
  const GET = 'GET /v1/orders?customer_id=c HTTP/1.1\r\n'
  test.each([
    ['two keys', `${GET}${HOST}${KEY}Authorization: Bearer other\r\n`, 'authorization'],
    ['the same key twice', `${GET}${HOST}${KEY}${KEY}`, 'authorization'],
    ['two hosts', `${GET}${HOST}Host: other.example\r\n${KEY}`, 'host'],
    ['two types', `${POST}Content-Type: text/plain\r\nContent-Length: 0\r\n`, 'content-type'],
    ['HTTP/2 in the clear', `GET /v1/orders?customer_id=c HTTP/2.0\r\n${HOST}${KEY}`, 'request'],
    ['no version', `GET /v1/orders?customer_id=c\r\n${HOST}${KEY}`, 'request'],
  ])('%s', async (_what, head, part) => {
    const answer = await exchange(host.port, `${head}Connection: close\r\n\r\n`)
    expectRefusal(answer, 400)
    expect(answer.json()).toMatchObject({ error: { details: { [part]: expect.any(String) } } })
  })
})

describe('requests Node would answer by itself', () => {
  test('no Host', async () => {
    expectRefusal(await exchange(host.port, 'GET /health HTTP/1.1\r\n\r\n', hasJson), 404, 'NOT_FOUND')
    expectRefusal(await exchange(host.port, `GET /v1/orders HTTP/1.1\r\n${KEY}\r\n`, hasJson), 400)
  })

  test('an expectation nobody can meet', async () => {
    expectRefusal(await exchange(host.port, `${POST}Expect: a-miracle\r\nContent-Length: 2\r\n\r\n{}`), 417)
  })

  test('CONNECT, TRACE, an upgrade, a star and an absolute target', async () => {
    const close = 'Connection: close\r\n'
    for (const line of [
      'CONNECT api.example:443',
      'TRACE /v1/orders',
      'OPTIONS *',
      'GET http://other.example/v1/none',
    ]) {
      expectRefusal(await exchange(host.port, `${line} HTTP/1.1\r\n${HOST}${close}\r\n`), 404, 'NOT_FOUND')
    }
    const upgrade = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n'
    expectRefusal(await exchange(host.port, upgrade), 404, 'NOT_FOUND')
  })
})

describe('a connection', () => {
  test('lives on after a body that was refused', async () => {
    const bad = `${POST}Content-Length: 10\r\n\r\n{"amount":`
    const good = `${POST}Connection: close\r\nContent-Length: 14\r\n\r\n{"amount":"1"}`
    const answer = await exchange(host.port, bad + good)
    expect(answer.text).toMatch(/^HTTP\/1\.1 400 [\s\S]*HTTP\/1\.1 201 /)
  })

  test('ends after the true answer when garbage follows a request that is being worked on', async () => {
    // An answer to the garbage would be read as the answer to the request.
    let seen = Promise.withResolvers<void>()
    const check = () => seen.promise.then(() => ({ shopId: 'shop_toy' }))
    const slow = await startToyHost({ credentials: [checkedBy(toyKey, { check })] })
    // The request is worked on until the garbage has been seen.
    slow.app.server.on('clientError', () => seen.resolve())
    const request = `GET /v1/orders?customer_id=c HTTP/1.1\r\n${HOST}${KEY}\r\n`
    for (const garbage of ['NONSENSE\r\n\r\n', '{}', '\x00'.repeat(40_000)]) {
      seen = Promise.withResolvers()
      const answer = await exchange(slow.port, request + garbage)
      expect({ status: answer.status, answers: count(answer.text), closed: answer.closed }).toEqual({
        status: 200,
        answers: 1,
        closed: true,
      })
      expect(answer.json()).toEqual({ customer: 'c', shop: 'shop_toy' })
    }
    await slow.close()
  })

  test('takes a chunked body, and refuses one over the limit', async () => {
    const chunked = `${POST}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`
    expect((await exchange(host.port, `${chunked}e\r\n{"amount":"1"}\r\n0\r\n\r\n`)).status).toBe(201)
    const large = `${chunked}11000\r\n${'x'.repeat(0x11000)}\r\n0\r\n\r\n`
    expectRefusal(await exchange(host.port, large), 413)
  })

  test('refuses a compressed transfer and an untyped body', async () => {
    const close = 'Connection: close\r\n'
    const untyped = `POST /v1/orders HTTP/1.1\r\n${HOST}${KEY}${close}`
    expectRefusal(await exchange(host.port, `${POST}${close}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`), 415)
    expectRefusal(await exchange(host.port, `${untyped}Content-Length: 2\r\n\r\n{}`), 415)
    expectRefusal(await exchange(host.port, `${untyped}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`), 415)
  })

  test('carries hostile bodies to a 400', async () => {
    const bodies = [
      '{"__proto__":{"polluted":true}}',
      '{"amount":"1","\\u0061mount":"2"}',
      `${'['.repeat(33)}${']'.repeat(33)}`,
      `${'[['.repeat(16_000)}${']]'.repeat(16_000)}`,
      `{${Array.from({ length: 6_000 }, (_, at) => `"${at}":0`).join()}}`,
    ]
    for (const body of bodies) {
      const bytes = `${POST}Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
      expectRefusal(await exchange(host.port, bytes), 400)
    }
    expect('polluted' in {}).toBe(false)
  })
})

test('whatever the bytes, every answer names itself and none is a 5xx', async () => {
  const pick = (...pieces: string[]) => fc.constantFrom(...pieces)
  const line = fc.tuple(
    pick('GET', 'POST', 'PATCH', 'HEAD', 'OPTIONS', 'PURGE', 'get', 'P\u00f6ST', ''),
    pick(
      '/v1/orders',
      '/v1/orders?customer_id=%00',
      '/v1/orders/%/cancel',
      '/v1/orders/%2e/cancel',
      '/api/visits',
      '*',
      '//',
      '',
    ),
    fc.string({ unit: 'binary', maxLength: 6 }).map((text) => encodeURI(text.toWellFormed())),
    pick('HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', ''),
  )
  const header = pick(
    ...[HOST, KEY, JSON_TYPE, 'Content-Length: 2\r\n', 'Content-Length: 0\r\n', 'Transfer-Encoding: chunked\r\n'],
    ...[
      'Accept-Version: 9\r\n',
      'Content-Type: a/b; c="\r\n',
      'Content-Encoding: br\r\n',
      'Expect: x\r\n',
      'Upgrade: h2c\r\n',
    ],
    ...[
      'Authorization: \xff\r\n',
      'X-HTTP-Method-Override: DELETE\r\n',
      'Cookie: a\x01b\r\n',
      'Range: bytes=0-1\r\n',
      '\t\r\n',
    ],
  )
  const body = pick('{}', '', '2\r\n{}\r\n0\r\n\r\n', '{"visitor":"\\ud800"}', '\x00\xff', '[')
  const request = fc
    .tuple(line, fc.array(header, { maxLength: 6 }), body)
    .map(([[method, path, more, version], headers, rest]) =>
      Buffer.from(
        `${method} ${path}${more} ${version}\r\n${headers.join('')}Connection: close\r\n\r\n${rest}`,
        'latin1',
      ),
    )
  await fc.assert(
    fc.asyncProperty(request, async (bytes) => {
      const { text } = await exchange(hasty.port, bytes)
      const finals = text.match(/HTTP\/1\.1 [2-9]\d\d /g) ?? []
      expect(finals.length).toBeGreaterThan(0)
      expect(finals.filter((final) => final > 'HTTP/1.1 5')).toEqual([])
      expect(text.match(/^x-response-id: [0-9a-f-]{36}\r$/gim)?.length).toBe(finals.length)
    }),
    { numRuns: 400 },
  )
})
