// Guarantee: what is approved is bought once, and its end is told as the shop tells it. No answer of a shop, and no silence, makes
// a payment of nothing or nothing of a payment.
import { PAYMENT_FAILURES, type PaymentFailure } from '@mintmark/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CARDS, dbRow, eventBodies, eventsOf, expectError, paymentResult, report } from '../../../test/flows.ts'
import { keepLog } from '../../../test/logged.ts'
import { CHECKOUT_REFUSALS } from '../port.ts'
import { failureOf } from './rules.ts'
import {
  AT_REST,
  approvedQuote,
  type Buying,
  booksOf,
  buyOnce,
  LONG_LEASE,
  quotedSession,
  settle,
  startBuying,
} from './testing/quoted.ts'
import type { Behaviour } from './testing/scripted-shop.ts'

let buying: Buying
const { log, entries } = keepLog('error')
beforeAll(async () => {
  buying = await startBuying({ env: LONG_LEASE, log })
})
afterAll(() => buying?.service.close())
beforeEach(() => buying.renew())

const errorOf = (code: PaymentFailure) => ({ code, message: PAYMENT_FAILURES[code] })

describe('a purchase', () => {
  test('is prepared, minted, paid and reported; its merchant sees that it was, and nothing to pay with', async () => {
    const { service, shop } = buying
    const { id, chargeId, order_id } = await approvedQuote(buying)
    const { body: before } = await paymentResult(service.merchant, id)
    expect(before).toMatchObject({ status: 'processing', merchant_res: { status: 'pending' } })
    const result = await settle(buying, id)
    expect(result).toEqual({
      session_id: id,
      order_id,
      status: 'completed',
      transactions: [{ txn_id: chargeId, card_id: expect.stringMatching(/^card_/), status: 'completed' }],
      merchant_res: { status: 'paid', orderId: 'A-10042' },
    })
    expect(await booksOf(buying, chargeId)).toEqual(AT_REST.paid)
    expect(shop.asked(chargeId)).toEqual(['prepare', 'pay'])
    expect(await eventsOf(service, id)).toEqual(['2 payment.succeeded'])
    const [event = ''] = await eventBodies(service, chargeId)
    expect(JSON.parse(event).data).toMatchObject({ status: 'completed', outcome_source: 'merchant_observed' })
  })

  test('is left to another worker by one that is to stop: after the step in hand, and at once', async () => {
    const { service, shop } = buying
    const { id, chargeId } = await approvedQuote(buying)
    const buy = service.job('purchases.buy')
    shop.on('prepare', () => buy.stop?.())
    await buy.run()
    await buy.settled?.()
    expect(await booksOf(buying, chargeId)).toMatchObject({ state: 'prepared', charge: 'minting', mint: null })
    expect(
      await dbRow(service, 'select lease_until, due_at <= $2 as is_due from open_work where id = $1', [
        ...[chargeId, service.clock.now()],
      ]),
    ).toEqual({ lease_until: null, is_due: true })
    await service.runJobs()
    expect(await booksOf(buying, chargeId)).toEqual(AT_REST.paid)
    expect(shop.asked(chargeId)).toEqual(['prepare', 'pay'])
    expect((await paymentResult(service.merchant, id)).body).toMatchObject({ status: 'completed' })
  })

  test('is not begun by a worker that was told to stop while it claimed it', async () => {
    const { service, shop } = buying
    const { chargeId } = await approvedQuote(buying)
    const buy = service.job('purchases.buy')
    const running = buy.run()
    buy.stop?.()
    expect(await running).toMatchObject({ taken: 1 })
    await buy.settled?.()
    expect(shop.asked(chargeId)).toEqual([])
    expect(await booksOf(buying, chargeId)).toMatchObject({ state: 'pending' })
    await service.runJobs()
    expect(await booksOf(buying, chargeId)).toEqual(AT_REST.paid)
    expect(shop.asked(chargeId)).toEqual(['prepare', 'pay'])
  })

  test('has no merchant_res before it is approved, and no credential at any time', async () => {
    const { service, shop } = buying
    const { id, chargeId } = await quotedSession(buying)
    const { body } = await paymentResult(service.merchant, id)
    expect(body.transactions).toEqual([{ txn_id: chargeId, card_id: null, status: 'initiated' }])
    expect(body).not.toHaveProperty('merchant_res')
    const approved = await approvedQuote(buying)
    let seen: unknown
    shop.on('pay', async () => {
      seen = (await paymentResult(service.merchant, approved.id)).body
    })
    await settle(buying, approved.id)
    expect(seen).toEqual({
      ...{ session_id: approved.id, order_id: approved.order_id, status: 'processing' },
      transactions: [{ txn_id: approved.chargeId, card_id: expect.any(String), status: 'awaiting_result' }],
      merchant_res: { status: 'prepared' },
    })
  })

  test.each(['pending', 'paying', 'completed'])('is not reported by its merchant: %s', async (when) => {
    const { service, shop } = buying
    const { id } = await approvedQuote(buying)
    if (when === 'paying') shop.script('pay', 'in_progress')
    if (when !== 'pending') await service.runJobs()
    const { rows } = await service.pool.query('select line_item_id from charges where opened_by = $1', [id])
    for (const txn_status of ['APPROVED', 'DECLINED']) {
      const txn_ref_id = rows[0].line_item_id
      expectError(await report(service.merchant, id, { txn_ref_id, txn_status }), 400, 'INVALID_STATE')
    }
  })

  test('an order that may not be shown is not', async () => {
    buying.shop.orderId = '<script>'
    const { id } = await approvedQuote(buying)
    expect((await settle(buying, id)).merchant_res).toEqual({ status: 'paid' })
  })
})

describe('prepare', () => {
  test.each(CHECKOUT_REFUSALS)('refused: %s', async (reason) => {
    const { service, shop } = buying
    shop.script('prepare', reason)
    const { id, chargeId } = await approvedQuote(buying)
    const result = await settle(buying, id)
    expect(result).toMatchObject({
      status: 'failed',
      error: errorOf('MERCHANT_PREPARE_FAILED'),
      merchant_res: { status: 'prepare_failed' },
    })
    const unpaid = { ...AT_REST.unpaid, state: 'prepare_failed', failure: 'MERCHANT_PREPARE_FAILED' }
    expect(await booksOf(buying, chargeId)).toMatchObject({ ...unpaid, mint: null, atShop: null })
    expect(shop.asked(chargeId)).toEqual(['prepare'])
    expect(await eventsOf(service, id)).toEqual(['2 payment.failed'])
  })

  test.each<Behaviour>(['lost_before', 'lost_after', 'throws'])('%s, and then looked for', async (lost) => {
    const { service, shop } = buying
    shop.script('prepare', lost, 'ok')
    const { id, chargeId } = await approvedQuote(buying)
    await buyOnce(buying)
    const { body } = await paymentResult(service.merchant, id)
    expect(body).toMatchObject({ status: 'processing', merchant_res: { status: 'unknown' } })
    await settle(buying, id)
    expect(await booksOf(buying, chargeId)).toEqual(AT_REST.paid)
    const again = lost === 'lost_after' ? [] : ['prepare']
    expect(shop.asked(chargeId)).toEqual(['prepare', 'inquire', ...again, 'pay'])
  })

  test('a shop that wants a person before it is paid is the end of it: nothing is minted, and what it holds is given back', async () => {
    const { service, shop } = buying
    shop.script('prepare', 'lost_after')
    shop.on('inquire', (chargeId) => shop.set(chargeId, { state: 'needs_human' }))
    const { id, chargeId } = await approvedQuote(buying)
    expect(await settle(buying, id)).toMatchObject({
      status: 'failed',
      error: errorOf('MERCHANT_ACTION_REQUIRED'),
      merchant_res: { status: 'prepare_failed' },
    })
    const unpaid = { ...AT_REST.unpaid, state: 'prepare_failed', failure: 'MERCHANT_ACTION_REQUIRED' }
    expect(await booksOf(buying, chargeId)).toMatchObject({ ...unpaid, mint: null, atShop: 'released' })
    expect(await eventsOf(service, id)).toEqual(['2 payment.failed'])
  })

  test('silence is never a failure; an approval that lapsed meanwhile mints nothing, and the shop gets back what it held', async () => {
    const { service, shop } = buying
    shop.script('prepare', 'lost_after')
    shop.script('inquire', 'lost_before')
    const { id, chargeId } = await approvedQuote(buying)
    await service.runJobs()
    for (const days of [1, 10, 30]) {
      await service.clock.advance(days * 24 * 3600)
      await service.runJobs()
      const { body } = await paymentResult(service.merchant, id)
      expect(body).toMatchObject({ status: 'processing', merchant_res: { status: 'unknown' } })
    }
    shop.script('inquire', 'ok')
    await service.clock.advance(300)
    const result = await settle(buying, id)
    expect(result).toMatchObject({ status: 'failed', error: errorOf('PAYMENT_FAILED') })
    const unpaid = { ...AT_REST.unpaid, state: 'failed', failure: 'PAYMENT_FAILED', atShop: 'released' }
    expect(await booksOf(buying, chargeId)).toMatchObject(unpaid)
  })
})

describe('mint', () => {
  test.each([CARDS.mintAnswerLost, CARDS.mintRequestLost, CARDS.instructionAnswerLost])(
    'unknown once: %s',
    async (card) => {
      const { id, chargeId } = await approvedQuote(buying, { card })
      await settle(buying, id)
      expect(await booksOf(buying, chargeId)).toEqual(AT_REST.paid)
    },
  )

  test.each([CARDS.mintDeclined, CARDS.instructionRefused])('refused: %s', async (card) => {
    const { service, shop } = buying
    const { id, chargeId } = await approvedQuote(buying, { card })
    const result = await settle(buying, id)
    const failed = { status: 'failed', error: errorOf('CARD_DECLINED'), merchant_res: { status: 'failed' } }
    expect(result).toMatchObject(failed)
    expect(await booksOf(buying, chargeId)).toMatchObject({ ...AT_REST.unpaid, state: 'failed', atShop: 'released' })
    expect(shop.asked(chargeId)).toEqual(['prepare', 'release'])
    expect(await eventsOf(service, id)).toEqual(['2 payment.failed'])
  })
})

describe('pay', () => {
  test.each(CHECKOUT_REFUSALS)('refused: %s', async (reason) => {
    const { service, shop } = buying
    shop.script('pay', reason)
    const { id, chargeId } = await approvedQuote(buying)
    const result = await settle(buying, id)
    const failure = failureOf(reason)
    expect(result).toMatchObject({ status: 'failed', error: errorOf(failure), merchant_res: { status: 'failed' } })
    expect(await booksOf(buying, chargeId)).toMatchObject({ ...AT_REST.declined, failure, atShop: 'released' })
    expect(await eventsOf(service, id)).toEqual(['2 payment.failed'])
    const [event = ''] = await eventBodies(service, chargeId)
    expect(JSON.parse(event).data).toMatchObject({ outcome_source: 'merchant_observed', error_code: failure })
  })

  test.each<Behaviour>(['lost_before', 'lost_after', 'throws'])('%s, and then looked for', async (lost) => {
    const { service, shop } = buying
    shop.script('pay', lost, 'ok')
    const { id, chargeId } = await approvedQuote(buying)
    await buyOnce(buying)
    const { body } = await paymentResult(service.merchant, id)
    expect(body).toMatchObject({ status: 'processing', merchant_res: { status: 'unknown' } })
    await settle(buying, id)
    expect(await booksOf(buying, chargeId)).toEqual(AT_REST.paid)
    const again = lost === 'lost_after' ? [] : ['pay']
    expect(shop.asked(chargeId)).toEqual(['prepare', 'pay', 'inquire', ...again])
  })

  test('in progress, until the shop says more', async () => {
    const { service, shop } = buying
    shop.script('pay', 'in_progress')
    const { id, chargeId } = await approvedQuote(buying)
    await service.runJobs()
    const { body } = await paymentResult(service.merchant, id)
    expect(body).toMatchObject({ status: 'processing', merchant_res: { status: 'prepared' } })
    shop.set(chargeId, { state: 'declined', reason: 'insufficient_funds' })
    expect(await settle(buying, id)).toMatchObject({ status: 'failed', error: errorOf('INSUFFICIENT_FUNDS') })
  })

  test('a payment that the acquirer refuses is declined at the shop', async () => {
    buying.acquirer.charge = async () => ({ approved: false })
    const { id, chargeId } = await approvedQuote(buying)
    expect(await settle(buying, id)).toMatchObject({ status: 'failed', error: errorOf('CARD_DECLINED') })
    expect(await booksOf(buying, chargeId)).toMatchObject(AT_REST.declined)
  })

  test('a shop that is silent for weeks and was paid is paid', async () => {
    const { chargeId, id } = await silentAfterPayment('lost_after')
    buying.shop.script('inquire', 'ok')
    await buying.service.clock.advance(300)
    expect(await settle(buying, id)).toMatchObject({ status: 'completed', merchant_res: { status: 'paid' } })
    expect(await booksOf(buying, chargeId)).toMatchObject({
      state: 'paid',
      charge: 'completed',
      authorized: 1,
      work: [],
    })
  })

  test('a shop that is silent for weeks and was not paid gives back what it held, and only then nothing was paid', async () => {
    const { chargeId, id } = await silentAfterPayment('lost_before')
    buying.shop.script('inquire', 'ok')
    buying.shop.script('release', 'lost_after')
    await buying.service.clock.advance(300)
    await buyOnce(buying)
    expect((await paymentResult(buying.service.merchant, id)).body.status).toBe('processing')
    buying.shop.script('release', 'ok')
    await buying.service.clock.advance(300)
    expect(await settle(buying, id)).toMatchObject({ status: 'failed', error: errorOf('PAYMENT_FAILED') })
    const declined = { state: 'failed', charge: 'failed', authorized: 0, work: [], atShop: 'released' }
    expect(await booksOf(buying, chargeId)).toMatchObject(declined)
  })

  /** A purchase of whose payment the shop says nothing, long after its credential lapsed. */
  async function silentAfterPayment(lost: Behaviour) {
    const { service, shop } = buying
    shop.script('pay', lost)
    shop.script('inquire', 'lost_before')
    const session = await approvedQuote(buying)
    await service.runJobs()
    expect(await booksOf(buying, session.chargeId)).toMatchObject({ credential: true })
    for (const days of [1, 7, 30]) {
      await service.clock.advance(days * 24 * 3600)
      await service.runJobs()
      const { body } = await paymentResult(service.merchant, session.id)
      expect(body).toMatchObject({ status: 'processing', merchant_res: { status: 'unknown' } })
      const open = { state: 'paying', charge: 'awaiting_result', credential: false, work: ['purchase'] }
      expect(await booksOf(buying, session.chargeId)).toMatchObject(open)
    }
    return session
  }
})

describe('the report to the network', () => {
  test('is made again until it is heard', async () => {
    const { id, chargeId } = await approvedQuote(buying, { card: CARDS.confirmationFailsOnce })
    await settle(buying, id)
    expect(await booksOf(buying, chargeId)).toEqual(AT_REST.paid)
  })

  test('is an alarm when it was not heard for a quarter of an hour', async () => {
    const { service } = buying
    const { id, chargeId } = await approvedQuote(buying, { card: CARDS.confirmationFailsOnce })
    await buyOnce(buying)
    await service.pool.query('update open_work set attempts = 33 where id = $1', [chargeId])
    await service.pool.query('delete from simnet.scripted_failures')
    await service.clock.advance(31)
    await service.runJobs()
    const alarms = entries().filter(({ row_id }) => row_id === chargeId)
    expect(alarms).toMatchObject([{ alarm: 'work_stuck', job: 'purchases.buy', attempt: 34 }])
    await settle(buying, id)
    expect(await booksOf(buying, chargeId)).toEqual(AT_REST.paid)
  })

  test('that the network refuses changes nothing of what was paid', async () => {
    const { id, chargeId } = await approvedQuote(buying, { card: CARDS.confirmationRefused })
    expect(await settle(buying, id)).toMatchObject({ status: 'completed', merchant_res: { status: 'paid' } })
    expect(await booksOf(buying, chargeId)).toMatchObject({ charge: 'completed', confirmation: 'FAILURE', work: [] })
  })
})

describe('a simulated result', () => {
  test('is paid, also where it is', async () => {
    const { id } = await approvedQuote(buying, { simulated: true })
    const result = await settle(buying, id)
    expect(result).toMatchObject({ status: 'completed', observed_result: { status: 'completed' } })
    expect(result).not.toHaveProperty('error')
    expect(result.observed_result).toEqual({ status: 'completed' })
  })

  test.each<[string, Behaviour, PaymentFailure]>([
    ['prepare', 'out_of_stock', 'MERCHANT_PREPARE_FAILED'],
    ['pay', 'insufficient_funds', 'INSUFFICIENT_FUNDS'],
  ])('hides what %s came to, and observed_result says it', async (question, behaviour, failure) => {
    const { service, shop } = buying
    shop.script(question as 'pay', behaviour)
    const { id, chargeId } = await approvedQuote(buying, { simulated: true })
    const { body: before } = await paymentResult(service.merchant, id)
    expect(before.status).toBe('processing')
    expect(before).not.toHaveProperty('observed_result')
    const result = await settle(buying, id)
    expect(result).toEqual({
      ...{ session_id: id, order_id: expect.any(String), status: 'completed' },
      transactions: [{ txn_id: chargeId, card_id: expect.any(String), status: 'completed' }],
      merchant_res: { status: 'paid' },
      observed_result: { status: 'failed', error: errorOf(failure) },
    })
    expect(await booksOf(buying, chargeId)).toMatchObject({ charge: 'failed', authorized: 0 })
  })

  test('does not hide that there was no payment', async () => {
    const { service } = buying
    const { id } = await quotedSession(buying, { simulated: true })
    expect((await service.merchant.post(`/v1/sessions/${id}/revoke`)).status).toBe(200)
    const { body } = await paymentResult(service.merchant, id)
    expect(body).toMatchObject({ status: 'failed', error: errorOf('SESSION_REVOKED') })
    expect(body.observed_result).toEqual({ status: 'failed', error: errorOf('SESSION_REVOKED') })
  })
})
