// Guarantee: a standing mandate is charged within what its owner allowed, and in no other way; a reference names one charge;
// what came of it is told once, to the merchant, the network and the readers of events.
import { afterAll, describe, expect, test } from 'vitest'
import {
  authorization,
  CARDS,
  complete,
  createSession,
  dbRow,
  eventBodies,
  expectError,
  expectInvalid,
} from '../../test/flows.ts'
import { recordWaits } from '../../test/waits.ts'
import { newOwner, standingMandate, startWithOwner } from '../mandates/testing/standing.ts'
import { addSeconds } from '../platform/clock.ts'
import { charge, chargeable, expectBalanced, outcomeOf, reportCharge } from './testing/charge.ts'

const { service, merchant, owner, close } = await startWithOwner()
afterAll(close)

const read = async (id: string) => (await merchant.get(`/v1/mandates/${id}`)).body
const eventsOf = async (id: string) => (await eventBodies(service, id)).map((body) => JSON.parse(body))
/** A setup that waits for its cardholder. */
const begin = (mandate_setup: object) =>
  createSession(merchant, { mandate_setup, total_amount: '100.00' }) as Promise<
    Awaited<ReturnType<typeof createSession>> & { mandate_id: string }
  >
const typesOf = async (id: string) => (await eventsOf(id)).map(({ type, resource }) => `${resource.version} ${type}`)

describe('a charge', () => {
  test('answers with exactly what is to be known, and a credential that buys once', async () => {
    const id = await chargeable(service, owner)
    const answer = await charge(merchant, id, { reference: 'one' })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    const { order_id, instruction_ref } = await dbRow(service, 'select * from mandates where id = $1', [id])
    expect(answer.body).toEqual({
      mandateId: id,
      instructionId: instruction_ref,
      transactionId: expect.stringMatching(/^txn_/),
      orderId: order_id,
      status: 'awaiting_result',
      fetchStatus: 'SUCCESS',
      credentials: {
        token: expect.stringMatching(/^\d{16}$/),
        dynamicCvv: expect.stringMatching(/^\d{3}$/),
        expiryMonth: expect.stringMatching(/^\d\d$/),
        expiryYear: expect.stringMatching(/^\d{4}$/),
      },
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      ...{ errorCode: null, errorMessage: null },
      deduplicated: false,
      amount: '25.00',
      currency: 'USD',
    })
    expect(await read(id)).toMatchObject({ remaining: '75.00', spent: '25.00', chargeCount: 1 })
    const { token, dynamicCvv, expiryMonth, expiryYear } = answer.body.credentials
    const item = {
      ...{ token, dynamic_cvv: dynamicCvv, expiry_month: expiryMonth, expiry_year: expiryYear },
      ...{ total_amount: '25.00', merchant_url: 'https://tea.example' },
    }
    const tries = [
      await merchant.post('/v1/test_helpers/authorizations', authorization(item)),
      await merchant.post('/v1/test_helpers/authorizations', authorization(item)),
    ]
    expect(tries.map(({ body }) => body.approved)).toEqual([true, false])
    await expectBalanced(service, id)
    expect(await eventsOf(answer.body.transactionId)).toMatchObject([
      {
        type: 'payment.credentials_ready',
        resource: { type: 'payment', id: answer.body.transactionId, version: 2 },
        data: { session_id: null, mandate_id: id, order_id, error_code: null },
      },
    ])
  })

  test('waits for the database three times: for what it takes and the COMMIT of that, and for what was minted', async () => {
    const id = await chargeable(service, owner)
    await charge(merchant, id, { amount: '1.00' })
    const recorder = recordWaits()
    try {
      expect((await charge(merchant, id, { reference: 'counted', amount: '1.00' })).status).toBe(200)
      const own = recorder.take().filter(({ ofNetwork }) => !ofNetwork)
      expect(own.map(({ name }) => name).filter((name) => !/^(?:rate_limits|merchants)\./.test(name))).toEqual([
        'transaction.begin, mandates.take, charges.insert_opened',
        'transaction.commit',
        'charges.update_standing_minted',
      ])
    } finally {
      recorder.stop()
    }
  })

  test('above the cap, the window or the count is a failed charge, which takes nothing and frees its reference', async () => {
    const id = await chargeable(service, owner, { maxCharges: 2 })
    const over = await charge(merchant, id, { amount: '100.01', reference: 'r' })
    expect(over.body).toMatchObject({
      status: 'failed',
      fetchStatus: 'FAILURE',
      credentials: null,
      errorCode: 'THRESHOLD_EXCEEDED',
      errorMessage: 'THRESHOLD_EXCEEDED: The amount is above what was approved, or above what is left of it.',
      deduplicated: false,
      amount: '100.01',
    })
    expect(await typesOf(over.body.transactionId)).toEqual(['1 payment.failed'])
    expect(outcomeOf(await charge(merchant, id, { amount: '60.00', reference: 'r' }))).toBe('awaiting_result')
    expect(outcomeOf(await charge(merchant, id, { amount: '40.01' }))).toBe('THRESHOLD_EXCEEDED')
    expect(outcomeOf(await charge(merchant, id, { amount: '40.00' }))).toBe('awaiting_result')
    expect(outcomeOf(await charge(merchant, id, { amount: '0.01' }))).toBe('MAX_CHARGES_EXCEEDED')
    expect((await read(id)).charges.map((one: { status: string }) => one.status)).toEqual([
      'failed',
      'awaiting_result',
      'failed',
      'awaiting_result',
      'failed',
    ])
    expect(await expectBalanced(service, id)).toEqual({ spent: 10_000, count: 2 })
  })

  test('the network’s no gives amount, count and reference back', async () => {
    const other = await newOwner(service)
    const id = await chargeable(service, other)
    await service.pool.query(`update simnet.instructions set state = 'cancelled' where mandate_id = $1`, [id])
    const refused = await charge(merchant, id, { reference: 'r' })
    expect(refused.body).toMatchObject({ status: 'failed', errorCode: 'PAYMENT_FAILED', credentials: null })
    expect(await read(id)).toMatchObject({ remaining: '100.00', chargeCount: 0 })
    expect(await typesOf(refused.body.transactionId)).toEqual(['2 payment.failed'])
    const again = await charge(merchant, id, { reference: 'r' })
    expect(again.body).toMatchObject({ deduplicated: false, status: 'failed' })
    expect(again.body.transactionId).not.toBe(refused.body.transactionId)
    const held = `select count(*)::int as held from charges where mandate_id = $1 and not reference_freed`
    expect((await dbRow(service, held, [id])).held).toBe(0)
  })

  test('an amount that the currency does not know is refused as input', async () => {
    const id = await chargeable(service, owner)
    expectInvalid(await charge(merchant, id, { amount: '1.001' }), 'amount')
    expectInvalid(await charge(merchant, id, { amount: '0' }), 'amount')
    expectInvalid(await merchant.post(`/v1/mandates/${id}/charge`, {}), 'amount')
    expectInvalid(await charge(merchant, id, { purchase_context: [] }), 'purchase_context')
    await service.pool.query(`update mandates set currency = 'JPY' where id = $1`, [id])
    expectInvalid(await charge(merchant, id, { amount: '10.50' }), 'amount')
    const product_details = ['10.00', '0.50'].map((unit_price) => ({ description: 'Tea', unit_price }))
    const purchase_context = [{ product_details, summary: { shipping: '1.00', tax: '0.05' } }]
    const paths = ['product_details[1].unit_price', 'summary.tax'].map((path) => `purchase_context[0].${path}`)
    expectInvalid(await charge(merchant, id, { purchase_context }), ...paths)
    expectInvalid(await charge(merchant, id, { amount: '9.5', purchase_context }, '?dry_run=true'), 'amount', ...paths)
    expect(await read(id)).toMatchObject({ remaining: '100.00', charges: [] })
    await service.pool.query(`update mandates set currency = 'USD' where id = $1`, [id])
    expect((await charge(merchant, id, { purchase_context })).body).toMatchObject({ status: 'awaiting_result' })
  })

  test('of a suspended merchant mints nothing', async () => {
    const shop = await service.addMerchant()
    const id = await chargeable(service, await newOwner(service, shop))
    await service.pool.query(`update merchants set status = 'suspended' where id = $1`, [shop.merchantId])
    const answer = await charge(shop, id)
    expect({ status: answer.status, body: answer.body }).toMatchObject({
      status: 200,
      body: { status: 'failed', fetchStatus: 'FAILURE', errorCode: 'PAYMENT_FAILED', credentials: null },
    })
    expect(
      (await dbRow(service, 'select count(*)::int as minted from simnet.mints where mandate_id = $1', [id])).minted,
    ).toBe(0)
  })

  test.each([
    ['the cap of the mandate', 'update mandates set approved_minor = approved_minor * 10 where id = $1'],
    ['the payee of the mandate', `update mandates set payee_url = 'https://evil.example' where id = $1`],
  ])('of an edited row mints nothing: %s', async (_what, edit) => {
    const id = await chargeable(service, owner)
    await service.pool.query(edit, [id])
    expect((await charge(merchant, id)).body).toMatchObject({ status: 'failed', errorCode: 'PAYMENT_FAILED' })
    expect(
      (await dbRow(service, 'select count(*)::int as minted from simnet.mints where mandate_id = $1', [id])).minted,
    ).toBe(0)
  })
})

describe('a mandate that its customer set up', () => {
  const PURCHASE = {
    merchant_details: { name: 'Book Shop', url: 'https://books.example/shop', country_code_iso2: 'DE' },
    product_details: [{ description: 'A book', unit_price: '20.00', product_id: 'sku-9' }],
  }
  async function setUp(mandate_setup: object, card: string = CARDS.success): Promise<string> {
    const { session_id, mandate_id } = await begin(mandate_setup)
    expect((await complete(merchant, session_id, { card_number: card })).body.status).toBe('completed')
    return mandate_id
  }
  const spend = (credentials: Record<string, string>, merchant_url: string, total_amount: string) =>
    merchant.post(
      '/v1/test_helpers/authorizations',
      authorization({
        ...{ token: credentials.token ?? '', dynamic_cvv: credentials.dynamicCvv ?? '', total_amount, merchant_url },
        ...{ expiry_month: credentials.expiryMonth ?? '', expiry_year: credentials.expiryYear ?? '' },
      }),
    )

  test('is charged, paid with and reported, cycle by cycle', async () => {
    const id = await setUp({ recurring_frequency: 'monthly' })
    for (let month = 0; month < 12; month += 1) {
      const { body } = await charge(merchant, id, { amount: '100.00', reference: `month-${month}` })
      expect(body).toMatchObject({ status: 'awaiting_result', deduplicated: false })
      expect((await spend(body.credentials, 'https://tea.example', '100.00')).body.approved).toBe(true)
      expect((await reportCharge(merchant, id, body.transactionId)).body).toMatchObject({ mandateStatus: 'active' })
      const { renewsAt, remaining } = await read(id)
      expect(remaining).toBe('0.00')
      await service.clock.advance(Math.ceil((Date.parse(renewsAt) - service.clock.now().getTime()) / 1000) + 1)
    }
    expect(await read(id)).toMatchObject({ chargeCount: 12, remaining: '100.00', status: 'active' })
  })

  test('for any merchant pays the one that the charge names, and no other', async () => {
    const id = await setUp({ recurring_frequency: 'weekly', merchant_scope: 'any' })
    const { body } = await charge(merchant, id, { amount: '20.00', purchase_context: [PURCHASE] })
    expect(body).toMatchObject({ status: 'awaiting_result' })
    expect((await spend(body.credentials, 'https://tea.example', '20.00')).body.approved).toBe(false)
    expect((await spend(body.credentials, 'https://books.example', '20.00')).body.approved).toBe(true)
    const row = await dbRow(service, 'select * from charges where id = $1', [body.transactionId])
    expect(row).toMatchObject({
      ...{ payee_name: 'Book Shop', payee_url: 'https://books.example/shop', payee_country: 'DE' },
      products: [{ name: 'A book', externalId: 'sku-9', unitPrice: '20.00', quantity: 1 }],
    })
    expect((await reportCharge(merchant, id, body.transactionId)).status).toBe(200)
    await expectBalanced(service, id)
  })

  test('takes an entry that is wrapped as in a session', async () => {
    const id = await setUp({ recurring_frequency: 'weekly', merchant_scope: 'any' })
    const { body } = await charge(merchant, id, { amount: '20.00', purchase_context: [{ custom: PURCHASE }] })
    expect(body).toMatchObject({ status: 'awaiting_result' })
    expect((await spend(body.credentials, 'https://books.example', '20.00')).body.approved).toBe(true)
  })

  test('names what is wrong in an entry that is wrapped by its own path', async () => {
    const id = await chargeable(service, owner)
    const wrong = (entry: object) => charge(merchant, id, { purchase_context: [entry] })
    const { product_details: _, ...incomplete } = PURCHASE
    expectInvalid(await wrong({ custom: incomplete }), 'purchase_context[0].custom.product_details')
    expectInvalid(await wrong({ custom: { ...PURCHASE, odd: 1 } }), 'purchase_context[0].custom.odd')
    expectInvalid(await wrong({ ...PURCHASE, odd: 1 }), 'purchase_context[0].odd')
    expectInvalid(await wrong(incomplete), 'purchase_context[0].product_details')
    expectInvalid(await wrong({ custom: PURCHASE, ...PURCHASE }), 'purchase_context[0].custom')
  })

  test('of which the card is declined at a charge: told as failed, and nothing is taken', async () => {
    const id = await setUp({ recurring_frequency: 'monthly' }, CARDS.mintDeclined)
    expect((await charge(merchant, id)).body).toMatchObject({ status: 'failed', errorCode: 'CARD_DECLINED' })
    expect(await expectBalanced(service, id)).toEqual({ spent: 0, count: 0 })
  })
})

describe('why a mandate is not charged', () => {
  test.each(['paused', 'cancelled', 'consumed', 'expired', 'pending'] as const)('%s', async (status) => {
    const id = await standingMandate(service, owner, { status })
    expectError(await charge(merchant, id), 409, 'MANDATE_NOT_ACTIVE')
  })

  test('nobody has approved it: it has no card yet', async () => {
    const { mandate_id: id } = await begin({ recurring_frequency: 'monthly' })
    for (const query of ['', '?dry_run=true']) {
      expectError(await charge(merchant, id, { reference: 'early' }, query), 409, 'MANDATE_NOT_ACTIVE')
    }
  })

  test('its time is over, and nothing has written that yet', async () => {
    const id = await chargeable(service, owner, { validUntil: addSeconds(service.clock.now(), 1) })
    await service.clock.advance(2)
    expectError(await charge(merchant, id), 409, 'MANDATE_NOT_ACTIVE')
  })

  test('it is that of a checkout', async () => {
    await service.pool.query(`update mandates set status = 'active' where id = $1`, [owner.mandateId])
    expectError(await charge(merchant, owner.mandateId), 409, 'MANDATE_NOT_ACTIVE')
  })

  test('no instruction, no order, not there, another’s', async () => {
    const id = await chargeable(service, owner)
    await service.pool.query('update mandates set order_id = null where id = $1', [id])
    expectError(await charge(merchant, id), 409, 'NO_ORDER')
    await service.pool.query('update mandates set instruction_ref = null where id = $1', [id])
    expectError(await charge(merchant, id), 409, 'NO_INSTRUCTION')
    expectError(await charge(merchant, 'mdt_none'), 404, 'MANDATE_NOT_FOUND')
    const stranger = await service.addMerchant()
    expectError(await charge(stranger, id), 403, 'MANDATE_FORBIDDEN')
    expectError(await charge(stranger, id, {}, '?dry_run=true'), 403, 'MANDATE_FORBIDDEN')
  })

  const products = [{ description: 'Tea', unit_price: '25.00', quantity: 1 }]
  const at = (name: string, url: string) => [
    { merchant_details: { name, url, country_code_iso2: 'US' }, product_details: products },
  ]

  test('a listed mandate names its merchant by origin and name, however they are written', async () => {
    const id = await chargeable(service, owner)
    const { payee_name: name } = await dbRow(service, 'select payee_name from mandates where id = $1', [id])
    const pay = (purchase_context: unknown) => charge(merchant, id, { amount: '1.00', purchase_context })
    for (const same of [
      at(name, 'https://tea.example/checkout?x=1'),
      at(name.toUpperCase(), 'https://TEA.example:443'),
      at(name, 'https://tea.example./'),
      [{ product_details: products }],
    ]) {
      expect(outcomeOf(await pay(same))).toBe('awaiting_result')
    }
    for (const other of [
      at(name, 'https://www.tea.example'),
      at(name, 'https://tea.example:8443'),
      at('Another House', 'https://tea.example'),
    ]) {
      expectError(await pay(other), 403, 'MANDATE_MERCHANT_NOT_ALLOWED')
    }
    const { products: stored } = await dbRow(
      service,
      'select products from charges where standing_mandate_id = $1 order by created_at desc limit 1',
      [id],
    )
    expect(stored).toMatchObject([{ ref: expect.stringMatching(/^prd_/), name: 'Tea', unitPrice: '25.00' }])
    expectInvalid(
      await pay([...at(name, 'https://tea.example'), ...at(name, 'https://tea.example')]),
      'purchase_context',
    )
  })
})

describe('a reference', () => {
  test('names the first charge, with its own amount, until that one fails', async () => {
    const id = await chargeable(service, owner)
    const first = (await charge(merchant, id, { reference: 'r' })).body
    const later = await charge(merchant, id, { reference: 'r', amount: '99.00' })
    expect(later.body).toEqual({ ...first, deduplicated: true })
    await reportCharge(merchant, id, first.transactionId)
    expect((await charge(merchant, id, { reference: 'r' })).body).toEqual({
      ...first,
      deduplicated: true,
      status: 'completed',
      credentials: null,
    })
    expect(outcomeOf(await charge(merchant, id, { reference: 'R' }))).toBe('awaiting_result')
    await expectBalanced(service, id)
  })

  test('is answered also when the mandate is charged no more', async () => {
    const id = await chargeable(service, owner)
    const first = (await charge(merchant, id, { reference: 'r' })).body
    await merchant.post(`/v1/mandates/${id}/pause`)
    expect((await charge(merchant, id, { reference: 'r' })).body).toEqual({ ...first, deduplicated: true })
    expectError(await charge(merchant, id, { reference: 's' }), 409, 'MANDATE_NOT_ACTIVE')
  })

  test('is free again after a declined report', async () => {
    const id = await chargeable(service, owner)
    const first = (await charge(merchant, id, { reference: 'r' })).body
    await reportCharge(merchant, id, first.transactionId, 'DECLINED')
    const next = (await charge(merchant, id, { reference: 'r' })).body
    expect(next).toMatchObject({ deduplicated: false, status: 'awaiting_result' })
    expect(next.transactionId).not.toBe(first.transactionId)
    await expectBalanced(service, id)
  })

  test('is the mandate’s own', async () => {
    const [a, b] = [await chargeable(service, owner), await chargeable(service, owner)]
    expect(outcomeOf(await charge(merchant, a, { reference: 'same' }))).toBe('awaiting_result')
    expect(outcomeOf(await charge(merchant, b, { reference: 'same' }))).toBe('awaiting_result')
  })
})

test('a dry run says what a charge would come to, and leaves nothing behind', async () => {
  const id = await chargeable(service, owner, { maxCharges: 1 })
  const dry = (body: object = {}) => charge(merchant, id, { reference: 'r', ...body }, '?dry_run=true')
  expect((await dry()).body).toMatchObject({
    ...{ dryRun: true, transactionId: null, status: 'awaiting_result', fetchStatus: 'SUCCESS', credentials: null },
    ...{ deduplicated: false, amount: '25.00', errorCode: null },
  })
  expect((await dry({ amount: '100.01' })).body).toMatchObject({ status: 'failed', errorCode: 'THRESHOLD_EXCEEDED' })
  expect((await read(id)).charges).toEqual([])
  const real = (await charge(merchant, id, { reference: 'r' })).body
  expect((await dry()).body).toMatchObject({
    ...{ transactionId: real.transactionId, deduplicated: true, credentials: null, dryRun: true },
  })
  expect((await dry({ reference: 'other' })).body.errorCode).toBe('MAX_CHARGES_EXCEEDED')
  await merchant.post(`/v1/mandates/${id}/pause`)
  expectError(await dry({ reference: 'other' }), 409, 'MANDATE_NOT_ACTIVE')
  expect((await read(id)).charges).toHaveLength(1)
})
