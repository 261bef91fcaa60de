// Guarantee: an agent that asks for a shop's own token gets it and no card, once a charge, for its own checkout and amount; the silence of a
// shop is never taken for a refusal, and no shop is asked for a second token; what a shop refuses is ended at the network and given back.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { acpClient, MUG, totalOf } from '../../../../../examples/sandbox-shop/testing/acp-world.ts'
import { KEY, startTestShop, type TestShop } from '../../../../../examples/sandbox-shop/testing/world.ts'
import { atOnce, countBy, expectError, networkOf } from '../../../test/flows.ts'
import { LeakScan, needle } from '../../../test/leak-scan.ts'
import { PATIENT, startTestService, type TestService } from '../../../test/service.ts'
import { chargeable } from '../../charges/testing/charge.ts'
import { newOwner } from '../../mandates/testing/standing.ts'
import { secret } from '../../platform/secret.ts'
import { ACP_FORMS } from '../adapters/testing/acp-forms.ts'
import { openSpecification } from '../adapters/testing/acp-published.ts'
import { refusal } from '../adapters/testing/scripted-acp.ts'
import {
  type Buyer,
  booksOf,
  buyerAt,
  chargeInVain,
  DELIVERY,
  SESSION,
  SHOP,
  spentOf,
  startTeeShop,
  TOTAL,
} from './testing/delivered.ts'

const { ACP_SPECIFICATION: directory } = process.env
const specification = directory === undefined ? undefined : openSpecification(directory)

let service: TestService
/** A node of the same service whose callers wait a moment. */
let hasty: TestService
let shop: Awaited<ReturnType<typeof startTeeShop>>
let buyer: Buyer
beforeAll(async () => {
  const env = { ...PATIENT, CHECKOUT_ALLOW_LOOPBACK: 'on' }
  service = await startTestService({ env })
  hasty = await startTestService({ env, database: service.database, callerWaitMillis: 250 })
  shop = await startTeeShop(service)
})
afterAll(async () => {
  await shop?.close()
  await hasty?.close()
  await service?.close()
})
beforeEach(async () => {
  shop.says()
  // The test before may have moved it, and a node looks once a second.
  await hasty.clock.refresh()
  buyer = await buyerAt(service)
})

const delegations = () => shop.shop.requests.filter(({ path }) => path.endsWith('/delegate_payment'))
const sent = () => delegations().map(({ body, headers }) => [headers['idempotency-key'], String(body)])
const REFUSED = { status: 'failed', errorCode: 'DELIVERY_REFUSED', fetchStatus: 'FAILURE', credentials: null }
const SILENT = { delegate_payment: { status: 503, body: {} } }

/** Lets the worker come to what is open, as often as it takes. */
async function wait(seconds: number): Promise<void> {
  await service.clock.advance(seconds)
  await service.runJobs()
}

describe('at the shop of the sandbox', () => {
  let sandbox: TestShop
  beforeAll(async () => {
    const acquirer = { url: service.apiUrl, key: service.merchant.secretKey }
    sandbox = await startTestShop({ acquirer })
    // As a sandbox registers it: by the API that the service buys by.
    const settings = { name: 'Sandbox Shop', url: 'https://sandbox-shop.example', country: 'US' } as const
    await service.app.shops.ensureSandboxShop({ ...settings, adapter: 'native', baseUrl: sandbox.url }, secret(KEY))
  })
  afterAll(() => sandbox?.close())

  test('an agent checks out, charges, completes with the token, and reports; no number reaches it', async () => {
    const { created, complete } = acpClient(() => sandbox)
    const session = await created([MUG])
    const amount = (totalOf(session) / 100).toFixed(2)
    const at = await buyerAt(service, 'https://sandbox-shop.example')
    const delivery = { type: 'acp', checkout_session_id: session.id }
    const charge = await at.charge({ amount, reference: 'order-1', delivery })
    expect(charge).toMatchObject({ status: 200, body: { status: 'awaiting_result', credentials: null, amount } })
    expect(charge.body.delivery).toEqual({
      ...{ ...delivery, handler_id: 'card_tokenized' },
      token: expect.stringMatching(/^vt_[0-9a-f]{32}$/),
    })
    expect(charge.body).not.toHaveProperty('encrypted_payload')
    const again = await at.charge({ amount, reference: 'order-1', delivery })
    expect(again.body).toEqual({ ...charge.body, deduplicated: true })

    const completed = await complete(session, charge.body.delivery.token)
    expect(completed.body).toMatchObject({ status: 'completed', order: { checkout_session_id: session.id } })
    expect((await complete(await created([MUG]), charge.body.delivery.token)).status).toBe(400)
    expect(await at.report(charge)).toMatchObject({ status: 200, body: { status: 'completed' } })
    expect(await booksOf(service, at)).toMatchObject({
      status: 'completed',
      sealed: false,
      credential: 'used',
      work: 0,
    })
    const reported = await at.charge({ amount, reference: 'order-1', delivery })
    expect(reported.body).toMatchObject({ status: 'completed', deduplicated: true })
    expect(reported.body.delivery).toEqual(delivery)
  })

  test('another amount than the session costs is refused before anything is minted', async () => {
    const session = await acpClient(() => sandbox).created([MUG])
    const at = await buyerAt(service, 'https://sandbox-shop.example')
    const charge = await at.charge({ amount: '1.00', delivery: { type: 'acp', checkout_session_id: session.id } })
    expect(charge).toMatchObject({ status: 200, body: REFUSED })
    expect(await booksOf(service, at)).toMatchObject({ mint: null, work: 0 })
  })
})

describe('what the shop is sent', () => {
  test('is the card, for this session, amount and merchant, no longer than the credential lives, under the id of the charge', async () => {
    const charge = await buyer.charge({
      purchase_context: [
        { product_details: [{ description: 'Tee', unit_price: '48.70' }], effective_until_minutes: 30 },
      ],
    })
    expect(charge.body.delivery).toEqual({ ...DELIVERY, token: 'vt_0123456789', handler_id: 'card' })
    expect(shop.asked()).toEqual(['retrieve', 'retrieve', 'delegate_payment'])
    const body = shop.bodyOf('delegate_payment')
    expect(body.allowance).toEqual({
      ...{ reason: 'one_time', max_amount: 4870, currency: 'usd', checkout_session_id: SESSION },
      ...{ merchant_id: 'merchant_of_card', expires_at: charge.body.expiresAt },
    })
    expect(sent()[0]?.[0]).toBe(charge.body.transactionId)
    const form = 'POST /agentic_commerce/delegate_payment'
    expect([...ACP_FORMS[form].Errors(body), ...(specification?.errorsOfRequest(form, body) ?? [])]).toEqual([])
    // Neither in the answer nor, in the clear, anywhere in the database.
    const found = new LeakScan([needle('number', body.payment_method.number), needle('token', 'vt_0123456789')])
    await found.database(service.pool)
    expect([...found.found]).toEqual([])
    expect(JSON.stringify(charge.body)).not.toContain(body.payment_method.number)
  })

  test('is one card and one token of any number of equal charges at once', async () => {
    const answers = await atOnce(16, () => buyer.charge({ reference: 'once' }))
    expect(countBy(answers, ({ body }) => `${body.delivery?.token} ${body.deduplicated}`)).toEqual({
      'vt_0123456789 false': 1,
      'vt_0123456789 true': 15,
    })
    expect(delegations()).toHaveLength(1)
    expect(await spentOf(service, buyer)).toEqual({ spent: 4_870, count: 1 })
  })

  test('is nothing where it is only asked whether the charge would pass', async () => {
    expect(await buyer.charge({}, '?dry_run=true')).toMatchObject({
      status: 200,
      body: { dryRun: true, delivery: DELIVERY },
    })
    expect(shop.asked()).toEqual([])
  })
})

describe('a field that is wrong: delivery', () => {
  const expectProblem = async (answer: Promise<{ status: number; body: { error?: unknown } }>, problem: RegExp) => {
    const { status, body } = await answer
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: { code: 'VAL_2001', details: { delivery: expect.stringMatching(problem) } } },
    })
    expect(shop.asked()).toEqual([])
  }

  test('of a merchant, who is asked for nothing', async () => {
    const body = { amount: TOTAL, delivery: DELIVERY }
    const id = await chargeable(service, await newOwner(service, service.merchant))
    await expectProblem(service.merchant.post(`/v1/mandates/${id}/charge`, body), /is for agents/)
  })

  test('at a merchant that is no shop of ours, that speaks another protocol, or is disabled', async () => {
    const elsewhere = await buyerAt(service, 'https://elsewhere.example')
    await expectProblem(elsewhere.charge(), /registered/)
    await expectProblem(elsewhere.charge({}, '?dry_run=true'), /registered/)
    const native = { ...SHOP, url: 'https://native.example', adapter: 'native' } as const
    await service.app.shops.add({ ...native, baseUrl: 'https://native.example/api' }, null)
    await expectProblem((await buyerAt(service, native.url)).charge(), /Agentic Commerce Protocol/)
    const closed = await service.app.shops.add(
      { ...SHOP, url: 'https://closed.example', baseUrl: shop.address.baseUrl },
      null,
    )
    const atClosed = await buyerAt(service, 'https://closed.example/shop')
    const before = await atClosed.charge({ reference: 'before' })
    expect(before.body.delivery.token).toBe('vt_0123456789')
    shop.says()
    await service.app.shops.update(closed.id, { status: 'disabled' })
    await expectProblem(atClosed.charge(), /disabled/)
    // What was made before is answered as ever.
    expect((await atClosed.charge({ reference: 'before' })).body).toEqual({ ...before.body, deduplicated: true })
  })

  test('is the shop of the purchase context, where the mandate allows any', async () => {
    const setup = { recurring_frequency: 'monthly', merchant_scope: 'any' }
    const anywhere = await buyerAt(service, 'https://elsewhere.example', { mandate_setup: setup })
    await expectProblem(anywhere.charge(), /registered/)
    const merchant_details = { name: SHOP.name, url: `${SHOP.url}/en`, country_code_iso2: 'US' }
    const purchase_context = [{ merchant_details, product_details: [{ description: 'Tee', unit_price: '48.70' }] }]
    expect((await anywhere.charge({ purchase_context })).body.delivery.token).toBe('vt_0123456789')
  })

  // The operator's key of the shop would go along to wherever such an id leads.
  const strange = ['', 'with blanks in', '..', '../../admin', 'cs_1/complete', 'x'.repeat(201)]
  test.each(strange)('with the session id %j', async (id) => {
    const answer = await buyer.charge({ delivery: { type: 'acp', checkout_session_id: id } })
    expectError(answer, 400, 'VAL_2001')
    expect(Object.keys(answer.body.error.details)).toEqual(['delivery.checkout_session_id'])
  })
})

describe('a shop that says no', () => {
  test.each([
    ['of no such session', { retrieve: refusal(404, 'not_found') }, null],
    ['of the card', { delegate_payment: refusal(400, 'invalid_card') }, 'closed'],
  ])('%s: the charge has failed, and amount and reference are free', async (_, script, credential) => {
    shop.says(script)
    expect(await buyer.charge({ reference: 'r' })).toMatchObject({ status: 200, body: { ...REFUSED, expiresAt: null } })
    expect(await booksOf(service, buyer)).toMatchObject({ status: 'failed', sealed: false, credential, work: 0 })
    expect(await spentOf(service, buyer)).toEqual({ spent: 0, count: 0 })
    shop.says()
    const next = await buyer.charge({ reference: 'r' })
    expect(next.body).toMatchObject({
      status: 'awaiting_result',
      deduplicated: false,
      delivery: { token: 'vt_0123456789' },
    })
  })
})

describe('a shop that is silent', () => {
  test('leaves the charge open: the next call with its reference has the one token', async () => {
    shop.says(SILENT)
    await chargeInVain(hasty, buyer)
    expect(await booksOf(service, buyer)).toMatchObject({ status: 'minting', credential: 'open', work: 1 })
    const asked = sent()
    shop.says()
    await service.clock.advance(60)
    const charge = await buyer.charge({ reference: 'r' })
    expect(charge.body).toMatchObject({
      status: 'awaiting_result',
      deduplicated: true,
      delivery: { token: 'vt_0123456789' },
    })
    // Key and body are those of the first question: to the shop they are one.
    expect(new Set([...asked, ...sent()].map(String)).size).toBe(1)
    expect(await spentOf(service, buyer)).toEqual({ spent: 4_870, count: 1 })
  })

  test('is asked again by a worker', async () => {
    shop.says(SILENT)
    await chargeInVain(hasty, buyer)
    shop.says()
    await wait(60)
    expect(await booksOf(service, buyer)).toMatchObject({ status: 'awaiting_result', sealed: true })
    expect((await buyer.charge({ reference: 'r' })).body.delivery.token).toBe('vt_0123456789')
    expect(delegations()).toHaveLength(1)
  })

  test('is asked nothing while the service is closed after a restore', async () => {
    shop.says(SILENT)
    await chargeInVain(hasty, buyer)
    shop.says()
    const { closedSince } = service.clock
    service.clock.closedSince = () => service.clock.now()
    await service.clock.advance(60)
    await service.job('charges.reconcile').run()
    await service.job('charges.reconcile').settled?.()
    expect(shop.asked()).toEqual([])
    service.clock.closedSince = closedSince
    await wait(60)
    expect(await booksOf(service, buyer)).toMatchObject({ status: 'awaiting_result', sealed: true })
  })

  test.each([
    ['of the session', { retrieve: { status: 503, body: {} } }, 'DELIVERY_REFUSED'],
    ['of the card', SILENT, 'CREDENTIAL_LAPSED'],
  ])('for long, %s: the card is ended first, and then the charge has failed', async (_, script, failure) => {
    shop.says(script)
    await chargeInVain(hasty, buyer)
    for (let round = 0; round < 6; round += 1) await wait(300)
    const half = await booksOf(service, buyer)
    if (failure === 'CREDENTIAL_LAPSED') expect(half.status).toBe('minting')
    await wait(12 * 3_600)
    expect(await booksOf(service, buyer)).toMatchObject({ status: 'failed', failure, sealed: false, work: 0 })
    expect(await spentOf(service, buyer)).toEqual({ spent: 0, count: 0 })
    shop.says()
    expect((await buyer.charge({ reference: 'r' })).body).toMatchObject({
      deduplicated: false,
      status: 'awaiting_result',
    })
  })

  test('and has used the card all the same: the charge waits for its report, and shows nothing', async () => {
    shop.says(SILENT)
    await chargeInVain(hasty, buyer)
    const { number, cvc, exp_month: expiryMonth, exp_year: expiryYear } = shop.bodyOf('delegate_payment').payment_method
    const credential = { token: secret(number), dynamicCvv: secret(cvc), expiryMonth, expiryYear }
    const amount = { minor: 4_870n, currency: 'USD' } as const
    await networkOf(service).authorize({ ...credential, amount, merchantUrl: SHOP.url })
    await wait(13 * 3_600)
    const waiting = await buyer.charge({ reference: 'r' })
    expect(waiting.body).toMatchObject({ status: 'awaiting_result', delivery: DELIVERY })
    expect(waiting.body.delivery).toEqual(DELIVERY)
    expect(await booksOf(service, buyer)).toMatchObject({ sealed: false, credential: 'used' })
    expect(await buyer.report(waiting)).toMatchObject({ status: 200, body: { status: 'completed' } })
    expect(await spentOf(service, buyer)).toEqual({ spent: 4_870, count: 1 })
  })
})

describe('a token', () => {
  test('ends with its credential, reported or lapsed; that its mandate was cancelled ends neither', async () => {
    const declined = await buyer.charge({ reference: 'declined' })
    await buyer.report(declined, 'DECLINED')
    const reported = await buyer.charge({ reference: 'declined' })
    expect(reported.body).toMatchObject({ deduplicated: false, delivery: { token: expect.any(String) } })
    const lapsing = await buyer.charge({ reference: 'lapses' })
    await service.clock.advance(24 * 3_600 + 1)
    const lapsed = (await buyer.charge({ reference: 'lapses' })).body
    expect(lapsed).toMatchObject({ transactionId: lapsing.body.transactionId, delivery: DELIVERY })
    expect(lapsed.delivery).toEqual(DELIVERY)
    await service.runJobs()
    expect(await booksOf(service, buyer)).toMatchObject({
      status: 'failed',
      failure: 'CREDENTIAL_LAPSED',
      sealed: false,
    })
    const open = await buyer.charge({ reference: 'cancelled' })
    expect(open.body.delivery.token).toBe('vt_0123456789')
    expect((await buyer.agent.send('POST', `/v1/mandates/${buyer.mandateId}/cancel`)).status).toBe(200)
    const cancelled = (await buyer.charge({ reference: 'cancelled' })).body
    expect(cancelled).toMatchObject({ transactionId: open.body.transactionId, delivery: open.body.delivery })
  })

  test('is for the shop and the session that were asked for, whoever edits the row', async () => {
    shop.says(SILENT)
    const edits = [
      "delivery_session_id = 'another'",
      "delivery_shop_id = 'shop_another'",
      'delivery_shop_id = null, delivery_session_id = null',
    ]
    for (const edit of edits) {
      await chargeInVain(hasty, buyer)
      await service.pool.query(`update charges set ${edit} where standing_mandate_id = $1 and status = 'minting'`, [
        buyer.mandateId,
      ])
      shop.says()
      await wait(120)
      expect(await booksOf(service, buyer)).toMatchObject({ status: 'failed', failure: 'PAYMENT_FAILED', work: 0 })
      expect(delegations()).toEqual([])
      shop.says(SILENT)
    }
  })

  test('is asked for no more where the shop was disabled or edited meanwhile', async () => {
    const changes = ["status = 'disabled'", "base_url = 'https://thief.example'", "url = 'https://thief.example'"]
    for (const [index, change] of changes.entries()) {
      const url = `https://shop-${index}.example`
      const { id } = await service.app.shops.add({ ...SHOP, url, baseUrl: shop.address.baseUrl }, null)
      const own = await buyerAt(service, url)
      shop.says(SILENT)
      await chargeInVain(hasty, own)
      await service.pool.query(`update shops set ${change} where id = $1`, [id])
      shop.says()
      await wait(60)
      expect(await booksOf(service, own)).toMatchObject({
        status: 'failed',
        failure: 'DELIVERY_REFUSED',
        credential: 'closed',
      })
      expect(delegations()).toEqual([])
    }
  })
})
