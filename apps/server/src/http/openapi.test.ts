import { brandedNames } from '@mintmark/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PLAIN_ENVELOPE } from './envelope.ts'
import { OPTIONAL_IDEMPOTENCY_KEY } from './idempotency.ts'
import { buildApiDocument } from './openapi.ts'
import { perAddress, startToyHost, TOY_ROUTES, type ToyHost, toyDocument } from './testing/toy-host.ts'

const INFO = toyDocument('Toy <API>')

let host: ToyHost
beforeAll(async () => {
  host = await startToyHost({ docs: { info: INFO, limit: perAddress }, environment: 'production' })
})
afterAll(() => host.close())

describe('the description', () => {
  const document = JSON.parse(
    JSON.stringify(buildApiDocument(INFO, { rows: TOY_ROUTES, envelope: PLAIN_ENVELOPE, brand: brandedNames('acme') })),
  )

  test('says everything a row says', () => {
    const create = document.paths['/v1/orders'].post
    expect(create).toMatchObject({
      operationId: 'createOrder',
      summary: 'Create an order',
      tags: ['Orders'],
      security: [{ toy_key: [] }],
      requestBody: { required: true, content: { 'application/json': { schema: { additionalProperties: false } } } },
    })
    expect(create.responses['201'].content['application/json'].schema.properties.id).toEqual({ type: 'string' })
    expect(document.paths['/v1/orders'].get.parameters).toMatchObject([
      { name: 'customer_id', in: 'query', required: true, schema: { maxLength: 255 } },
      { name: 'all', in: 'query', required: false },
    ])
    expect(document.paths['/v1/orders/{orderId}/cancel'].post.parameters).toMatchObject([
      { name: 'orderId', in: 'path', required: true, schema: { type: 'string' } },
    ])
    expect(document.paths['/v1/orders/{orderId}/pay'].post.parameters).toMatchObject([
      { name: 'orderId', in: 'path' },
      { name: 'Idempotency-Key', in: 'header', required: true, schema: { pattern: '^[A-Za-z0-9_-]{8,120}$' } },
    ])
    expect(document.paths['/api/visits'].post.security).toEqual([])
  })

  test('says of a key whether it has to be there', () => {
    const rows = TOY_ROUTES.map((row) =>
      row.idempotencyKey ? { ...row, idempotencyKey: OPTIONAL_IDEMPOTENCY_KEY } : row,
    )
    const { paths } = JSON.parse(
      JSON.stringify(buildApiDocument(INFO, { rows, envelope: PLAIN_ENVELOPE, brand: brandedNames('acme') })),
    )
    expect(paths['/v1/orders/{orderId}/pay'].post.parameters[1]).toMatchObject({
      name: 'Idempotency-Key',
      required: false,
    })
  })

  test('names its tags in the order of the description, whichever route comes first', () => {
    const described = (...tags: string[]) => {
      const info = { ...INFO, tags: Object.fromEntries(tags.map((tag) => [tag, ''])) }
      const host = { rows: TOY_ROUTES, envelope: PLAIN_ENVELOPE, brand: brandedNames('acme') }
      return (buildApiDocument(info, host).tags as { name: string }[]).map(({ name }) => name)
    }
    expect(described('None', 'Orders')).toEqual(described())
    const [first = '', second = ''] = described()
    expect(described(second, first).slice(0, 2)).toEqual([second, first])
  })

  test('names the codes of every error, with the brand', () => {
    const { responses } = document.paths['/v1/failures/{orderId}'].get
    const codes = (status: string) =>
      responses[status].content['application/json'].schema.properties.error.properties.code.enum
    expect(codes('502')).toEqual(['ACME_CONFIRMATION_FAILED'])
    expect(codes('401')).toEqual(['AUTH_1001', 'AUTH_1002', 'AUTH_1003'])
    expect(responses['401'].headers).toHaveProperty('WWW-Authenticate')
    expect(codes('400')).toEqual(['VAL_2001'])
    expect(codes('429')).toEqual(['RATE_LIMITED'])
    const { 409: conflict } = document.paths['/v1/orders/{orderId}/pay'].post.responses
    expect(Object.keys(conflict.content['application/json'].examples)).toEqual([
      'IDEMPOTENCY_CONFLICT',
      'IDEMPOTENCY_IN_PROGRESS',
    ])
    expect(conflict.headers).toHaveProperty('Retry-After')
    expect(Object.keys(document.paths['/v1/orders'].post.responses)).toEqual([
      '201',
      '400',
      '401',
      '404',
      '408',
      '413',
      '415',
      '417',
      '429',
      '431',
      '500',
      '503',
    ])
  })

  test('has X-Response-ID on every response', () => {
    for (const path of Object.values<Record<string, { responses: object }>>(document.paths)) {
      for (const { responses } of Object.values(path)) {
        for (const response of Object.values(responses)) expect(response.headers).toHaveProperty('X-Response-ID')
      }
    }
  })
})

describe('the host', () => {
  test('serves it without the routes its environment does not have', async () => {
    const response = await fetch(`${host.baseUrl}/openapi.json`)
    expect(response.headers.get('x-response-id')).toMatch(/^[0-9a-f-]{36}$/)
    const { openapi, paths } = (await response.json()) as { openapi: string; paths: object }
    expect(openapi).toBe('3.1.0')
    expect(paths).not.toHaveProperty(['/v1/test_helpers/advance'])
  })

  test.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0.0, *', null],
    ['identity', null],
  ])('sends it compressed to who takes %s', async (accepted, encoding) => {
    const response = await fetch(`${host.baseUrl}/openapi.json`, { headers: { 'accept-encoding': accepted } })
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(response.headers.get('vary')).toBe('accept-encoding')
    expect(await response.json()).toMatchObject({ openapi: '3.1.0' })
  })

  test('has something to read before its script is there, and where there never is one', async () => {
    const html = await (await fetch(`${host.baseUrl}/docs`)).text()
    expect(html.slice(0, html.indexOf('<script'))).toContain('href="/openapi.json"')
    expect(html).not.toContain('<noscript>')
  })

  test('shows it on a page that can ask no other host', async () => {
    const response = await fetch(`${host.baseUrl}/docs`)
    expect(response.headers.get('x-response-id')).toMatch(/^[0-9a-f-]{36}$/)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/)
    const html = await response.text()
    expect(html).not.toMatch(/https?:\/\/|\/\/cdn/)
    expect(html).toContain('<title>Toy &lt;API></title>')
    for (const [, path] of html.matchAll(/<script src="([^"]+)"/g)) {
      const script = await fetch(host.baseUrl + path)
      expect(script.headers.get('content-type')).toMatch(/^text\/javascript/)
      expect((await script.text()).length).toBeGreaterThan(100)
    }
  })

  test('of the web surfaces has neither', async () => {
    const surface = await startToyHost()
    expect((await fetch(`${surface.baseUrl}/openapi.json`)).status).toBe(404)
    expect((await fetch(`${surface.baseUrl}/docs`)).status).toBe(404)
    await surface.close()
  })
})
