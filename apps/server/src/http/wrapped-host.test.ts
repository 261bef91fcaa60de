// Guarantee: another envelope, and rows with several credentials, are values of a host; nothing else knows them.
import { generateKeyPairSync, hash } from 'node:crypto'
import { brandedNames } from '@mintmark/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApiDocument } from './openapi.ts'
import { exchange } from './testing/raw-socket.ts'
import { describeRouteTable } from './testing/table-walk.ts'
import { countingLimiter, perAddress, SECRET_KEY, type ToyHost, toyDocument } from './testing/toy-host.ts'
import {
  startWrappedHost,
  toySignatureOf,
  WRAPPED_AT,
  WRAPPED_ENVELOPE,
  WRAPPED_ROUTES,
} from './testing/wrapped-host.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const INFO = toyDocument('Wrapped')
const start = () => startWrappedHost(publicPem, { docs: { info: INFO, limit: perAddress } })

const signature = (method: string, target: string, body: string) => {
  const [path, query = ''] = target.split('?')
  return toySignatureOf(method, `${path}?${query}`, hash('sha256', body, 'buffer'), privateKey)
}

describeRouteTable({
  name: 'wrapped table',
  routes: WRAPPED_ROUTES,
  envelope: WRAPPED_ENVELOPE,
  start: async () => {
    const host = await start()
    const parcel = (parcelId: string) => ({ params: { parcelId } })
    return {
      baseUrl: host.baseUrl,
      close: host.close,
      credentials: {
        toy_key: { working: `Bearer ${SECRET_KEY}`, refused: { 'another key': 'Bearer sk_live_working' } },
        toy_signature: {
          working: ({ method, target, body }) => signature(method, target, body),
          refused: { 'of another request': signature('GET', '/v2/parcels/par_2', '') },
        },
      },
      examples: {
        sendParcel: () => ({ own: { body: { weight: 1 } }, foreign: 'Creates; names nothing that exists.' }),
        getParcel: () => ({
          own: parcel('par_1'),
          foreign: { theirs: parcel('par_theirs'), nobodys: parcel('par_nobodys'), status: 404 },
        }),
      },
    }
  },
})

let host: ToyHost
beforeAll(async () => {
  host = await start()
})
afterAll(() => host.close())

const KEY = { authorization: `Bearer ${SECRET_KEY}` }

async function call(method: string, target: string, headers: Record<string, string>, body?: string, to = host) {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const init = { method, headers: { ...headers, ...json }, ...(body !== undefined && { body }) }
  const response = await fetch(to.baseUrl + target, init)
  const answer: unknown = await response.json()
  return { status: response.status, body: answer, id: response.headers.get('x-response-id') }
}

describe('the envelope of the host', () => {
  test('is around every success, and only what the schema lists is in it', async () => {
    const { status, body, id } = await call('GET', '/v2/parcels/par_1', KEY)
    expect({ status, body }).toEqual({
      status: 200,
      body: { data: { id: 'par_1', sender: 'shop_toy' }, meta: { request_id: id, timestamp: WRAPPED_AT } },
    })
  })

  test('is around every error: of a handler, the schema, the parser, the router', async () => {
    const code = (at: { id: string | null }, name: string) => ({
      error: { code: name, message: expect.any(String), request_id: at.id },
    })
    const missing = await call('GET', '/v2/parcels/par_2', KEY)
    expect(missing).toMatchObject({ status: 404, body: code(missing, 'NOT_FOUND') })
    for (const body of ['{"weight":0}', '{"weight":']) {
      const wrong = await call('POST', '/v2/parcels', KEY, body)
      expect(wrong).toMatchObject({ status: 400, body: code(wrong, 'VAL_2001') })
    }
    const unknown = await call('GET', '/v2/nothing', KEY)
    expect(unknown).toMatchObject({ status: 404, body: code(unknown, 'NOT_FOUND') })
    const large = await call('POST', '/v2/parcels', KEY, JSON.stringify({ weight: 'x'.repeat(70_000) }))
    expect(large).toMatchObject({ status: 413, body: code(large, 'VAL_2001') })
  })

  test('is around what never becomes a request', async () => {
    for (const bytes of [
      'NONSENSE\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n',
      'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    ]) {
      const answer = await exchange(host.port, bytes)
      expect(answer.json()).toEqual({
        error: { code: expect.any(String), message: expect.any(String), request_id: answer.header('x-response-id') },
      })
    }
  })

  test('is in the description', () => {
    const described = { rows: WRAPPED_ROUTES, envelope: WRAPPED_ENVELOPE, brand: brandedNames('acme') }
    const document = JSON.parse(JSON.stringify(buildApiDocument(INFO, described)))
    const { post } = document.paths['/v2/parcels']
    expect(post.responses['201'].content['application/json'].schema.properties).toMatchObject({
      data: { properties: { id: { type: 'string' } } },
      meta: { properties: { request_id: { type: 'string' } } },
    })
    expect(document.components.schemas.Error.properties.error.required).toEqual(['code', 'message', 'request_id'])
    expect(Object.keys(document.components.securitySchemes)).toEqual(['toy_key', 'toy_signature'])
    expect(post.security).toEqual([{ toy_key: [] }, { toy_signature: [] }])
  })
})

describe('a row that accepts several credentials', () => {
  const body = '{"weight":1}'
  const signed = (target: string, of = body) => ({ 'toy-signature': signature('POST', target, of) })

  test('takes the first that applies, and the handler knows whose it was', async () => {
    const sender = async (headers: Record<string, string>) => {
      const answer = await call('POST', '/v2/parcels', headers, body)
      expect(answer.status).toBe(201)
      return (answer.body as { data: { sender: string } }).data.sender
    }
    expect(await sender(KEY)).toBe('shop_toy')
    expect(await sender(signed('/v2/parcels'))).toBe('agent_toy')
    expect(await sender({ ...KEY, ...signed('/v2/parcels') })).toBe('shop_toy')
  })

  test('does not fall back to another when the one that applies is wrong', async () => {
    const headers = { authorization: 'Bearer garbage', ...signed('/v2/parcels') }
    expect(await call('POST', '/v2/parcels', headers, body)).toMatchObject({
      status: 401,
      body: { error: { code: 'AUTH_1001' } },
    })
  })

  test('asks for any of them where there is none, each scheme once', async () => {
    const { headers, status } = await fetch(`${host.baseUrl}/v2/parcels`, { method: 'POST' })
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="mintmark", ApiKey realm="mintmark"'])
  })

  test('shows a credential that covers the request its method, path, query and body', async () => {
    const refused = { status: 401, body: { error: { code: 'AUTH_1001' } } }
    expect(await call('POST', '/v2/parcels', signed('/v2/other'), body)).toMatchObject(refused)
    expect(await call('POST', '/v2/parcels?a=1', signed('/v2/parcels'), body)).toMatchObject(refused)
    expect(await call('POST', '/v2/parcels', signed('/v2/parcels'), '{"weight":2}')).toMatchObject(refused)
    // The same value in other bytes is another body.
    expect(await call('POST', '/v2/parcels', signed('/v2/parcels'), '{"weight": 1}')).toMatchObject(refused)
    // A body that was taken away has the digest of no bytes; the proof comes before the rules of the body.
    expect(await call('POST', '/v2/parcels', signed('/v2/parcels'))).toMatchObject(refused)
    expect(await call('POST', '/v2/parcels', signed('/v2/parcels', ''))).toMatchObject({ status: 400 })
  })

  test('counts a body that does not fit its signature as a guess', async () => {
    const limiter = countingLimiter({ failed_authentication: { points: 2, windowSeconds: 9 } })
    const guarded = await startWrappedHost(publicPem, { limiter })
    const guess = async () => (await call('POST', '/v2/parcels', signed('/v2/parcels'), '{"weight":2}', guarded)).status
    expect([await guess(), await guess(), await guess()]).toEqual([401, 401, 429])
    await guarded.close()
  })
})
