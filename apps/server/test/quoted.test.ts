// Guarantee: what is quoted by a real shop and approved is bought there over real HTTP, once, with a credential that the real
// acquirer of the sandbox takes; every way in which the shop fails ends as the contract says, or waits for a person.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromQuote, variantOf } from '../src/checkout/quotes/testing/scripted-shop.ts'
import type { Shop } from '../src/checkout/shops/service.ts'
import { complete, createSession, eventsOf, paidAtTheAcquirer, paymentResult } from './flows.ts'
import { PATIENT, startTestService, type TestService } from './service.ts'
import { openTestShop, SHOP_KEY, type TestShop } from './shop.ts'

const PAID = {
  status: 'completed',
  merchant_res: { status: 'paid', orderId: expect.stringMatching(/^[A-Za-z0-9._:-]{1,64}$/) },
}
const unprepared = {
  status: 'failed',
  error: { code: 'MERCHANT_PREPARE_FAILED' },
  merchant_res: { status: 'prepare_failed' },
}
const refused = (code: string) => ({ status: 'failed', error: { code }, merchant_res: { status: 'failed' } })

/** What a basket ends as, by the product in it. */
const ENDS: readonly [product: string, end: object, authorizations: number][] = [
  ['stoneware-mug.slate', PAID, 1],
  ['test-lost-before.one-size', PAID, 1],
  ['test-lost-after.one-size', PAID, 1],
  ['test-garbage.one-size', PAID, 1],
  ['test-slow.one-size', PAID, 1],
  ['test-out-of-stock.one-size', unprepared, 0],
  ['test-price-changed.one-size', unprepared, 0],
  ['test-card-declined.one-size', refused('CARD_DECLINED'), 0],
]
/** The Agentic Commerce Protocol has one word for every refused card. */
const NO_FUNDS = { native: 'INSUFFICIENT_FUNDS', acp: 'CARD_DECLINED' }

let service: TestService
let shop: TestShop
beforeAll(async () => {
  service = await startTestService({ env: { ...PATIENT, CHECKOUT_ALLOW_LOOPBACK: 'on' } })
  shop = await openTestShop(service, { slowMillis: 200 })
})
afterAll(async () => {
  await service?.close()
  await shop?.close()
})

async function approvedQuote(registered: Shop, product: string, changes: Record<string, unknown> = {}) {
  const { merchant } = service
  const { status, body: quote } = await merchant.post('/v1/quotes', {
    merchant: registered.id,
    items: [{ variant_id: variantOf(registered, product), quantity: 1 }],
    shipping_address: {
      ...{ name: 'Ann Example', address: '1 Main Street', city: 'Seattle', state: 'WA' },
      ...{ postal_code: '98101', country: 'US', contact_information: { email: 'ann@example.com' } },
    },
    email: 'ann@example.com',
  })
  expect(status, JSON.stringify(quote)).toBe(201)
  const { session_id } = await createSession(merchant, { ...fromQuote(quote), ...changes })
  const approved = await complete(merchant, session_id)
  expect(approved.status, JSON.stringify(approved.body)).toBe(200)
  return { sessionId: session_id, total: quote.total_amount }
}

/** The result once it is over, or once a person is wanted. */
async function bought(sessionId: string) {
  for (let rounds = 0; ; rounds += 1) {
    await service.runJobs()
    const { body } = await paymentResult(service.merchant, sessionId)
    if (!['pending', 'processing'].includes(body.status) || body.merchant_res?.status === 'needs_human') return body
    if (rounds === 60) return body
    await service.clock.advance(10)
  }
}

describe.each([
  ['native', ''],
  ['acp', '/acp'],
] as const)('at a shop that speaks %s', (adapter, path) => {
  let registered: Shop
  beforeAll(async () => {
    const settings = { name: 'Sandbox Shop', url: 'https://sandbox-shop.example', country: 'US', adapter } as const
    registered = await service.app.shops.add({ ...settings, baseUrl: shop.url + path }, SHOP_KEY)
  })

  test.each([...ENDS, ['test-insufficient-funds.one-size', refused(NO_FUNDS[adapter]), 0] as const])(
    '%s',
    async (product, end, authorizations) => {
      const { sessionId } = await approvedQuote(registered, product)
      const result = await bought(sessionId)
      expect(result).toMatchObject(end)
      // And nothing else: never a credential.
      expect(result.transactions).toEqual([
        { txn_id: expect.any(String), card_id: expect.any(String), status: result.status },
      ])
      expect(await paidAtTheAcquirer(service, sessionId)).toBe(authorizations)
      expect(await eventsOf(service, sessionId)).toHaveLength(1)
    },
  )

  test('a purchase that wants a person waits for one, and is then what they say', async () => {
    const { sessionId } = await approvedQuote(registered, 'test-needs-human.one-size')
    const waiting = await bought(sessionId)
    expect(waiting).toMatchObject({ status: 'processing', merchant_res: { status: 'needs_human' } })
    const { merchantId } = service.merchant
    await service.app.purchases.resolve(
      { merchantId, chargeId: waiting.transactions[0].txn_id },
      { outcome: 'failed', orderId: null },
    )
    expect(await bought(sessionId)).toMatchObject(refused('MERCHANT_ACTION_REQUIRED'))
    expect(await paidAtTheAcquirer(service, sessionId)).toBe(0)
  })

  test('a purchase that wants a person is given back after 72 hours, by a shop that does that', async () => {
    const { sessionId } = await approvedQuote(registered, 'test-needs-human.one-size')
    const waiting = await bought(sessionId)
    expect(waiting).toMatchObject({ status: 'processing', merchant_res: { status: 'needs_human' } })
    await service.clock.advance(72 * 3600)
    const after = await bought(sessionId)
    // The protocol of agents knows no way back from an escalation.
    expect(after).toMatchObject(adapter === 'native' ? refused('MERCHANT_ACTION_REQUIRED') : waiting)
    expect(await paidAtTheAcquirer(service, sessionId)).toBe(0)
  })

  test('a simulated success shows what truly became of it beside it', async () => {
    const sandbox_simulation = { stage: 'payment', outcome: 'success' }
    const { sessionId } = await approvedQuote(registered, 'test-card-declined.one-size', { sandbox_simulation })
    const result = await bought(sessionId)
    expect(result).toMatchObject({
      status: 'completed',
      merchant_res: { status: 'paid' },
      observed_result: { status: 'failed', error: { code: 'CARD_DECLINED' } },
    })
    expect(result).not.toHaveProperty('error')
    expect(result).not.toHaveProperty('sandbox_simulation')
  })
})
