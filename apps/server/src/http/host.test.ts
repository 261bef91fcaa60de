import { brandedNames } from '@mintmark/contract'
import { Pool } from 'pg'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepLog } from '../../test/logged.ts'
import { open } from './credential.ts'
import { createDoor } from './door.ts'
import { PLAIN_ENVELOPE } from './envelope.ts'
import { buildHost } from './host.ts'
import { createRateLimiter } from './rate-limit.ts'
import { route } from './route.ts'
import {
  countingLimiter,
  perShop,
  SECRET_KEY,
  silentLog,
  startToyHost,
  type ToyHost,
  toyKey,
  toyKeyCheck,
} from './testing/toy-host.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

let host: ToyHost
beforeAll(async () => {
  host = await startToyHost()
})
afterAll(() => host.close())

async function call(path: string, init: RequestInit = {}, to: ToyHost = host) {
  const headers = { authorization: `Bearer ${SECRET_KEY}`, ...init.headers } as Record<string, string>
  const response = await fetch(to.baseUrl + path, { ...init, headers })
  const text = await response.text()
  // Every response names itself and is stored by no cache.
  expect(response.headers.get('x-response-id')).toMatch(UUID)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body)
  return call(path, { method: 'POST', body: text, headers: { 'content-type': 'application/json', ...headers } })
}

const details = async (answer: ReturnType<typeof call>) => {
  const { status, body } = await answer
  expect({ status, code: body.error?.code }).toEqual({ status: 400, code: 'VAL_2001' })
  return body.error.details
}

describe('a request that fits', () => {
  test('is answered with what the response schema lists, and nothing else', async () => {
    const { status, body } = await post('/v1/orders', { amount: '40.00', note: 'hi' })
    expect({ status, body }).toEqual({ status: 201, body: { id: 'ord_1', note: 'hi' } })
  })

  test('by HEAD is answered as by GET, without a body', async () => {
    for (const path of ['/v1/orders?customer_id=c', '/v1/orders', '/v1/failures/declared']) {
      const [got, head] = [await call(path), await call(path, { method: 'HEAD' })]
      expect({ status: head.status, body: head.body }).toEqual({ status: got.status, body: null })
      expect(head.headers.get('content-type')).toBe(got.headers.get('content-type'))
    }
    const anonymous = await call('/v1/orders?customer_id=c', { method: 'HEAD', headers: { authorization: '' } })
    expect(anonymous.status).toBe(401)
  })

  test('tells where the caller stands with its limit', async () => {
    const { headers } = await call('/v1/orders?customer_id=c')
    expect(headers.get('ratelimit-policy')).toBe('"shop";q=100000;w=60')
    expect(headers.get('ratelimit')).toMatch(/^"shop";r=\d+;t=60$/)
  })

  test('may name the content type in any case, with utf-8', async () => {
    for (const type of ['Application/JSON', 'application/json; charset=UTF-8', 'application/json;charset="utf-8"']) {
      expect((await post('/v1/orders', { amount: '1' }, { 'content-type': type })).status).toBe(201)
    }
  })

  test('may send no body, or an empty object, where none is taken', async () => {
    expect((await call('/v1/orders/ord_1/cancel', { method: 'POST' })).status).toBe(200)
    expect((await post('/v1/orders/ord_1/cancel', {})).status).toBe(200)
    expect((await call('/api/visits', { method: 'POST' })).status).toBe(200)
    const typed = { method: 'POST', headers: { 'content-type': 'text/plain' } }
    expect((await call('/v1/orders/ord_1/cancel', typed)).status).toBe(200)
  })
})

describe('bodies that do not fit', () => {
  test('name every failing field in plain words', async () => {
    expect(
      await details(
        post('/v1/orders', {
          amount: 'a lot',
          email: 'nobody',
          at: '2026-02-30T00:00:00Z',
          kind: 'three',
          quantity: 0,
          note: 'too long',
          extra: 1,
          tags: [{ key: 'k' }, { key: 7, more: true }, {}],
        }),
      ),
    ).toEqual({
      amount: 'must be a decimal string',
      email: 'must be an email address',
      at: 'must be a date and time such as "2026-01-31T12:00:00Z"',
      kind: 'must be one of "one", "two"',
      quantity: 'must be at least 1',
      note: 'must have at most 5 characters',
      extra: 'is not a known field',
      'tags[1].key': 'must be a string',
      'tags[1].more': 'is not a known field',
      'tags[2].key': 'is required',
    })
  })

  test('are judged by the schema and by the rules behind it in one response', async () => {
    expect(await details(post('/v1/orders', { amount: 'a lot', kind: 'two', extra: 1 }))).toEqual({
      amount: 'must be a decimal string',
      kind: 'is sold out',
      extra: 'is not a known field',
    })
    expect(await details(post('/v1/orders', { amount: '1', kind: 'two' }))).toEqual({ kind: 'is sold out' })
  })

  test('with an array that is too long are refused by its length, and its items are not looked at', async () => {
    const tags = Array.from({ length: 501 }, () => ({}))
    expect(await details(post('/v1/orders', { amount: 'a lot', tags }))).toEqual({
      amount: 'must be a decimal string',
      tags: 'must have at most 500 entries',
    })
  })

  test('name at most 50 failing fields', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`f${at}`, 0]))
    expect(Object.keys(await details(post('/v1/orders', unknown)))).toHaveLength(50)
    const tags = Array.from({ length: 400 }, () => ({}))
    expect(Object.keys(await details(post('/v1/orders', { tags })))).toHaveLength(50)
    const inner = Array.from({ length: 400 }, () => ({ a: 0, b: 0, c: 0 }))
    expect(Object.keys(await details(post('/v1/orders', { tags: inner })))).toHaveLength(50)
  })

  test('are not coerced', async () => {
    expect(await details(post('/v1/orders', { amount: 40, quantity: '1' }))).toEqual({
      amount: 'must be a string, such as "40.00"',
      quantity: 'must be a whole number',
    })
    expect(await details(post('/v1/orders', '[]'))).toEqual({ body: 'must be an object' })
    expect(await details(post('/v1/orders', 'null'))).toEqual({ body: 'must be an object' })
  })

  test('that choose one form of two are judged by that form alone', async () => {
    const url = 'http://shop.example'
    expect(await details(post('/v1/orders', { amount: '1', purchase: { name: 'A\u0007', url } }))).toEqual({
      'purchase.name': 'must not contain control characters',
      'purchase.url': 'must be a URL that starts with https://',
    })
    expect(await details(post('/v1/orders', { amount: '1', purchase: [{ name: 'A' }] }))).toEqual({
      'purchase[0].url': 'is required',
    })
    expect(await details(post('/v1/orders', { amount: '1', purchase: [] }))).toEqual({
      purchase: 'must have at least 1 entry',
    })
    expect(await details(post('/v1/orders', { amount: '1', purchase: 'x' }))).toEqual({
      purchase: 'must be an object or an array',
    })
  })

  test('are refused when absent, and when none is taken', async () => {
    expect(await details(call('/v1/orders', { method: 'POST' }))).toEqual({ body: 'is required' })
    expect(await details(post('/v1/orders', ''))).toEqual({ body: 'is required' })
    const refused = { body: 'must be empty: this operation takes none' }
    expect(await details(post('/v1/orders/ord_1/cancel', { a: 1 }))).toEqual(refused)
    expect(await details(post('/v1/orders/ord_1/cancel', []))).toEqual(refused)
  })

  test('are refused by the parser with the place', async () => {
    expect(await details(post('/v1/orders', '{"amount":"1","amount":"2"}'))).toEqual({ amount: 'is given twice' })
    expect(await details(post('/v1/orders', '{"tags":[{"__proto__":{}}]}'))).toEqual({
      'tags[0].__proto__': 'is not an allowed key',
    })
    expect(await details(post('/v1/orders', '{"amount":'))).toEqual({ body: 'is not valid JSON' })
    expect(await details(post('/v1/orders', new Blob([new Uint8Array([0x22, 0xff, 0x22])])))).toEqual({
      body: 'is not valid UTF-8',
    })
  })

  test('of other types, charsets and encodings are 415, too large ones 413', async () => {
    for (const type of [
      'text/plain',
      'application/json; charset=utf-16',
      'application/json; charset=utf8',
      'application/x-www-form-urlencoded',
      'nonsense',
    ]) {
      const { status, body } = await post('/v1/orders', '{}', { 'content-type': type })
      expect({ status, error: body.error }).toMatchObject({
        status: 415,
        error: {
          code: 'VAL_2001',
          details: { 'content-type': 'must be application/json, alone or with charset=utf-8' },
        },
      })
    }
    const gzipped = await post('/v1/orders', '{}', { 'content-encoding': 'gzip' })
    expect(gzipped).toMatchObject({
      status: 415,
      body: { error: { details: { 'content-encoding': expect.any(String) } } },
    })
    for (const size of [65 * 1024, 3 * 1024 * 1024]) {
      const { status, body } = await post('/v1/orders', JSON.stringify({ amount: 'x'.repeat(size) }))
      expect({ status, code: body.error.code }).toEqual({ status: 413, code: 'VAL_2001' })
    }
  })

  test('are not read before the caller is known', async () => {
    const anonymous = await post('/v1/orders', '{"amount":', { authorization: '' })
    expect(anonymous).toMatchObject({ status: 401, body: { error: { code: 'AUTH_1002' } } })
  })

  test('are refused with a challenge where they come without a credential, and without one elsewhere', async () => {
    const [anonymous, wrong] = [{ authorization: '' }, { authorization: 'Bearer garbage' }]
    for (const headers of [anonymous, wrong]) {
      const { status, headers: answered } = await post('/v1/orders', {}, headers)
      expect([status, answered.get('www-authenticate')]).toEqual([401, 'Bearer realm="mintmark"'])
    }
    expect((await post('/v1/orders', {})).headers.get('www-authenticate')).toBeNull()
  })
})

describe('queries and paths that do not fit', () => {
  test('unknown, repeated, missing and unclean parameters are named', async () => {
    expect(await details(call('/v1/orders?customer_id=a&customer_id=b'))).toEqual({ customer_id: 'must be given once' })
    expect(await details(call('/v1/orders?customer_id=a&x=1'))).toEqual({ x: 'is not a known parameter' })
    expect(await details(call('/v1/orders?all=yes'))).toEqual({
      customer_id: 'is required',
      all: 'must be one of "true", "false"',
    })
    expect(await details(call('/v1/orders?customer_id=a%00b'))).toEqual({
      customer_id: 'must not contain control characters',
    })
    expect((await call('/v1/orders?_=17&_t=1&_t=2&_cb&_%00=%00&customer_id=a')).status).toBe(200)
    for (const hostile of ['__proto__=1', 'constructor=1', 'customer_id[a]=1', '%ff=%ff', 'toString=1']) {
      expect((await call(`/v1/orders?customer_id=a&${hostile}`)).status).toBe(400)
    }
  })

  test('what an operation does not read is ignored where it declares no parameter', async () => {
    for (const query of ['?x=1', '?_=1700000000', '?a=%00&a=2', '?__proto__=1', '?%ff'])
      expect((await call(`/v1/orders/ord_1/cancel${query}`, { method: 'POST' })).status, query).toBe(200)
  })

  test('ids nobody could have are 404 or 400, never 500', async () => {
    for (const id of ['%00', 'a%0Ab', 'x'.repeat(256), 'x'.repeat(8000), '%F0%9F%92%B3', '..%2f..', 'ORD_1']) {
      expect((await call(`/v1/orders/${id}/cancel`, { method: 'POST' })).status, id).toBe(404)
    }
    for (const id of ['%', '%zz', '%c3%28', '%ff']) {
      const answer = await call(`/v1/orders/${id}/cancel`, { method: 'POST' })
      expect(answer, id).toMatchObject({ status: 400, body: { error: { code: 'VAL_2001' } } })
    }
  })

  test('unknown paths and methods are NOT_FOUND before a body is looked at', async () => {
    const unknown: [string, string][] = [
      ['GET', '/'],
      ['POST', '/v1/nothing'],
      ['PUT', '/v1/orders'],
      ['OPTIONS', '/v1/orders'],
      ['PROPFIND', '/v1/orders'],
      ['GET', '/v1/orders/'],
      ['GET', '/V1/orders'],
      ['GET', '//v1/orders'],
    ]
    for (const [method, path] of unknown) {
      const body = method === 'POST' ? { body: '{"a":', headers: { 'content-type': 'application/json' } } : {}
      const answer = await call(path, { method, ...body })
      const error = { code: 'NOT_FOUND', message: 'This address has no such method and path.' }
      expect(answer, `${method} ${path}`).toMatchObject({ status: 404, body: { error } })
    }
    expect((await call('/v1/orders/ord_1/cancel', { method: 'HEAD' })).status).toBe(404)
  })
})

describe('errors', () => {
  test('that are declared carry the brand in their code', async () => {
    expect(await call('/v1/failures/declared')).toMatchObject({
      status: 502,
      body: { error: { code: 'ACME_CONFIRMATION_FAILED', message: 'The card network did not confirm.' } },
    })
  })

  test('that are not declared show nothing of themselves', async () => {
    for (const kind of ['status-code', 'thrown-text']) {
      const { status, body } = await call(`/v1/failures/${kind}`)
      expect({ status, body }).toEqual({
        status: 500,
        body: { error: { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side.' } },
      })
    }
  })

  test('of a database that is away are 503 with Retry-After', async () => {
    const { status, headers, body } = await call('/v1/failures/database')
    expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('say when to come back', async () => {
    expect((await call('/v1/failures/retry')).headers.get('retry-after')).toBe('7')
  })
})

describe('a host', () => {
  test('of production has no sandbox routes', async () => {
    const production = await startToyHost({ environment: 'production' })
    const advance = { method: 'POST' }
    expect((await call('/v1/test_helpers/advance', advance, production)).status).toBe(404)
    expect((await call('/v1/test_helpers/advance', advance)).status).toBe(200)
    await production.close()
  })

  test('refuses over the limit with 429, Retry-After and the RateLimit fields', async () => {
    const limiter = countingLimiter({
      shop: { points: 1, windowSeconds: 9 },
      address: { points: 1, windowSeconds: 9 },
    })
    const limited = await startToyHost({ limiter })
    expect((await call('/v1/orders?customer_id=c', {}, limited)).status).toBe(200)
    const { status, headers, body } = await call('/v1/orders?customer_id=c', {}, limited)
    expect({ status, code: body.error.code }).toEqual({ status: 429, code: 'RATE_LIMITED' })
    expect(headers.get('retry-after')).toBe('9')
    expect(headers.get('ratelimit')).toBe('"shop";r=0;t=9')
    // A visit counts by address: naming other visitors does not help.
    const visit = (visitor: string) => {
      const headers = { 'content-type': 'application/json' }
      return call('/api/visits', { method: 'POST', headers, body: JSON.stringify({ visitor }) }, limited)
    }
    expect([(await visit('a')).status, (await visit('b')).status]).toEqual([200, 429])
    await limited.close()
  })

  test('is not built from a table with holes', async () => {
    const row = {
      method: 'GET',
      path: '/x',
      operationId: 'x',
      summary: '',
      tag: '',
      limit: null,
      status: 200,
      response: Type.Object({}),
      errors: [],
      handler: async () => ({}),
    } as const
    const options = {
      name: 'x',
      credentials: [],
      envelope: PLAIN_ENVELOPE,
      limiter: countingLimiter(),
      door: createDoor({ places: 1, log: silentLog() }),
      log: silentLog(),
      environment: 'sandbox',
      brand: brandedNames('network'),
    } as const
    await expect(buildHost({ ...options, routes: [route({ ...row, auth: open('') })] })).rejects.toThrow('no reason')
    await expect(buildHost({ ...options, routes: [route({ ...row, auth: [toyKey] })] })).rejects.toThrow('cannot check')
    const short = {
      ...options,
      credentials: [toyKeyCheck],
      limiter: createRateLimiter({ pool: new Pool(), limits: [] }),
    }
    const limited = route({ ...row, auth: [toyKey], limit: perShop })
    await expect(buildHost({ ...short, routes: [limited] })).rejects.toThrow('built without the limit')
    // @ts-expect-error A row that says nothing about its caller does not compile.
    route(row)
    // @ts-expect-error Nor does one whose limit counts callers that the row does not have.
    route({ ...row, auth: open('A toy.'), limit: perShop })
    // @ts-expect-error Nor one whose handler returns something else than the response schema says.
    route({ ...row, auth: open('A toy.'), response: Type.Object({ a: Type.String() }) })
  })

  test('logs one line a request and what went wrong, and nothing of what was sent', async () => {
    const { log, lines } = keepLog('info')
    const logged = await startToyHost({ log })
    await call('/v1/orders?customer_id=4242424242424242', {}, logged)
    const failed = await call('/v1/failures/status-code', {}, logged)
    await expect.poll(() => lines.length).toBe(3)
    await logged.close()
    const text = lines.join('')
    expect(text).toContain('"route":"/v1/orders"')
    expect(text).toContain('"merchant_id":"shop_toy"')
    expect(text).toContain(failed.headers.get('x-response-id'))
    expect(text).toContain('toy-host.ts')
    expect(text).not.toMatch(/424242|sk_test|customer_id=|insert failed/)
  })
})
