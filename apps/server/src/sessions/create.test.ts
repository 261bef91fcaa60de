// Guarantee: a session is created exactly as asked or not at all, every bad field is named, and what limits sessions
// (allowance, cards, tenants) holds however many ask at once.
import { CURRENCIES } from '@mintmark/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  approvedSession,
  atOnce,
  CARDS,
  complete,
  countBy,
  createSession,
  custom,
  dbRow,
  expectCreated,
  expectError,
  expectInvalid,
  expectRefusesStrangers,
  inCustom,
  newUser,
  paymentResult,
  vaultRecord as putInVault,
  QUOTE,
} from '../../test/flows.ts'
import {
  type Answer,
  PATIENT,
  sessionBody,
  startTestService,
  type TestMerchant,
  type TestService,
} from '../../test/service.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
  merchant = service.merchant
})
afterAll(() => service?.close())

const create = (changes: Record<string, unknown> = {}) => merchant.post('/v1/sessions', sessionBody(changes))

async function lineItemOf(answer: Answer) {
  const result = await paymentResult(merchant, answer.body.session_id)
  return result.body.transactions[0].line_items[0]
}

describe('success', () => {
  test('answers exactly the five fields of the contract', async () => {
    const before = service.clock.now().getTime()
    const answer = await create()
    expectCreated(answer)
    expect(Object.keys(answer.body).sort()).toEqual([
      'expires_at',
      'iframe_url',
      'order_id',
      'session_id',
      'session_token',
    ])
    const { session_id, order_id, expires_at, iframe_url, session_token } = answer.body
    expect(session_id).toMatch(/^sess_[0-9a-z]{26}$/)
    expect(order_id).toMatch(/^ord_[0-9a-z]{26}$/)
    expect(expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const lifetime = new Date(expires_at).getTime() - before
    expect(lifetime).toBeGreaterThanOrEqual(900_000)
    expect(lifetime).toBeLessThanOrEqual(900_000 + service.clock.now().getTime() - before)
    expect(session_token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(answer.headers.get('x-response-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const url = new URL(iframe_url)
    expect(url.origin).toBe(service.surfaceUrl)
    expect(url.pathname).toBe(`/s/${merchant.merchantId}/${session_id}`)
    expect(url.search).toBe('')
    expect(url.hash).toMatch(/^#[0-9a-z]{32}$/)
  })

  test('the token names session, merchant, customer and order, and ends with the session', async () => {
    const { body } = await create()
    const [header, claims] = (body.session_token as string)
      .split('.', 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
    expect(header).toEqual({ alg: 'HS256', typ: 'mintmark-session+jwt' })
    expect(claims).toEqual({
      iss: 'mintmark:sandbox',
      aud: 'mintmark-surface',
      knd: 'payment',
      sub: body.session_id,
      mid: merchant.merchantId,
      cus: expect.stringMatching(/^cus_/),
      ord: body.order_id,
      iat: expect.any(Number),
      exp: Math.floor(new Date(body.expires_at).getTime() / 1000),
    })
  })

  test('takes every field at its limit', async () => {
    const answer = await create({
      user_id: 'u'.repeat(255),
      user_email: `${'a'.repeat(64)}@${`${'b'.repeat(61)}.`.repeat(4)}${'c'.repeat(7)}`,
      total_amount: '999999999999.99',
      user_phone: '+1 555 0100',
      user_country_code_iso2: 'US',
      external_order_ref: 'r'.repeat(255),
      description: 'A pot of tea',
      integration_type: 'embedding',
      callback_url: `https://shop.example/${'c'.repeat(2048 - 'https://shop.example/'.length)}`,
      ...inCustom(
        { category_code: '5499', category: 'Food' },
        { product_id: 'p'.repeat(50), quantity: 3 },
        { effective_until_minutes: 60 },
      ),
    })
    expectCreated(answer)
    const row = await dbRow(
      service,
      `select s.*, c.external_order_ref, k.external_user_id, k.phone, k.country from sessions s
       join charges c on c.merchant_id = s.merchant_id and c.id = s.charge_id
       join customers k on k.merchant_id = s.merchant_id and k.id = s.customer_id where s.id = $1`,
      [answer.body.session_id],
    )
    expect(row).toMatchObject({
      external_user_id: 'u'.repeat(255),
      phone: '+1 555 0100',
      country: 'US',
      external_order_ref: 'r'.repeat(255),
      integration_type: 'embedding',
      effective_minutes: 60,
      version: 1,
    })
    expect((await lineItemOf(answer)).products[0]).toMatchObject({ external_product_id: 'p'.repeat(50), quantity: 3 })
  })

  test('counts characters, not UTF-16 units or bytes', async () => {
    expectCreated(await create({ user_id: '🫖'.repeat(255) }))
    expectInvalid(await create({ user_id: '🫖'.repeat(256) }), 'user_id')
  })

  test.for([
    ['an object', { custom: custom() }],
    ['an object, quote false', { quote: false, custom: custom() }],
    ['an array in custom', { custom: [custom()] }],
    ['the older form, an array', [custom()]],
  ])('takes the purchase as %s', async ([, purchase_context]) => {
    const answer = await create({ purchase_context })
    expectCreated(answer)
    expect(await lineItemOf(answer)).toMatchObject({ merchant_name: 'Tea House', merchant_url: 'https://tea.example' })
  })

  test('every supported currency', async () => {
    const answers = await Promise.all(
      CURRENCIES.map((currency) => create({ currency, total_amount: '40', ...inCustom({}, { unit_price: '40.0' }) })),
    )
    for (const answer of answers) expectCreated(answer)
  })

  test('amounts in any allowed spelling, shown with two decimals', async () => {
    for (const [sent, shown] of [
      ['7', '7.00'],
      ['7.5', '7.50'],
      ['007.50', '7.50'],
      ['0.01', '0.01'],
    ]) {
      const answer = await create({ total_amount: sent, ...inCustom({}, { unit_price: sent }) })
      expectCreated(answer)
      expect(await lineItemOf(answer)).toMatchObject({ total_amount: shown, products: [{ unit_price: shown }] })
    }
  })

  test('the total need not be the sum of the products', async () => {
    expectCreated(await create({ total_amount: '99.00' }))
  })

  test("shows the merchant's name as it is written, and keeps another for the network", async () => {
    for (const [merchant, shown, told] of [
      [{ name: '  Cafe\u0301 “Olé”\n日本  №5 ' }, 'Café “Olé” 日本 №5', 'Cafe Ole No5'],
      [{ name: '喫茶店', statement_name: 'KISSATEN' }, '喫茶店', 'KISSATEN'],
      [{ name: '喫茶店' }, '喫茶店', 'tea.example'],
    ] as const) {
      const answer = await create(inCustom(merchant))
      expectCreated(answer)
      expect((await lineItemOf(answer)).merchant_name).toBe(shown)
      const row = await dbRow(service, 'select * from charges where opened_by = $1', [answer.body.session_id])
      expect(row).toMatchObject({ payee_name: shown, payee_network_name: told })
    }
  })

  test('what may be left out may be empty', async () => {
    const empty = { user_phone: '', description: '', external_order_ref: '' }
    const answer = await create({ ...empty, ...inCustom({ category: '', category_code: '' }, { product_id: '' }) })
    expectCreated(answer)
    expect((await lineItemOf(answer)).products[0].external_product_id).toBeNull()
    const row = await dbRow(service, 'select * from charges where opened_by = $1', [answer.body.session_id])
    expect(row).toMatchObject({ external_order_ref: null, payee_category: null, payee_category_code: null })
  })

  test('a mandate_setup that says checkout is not looked at', async () => {
    for (const more of [{}, { recurring_frequency: 'daily', extra: 1 }, { valid_until: '2020-01-01T00:00:00Z' }]) {
      expectCreated(await create({ mandate_setup: { intent: 'checkout', ...more } }))
    }
  })

  test('international email addresses', async () => {
    for (const user_email of ['zoë@bücher.example', '用户@例子.公司']) expectCreated(await create({ user_email }))
  })

  test('a customer is known by user_id; contact data follows the last session', async () => {
    const user_id = newUser()
    await create({ user_id, user_phone: '111', user_country_code_iso2: 'US' })
    await create({ user_id, user_email: 'new@example.com' })
    const row = await dbRow(service, 'select * from customers where external_user_id = $1', [user_id])
    expect(row).toMatchObject({ email: 'new@example.com', phone: '111', country: 'US' })
  })

  test('user_id is compared byte by byte', async () => {
    const user_id = newUser()
    for (const variant of [user_id, user_id.toUpperCase(), ` ${user_id}`, `${user_id}é`, `${user_id}e\u0301`]) {
      expectCreated(await create({ user_id: variant }))
    }
    const { rows } = await service.pool.query('select id from customers where external_user_id ilike $1', [
      `%${user_id}%`,
    ])
    expect(rows).toHaveLength(5)
  })

  test('mandate_setup with intent checkout is ignored', async () => {
    const answer = await create({ mandate_setup: { intent: 'checkout', recurring_frequency: 'monthly' } })
    expectCreated(answer)
    expect(answer.body).not.toHaveProperty('mandate_id')
  })

  test("preselects the customer's own card", async () => {
    const user_id = newUser()
    const { id } = await approvedSession(merchant, undefined, { user_id })
    const { card_id } = (await paymentResult(merchant, id)).body.transactions[0]
    const answer = await create({ user_id, card: { card_id } })
    expectCreated(answer)
    expect((await paymentResult(merchant, answer.body.session_id)).body.transactions[0].card_id).toBe(card_id)
  })

  test('of card_id and vault_ref_id card_id wins, also over a vault record that does not exist', async () => {
    const user_id = newUser()
    const { id } = await approvedSession(merchant, undefined, { user_id })
    const { card_id } = (await paymentResult(merchant, id)).body.transactions[0]
    const vault_ref_id = '00000000-0000-4000-8000-000000000000'
    expectCreated(await create({ user_id, card: { card_id, vault_ref_id } }))
    expectError(await create({ user_id, card: { card_id: 'card_nobodys', vault_ref_id } }), 400, 'CARD_NOT_FOUND')
    expectError(await create({ user_id, card: { vault_ref_id } }), 400, 'CARD_NOT_FOUND')
  })

  test('preselects a vault record, in either case of its UUID', async () => {
    const vault_record_id = await vaultRecord()
    const amex = await vaultRecord(CARDS.amex)
    for (const vault_ref_id of [vault_record_id, vault_record_id.toUpperCase(), amex]) {
      const answer = await create({ user_id: newUser(), card: { vault_ref_id } })
      expectCreated(answer)
      const done = await complete(merchant, answer.body.session_id)
      expect(done.body).toMatchObject({ status: 'awaiting_result' })
    }
  })
})

const vaultRecord = (card_number: string = CARDS.success) => putInVault(merchant, { card_number })

// Invalid input has a file of its own: create-input.test.ts.

test('not authenticated', () => expectRefusesStrangers(service, 'POST', '/v1/sessions'))

describe('not permitted', () => {
  test('a suspended account', async () => {
    const suspended = await service.addMerchant({ sessionAllowance: 1 })
    await service.app.merchants.updateMerchant(suspended.merchantId, { status: 'suspended' })
    expectError(await suspended.post('/v1/sessions', sessionBody()), 500, 'MERCHANT_LOOKUP_ERROR')
    await service.app.merchants.updateMerchant(suspended.merchantId, { status: 'active' })
    expectCreated(await suspended.post('/v1/sessions', sessionBody()))
  })

  test('an account without payment configuration', async () => {
    const bare = await service.addMerchant({ networkProfile: null })
    expectError(await bare.post('/v1/sessions', sessionBody()), 500, 'CONFIG_ERROR')
  })
})

describe('not found', () => {
  test('a quote nobody made; what is wrong with the body comes first', async () => {
    expectError(await create({ purchase_context: QUOTE }), 404, 'QUOTE_NOT_FOUND')
    expectInvalid(await create({ purchase_context: QUOTE, total_amount: '0' }), 'total_amount')
    expectInvalid(await create({ purchase_context: QUOTE, total_amount: '1.50', currency: 'JPY' }), 'total_amount')
    expectInvalid(await create({ purchase_context: QUOTE, user_email: 'x' }), 'user_email')
  })

  test("a card of nobody, of another customer, of another merchant's customer: the same answer", async () => {
    const user_id = newUser()
    const { id } = await approvedSession(merchant, undefined, { user_id })
    const { card_id } = (await paymentResult(merchant, id)).body.transactions[0]
    const other = await service.addMerchant()
    const answers = [
      await create({ user_id, card: { card_id: 'card_00000000000000000000000000' } }),
      await create({ user_id: newUser(), card: { card_id } }),
      await other.post('/v1/sessions', sessionBody({ user_id, card: { card_id } })),
    ]
    for (const answer of answers) expectError(answer, 400, 'CARD_NOT_FOUND')
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  })

  test("another merchant's vault record", async () => {
    const vault_ref_id = await vaultRecord()
    const other = await service.addMerchant()
    const answer = await other.post('/v1/sessions', sessionBody({ card: { vault_ref_id } }))
    expectError(answer, 400, 'CARD_NOT_FOUND')
  })

  test('a vault record that a cardholder made, though it is of the merchant’s own customer', async () => {
    const user_id = newUser()
    const { id } = await approvedSession(merchant, undefined, { user_id })
    const { vault_ref_id } = await dbRow(
      service,
      `select c.vault_record_id as vault_ref_id from cards c join sessions s on s.card_id = c.id where s.id = $1`,
      [id],
    )
    expect(vault_ref_id).toMatch(/^[0-9a-f-]{36}$/)
    expectError(await create({ user_id, card: { vault_ref_id } }), 400, 'CARD_NOT_FOUND')
  })
})

describe('conflict', () => {
  test('a card that was never accepted, or is deleted', async () => {
    const user_id = newUser()
    const { session_id } = await createSession(merchant, { user_id })
    await complete(merchant, session_id, { card_number: '4000000000003220', stop_after: 'card' })
    const { card_id } = (await paymentResult(merchant, session_id)).body.transactions[0]
    expectError(await create({ user_id, card: { card_id } }), 400, 'CARD_INACTIVE')
    await service.pool.query(`update cards set status = 'deleted' where id = $1`, [card_id])
    expectError(await create({ user_id, card: { card_id } }), 400, 'CARD_INACTIVE')
  })

  test('an allowance of zero', async () => {
    const poor = await service.addMerchant({ sessionAllowance: 0 })
    expectError(await poor.post('/v1/sessions', sessionBody()), 429, 'TRIES_EXHAUSTED')
  })

  test('a refused session does not lower the allowance', async () => {
    const poor = await service.addMerchant({ sessionAllowance: 1 })
    expectInvalid(await poor.post('/v1/sessions', sessionBody({ total_amount: '0' })), 'total_amount')
    const card = { card_id: 'card_none' }
    expectError(await poor.post('/v1/sessions', sessionBody({ card })), 400, 'CARD_NOT_FOUND')
    expectError(await poor.post('/v1/sessions', sessionBody({ purchase_context: QUOTE })), 404, 'QUOTE_NOT_FOUND')
    expectCreated(await poor.post('/v1/sessions', sessionBody()))
    expectError(await poor.post('/v1/sessions', sessionBody()), 429, 'TRIES_EXHAUSTED')
  })
})

test('replay: the same body again is another session of the same customer', async () => {
  const body = sessionBody({ user_id: newUser(), external_order_ref: 'order-7' })
  const [first, second] = [await merchant.post('/v1/sessions', body), await merchant.post('/v1/sessions', body)]
  expect(first.body.session_id).not.toBe(second.body.session_id)
  expect(first.body.order_id).not.toBe(second.body.order_id)
})

describe('concurrent', () => {
  test('of 32 at once under an allowance of 7 exactly 7 are created', async () => {
    const poor = await service.addMerchant({ sessionAllowance: 7 })
    const answers = await atOnce(32, () => poor.post('/v1/sessions', sessionBody({ user_id: newUser() })))
    expect(countBy(answers, ({ status }) => status)).toEqual({ 201: 7, 429: 25 })
    const row = await dbRow(
      service,
      `select remaining::int as left, (select count(*)::int from sessions where merchant_id = $1) as made,
         (select count(*)::int from customers where merchant_id = $1) as customers
       from session_allowances where merchant_id = $1`,
      [poor.merchantId],
    )
    expect(row).toEqual({ left: 0, made: 7, customers: 7 })
  })

  test('32 sessions of one new user at once: one customer', async () => {
    const user_id = newUser()
    const answers = await atOnce(32, () => create({ user_id }))
    for (const answer of answers) expectCreated(answer)
    const row = await dbRow(
      service,
      `select count(distinct k.id)::int as customers, count(s.id)::int as sessions from customers k
       join sessions s on s.merchant_id = k.merchant_id and s.customer_id = k.id where k.external_user_id = $1`,
      [user_id],
    )
    expect(row).toEqual({ customers: 1, sessions: 32 })
  })
})
