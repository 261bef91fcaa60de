// Guarantee: a purchase that needs a person ends by one word of one, once; what the shop has said is not overruled.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { atOnce, eventsOf, paymentResult } from '../../../test/flows.ts'
import { PATIENT } from '../../../test/service.ts'
import { createLog } from '../../platform/log.ts'
import { AT_REST, approvedQuote, type Buying, booksOf, settle, startBuying } from './testing/quoted.ts'

let buying: Buying
const lines: string[] = []
beforeAll(async () => {
  const log = createLog({ level: 'error', destination: { write: (line: string) => void lines.push(line) } })
  buying = await startBuying({ env: PATIENT, log })
})
afterAll(() => buying?.service.close())
beforeEach(() => buying.reset())

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
  const alarms = () => lines.map((line) => JSON.parse(line)).filter(({ charge_id }) => charge_id === chargeId)
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
  const listed = async () => (await service.app.purchases.unresolved()).map(({ transaction }) => transaction)
  const { id, purchase } = await stuck('needs_human')
  const { chargeId: silent } = await stuck('lost_before')
  const [needy, ...rest] = await service.app.purchases.unresolved()
  expect(needy).toEqual({
    ...{ merchantId: purchase.merchantId, transaction: purchase.chargeId, state: 'needs_human', unknownSince: null },
    ...{ since: expect.any(Date), amount: expect.stringMatching(/^\d+\.\d\d$/), currency: 'USD' },
    ...{ shopId: expect.stringMatching(/^shop_/), shopName: expect.any(String), shopRef: expect.stringMatching(/./) },
  })
  expect(rest).toMatchObject([{ transaction: silent, state: 'paying', unknownSince: expect.any(Date) }])
  await service.app.purchases.resolve(purchase, PAID)
  expect(await listed()).toEqual([silent])
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
  // Nobody has a credential: it is revoked, not resolved.
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
