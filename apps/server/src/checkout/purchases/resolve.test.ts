// Guarantee: a purchase that needs a person ends by one word of one, once; what the shop has said is not overruled. Where no person has a word
// in time, what was surely not bought ends, and nothing else does.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { atOnce, eventsOf, paymentResult } from '../../../test/flows.ts'
import { keepLog } from '../../../test/logged.ts'
import { startTestService } from '../../../test/service.ts'
import { countUnresolved } from '../../hosts/metrics/store.ts'
import {
  AT_REST,
  approvedQuote,
  type Buying,
  booksOf,
  buyOnce,
  LONG_LEASE,
  settle,
  startBuying,
} from './testing/quoted.ts'

let buying: Buying
const { log, entries } = keepLog('error')
beforeAll(async () => {
  buying = await startBuying({ env: LONG_LEASE, log })
})
afterAll(() => buying?.service.close())
beforeEach(() => buying.renew())

const RELEASE_ANSWER_LOST = '4000000000000176'
const PAID = { outcome: 'paid', orderId: 'B-7' } as const
const FAILED = { outcome: 'failed', orderId: null } as const

async function stuck(behaviour: 'needs_human' | 'lost_before') {
  const { service, shop } = buying
  shop.script('pay', behaviour)
  if (behaviour === 'lost_before') shop.script('inquire', 'lost_before')
  const session = await approvedQuote(buying)
  await service.runJobs()
  const { merchantId } = service.merchant
  return { ...session, purchase: { merchantId, chargeId: session.chargeId } }
}

test.each(['needs_human', 'lost_before'] as const)('of one that is %s: paid', async (behaviour) => {
  const { service } = buying
  const { id, chargeId, purchase } = await stuck(behaviour)
  expect((await paymentResult(service.merchant, id)).body.status).toBe('processing')
  const resolved = await service.app.purchases.resolve(purchase, PAID)
  expect(resolved).toEqual({ state: 'paid', orderId: 'B-7', resolvedAt: expect.any(Date) })
  // The network is told first; then it is over.
  expect(await settle(buying, id)).toMatchObject({
    status: 'completed',
    merchant_res: { status: 'paid', orderId: 'B-7' },
  })
  expect(await booksOf(buying, chargeId)).toMatchObject({ state: 'paid', charge: 'completed', work: [] })
  expect(await eventsOf(service, id)).toEqual(['2 payment.succeeded'])
})

test.each(['needs_human', 'lost_before'] as const)('of one that is %s: failed', async (behaviour) => {
  const { service } = buying
  const { id, chargeId, purchase } = await stuck(behaviour)
  await service.app.purchases.resolve(purchase, FAILED)
  const failed = { status: 'failed', error: { code: 'MERCHANT_ACTION_REQUIRED' }, merchant_res: { status: 'failed' } }
  expect(await settle(buying, id)).toMatchObject(failed)
  const declined = { ...AT_REST.declined, failure: 'MERCHANT_ACTION_REQUIRED', atShop: 'released' }
  expect(await booksOf(buying, chargeId)).toMatchObject(declined)
})

const ENDLESS = [
  ['is at it for ever', () => buying.shop.script('pay', 'in_progress')],
  [
    'has no payment, and will not give it back',
    () => {
      buying.shop.script('pay', 'lost_before')
      buying.shop.script('release', 'refused')
    },
  ],
] as const
test.each(ENDLESS)('of one whose shop answers and %s: after a quarter of an hour', async (_, script) => {
  const { service } = buying
  const { merchantId } = service.merchant
  script()
  const { id, chargeId } = await approvedQuote(buying)
  await service.runJobs()
  const listed = async () => (await service.app.purchases.unresolved()).some((one) => one.transaction === chargeId)
  const alarms = () => entries().filter(({ charge_id }) => charge_id === chargeId)
  expect(alarms()).toEqual([])
  await service.clock.advance(16 * 60)
  await service.runJobs()
  expect(alarms()).toMatchObject([{ alarm: 'purchase_unknown', merchant_id: merchantId }])
  expect((await paymentResult(service.merchant, id)).body.merchant_res).toEqual({ status: 'unknown' })
  expect(await listed()).toBe(true)
  // From here on it is asked every five minutes.
  const asked = buying.shop.asked(chargeId).length
  await service.clock.advance(4 * 60)
  await service.runJobs()
  expect(buying.shop.asked(chargeId)).toHaveLength(asked)
  await service.app.purchases.resolve({ merchantId, chargeId }, FAILED)
  expect(await settle(buying, id)).toMatchObject({ status: 'failed', error: { code: 'MERCHANT_ACTION_REQUIRED' } })
  expect(await listed()).toBe(false)
})

test('is listed until its word is there, with what the word needs', async () => {
  const { service } = buying
  // Besides those that other tests have left.
  const before = (await service.app.purchases.unresolved()).map(({ transaction }) => transaction)
  const counted = async () => Number((await countUnresolved(service.pool, { most: 100 }))?.count)
  const countedBefore = await counted()
  const unresolved = async () =>
    (await service.app.purchases.unresolved()).filter(({ transaction }) => !before.includes(transaction))
  const listed = async () => (await unresolved()).map(({ transaction }) => transaction)
  const { id, purchase } = await stuck('needs_human')
  const { chargeId: silent } = await stuck('lost_before')
  const [needy, ...rest] = await unresolved()
  expect(needy).toEqual({
    ...{ merchantId: purchase.merchantId, transaction: purchase.chargeId, state: 'needs_human', unknownSince: null },
    ...{ since: expect.any(Date), amount: expect.stringMatching(/^\d+\.\d\d$/), currency: 'USD' },
    ...{ shopId: expect.stringMatching(/^shop_/), shopName: expect.any(String), shopRef: expect.stringMatching(/./) },
  })
  expect(rest).toMatchObject([{ transaction: silent, state: 'paying', unknownSince: expect.any(Date) }])
  expect(await counted()).toBe(countedBefore + 2)
  await service.app.purchases.resolve(purchase, PAID)
  expect(await listed()).toEqual([silent])
  expect(await counted()).toBe(countedBefore + 1)
  await settle(buying, id)
  await service.app.purchases.resolve({ ...purchase, chargeId: silent }, FAILED)
  expect(await listed()).toEqual([])
})

test('takes effect once, and the same word again is no change', async () => {
  const { service } = buying
  const { id, purchase } = await stuck('needs_human')
  const answers = await atOnce(16, () => service.app.purchases.resolve(purchase, PAID))
  expect(new Set(answers.map(({ resolvedAt }) => resolvedAt?.getTime())).size).toBe(1)
  await settle(buying, id)
  expect(await service.app.purchases.resolve(purchase, PAID)).toMatchObject({ state: 'paid' })
  await expect(service.app.purchases.resolve(purchase, FAILED)).rejects.toMatchObject({ code: 'INVALID_STATE' })
  expect(await eventsOf(service, id)).toEqual(['2 payment.succeeded'])
})

test('of two words that race one counts', async () => {
  const { service } = buying
  const { id, chargeId, purchase } = await stuck('needs_human')
  const answers = await Promise.allSettled([
    ...Array.from({ length: 8 }, () => service.app.purchases.resolve(purchase, PAID)),
    ...Array.from({ length: 8 }, () => service.app.purchases.resolve(purchase, FAILED)),
  ])
  const accepted = new Set(answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.state] : [])))
  expect(accepted.size).toBe(1)
  await settle(buying, id)
  expect(accepted).toEqual(new Set([(await booksOf(buying, chargeId)).state]))
})

test('is refused where there is nothing to decide', async () => {
  const { service, shop } = buying
  const { merchantId } = service.merchant
  const resolve = (chargeId: string) => service.app.purchases.resolve({ merchantId, chargeId }, PAID)
  await expect(resolve('txn_unknown')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const fresh = await approvedQuote(buying)
  await expect(resolve(fresh.chargeId)).rejects.toMatchObject({ code: 'INVALID_STATE' })
  await settle(buying, fresh.id)
  // It was paid, and no operator said so.
  await expect(resolve(fresh.chargeId)).rejects.toMatchObject({ code: 'INVALID_STATE' })
  shop.script('prepare', 'lost_before')
  shop.script('inquire', 'lost_before')
  const silent = await approvedQuote(buying)
  await service.runJobs()
  // The shop has no credential: the purchase is revoked, not resolved.
  await expect(resolve(silent.chargeId)).rejects.toMatchObject({ code: 'INVALID_STATE' })
  const { purchase } = await stuck('needs_human')
  const odd = { outcome: 'paid', orderId: 'A 1' } as const
  await expect(service.app.purchases.resolve(purchase, odd)).rejects.toMatchObject({ code: 'VAL_2001' })
})

test('of a failed one names no order', async () => {
  const { service } = buying
  const { id, chargeId, purchase } = await stuck('needs_human')
  const slip = { outcome: 'failed', orderId: 'A-1' } as const
  await expect(service.app.purchases.resolve(purchase, slip)).rejects.toMatchObject({ code: 'VAL_2001' })
  expect(await booksOf(buying, chargeId)).toMatchObject({ state: 'needs_human' })
  await service.app.purchases.resolve(purchase, FAILED)
  await settle(buying, id)
})

test('is refused while the shop is being asked', async () => {
  const { service, shop } = buying
  const { id, purchase } = await stuck('needs_human')
  let refused: unknown
  shop.on('inquire', async (chargeId) => {
    // Purchases of other tests are asked about as well.
    if (chargeId !== purchase.chargeId) return
    refused = await service.app.purchases.resolve(purchase, FAILED).catch((error: unknown) => error)
  })
  await service.clock.advance(15 * 60)
  await service.runJobs()
  expect(refused).toMatchObject({ code: 'INVALID_STATE', message: expect.stringContaining('being asked') })
  shop.set(purchase.chargeId, { state: 'paid', orderId: 'A-1' })
  await service.clock.advance(15 * 60)
  expect(await settle(buying, id)).toMatchObject({ status: 'completed' })
})

describe('after 72 hours', () => {
  const HOUR = 3600
  const needed = (id: string) => entries().filter(({ charge_id }) => charge_id === id)
  const waiting = { status: 'processing', merchant_res: { status: 'needs_human' } }
  const resultOf = async (id: string) => (await paymentResult(buying.service.merchant, id)).body
  async function after(hours: number) {
    await buying.service.clock.advance(hours * HOUR)
    await buying.service.runJobs()
  }

  test('what the shop did not buy is given back there, ended at the network, and failed', async () => {
    const { service } = buying
    const { id, chargeId } = await stuck('needs_human')
    await after(71)
    expect(await resultOf(id)).toMatchObject(waiting)
    expect(buying.shop.asked(chargeId)).not.toContain('release')
    await after(1)
    const failed = { status: 'failed', error: { code: 'MERCHANT_ACTION_REQUIRED' }, merchant_res: { status: 'failed' } }
    expect(await settle(buying, id)).toMatchObject(failed)
    expect(await booksOf(buying, chargeId)).toMatchObject({
      ...{ ...AT_REST.declined, confirmed: null, failure: 'MERCHANT_ACTION_REQUIRED', atShop: 'released' },
      ...{ mint: 'released', credentialState: 'closed' },
    })
    const { rows } = await service.pool.query(
      `select w.spent_minor::int as spent from simnet.windows w join charges c on c.mandate_id = w.mandate_id where c.id = $1`,
      [chargeId],
    )
    expect(rows).toEqual([{ spent: 0 }])
    expect(await eventsOf(service, id)).toEqual(['2 payment.failed'])
    expect(needed(chargeId)).toHaveLength(1)
  })

  test('three nodes end it once', async () => {
    const { service, shop } = buying
    const start = () => startTestService({ env: LONG_LEASE, createCheckout: () => shop, database: service.database })
    const others = await Promise.all([start(), start()])
    try {
      const { id, chargeId } = await stuck('needs_human')
      await service.clock.advance(72 * HOUR)
      for (let round = 0; round < 3; round += 1) {
        await Promise.all([service, ...others].map((node) => node.runJobs()))
        await service.clock.advance(60)
      }
      expect(await resultOf(id)).toMatchObject({ status: 'failed', error: { code: 'MERCHANT_ACTION_REQUIRED' } })
      expect(shop.asked(chargeId).filter((question) => question === 'release')).toHaveLength(1)
      expect(await eventsOf(service, id)).toEqual(['2 payment.failed'])
      expect(needed(chargeId)).toHaveLength(1)
    } finally {
      await Promise.all(others.map((node) => node.close()))
    }
  })

  test('what it bought meanwhile is paid, and what it declined has failed', async () => {
    const paid = await stuck('needs_human')
    const declined = await stuck('needs_human')
    await buying.service.clock.advance(73 * HOUR)
    buying.shop.set(paid.chargeId, { state: 'paid', orderId: 'A-9' })
    buying.shop.set(declined.chargeId, { state: 'declined', reason: 'card_declined' })
    expect(await settle(buying, paid.id)).toMatchObject({ status: 'completed', merchant_res: { orderId: 'A-9' } })
    expect(await settle(buying, declined.id)).toMatchObject({ error: { code: 'MERCHANT_ACTION_REQUIRED' } })
    expect(await booksOf(buying, declined.chargeId)).toMatchObject({ mint: 'released', state: 'failed', work: [] })
  })

  test('a network whose answer is lost is asked again, and so is a shop that gave it back already', async () => {
    const { shop, service } = buying
    shop.script('pay', 'needs_human')
    const { id, chargeId } = await approvedQuote(buying, { card: RELEASE_ANSWER_LOST })
    await service.runJobs()
    await service.clock.advance(73 * HOUR)
    await buyOnce(buying)
    expect(await booksOf(buying, chargeId)).toMatchObject({
      ...{ state: 'needs_human', charge: 'awaiting_result', mint: 'released', atShop: 'released' },
    })
    expect(await settle(buying, id)).toMatchObject({ error: { code: 'MERCHANT_ACTION_REQUIRED' } })
    expect(await eventsOf(service, id)).toEqual(['2 payment.failed'])
  })

  type Unsaid = readonly [string, (chargeId: string) => void]
  const UNSAID: Unsaid[] = [
    ['is silent', () => buying.shop.script('inquire', 'lost_before')],
    ['is at it', (chargeId) => buying.shop.set(chargeId, { state: 'in_progress' })],
    ['has lost it', (chargeId) => buying.shop.purchases.delete(chargeId)],
    ['gives nothing back', () => buying.shop.script('release', 'refused')],
    ['does not say that it gave it back', () => buying.shop.script('release', 'lost_before')],
  ]
  test.each(UNSAID)('what a shop cannot say stays, with an alarm each day: it %s', async (_, script) => {
    const { id, chargeId, purchase } = await stuck('needs_human')
    script(chargeId)
    await buying.service.clock.advance(72 * HOUR)
    const alarms = () => needed(chargeId).filter(({ alarm }) => alarm === 'purchase_needs_human').length - 1
    const perDay: number[] = []
    for (let day = 0; day < 3; day += 1) {
      // Four of the many times in a day at which it is asked.
      for (const hours of [0, 1, 1, 1]) await after(hours)
      perDay.push(alarms())
      await buying.service.clock.advance(21 * HOUR)
    }
    expect(perDay).toEqual([1, 2, 3])
    expect(await resultOf(id)).toMatchObject(waiting)
    expect(await booksOf(buying, chargeId)).toMatchObject({
      state: 'needs_human',
      charge: 'awaiting_result',
      mint: 'minted',
    })
    expect(await buying.service.app.purchases.resolve(purchase, FAILED)).toMatchObject({ state: 'failed' })
    buying.reset()
    expect(await settle(buying, id)).toMatchObject({ error: { code: 'MERCHANT_ACTION_REQUIRED' } })
  })

  test('a credential that was spent is no failure, whatever the shop says', async () => {
    const { shop, service } = buying
    shop.script('pay', 'lost_after')
    const { id, chargeId } = await approvedQuote(buying)
    await buyOnce(buying)
    shop.set(chargeId, { state: 'needs_human' })
    await after(1)
    expect(await resultOf(id)).toMatchObject(waiting)
    await after(73)
    expect(await booksOf(buying, chargeId)).toMatchObject({
      charge: 'awaiting_result',
      authorized: 1,
      atShop: 'released',
    })
    expect(await resultOf(id)).toMatchObject(waiting)
    expect(needed(chargeId).map(({ alarm }) => alarm)).toEqual(['purchase_needs_human', 'purchase_needs_human'])
    await service.app.purchases.resolve({ merchantId: service.merchant.merchantId, chargeId }, PAID)
    expect(await settle(buying, id)).toMatchObject({ status: 'completed' })
  })
})
