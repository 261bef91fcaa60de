// Guarantee: what an endpoint missed is queued for it again, each event once, in the background, as often as an account may ask.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, expectInvalid } from '../../../test/flows.ts'
import { answers } from '../../../test/receivers/behaviours.ts'
import type { Receiver } from '../../../test/receivers/receiver.ts'
import { startTestService, type TestMerchant, type TestService } from '../../../test/service.ts'
import { activeEndpoint, ENDPOINTS, keyed, ON_THIS_MACHINE, obeys } from '../testing/endpoints.ts'
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
const recover = (body: object, key?: string) => keyed(merchant, `${endpoint.path}/recover`, body, key)
const patch = (body: object) => merchant.send('PATCH', endpoint.path, body)

describe('a recovery', () => {
  const everything = () => ({ from: new Date(service.clock.now().getTime() - DAY * 1000).toISOString() })

  test('queues every event of the range that the endpoint wants, once, whatever became of it', async () => {
    receiver.behave(answers(500))
    await happen(2)
    await deliver()
    const { rows } = await service.pool.query(`select id from events where merchant_id = $1 and type = any ($2)`, [
      merchant.merchantId,
      KINDS,
    ])
    receiver.behave(obeys())
    receiver.requests.length = 0
    const key = randomUUID()
    const range = everything()
    const begun = await recover(range, key)
    expect(begun).toMatchObject({ status: 201, body: { state: 'running', queued_count: 0, endpoint_id: endpoint.id } })
    expectError(await recover(everything()), 409, 'RECOVERY_IN_PROGRESS')
    await service.job('webhooks.recover').run()
    const done = await recover(range, key)
    expect(done.body).toMatchObject({ id: begun.body.id, state: 'completed', queued_count: rows.length })
    await service.clock.advance(400)
    await deliver()
    const sent = receiver.requests.map(({ headers }) => headers['webhook-id'])
    for (const { id } of rows) expect(sent.filter((one) => one === id).length).toBeGreaterThanOrEqual(1)
    expect((await recover(range, key)).body.queued_count).toBe(rows.length)
    expectError(await recover({ ...range, to: range.from }, key), 409, 'IDEMPOTENCY_CONFLICT')
  })

  test('queues nothing that comes to its endpoint in any case, and reaches to now at most', async () => {
    // Captured, and not numbered: the sequencer that numbers it queues it.
    await happen()
    const begun = await recover({ ...everything(), to: '2100-01-01T00:00:00.000Z' })
    expect(begun.body.to).toBe(begun.body.created_at)
    await service.job('events.number').run()
    await service.job('webhooks.recover').run()
    const { rows } = await service.pool.query(
      `select count(*)::int as queued, count(distinct event_id)::int as events from webhook_deliveries where merchant_id = $1`,
      [merchant.merchantId],
    )
    expect(rows).toEqual([{ queued: 1, events: 1 }])
  })

  test('goes on page by page, and ends with its endpoint', async () => {
    await happen()
    await service.runJobs()
    const from = service.clock.now()
    await service.pool.query(
      `with head as (update event_heads set feed_pos = feed_pos + 1300 where merchant_id = $1 returning feed_pos - 1300 as after)
       insert into events (merchant_id, feed_pos, occurred_at, day, resource_version, id, type, resource_type, resource_id,
         schema_version, environment, data)
       select $1, head.after + n, $2::timestamptz, ($2::timestamptz at time zone 'UTC')::date, 1, 'evt_' || lpad(n::text, 26, '0'),
         case when n % 2 = 0 then 'session.revoked' else 'card.deleted' end, 'session', 'sess_' || n, '2026-11-01', 'sandbox', '{}'
       from head, generate_series(1, 1300) n`,
      [merchant.merchantId, from],
    )
    const key = randomUUID()
    const body = { from: from.toISOString() }
    await recover(body, key)
    const step = () => service.job('webhooks.recover').run()
    await step()
    expect((await recover(body, key)).body).toMatchObject({ state: 'running', queued_count: 250 })
    // A crash between two pages changes nothing: what is there is there.
    await step()
    await step()
    expect((await recover(body, key)).body).toMatchObject({ state: 'completed', queued_count: 650 })
    const { rows } = await service.pool.query(
      `select count(*)::int as queued, count(distinct event_id)::int as events from webhook_deliveries
       where merchant_id = $1 and state = 'queued' and event_id like 'evt_0000000%'`,
      [merchant.merchantId],
    )
    expect(rows).toEqual([{ queued: 650, events: 650 }])
    const again = randomUUID()
    await recover(body, again)
    await step()
    await merchant.send('DELETE', endpoint.path)
    await step()
    expect(await step()).toMatchObject({ taken: 0 })
    const { rows: recoveries } = await service.pool.query(
      'select state, queued_count from webhook_recoveries where merchant_id = $1 order by created_at',
      [merchant.merchantId],
    )
    expect(recoveries).toEqual([
      { state: 'completed', queued_count: 650 },
      { state: 'cancelled', queued_count: 250 },
    ])
  })

  test('needs no key: without one each request is a recovery of its own', async () => {
    const path = `${endpoint.path}/recover`
    const first = await merchant.post(path, everything())
    expect(first).toMatchObject({ status: 201, body: { state: 'running' } })
    expectError(await merchant.post(path, everything()), 409, 'RECOVERY_IN_PROGRESS')
    await service.job('webhooks.recover').run()
    const second = await merchant.post(path, everything())
    expect(second.status).toBe(201)
    expect(second.body.id).not.toBe(first.body.id)
    for (const key of ['', 'short']) expectInvalid(await recover(everything(), key), 'idempotency-key')
  })

  test('is one of ten of the account in an hour, whoever began them; its key is answered all the same', async () => {
    const other = await activeEndpoint(merchant, { events: KINDS })
    const begin = (path: string, key?: string) => keyed(merchant, `${path}/recover`, everything(), key)
    const key = randomUUID()
    const body = everything()
    expect((await keyed(merchant, `${endpoint.path}/recover`, body, key)).status).toBe(201)
    for (let count = 1; count < 10; count += 1) {
      await service.job('webhooks.recover').run()
      expect((await begin(count % 2 === 0 ? endpoint.path : other.path)).status).toBe(201)
    }
    await service.job('webhooks.recover').run()
    const refused = await begin(other.path)
    expectError(refused, 429, 'RATE_LIMITED')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000)
    expect((await keyed(merchant, `${endpoint.path}/recover`, body, key)).status).toBe(201)
    // Another account has its own ten.
    const stranger = await service.addMerchant()
    const theirs = await activeEndpoint(stranger, { events: KINDS })
    expect((await keyed(stranger, `${theirs.path}/recover`, everything())).status).toBe(201)
    await service.clock.advance(3_601)
    expect((await begin(other.path)).status).toBe(201)
    for (const { receiver: theirReceiver } of [other, theirs]) await theirReceiver.close()
  })

  test('is refused for a range that is over, and for an endpoint that takes nothing', async () => {
    const old = new Date(service.clock.now().getTime() - 31 * DAY * 1000).toISOString()
    expectInvalid(await recover({ from: old }), 'from')
    expectInvalid(await recover({ from: everything().from, to: old }), 'from')
    expectInvalid(await recover({ from: 'yesterday' }), 'from')
    await patch({ enabled: false })
    expectError(await recover(everything()), 409, 'ENDPOINT_PAUSED')
    expectError(await keyed(merchant, `${ENDPOINTS}/we_nobodys/recover`, everything()), 404, 'NOT_FOUND')
  })
})
