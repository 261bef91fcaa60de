// Guarantee: the first of all reports about a payment decides, whatever comes at the same time or in between (C5, C6, C7).
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EVENTS } from '../../test/events.ts'
import {
  atOnce,
  blocked,
  CARDS,
  countBy,
  dbRow,
  paymentResult,
  report,
  waitingSession,
  withProducts,
} from '../../test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { claimReport } from '../charges/store.ts'
import { addSeconds } from '../platform/clock.ts'
import { claimFirstReport } from './report-store.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ isForCrowds: true })
  merchant = service.merchant
  await service.pool.query(LOG_CLAIMS)
})
afterAll(() => service?.close())

const waiting = (card?: string) => waitingSession(merchant, card)

/** Each claim of the work of a charge. */
const LOG_CLAIMS = `
  create table claims (id text not null);
  create function log_claim() returns trigger language plpgsql as
    $$ begin insert into claims values (new.id); return null; end $$;
  create trigger claimed after update on charges for each row
    when (new.lease_fence > old.lease_fence and old.status <> 'initiated')
    execute function log_claim()`

/** The charge with its open work, if there is any, and how often that was claimed since the charge was minted. */
const charge = (id: string) =>
  dbRow(
    service,
    `select c.*, (select count(*)::int from claims where claims.id = c.id) as claims from charges c where c.opened_by = $1`,
    [id],
  )
const atNetwork = (id: string) =>
  dbRow(service, 'select m.* from simnet.mints m join charges c on c.id = m.charge_id where c.opened_by = $1', [id])
const statusOf = async (id: string) => (await paymentResult(merchant, id)).body.status

describe('concurrent', () => {
  test('32 equal reports: all confirmed, one claim, one confirmation, one event', async () => {
    const { id, approved } = await waiting()
    const answers = await atOnce(32, () => report(merchant, id, approved))
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1)
    expect(answers[0]?.body).toMatchObject({ network_confirmation: 'SUCCESS' })
    expect(await charge(id)).toMatchObject({ claims: 1, status: 'completed', work_due_at: null })
    expect(await atNetwork(id)).toMatchObject({ confirmed_outcome: 'APPROVED' })
    const events = await dbRow(
      service,
      `select count(*)::int as count from ${EVENTS} events where resource_id = $1 and type = 'payment.succeeded'`,
      [(await charge(id)).id],
    )
    expect(events).toEqual({ count: 1 })
  })

  test('reports that name products, which are looked at first, among those that do not: one claim, and one report that is kept', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, approved } = await waitingSession(merchant, CARDS.success, withProducts)
      const product_statuses = [{ product_id: 'sku-tea', status: 'FAILED' }]
      const answers = await atOnce(32, (index) =>
        report(merchant, id, index % 2 === 0 ? approved : { ...approved, product_statuses }),
      )
      expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 32 })
      expect(await charge(id)).toMatchObject({ claims: 1, status: 'completed', work_due_at: null })
    }
  })

  test('32 equal reports while the first confirmation breaks: one is told, the others finish it', async () => {
    const { id, approved } = await waiting(CARDS.confirmationFailsOnce)
    const answers = await atOnce(32, () => report(merchant, id, approved))
    expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 31, 502: 1 })
    expect(await charge(id)).toMatchObject({ claims: 2, status: 'completed', work_due_at: null })
  })

  test('16 approved and 16 declined at once: one outcome, the other refused every time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, approved, declined } = await waiting()
      const answers = await atOnce(32, (index) => report(merchant, id, index % 2 === 0 ? approved : declined))
      expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 16, 400: 16 })
      const told = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.txn_status))
      const { confirmed_outcome } = await atNetwork(id)
      expect([...told]).toEqual([confirmed_outcome])
      expect(await statusOf(id)).toBe(confirmed_outcome === 'APPROVED' ? 'completed' : 'failed')
    }
  })

  test('a report and the lapse at once: confirmed or expired, never both', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, approved } = await waiting()
      await service.clock.advance(900)
      const [answer] = await Promise.all([report(merchant, id, approved), service.runJobs()])
      const expired = answer.status === 400
      expect(expired ? answer.body.error.code : answer.status).toBe(expired ? 'MANDATE_EXPIRED' : 200)
      expect(await statusOf(id)).toBe(expired ? 'failed' : 'completed')
      expect((await atNetwork(id)).confirmed_outcome).toBe(expired ? null : 'APPROVED')
    }
  })
})

describe('between the statements of somebody else', () => {
  test('the other outcome takes no claim over, though it looked before there was one', async () => {
    const { id, approved } = await waiting(CARDS.confirmationFailsOnce)
    await report(merchant, id, approved)
    const { products, lease_until } = await charge(id)
    expect(lease_until).toBe(null)
    const now = service.clock.now()
    const late = {
      ...{
        merchantId: merchant.merchantId,
        chargeId: (await charge(id)).id,
        outcome: 'DECLINED',
        type: 'PURCHASE',
        products,
      },
      ...{ authorizationCode: null, responseCode: null, paidMinor: null, at: now, leaseUntil: now, leaseBound: now },
      overdueBound: now,
    }
    const client = await service.pool.connect()
    expect(await claimReport(client, late).finally(() => client.release())).toBeUndefined()
    expect(await charge(id)).toMatchObject({ reported_outcome: 'APPROVED' })
  })

  test('no report takes a charge that is in hand', async () => {
    const { id, approved } = await waiting()
    const { id: chargeId, line_item_id: lineItemId, products } = await charge(id)
    const at = service.clock.now()
    await service.pool.query('update charges set lease_until = $2 where id = $1', [chargeId, addSeconds(at, 30)])
    const { merchantId } = merchant
    const given = {
      ...{ merchantId, outcome: 'APPROVED', type: 'PURCHASE', authorizationCode: null, responseCode: null },
      ...{ paidMinor: null, at, leaseUntil: addSeconds(at, 60), leaseBound: addSeconds(at, 120) },
    }
    const client = await service.pool.connect()
    try {
      expect(await claimFirstReport(client, { ...given, sessionId: id, lineItemId })).toBeUndefined()
      expect(await claimReport(client, { ...given, chargeId, products, overdueBound: at })).toBeUndefined()
    } finally {
      client.release()
    }
    expect(await charge(id)).toMatchObject({ claims: 0, reported_outcome: null })
    await service.pool.query('update charges set lease_until = null where id = $1', [chargeId])
    expect((await report(merchant, id, approved)).status).toBe(200)
  })

  test('a claim that reaches further ahead than any lease can, after a clock was turned back, holds nobody up', async () => {
    const { id, approved } = await waiting(CARDS.confirmationFailsOnce)
    await report(merchant, id, approved)
    const lease = 'update charges set lease_until = $2 where opened_by = $1'
    await service.pool.query(lease, [id, addSeconds(service.clock.now(), 3_600)])
    expect((await report(merchant, id, approved)).status).toBe(200)
  })

  test('a lapse that has begun is undone by a report that claimed the charge first', async () => {
    const { id } = await waiting()
    await service.clock.advance(901)
    const client = await service.pool.connect()
    try {
      await client.query('begin')
      await client.query(
        `update charges set reported_outcome = 'APPROVED', reported_at = updated_at, work_due_at = updated_at,
           credential_sealed = null, credential_key_id = null where opened_by = $1`,
        [id],
      )
      const lapsing = [paymentResult(merchant, id), service.runJobs()] as const
      await expect.poll(() => blocked(service), { interval: 10 }).toBeGreaterThanOrEqual(1)
      await client.query('commit')
      expect((await lapsing[0]).body.status).not.toBe('failed')
      await lapsing[1]
    } finally {
      client.release()
    }
    await service.runJobs()
    expect(await statusOf(id)).toBe('completed')
    expect(await atNetwork(id)).toMatchObject({ confirmed_outcome: 'APPROVED' })
  })
})
