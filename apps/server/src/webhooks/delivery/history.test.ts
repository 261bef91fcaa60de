// Guarantee: what became of each delivery can be read, and sent again: the same event and bytes in a generation of its own, once a
// key, and never to an endpoint that does not take it (faults E16, E17).
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { atOnce, countBy, expectError, expectInvalid } from '../../../test/flows.ts'
import { answers } from '../../../test/receivers/behaviours.ts'
import type { Receiver } from '../../../test/receivers/receiver.ts'
import { CROWD_LIMITS, startTestService, type TestMerchant, type TestService } from '../../../test/service.ts'
import { activeEndpoint, keyed, ON_THIS_MACHINE, obeys } from '../testing/endpoints.ts'
import { editEndpoint } from '../testing/sealed.ts'
import { deliverAll, revokeSessions } from './testing/journey.ts'

const DAY = 24 * 3600
const KINDS = ['session.revoked', 'payment.failed']

let service: TestService
let merchant: TestMerchant
let endpoint: Awaited<ReturnType<typeof activeEndpoint>>
let receiver: Receiver
beforeAll(async () => {
  service = await startTestService({ env: ON_THIS_MACHINE, isForCrowds: true })
})
afterAll(() => service?.close())
beforeEach(async () => {
  merchant = await service.addMerchant()
  endpoint = await activeEndpoint(merchant, { events: KINDS })
  receiver = endpoint.receiver
  receiver.requests.length = 0
  return () => receiver.close()
})

const happen = (sessions?: number) => revokeSessions(merchant, sessions)
const deliver = () => deliverAll(service, merchant)
const list = async (query = '') => (await merchant.get(`${endpoint.path}/deliveries${query}`)).body
const read = (id: string, as = merchant) => as.get(`/v1/webhook-deliveries/${id}`)
const replay = (id: string, key?: string, as = merchant) =>
  keyed(as, `/v1/webhook-deliveries/${id}/replay`, undefined, key)
const patch = (body: object) => merchant.send('PATCH', endpoint.path, body)

describe('the history', () => {
  test('shows each delivery, newest first, with its newest attempt, page by page', async () => {
    expect(await list()).toEqual({ data: [], next_cursor: null, queue: { waiting_count: 0, empty_at: null } })
    await happen(2)
    await service.job('events.number').run()
    const asked = service.clock.now().getTime()
    const { queue } = await list()
    expect(queue.waiting_count).toBeGreaterThanOrEqual(2)
    // At five a second from the moment of the answer on.
    const answered = Date.parse(queue.empty_at) - queue.waiting_count * 200
    expect(answered).toBeGreaterThanOrEqual(asked - 1)
    expect(answered).toBeLessThanOrEqual(service.clock.now().getTime() + 1)
    await deliver()
    const { data, next_cursor } = await list()
    expect(next_cursor).toBeNull()
    expect(data).toHaveLength(receiver.requests.length)
    expect(data.map(({ id }: { id: string }) => id)).toEqual(
      data
        .map(({ id }: { id: string }) => id)
        .sort()
        .reverse(),
    )
    for (const delivery of data) {
      expect(delivery).toMatchObject({
        endpoint_id: endpoint.id,
        state: 'delivered',
        test: false,
        replay_of: null,
        attempt_count: 1,
        last_attempt: { number: 1, http_status: 204, category: null },
        next_attempt_at: null,
        pause_reason: null,
      })
    }
    await service.pool.query(
      `insert into webhook_deliveries select merchant_id, left(id, 14) || lpad(n::text, 16, '0'), day, endpoint_id, revision, event_id,
         event_type, body, replay_of, state, send_at, attempts, window_ends_at, created_at, finished_at
       from webhook_deliveries, generate_series(1, 120) n where merchant_id = $1 and id = $2`,
      [merchant.merchantId, data[0].id],
    )
    const seen: string[] = []
    let cursor = ''
    for (;;) {
      const page = await list(cursor)
      expect(page.data.length).toBeLessThanOrEqual(50)
      seen.push(...page.data.map(({ id }: { id: string }) => id))
      if (page.next_cursor === null) break
      cursor = `?cursor=${page.next_cursor}`
    }
    expect(new Set(seen).size).toBe(data.length + 120)
    expect(seen).toHaveLength(data.length + 120)
    expectInvalid(await merchant.get(`${endpoint.path}/deliveries?cursor=bm9uc2Vuc2U`), 'cursor')
  })

  test('shows a delivery with its attempts, the state of its endpoint, and the body that was sent', async () => {
    receiver.behave(answers(503))
    await happen()
    await service.job('events.number').run()
    // One round: in a second one a machine that stood still would find the next try due.
    await service.job('webhooks.deliver').run()
    await service.job('webhooks.deliver').settled?.()
    const [first] = receiver.requests
    const { status, body } = await read(first?.headers['webhook-delivery-id'] ?? '')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      state: 'queued',
      attempt_count: 1,
      finished_at: null,
      pause_reason: null,
      attempts: [{ number: 1, http_status: 503, category: 'status', finished_at: expect.any(String) }],
      endpoint: { state: 'active', pause_reason: null, open_incident: null },
    })
    // The clock of the database goes on meanwhile, and may have come to it.
    expect(Date.parse(body.next_attempt_at)).toBeGreaterThan(Date.parse(body.attempts[0].finished_at))
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(3 * DAY * 1000)
    expect(JSON.stringify(body.event)).toBe(first?.body.toString())
  })

  test('says why nothing is sent now, and which incident is open', async () => {
    receiver.behave(answers(500))
    await happen(6)
    await deliver()
    const { data } = await list()
    expect(data.filter(({ pause_reason }: { pause_reason: string }) => pause_reason === 'circuit_open').length).toBe(
      data.length,
    )
    const { body } = await read(data[0].id)
    expect(body.endpoint).toMatchObject({
      state: 'circuit_open',
      pause_reason: 'circuit_open',
      open_incident: { reason: 'circuit_open' },
    })
    expect((await merchant.get(endpoint.path)).body.open_incident).toEqual(body.endpoint.open_incident)
  })

  test('shows what a change or the time has ended before any worker has written it', async () => {
    receiver.behave(answers(500))
    await happen()
    const delivery = async () => (await list()).data[0]
    await service.job('events.number').run()
    expect(await delivery()).toMatchObject({ state: 'queued' })
    await patch({ url: `${receiver.url}/other` })
    expect(await delivery()).toMatchObject({
      state: 'cancelled',
      finished_at: expect.any(String),
      next_attempt_at: null,
    })
    expect(receiver.requests).toEqual([])
  })

  test('ends after 30 days; that of a deleted endpoint is read by its deliveries', async () => {
    await happen()
    await deliver()
    const [delivery] = (await list()).data
    await merchant.send('DELETE', endpoint.path)
    expectError(await merchant.get(`${endpoint.path}/deliveries`), 404, 'NOT_FOUND')
    expect((await read(delivery.id)).body).toMatchObject({ id: delivery.id, endpoint: null })
    await service.clock.advance(30 * DAY + 60)
    expectError(await read(delivery.id), 404, 'NOT_FOUND')
  })
})

describe('a replay', () => {
  test('sends the same event and bytes, as a delivery of its own', async () => {
    await happen()
    await deliver()
    const [sent] = receiver.requests
    const id = sent?.headers['webhook-delivery-id'] ?? ''
    receiver.requests.length = 0
    await service.clock.advance(10)
    const { status, body } = await replay(id)
    expect({ status, body }).toMatchObject({ status: 201, body: { state: 'queued', replay_of: id, attempt_count: 0 } })
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(3 * DAY * 1000)
    await deliver()
    const [again] = receiver.requests
    expect(again?.body).toEqual(sent?.body)
    expect(again?.headers).toMatchObject({
      'webhook-id': sent?.headers['webhook-id'],
      'webhook-delivery-id': body.id,
    })
    expect((await read(id)).body).toMatchObject({ state: 'delivered', attempt_count: 1 })
    expect((await read(body.id)).body).toMatchObject({ state: 'delivered', attempt_count: 1 })
  })

  test('with one key is one, however many ask at the same time (E17)', async () => {
    await happen(2)
    await deliver()
    const id = receiver.requests[0]?.headers['webhook-delivery-id'] ?? ''
    const other = receiver.requests[1]?.headers['webhook-delivery-id'] ?? ''
    const before = (await list()).data.length
    const key = randomUUID()
    const all = await atOnce(32, () => replay(id, key))
    const good = all.filter(({ status }) => status === 201)
    expect(new Set(good.map(({ body }) => body.id)).size).toBe(1)
    for (const { status, body } of all) {
      if (status !== 201) expect(body.error.code).toMatch(/^(?:IDEMPOTENCY_IN_PROGRESS|SERVICE_UNAVAILABLE)$/)
    }
    expect((await replay(id, key)).body.id).toBe(good[0]?.body.id)
    expect((await list()).data).toHaveLength(before + 1)
    expectError(await replay(other, key), 409, 'IDEMPOTENCY_CONFLICT')
    expect((await replay(id)).body.id).not.toBe(good[0]?.body.id)
  })

  test('needs one connection: equal ones, more than there are connections, keep nobody waiting', async () => {
    const database = await createTestDatabase({ max: 2, limits: CROWD_LIMITS })
    const small = await startTestService({ env: ON_THIS_MACHINE, database, isForCrowds: true })
    const active = await activeEndpoint(small.merchant)
    try {
      const { body } = await small.merchant.post(`${active.path}/test`, { type: 'payment.succeeded', queued: true })
      const key = randomUUID()
      const again = () => replay(body.delivery_id, key, small.merchant)
      // Each call that waits holds a connection; the first has its own.
      expect(countBy(await atOnce(8, again), ({ status }) => status)).toEqual({ 201: 8 })
    } finally {
      await active.receiver.close()
      await small.close()
      await database.close()
    }
  })

  test('is refused where it could not be sent, with a code each', async () => {
    await happen()
    await deliver()
    const id = receiver.requests[0]?.headers['webhook-delivery-id'] ?? ''
    const set = (columns: string) => editEndpoint(service.pool, endpoint.id, columns)
    await patch({ enabled: false })
    expectError(await replay(id), 409, 'ENDPOINT_PAUSED')
    await set('enabled = true, verified_at = null')
    expectError(await replay(id), 409, 'ENDPOINT_NOT_VERIFIED')
    await set(`verified_at = date_trunc('milliseconds', now()), disabled_reason = 'gone'`)
    expectError(await replay(id), 409, 'ENDPOINT_DISABLED')
    await set(`disabled_reason = null, events = '{card.deleted}'`)
    expectError(await replay(id), 409, 'ENDPOINT_NOT_SUBSCRIBED')
    await set(`events = '{session.revoked,payment.failed}'`)
    expect((await replay(id)).status).toBe(201)
    // The last two have times that no calendar of the database has.
    for (const stray of ['whd_nobodys', `whd_8${'0'.repeat(25)}`, `whd_${'z'.repeat(26)}`]) {
      expectError(await read(stray), 404, 'NOT_FOUND')
      expectError(await replay(stray), 404, 'NOT_FOUND')
    }
    expectError(await replay(id, undefined, await service.addMerchant()), 404, 'NOT_FOUND')
    expectInvalid(await merchant.post(`/v1/webhook-deliveries/${id}/replay`), 'idempotency-key')
    await service.clock.advance(29 * DAY)
    const late = (await replay(id)).body.id
    await deliver()
    await service.clock.advance(2 * DAY)
    expectError(await replay(late), 409, 'DELIVERY_EXPIRED')
    expectError(await replay(id), 404, 'NOT_FOUND')
    await merchant.send('DELETE', endpoint.path)
    expectError(await replay(late), 404, 'NOT_FOUND')
  })

  test('of the last day is sent with its bytes through its own 72 hours', async () => {
    await happen()
    await deliver()
    const [sent] = receiver.requests
    await service.clock.advance(30 * DAY - 60)
    receiver.behave(answers(500))
    await replay(sent?.headers['webhook-delivery-id'] ?? '')
    await service.runJobs()
    await service.clock.advance(2.9 * DAY)
    receiver.behave(obeys())
    receiver.requests.length = 0
    await service.runJobs()
    expect(receiver.requests.map(({ body }) => body.toString())).toEqual([sent?.body.toString()])
  })

  test('is read for 30 days, also when the body of its event is not kept any more', async () => {
    await happen()
    await deliver()
    const [sent] = receiver.requests
    await service.clock.advance(29 * DAY)
    const { id } = (await replay(sent?.headers['webhook-delivery-id'] ?? '')).body
    await deliver()
    expect(JSON.stringify((await read(id)).body.event)).toBe(sent?.body.toString())
    await service.clock.advance(15 * DAY)
    await service.job('events.keep_partitions').run()
    const { status, body } = await read(id)
    expect({ status, body }).toMatchObject({ status: 200, body: { state: 'delivered', attempt_count: 1, event: null } })
    expect((await list()).data).toMatchObject([{ id }])
    expectError(await replay(id), 409, 'DELIVERY_EXPIRED')
  })

  test('against a deletion at the same time: one order or the other, and nothing is sent after it (E16)', async () => {
    await happen()
    await deliver()
    const id = receiver.requests[0]?.headers['webhook-delivery-id'] ?? ''
    const [deleted, ...replays] = await Promise.all([
      merchant.send('DELETE', endpoint.path),
      ...Array.from({ length: 8 }, () => replay(id)),
    ])
    expect(deleted?.status).toBe(200)
    receiver.requests.length = 0
    await deliver()
    expect(receiver.requests).toEqual([])
    for (const { status, body } of replays) {
      if (status === 404) continue
      expect(status).toBe(201)
      expect((await read(body.id)).body).toMatchObject({ state: 'cancelled' })
    }
  })
})

test('a test that is queued goes the way of every event', async () => {
  const { body } = await merchant.post(`${endpoint.path}/test`, { type: 'payment.succeeded', queued: true })
  expect(body).toMatchObject({ queued: true, result: null })
  await deliver()
  expect(receiver.requests[0]?.headers).toMatchObject({
    'webhook-id': body.event_id,
    'webhook-delivery-id': body.delivery_id,
  })
  expect((await read(body.delivery_id)).body).toMatchObject({ state: 'delivered', test: true, event: { test: true } })
  expect((await replay(body.delivery_id)).body).toMatchObject({ error: { code: 'ENDPOINT_NOT_SUBSCRIBED' } })
})

test('while delivery is off nothing is replayed or recovered, and reads go on', async () => {
  await happen()
  await deliver()
  const [delivery] = (await list()).data
  const off = await startTestService({
    env: { ...ON_THIS_MACHINE, WEBHOOK_DELIVERY: 'off' },
    database: service.database,
  })
  try {
    const send = (path: string, body?: object) =>
      fetch(off.apiUrl + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${merchant.secretKey}`,
          'idempotency-key': randomUUID(),
          'content-type': 'application/json',
        },
        body: JSON.stringify(body ?? {}),
      }).then(async (answer) => ({ status: answer.status, code: (await answer.json()).error.code }))
    const disabled = { status: 409, code: 'WEBHOOKS_DISABLED' }
    expect(await send(`/v1/webhook-deliveries/${delivery.id}/replay`)).toEqual(disabled)
    expect(await send(`${endpoint.path}/recover`, { from: new Date().toISOString() })).toEqual(disabled)
    const { headers } = { headers: { authorization: `Bearer ${merchant.secretKey}` } }
    expect((await fetch(`${off.apiUrl}/v1/webhook-deliveries/${delivery.id}`, { headers })).status).toBe(200)
    expect((await fetch(`${off.apiUrl}${endpoint.path}/deliveries`, { headers })).status).toBe(200)
  } finally {
    await off.close()
  }
})
