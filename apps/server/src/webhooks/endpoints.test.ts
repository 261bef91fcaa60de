// Guarantee: an endpoint is made, shown, changed and deleted by its owner alone; five are the most; a key takes effect once; its
// secret is shown once; another URL is another destination.
import { randomUUID } from 'node:crypto'
import { EVENT_TYPES } from '@mintmark/contract'
import { EVENT_KINDS } from '@mintmark/contract/wire/events'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dbRow, expectError } from '../../test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { createEndpoint, ENDPOINTS, endpointBody, keyed } from './testing/endpoints.ts'
import { editEndpoint } from './testing/sealed.ts'

let service: TestService
let node: TestService
let merchant: TestMerchant
let other: TestMerchant
beforeAll(async () => {
  service = await startTestService({ isForCrowds: true })
  node = await startTestService({ database: service.database, isForCrowds: true })
  other = service.merchant
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})
beforeEach(async () => {
  merchant = await service.addMerchant()
})

/** The row behind an endpoint. */
const rowOf = (id: string) => dbRow(service, 'select * from webhook_endpoints where id = $1', [id])
const verified = (id: string, changes = '') =>
  editEndpoint(service.pool, id, `verified_at = date_trunc('milliseconds', now()) ${changes}`)
const detailsOf = (answer: Awaited<ReturnType<typeof keyed>>) => {
  expectError(answer, 400, 'VAL_2001')
  return answer.body.error.details
}

describe('a new endpoint', () => {
  test('is paused and unverified, and its secret is shown with it', async () => {
    const { status, body } = await keyed(merchant, ENDPOINTS, endpointBody('https://shop.example/hooks?a=1'))
    expect(status).toBe(201)
    expect(body).toEqual({
      endpoint: {
        id: expect.stringMatching(/^we_[0-9a-z]{26}$/),
        name: 'Orders',
        url: 'https://shop.example/hooks?a=1',
        events: ['payment.succeeded'],
        enabled: false,
        verified: false,
        state: 'unverified',
        pause_reason: 'unverified',
        revision: 1,
        open_incident: null,
        created_at: expect.stringMatching(/Z$/),
        updated_at: body.endpoint.created_at,
      },
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    const { path, id } = { id: body.endpoint.id, path: `${ENDPOINTS}/${body.endpoint.id}` }
    expect((await merchant.get(path)).body).toEqual(body.endpoint)
    expect((await merchant.get(ENDPOINTS)).body).toEqual({ data: [body.endpoint], next_cursor: null })
    expect(JSON.stringify(await rowOf(id))).not.toContain(body.signing_secret)
  })

  test('is one, however often it is asked for with one key; the secret is in the first answer only', async () => {
    const key = randomUUID()
    const first = await keyed(merchant, ENDPOINTS, endpointBody(), key)
    await merchant.send('PATCH', `${ENDPOINTS}/${first.body.endpoint.id}`, { name: 'Renamed' })
    const again = await keyed(merchant, ENDPOINTS, endpointBody(), key)
    expect(again).toMatchObject({ status: 201, body: { endpoint: first.body.endpoint } })
    expect(again.body).not.toHaveProperty('signing_secret')
    expectError(
      await keyed(merchant, ENDPOINTS, endpointBody(undefined, { name: 'x' }), key),
      409,
      'IDEMPOTENCY_CONFLICT',
    )
    expect((await merchant.get(ENDPOINTS)).body.data).toHaveLength(1)
    // The key is of the merchant.
    expect((await keyed(other, ENDPOINTS, endpointBody(), key)).body.endpoint.id).not.toBe(first.body.endpoint.id)
  })

  test('is one of 16 calls with one key on two nodes, and one caller has the secret', async () => {
    const key = randomUUID()
    const calls = Array.from({ length: 16 }, (_, index) => {
      const url = index % 2 === 0 ? service.apiUrl : node.apiUrl
      return send(url, merchant, endpointBody(), key)
    })
    const answers = await Promise.all(calls)
    const done = answers.filter(({ status }) => status === 201)
    for (const { status, headers, body } of answers) {
      if (status === 201) continue
      expect({ status, code: body.error.code }).toEqual({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' })
      expect(headers.get('retry-after')).toBe('1')
    }
    expect(new Set(done.map(({ body }) => body.endpoint.id)).size).toBe(1)
    expect(done.filter(({ body }) => 'signing_secret' in body)).toHaveLength(1)
  })

  test('needs a key', async () => {
    const without = await merchant.post(ENDPOINTS, endpointBody())
    expect(detailsOf(without)).toEqual({ 'idempotency-key': 'is required' })
    expect((await merchant.get(ENDPOINTS)).body.data).toEqual([])
  })

  test.each<[string, object, Record<string, unknown>]>([
    ['no kinds', { events: [] }, { events: 'must have at least 1 entry' }],
    ['a kind twice', { events: ['card.deleted', 'card.deleted'] }, { events: 'must not contain an entry twice' }],
    ['an unknown kind', { events: ['payment.paid'] }, { 'events[0]': expect.stringContaining('must be one of') }],
    ['a long name', { name: 'x'.repeat(101) }, { name: 'must have at most 100 characters' }],
    ['a blank name', { name: '  ' }, { name: 'must not be blank' }],
    ['no URL', { url: 'shop' }, { url: expect.stringContaining('must be a URL') }],
    ['no TLS', { url: 'http://shop.example/' }, { url: 'must begin with https://' }],
    ['another port', { url: 'https://shop.example:8443/' }, { url: 'must be on port 443' }],
    ['credentials', { url: 'https://a:b@shop.example/' }, { url: expect.stringContaining('user name') }],
    ['a fragment', { url: 'https://shop.example/#a' }, { url: expect.stringContaining('fragment') }],
    ['this machine', { url: 'https://localhost/' }, { url: expect.stringContaining('public host') }],
    [
      'its own address for the developer',
      { url: 'http://localhost:8080/' },
      { url: expect.stringContaining('_LOOPBACK=on') },
    ],
    ['a private address', { url: 'https://10.0.0.1/' }, { url: expect.stringContaining('private or reserved') }],
    ['one in other digits', { url: 'https://0x7f.1/' }, { url: expect.stringMatching(/private or reserved|spelling/) }],
    ['an unknown field', { secret: 'x' }, { secret: 'is not a known field' }],
    [
      'several of these at once',
      { name: ' ', url: 'https://10.0.0.1/', events: [] },
      {
        name: 'must not be blank',
        url: expect.stringContaining('private or reserved'),
        events: 'must have at least 1 entry',
      },
    ],
    ['a URL that is no text', { url: 7 }, { url: 'must be a string' }],
  ])('with %s is refused by name', async (_what, changes, details) => {
    const { url, ...rest } = changes as { url?: string }
    expect(detailsOf(await keyed(merchant, ENDPOINTS, endpointBody(url, rest)))).toEqual(details)
  })

  test('that was refused leaves its key free', async () => {
    const key = randomUUID()
    detailsOf(await keyed(merchant, ENDPOINTS, endpointBody('https://10.0.0.1/'), key))
    expect((await keyed(merchant, ENDPOINTS, endpointBody(), key)).status).toBe(201)
  })
})

/** A creation by a certain node. */
async function send(apiUrl: string, as: TestMerchant, body: object, key: string) {
  const headers = {
    authorization: `Bearer ${as.secretKey}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  }
  const response = await fetch(apiUrl + ENDPOINTS, { method: 'POST', headers, body: JSON.stringify(body) })
  // biome-ignore lint/suspicious/noExplicitAny: read as a caller would, without types.
  return { status: response.status, headers: response.headers, body: (await response.json()) as any }
}

describe('the limit', () => {
  test('is five, whoever asks at the same time on whatever node', async () => {
    const calls = Array.from({ length: 14 }, (_, index) =>
      send(index % 2 === 0 ? service.apiUrl : node.apiUrl, merchant, endpointBody(), randomUUID()),
    )
    const answers = await Promise.all(calls)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    for (const answer of answers.filter(({ status }) => status !== 201))
      expectError(answer, 409, 'WEBHOOK_ENDPOINT_LIMIT')
    expect((await merchant.get(ENDPOINTS)).body.data).toHaveLength(5)
  })

  test('gives the place of a deleted one to another', async () => {
    const made = []
    for (let count = 0; count < 5; count += 1) made.push(await createEndpoint(merchant))
    const key = randomUUID()
    expectError(await keyed(merchant, ENDPOINTS, endpointBody(), key), 409, 'WEBHOOK_ENDPOINT_LIMIT')
    expect((await merchant.send('DELETE', made[2]?.path ?? '')).status).toBe(200)
    expect((await keyed(merchant, ENDPOINTS, endpointBody(), key)).status).toBe(201)
  })
})

describe('a change', () => {
  test('of name and kinds leaves the rest as it is', async () => {
    const { id, path } = await createEndpoint(merchant)
    await verified(id, ', enabled = true')
    const { body } = await merchant.send('PATCH', path, { name: ' All\t orders ', events: ['payment.failed'] })
    expect(body).toMatchObject({ name: 'All orders', events: ['payment.failed'], state: 'active', revision: 1 })
    expect(body.pause_reason).toBeNull()
  })

  test('to enabled needs a verified endpoint', async () => {
    const { id, path } = await createEndpoint(merchant)
    expectError(await merchant.send('PATCH', path, { enabled: true, name: 'x' }), 409, 'ENDPOINT_NOT_VERIFIED')
    expect((await merchant.get(path)).body.name).toBe('Orders')
    await verified(id)
    expect((await merchant.send('PATCH', path, { enabled: true })).body).toMatchObject({
      enabled: true,
      state: 'active',
    })
    expect((await merchant.send('PATCH', path, { enabled: false })).body).toMatchObject({
      state: 'paused',
      pause_reason: 'not_enabled',
    })
  })

  test('of the URL makes another destination of it', async () => {
    const { id, path } = await createEndpoint(merchant)
    await verified(id, `, enabled = true, failures = 5, circuit_until = now()`)
    await openIncident(id, 'circuit_open')
    expect((await merchant.get(path)).body).toMatchObject({
      state: 'circuit_open',
      open_incident: { reason: 'circuit_open' },
    })
    const { body } = await merchant.send('PATCH', path, { url: 'https://other.example/hooks' })
    expect(body).toMatchObject({
      url: 'https://other.example/hooks',
      verified: false,
      enabled: false,
      state: 'unverified',
      pause_reason: 'url_changed',
      revision: 2,
      open_incident: null,
    })
    expect(await rowOf(id)).toMatchObject({ failures: 0, circuit_until: null })
    expect(
      (await dbRow(service, 'select closed_at from webhook_incidents where endpoint_id = $1', [id])).closed_at,
    ).not.toBeNull()
  })

  test('to the URL it has changes nothing', async () => {
    const { id, path } = await createEndpoint(merchant)
    await verified(id, ', enabled = true')
    const changes = { url: 'HTTPS://Shop.example:443/hooks', enabled: true }
    expect((await merchant.send('PATCH', path, changes)).body).toMatchObject({ state: 'active', revision: 1 })
  })

  test('of the URL cannot enable it in the same request', async () => {
    const { id, path } = await createEndpoint(merchant)
    await verified(id)
    const changes = { url: 'https://other.example/', enabled: true }
    expectError(await merchant.send('PATCH', path, changes), 409, 'ENDPOINT_NOT_VERIFIED')
    expect((await merchant.get(path)).body).toMatchObject({ revision: 1, verified: true })
  })

  test('to a forbidden URL, or to nothing, is refused by name', async () => {
    const { path } = await createEndpoint(merchant)
    expect(detailsOf(await merchant.send('PATCH', path, { url: 'https://[::1]/' }))).toHaveProperty('url')
    expect(detailsOf(await merchant.send('PATCH', path, { url: 'https://[::1]/', name: '' }))).toEqual({
      name: 'must not be blank',
      url: expect.stringContaining('private or reserved'),
    })
    expect(detailsOf(await merchant.send('PATCH', path, {}))).toEqual({ body: 'must have at least 1 field' })
    expect(detailsOf(await merchant.send('PATCH', path, { events: [], state: 'active' }))).toEqual({
      events: 'must have at least 1 entry',
      state: 'is not a known field',
    })
  })

  test('does not bring back one that the service disabled: it is verified anew', async () => {
    const { id, path } = await createEndpoint(merchant)
    await editEndpoint(service.pool, id, `enabled = false, disabled_reason = 'gone'`)
    expect((await merchant.get(path)).body).toMatchObject({ state: 'disabled', pause_reason: 'gone' })
    expectError(await merchant.send('PATCH', path, { enabled: true }), 409, 'ENDPOINT_NOT_VERIFIED')
    await verified(id)
    expectError(await merchant.send('PATCH', path, { enabled: true }), 409, 'ENDPOINT_NOT_VERIFIED')
  })

  test('by its owner ends a rest, and its incident', async () => {
    const { id, path } = await createEndpoint(merchant)
    await verified(id, `, enabled = true, failures = 5, circuit_until = now()`)
    await openIncident(id, 'circuit_open')
    const named = await merchant.send('PATCH', path, { name: 'Same' })
    expect(named.body).toMatchObject({ state: 'circuit_open', open_incident: { reason: 'circuit_open' } })
    const paused = await merchant.send('PATCH', path, { enabled: false })
    expect(paused.body).toMatchObject({ state: 'paused', open_incident: null })
    expect((await merchant.send('PATCH', path, { enabled: true })).body).toMatchObject({ state: 'active' })
    expect(await rowOf(id)).toMatchObject({ failures: 0 })
  })

  test('that enables it makes what waited due, and takes it from nobody', async () => {
    const { id, path } = await createEndpoint(merchant)
    await verified(id)
    await merchant.send('PATCH', path, { enabled: true })
    const work = () => dbRow(service, `select * from open_work where kind = 'endpoint' and id = $1`, [id])
    const first = await work()
    expect(first).toMatchObject({ attempts: 0, lease_until: null })
    await service.pool.query(
      `update open_work set lease_until = now() + interval '1 minute', due_at = now() + interval '1 day' where id = $1`,
      [id],
    )
    await merchant.send('PATCH', path, { enabled: true })
    const held = await work()
    expect(held).toMatchObject({ lease_fence: first.lease_fence, lease_until: expect.any(Date) })
    expect(held.due_at.getTime()).toBeLessThan(Date.now() + 60_000)
  })
})

async function openIncident(endpointId: string, reason: string): Promise<void> {
  await service.pool.query(
    `insert into webhook_incidents (merchant_id, id, endpoint_id, reason, opened_at) values ($1, $2, $3, $4, now())`,
    [merchant.merchantId, `whi_${randomUUID()}`, endpointId, reason],
  )
}

describe('a deletion', () => {
  test('is for good, and destroys the secret', async () => {
    const { id, path } = await createEndpoint(merchant)
    await verified(id, `, disabled_reason = 'gone'`)
    await openIncident(id, 'gone')
    expect(await merchant.send('DELETE', path)).toMatchObject({ status: 200, body: { id, deleted: true } })
    expect(await rowOf(id)).toMatchObject({ secret_sealed: null, secret_key_id: null, enabled: false, revision: 2 })
    expect(
      (await dbRow(service, 'select closed_at from webhook_incidents where endpoint_id = $1', [id])).closed_at,
    ).not.toBeNull()
    for (const [method, to, body] of [
      ['GET', path],
      ['DELETE', path],
      ['PATCH', path, { name: 'x' }],
      ['POST', `${path}/verify`],
      ['POST', `${path}/test`, { type: 'card.deleted' }],
    ] as const) {
      expectError(await merchant.send(method, to, body), 404, 'NOT_FOUND')
    }
    expectError(await keyed(merchant, `${path}/rotate-secret`), 404, 'NOT_FOUND')
    expect((await merchant.get(ENDPOINTS)).body.data).toEqual([])
  })

  test('of 8 callers is one', async () => {
    const { path } = await createEndpoint(merchant)
    const answers = await Promise.all(Array.from({ length: 8 }, () => merchant.send('DELETE', path)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
  })
})

test('the kinds are listed with schema and example', async () => {
  const { status, body } = await merchant.get('/v1/webhook-event-types')
  expect({ status, next: body.next_cursor }).toEqual({ status: 200, next: null })
  expect(body.data.map(({ type }: { type: string }) => type)).toEqual([...EVENT_TYPES])
  for (const { type, description, schema, example } of body.data) {
    const kind = EVENT_KINDS[type as keyof typeof EVENT_KINDS]
    expect({ description, schema, example }).toEqual(
      JSON.parse(JSON.stringify({ description: kind.description, schema: kind.schema, example: kind.example })),
    )
  }
})
