// Guarantee: whatever is sent to any route of any host, by whoever, the response has a status that is documented, names
// itself, and an error has the envelope. FUZZ_REQUESTS sets how many requests are sent (FUZZ_SEED repeats a run).

import { randomUUID } from 'node:crypto'
import { ERROR_CODES, WALLET_ERROR_CODES } from '@mintmark/contract'
import * as fc from 'fast-check'
import type { TObject, TSchema } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { LIMITS, limitVariable } from '../src/hosts/limits.ts'
import { credentialsOf } from '../src/http/credential.ts'
import { statusesOf } from '../src/http/openapi.ts'
import type { Route } from '../src/http/route.ts'
import { ID_PREFIXES } from '../src/platform/ids.ts'
import { askForLink, newAgent } from './agents.ts'
import { createSession, UUID } from './flows.ts'
import { newOwner } from './owners.ts'
import { PATIENT, startTestService } from './service.ts'
import { goodsOf, paramsOf } from './wallet-examples.ts'

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_800)
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000)
const MINUTE_MILLIS = 60_000

const LIMITLESS = LIMITS.map((limit) => [limitVariable(limit), '100000000'])
const service = await startTestService({ env: { ...PATIENT, ...Object.fromEntries(LIMITLESS) } })
afterAll(() => service.close())

/** Text that has broken programs before, beside any text. */
const nasty = fc.constantFrom(
  ...[
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\n',
    '\u202e',
    '\ud800',
    '\u2028',
    '%00',
    '%',
    '..',
    '../..',
    '__proto__',
    'null',
  ],
  ...[
    '-1',
    '0',
    '1e9',
    '9'.repeat(400),
    'x'.repeat(300),
    'true',
    '{}',
    "'; drop table charges; --",
    '日本',
    '👩‍👩‍👧',
    'ß',
  ],
  ...['constructor', 'ma_x\u0000', 'sess_00000000000000000000000000', '2026-02-30T00:00:00Z', 'https://\u0000'],
)
const text = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 40 }))
const anything = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(0, -1, 1.5, 1e308, null, true, [], {}))

interface Shape extends TSchema {
  type?: string
  anyOf?: Shape[]
  enum?: unknown[]
  const?: unknown
  format?: string
  examples?: unknown[]
  items?: Shape
  properties?: Record<string, Shape>
}

/** A value near what a schema wants: mostly fitting, so that rules behind it are reached, with faults strewn in. */
function near(schema: Shape): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fitting(schema) }, { weight: 1, arbitrary: anything })
}

function fitting(schema: Shape): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(near))
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  switch (schema.type) {
    case 'object':
      return objectNear(schema)
    case 'array':
      return fc.array(schema.items === undefined ? anything : near(schema.items), { maxLength: 3 })
    case 'integer':
      return fc.oneof(fc.constantFrom(1, 2, 15, 2 ** 31, 2 ** 53), fc.integer())
    case 'boolean':
      return fc.boolean()
    default:
      return fc.oneof(fc.constantFrom(...likelyTexts(schema)), text)
  }
}

function likelyTexts({ format, examples = [] }: Shape): unknown[] {
  if (format === 'uuid') return ['0190a1b2-0000-7000-8000-00000000000a']
  if (format === 'email') return ['ann@example.com', 'zoë@bücher.example']
  if (format === 'date') return ['1990-04-30', '2024-02-29']
  if (format === 'https-url' || format === 'uri')
    return ['https://tea.example', 'https://[::1]:1/?#', 'https://a.b/%00']
  if (format === 'date-time') return ['2099-01-01T00:00:00Z', '2000-01-01T00:00:00+14:00']
  return ['Tea', '40.00', '4242424242424242', '12', '2031', '123', 'sess_1', ...examples]
}

function objectNear({ properties = {} }: Shape): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, near(inner)]))
  const known = fc.record(fields, { requiredKeys: Object.keys(fields) })
  const some = fc.record(fields, { requiredKeys: [] })
  const strange = fc.tuple(some, fc.dictionary(text, anything, { maxKeys: 2 })).map(([a, b]) => ({ ...b, ...a }))
  return fc.oneof({ weight: 6, arbitrary: known }, { weight: 3, arbitrary: some }, { weight: 1, arbitrary: strange })
}

/** Operations that did what they are for, at least once. */
const succeeded = new Set<string>()
/** They must: what is sent reaches further than the first check. */
const REACHED = [
  'createSession',
  'getPaymentResult',
  'revokeSession',
  'completeSession',
  'getSurfaceSession',
  'createCustomer',
  'listAddresses',
  'depositToWallet',
  'getOrder',
]

/** The example of a row's description with at most one value replaced: most of these come far. */
function nearExample(example: object): fc.Arbitrary<unknown> {
  const places = placesIn(example, [])
  return fc.tuple(fc.integer({ min: 0, max: places.length * 2 }), anything).map(([at, value]) => {
    const copy = structuredClone(example)
    const place = places[at]
    if (place === undefined) return copy
    // biome-ignore lint/suspicious/noExplicitAny: a place in a value of any shape.
    const holder = place.slice(0, -1).reduce((inner: any, key) => inner[key], copy)
    holder[place.at(-1) ?? ''] = value
    return copy
  })
}

function placesIn(value: unknown, path: string[]): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Object.entries(value).flatMap(([key, one]) => placesIn(one, [...path, key]))
  return path.length === 0 ? inner : [path, ...inner]
}

interface Sent {
  method: string
  target: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
}

/** What a caller sends: a header, values of it that work, and ids that exist. */
interface Caller {
  header: string
  values: readonly string[]
  ids: readonly string[]
  /** Such of certain parameters of paths. */
  params?: Readonly<Record<string, string>>
  /** What comes with each request besides. */
  always?: Readonly<Record<string, string>>
}

/** What every host must be ready for, and no document of an API can rule out. */
const RAW_BODIES = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '{"a":1,"a":2}',
  '{"__proto__":{}}',
  '[[[[',
  '\u0000',
  '{"a":"\\ud800"}',
]

/** Ids in the form of ours, with times that no clock shows: chance alone makes no such id. */
const STRAY_IDS = Object.values(ID_PREFIXES).flatMap((prefix) =>
  ['0', '8', 'z'].map((each) => prefix + each.repeat(26)),
)

function request(row: Route, { header, values, ids, params = {}, always = {} }: Caller): fc.Arbitrary<Sent> {
  const names = [...row.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const param = (name: string) => {
    const known = params[name] === undefined ? ids : [params[name]]
    return fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...known) },
      { weight: 2, arbitrary: text },
      { weight: 1, arbitrary: fc.constantFrom(...STRAY_IDS) },
    )
  }
  const path = fc.tuple(...names.map(param)).map((values) => {
    let at = 0
    return row.path.replaceAll(/:\w+/g, () => encoded(values[at++] ?? ''))
  })
  const query = fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.array(fc.tuple(queryName(row.query), queryValue), { maxLength: 3 }).map(queryText) },
  )
  const body: fc.Arbitrary<string | Uint8Array | undefined> =
    row.method === 'GET'
      ? fc.constant(undefined)
      : fc.oneof(
          { weight: 4, arbitrary: nearExample(row.example?.body ?? {}).map((value) => JSON.stringify(value)) },
          {
            weight: 8,
            arbitrary: (row.body === undefined ? anything : near(row.body)).map((value) => JSON.stringify(value)),
          },
          { weight: 1, arbitrary: fc.constantFrom(...RAW_BODIES) },
          { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
        )
  const type = fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=latin1', '') },
  )
  const credential = fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...values) },
    { weight: 1, arbitrary: fc.constantFrom('', 'Bearer', 'Bearer x', 'Basic eDp5', `Bearer ${'a'.repeat(3_000)}`) },
  )
  const method = fc.constantFrom(row.method, row.method, row.method, row.method === 'GET' ? 'HEAD' : row.method)
  const key = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(randomUUID(), randomUUID()) },
    { weight: 6, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: fc.constantFrom('', 'x', 'order-1001') },
  )
  return fc.record({ method, path, query, body, type, credential, key }).map((made) => ({
    method: made.method,
    target: made.path + made.query,
    headers: {
      ...always,
      [header]: made.credential,
      ...(row.idempotencyKey !== undefined && { 'idempotency-key': made.key }),
      ...(made.body !== undefined && { 'content-type': made.type }),
    },
    body: made.body,
  }))
}

/** The example of a row's description as it stands, by a caller who may: chance alone would leave some operations out now and then. */
function example(row: Route, { header, values, ids, params = {}, always = {} }: Caller): Sent {
  return {
    method: row.method,
    target: row.path.replaceAll(/:(\w+)/g, (_, name: string) => encoded(params[name] ?? ids[0] ?? '')),
    headers: {
      ...always,
      [header]: values[0] ?? '',
      ...(row.idempotencyKey !== undefined && { 'idempotency-key': randomUUID() }),
      ...(row.method !== 'GET' && { 'content-type': 'application/json' }),
    },
    body: row.method === 'GET' ? undefined : JSON.stringify(row.example?.body ?? {}),
  }
}

const queryName = (query: TObject | undefined) =>
  fc.oneof(text, fc.constantFrom(...Object.keys(query?.properties ?? { _: 0 })))
/** Chance alone makes no time and no number: these are at the ends of what a schema lets through. */
const EDGES = ['0', '1', '100', '500', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59-23:59']
const queryValue = fc.oneof(text, fc.constantFrom(...EDGES))
const queryText = (pairs: [string, string][]) =>
  pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')}`
/** Mostly as a client would; now and then raw, as long as it is still one URL. */
const encoded = (value: string) => encodeURIComponent(value.toWellFormed()).replaceAll(/^%25$/g, '%')

/** Words about others than the service itself; every other 5xx is a fault of ours. */
const NOT_OUR_FAULT = ['NETWORK_UNAVAILABLE', 'NETWORK_CONFIRMATION_FAILED', 'NOT_IMPLEMENTED']

async function judge({ base, codes, isOfError }: Host, row: Route, sent: Sent): Promise<void> {
  const response = await fetch(base + sent.target, {
    method: sent.method,
    headers: sent.headers,
    ...(sent.body !== undefined && { body: sent.body as BodyInit }),
  })
  const body = await response.text()
  const said = `${response.status} ${body.slice(0, 200)}`
  expect(response.headers.get('x-response-id'), said).toMatch(UUID)
  // 404 is that of a path that no route has: a parameter may hold what makes another path.
  expect([...statusesOf(row), 404], said).toContain(response.status)
  if (sent.method === 'HEAD') return void expect([500, 503], said).not.toContain(response.status)
  if (response.status < 400) return void succeeded.add(row.operationId)
  const { error } = JSON.parse(body)
  expect(
    Object.keys(error).filter((key) => !['code', 'message', 'details', ...isOfError].includes(key)),
    said,
  ).toEqual([])
  expect(Object.keys(codes), said).toContain(error.code)
  expect(error.message, said).toMatch(/\S/)
  if (response.status >= 500) expect(NOT_OUR_FAULT, said).toContain(error.code)
}

interface Host {
  name: string
  base: string
  rows: readonly Route[]
  codes: object
  /** What an error has besides what all have. */
  isOfError: readonly string[]
}

const HOSTS: readonly Host[] = [
  { name: 'main API', base: service.apiUrl, rows: service.app.apiRoutes, codes: ERROR_CODES, isOfError: [] },
  {
    name: 'wallet API',
    base: service.walletUrl,
    rows: service.app.walletRoutes,
    codes: WALLET_ERROR_CODES,
    isOfError: ['request_id'],
  },
  { name: 'surface', base: service.surfaceUrl, rows: service.app.surfaceRoutes, codes: ERROR_CODES, isOfError: [] },
  { name: 'owners', base: service.ownerUrl, rows: service.app.ownerRoutes, codes: ERROR_CODES, isOfError: [] },
]

/** A caller of each host, with things of its own. */
async function callerOf({ name }: Host, row: Route): Promise<Caller> {
  const { merchant } = service
  if (name === 'wallet API') {
    const params = paramsOf(await goodsOf(service, merchant))
    return { header: 'api-key', values: [merchant.wallet.key], ids: [], params }
  }
  if (name === 'owners') {
    const { cookie } = await newOwner(service)
    const params = { linkId: await askForLink(newAgent(service)) }
    return { header: 'cookie', values: [cookie], ids: ['none'], params, always: { origin: service.ownerUrl } }
  }
  const made = await Promise.all(Array.from({ length: 4 }, () => createSession(merchant)))
  const isSurface = credentialsOf(row.auth).some((one) => one.name === 'session_token')
  const tokens = isSurface ? made.map((one) => one.session_token) : [merchant.secretKey]
  return {
    header: 'authorization',
    values: tokens.map((token) => `Bearer ${token}`),
    ids: made.map((one) => one.session_id),
  }
}

test('what must be reached is there', () => {
  const names = HOSTS.flatMap(({ rows }) => rows.map(({ operationId }) => operationId))
  expect(names).toEqual(expect.arrayContaining(REACHED))
})

const share = Math.ceil(REQUESTS / HOSTS.reduce((sum, { rows }) => sum + rows.length, 1))

describe.each(HOSTS)('$name', (host) => {
  const { rows } = host
  // A clock that is moved by a century would make every other request fail for want of time.
  const fuzzed = rows.filter(({ operationId }) => operationId !== 'advanceClock')
  test.each(fuzzed.map((row) => [`${row.method} ${row.path}`, row] as const))(
    '%s',
    async (_name, row) => {
      const caller = await callerOf(host, row)
      await fc.assert(
        fc.asyncProperty(request(row, caller), (sent) => judge(host, row, sent)),
        { numRuns: share, seed: SEED, endOnFailure: false, examples: [[example(row, caller)]] },
      )
      if (REACHED.includes(row.operationId)) expect([...succeeded]).toContain(row.operationId)
    },
    10 * MINUTE_MILLIS,
  )
})

test(
  'pages and documents outside the tables',
  async () => {
    const page = fc.tuple(text, text).map(([a, b]) => [service.surfaceUrl, `/s/${encoded(a)}/${encoded(b)}`] as const)
    const other = fc
      .tuple(
        fc.constantFrom(...HOSTS.map(({ base }) => base)),
        fc.constantFrom('/openapi.json', '/docs', '/', '/s', '/v1'),
        text,
      )
      .map(([base, path, more]) => [base, path + encodeURI(more.toWellFormed())] as const)
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(page, other),
        fc.constantFrom('GET', 'HEAD', 'POST'),
        async ([base, target], method) => {
          const response = await fetch(base + target, { method })
          await response.text()
          expect(response.headers.get('x-response-id')).toMatch(UUID)
          expect([200, 400, 404, 415, 429], target).toContain(response.status)
        },
      ),
      {
        numRuns: share * 4,
        seed: SEED,
        examples: [
          [[service.surfaceUrl, '/s/%00/x'], 'GET'],
          [[service.surfaceUrl, '/s/ma_x%00/y'], 'GET'],
        ],
      },
    )
  },
  10 * MINUTE_MILLIS,
)
