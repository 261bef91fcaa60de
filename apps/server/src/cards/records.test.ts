// Guarantee: a number gets into the vault by a merchant's own server or page and by no other, what is wrong with it is named
// without a digit of it, and this door is no place to try stolen cards either.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, launch } from '../../test/cardholder.ts'
import {
  CARDS,
  countBy,
  createSession,
  dbRow,
  enroll,
  expectError,
  newUser,
  paymentResult,
  UUID,
} from '../../test/flows.ts'
import {
  call,
  jsonRequest,
  PATIENT,
  startTestService,
  type TestMerchant,
  type TestService,
} from '../../test/service.ts'
import { STEP_UP_CODE } from '../network/simulator/test-cards.ts'
import { numberOf } from '../network/simulator/testing/cards.ts'
import { cardsOf, deleteCard } from './testing/enrolled.ts'

const SHOP = 'https://shop.example'
const OTHER_SHOP = 'https://other.example'
const LIMITS = { address: 8, merchant: 12 }

let service: TestService
let merchant: TestMerchant
let other: TestMerchant
beforeAll(async () => {
  service = await startTestService({
    env: {
      ...PATIENT,
      RATE_LIMIT_REFUSED_ENTRIES_ADDRESS: String(LIMITS.address),
      RATE_LIMIT_REFUSED_ENTRIES_MERCHANT: String(LIMITS.merchant),
      TRUST_PROXY: '127.0.0.1',
    },
  })
  merchant = service.merchant
  other = await service.addMerchant()
  const allow = (to: TestMerchant, ...allowedOrigins: string[]) =>
    service.app.merchants.updateMerchant(to.merchantId, { allowedOrigins })
  await allow(merchant, SHOP, 'http://localhost:*')
  await allow(other, OTHER_SHOP)
})
afterAll(() => service?.close())

const CARD = { card_number: CARDS.success, expiry_month: '12', expiry_year: '2040' }
const PATH = '/v1/vault/records'
const add = (changes: object = {}, as = merchant) => as.post(PATH, { ...CARD, ...changes })

let addresses = 0
const newAddress = () => {
  addresses += 1
  return `2001:db8:1:${addresses.toString(16)}::1`
}
function fromPage(origin: string | null, changes: object = {}, key = merchant.publishableKey, from = newAddress()) {
  const init = jsonRequest(`Bearer ${key}`, { ...CARD, ...changes })
  const headers = { ...init.headers, 'x-forwarded-for': from, ...(origin !== null && { origin }) }
  return call(service.apiUrl + PATH, { ...init, headers })
}
const recordCount = async () => (await dbRow(service, 'select count(*)::int as count from vault_records')).count

describe('a card is put in the vault', () => {
  test('by a secret key', async () => {
    const { status, headers, body } = await add({ cvv: '123', cardholder_name: 'Ann  Example' })
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      vault_ref_id: expect.stringMatching(UUID),
      card_last4: '4242',
      card_brand: 'visa',
      card_exp_month: 12,
      card_exp_year: 2040,
    })
    const row = await dbRow(service, 'select * from vault_records where id = $1', [body.vault_ref_id])
    expect(row).toMatchObject({ merchant_id: merchant.merchantId, added_by: 'merchant', last4: '4242' })
    // Nothing by which it could be known again, and no name.
    expect(Object.keys(row).sort()).toEqual([
      'added_by',
      'brand',
      'created_at',
      'exp_month',
      'exp_year',
      'id',
      'last4',
      'merchant_id',
      'number_key_id',
      'number_sealed',
    ])
  })

  test('by a publishable key, from a page on an allowed origin', async () => {
    for (const origin of [SHOP, 'http://localhost:5173']) {
      const { status, headers, body } = await fromPage(origin, { cvv: '123' })
      expect(status, JSON.stringify(body)).toBe(201)
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('vary')).toMatch(/\borigin\b/)
      expect(headers.get('access-control-expose-headers')).toContain('x-response-id')
    }
  })

  test('each time as a record of its own, without a security code as well', async () => {
    const [one, two] = [await add(), await add()]
    expect(one.body.vault_ref_id).not.toBe(two.body.vault_ref_id)
    const { rows } = await service.pool.query('select number_sealed from vault_records where id = any($1)', [
      [one.body.vault_ref_id, two.body.vault_ref_id],
    ])
    expect(rows[0].number_sealed.equals(rows[1].number_sealed)).toBe(false)
  })

  test.each([
    [{ card_number: '4242-4242 4242 4242', expiry_month: 1, expiry_year: 2040 }, 1, 2040],
    [{ expiry_month: '01', expiry_year: '40' }, 1, 2040],
    [{ expiry_month: 12, expiry_year: 40 }, 12, 2040],
  ])('however it is written: %j', async (written, card_exp_month, card_exp_year) => {
    expect((await add(written)).body).toMatchObject({ card_last4: '4242', card_exp_month, card_exp_year })
  })

  test('of a brand with a longer code', async () => {
    expect((await add({ card_number: CARDS.amex, cvv: '1234' })).body.card_brand).toBe('amex')
    expect((await add({ card_number: CARDS.amex, cvv: '123' })).body.error.details).toHaveProperty('cvv')
  })
})

describe('a page', () => {
  test.each([
    ['no origin', null],
    ['another merchant’s origin', OTHER_SHOP],
    ['an unknown origin', 'https://evil.example'],
    ['an origin that looks alike', 'https://shop.example.evil.example'],
    ['the same host over http', 'http://shop.example'],
    ['a sandboxed frame', 'null'],
    ['a path', `${SHOP}/`],
    ['two origins', `${SHOP}, ${SHOP}`],
  ])('of %s is refused, before a byte of the card is read', async (_what, origin) => {
    const before = await recordCount()
    const answer = await fromPage(origin)
    expectError(answer, 403, 'FORBIDDEN')
    // Nor may the page of another account read that it was refused.
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.headers.get('vary')).toMatch(/\borigin\b/)
    expect(await recordCount()).toBe(before)
  })

  test('cannot use a key of the other merchant, or none', async () => {
    expectError(await fromPage(SHOP, {}, other.publishableKey), 403, 'FORBIDDEN')
    expect((await fromPage(OTHER_SHOP, {}, other.publishableKey)).status).toBe(201)
    const nonsense = await fromPage(SHOP, {}, 'pk_test_nonsense')
    expectError(nonsense, 401, 'AUTH_1001')
    expect(nonsense.headers.get('access-control-allow-origin')).toBeNull()
    expectError(await fromPage(SHOP, {}, merchant.publishableKey.replace('test', 'live')), 401, 'AUTH_1001')
  })

  test('can read what is wrong', async () => {
    const answer = await fromPage(SHOP, { card_number: '4242424242424241' })
    expectError(answer, 400, 'VAL_2001')
    expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP)
  })

  test('may call nothing else with its key', async () => {
    const authorization = `Bearer ${merchant.publishableKey}`
    const init = { headers: { authorization, origin: SHOP } }
    const list = await call(`${service.apiUrl}/v1/listCards?customer_id=u`, init)
    expectError(list, 401, 'AUTH_1001')
    expect(list.headers.get('access-control-allow-origin')).toBeNull()
  })

  const ask = async (origin: string | undefined, method = 'POST', path = PATH) => {
    const headers = { ...(origin && { origin }), 'access-control-request-method': method }
    const { status, headers: answer } = await fetch(service.apiUrl + path, { method: 'OPTIONS', headers })
    const allowed = [...answer].filter(([name]) => name.startsWith('access-control-'))
    return { status, allowed: Object.fromEntries(allowed), vary: answer.get('vary'), id: answer.get('x-response-id') }
  }

  test.each([SHOP, OTHER_SHOP, 'http://localhost:3000'])(
    'of %s is told before its call that it may',
    async (origin) => {
      expect(await ask(origin)).toEqual({
        status: 204,
        allowed: {
          'access-control-allow-origin': origin,
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': 'authorization, content-type',
          'access-control-expose-headers': expect.any(String),
          'access-control-max-age': '600',
        },
        vary: expect.stringContaining('origin'),
        id: expect.stringMatching(UUID),
      })
    },
  )

  test.each([
    ['https://evil.example', 'POST', PATH],
    ['null', 'POST', PATH],
    ['*', 'POST', PATH],
    [undefined, 'POST', PATH],
    [SHOP, 'DELETE', PATH],
    [SHOP, 'POST', '/v1/sessions'],
    [SHOP, 'GET', '/v1/listCards'],
  ])('of %s that asks for %s %s finds nothing', async (origin, method, path) => {
    const { status, allowed } = await ask(origin, method, path)
    expect(status).toBe(404)
    expect(allowed).not.toHaveProperty('access-control-allow-origin')
    expect(allowed).not.toHaveProperty('access-control-allow-methods')
  })
})

describe('what is wrong with a card is named, and none of its digits', () => {
  test.each<[object, string[]]>([
    [{ card_number: '4242424242424241' }, ['card_number']],
    [{ '4242424242424242': 1 }, ['[number]']],
    [{ 'card 4242 4242-4242.4242 x': 1 }, ['card [number] x']],
    [{ card_number: '42424242424242429999999' }, ['card_number']],
    [{ card_number: 'fourtytwo' }, ['card_number']],
    [{ card_number: 4242424242424242 }, ['card_number']],
    [{ card_number: undefined }, ['card_number']],
    [{ expiry_month: '13' }, ['expiry_month']],
    [{ expiry_month: 0 }, ['expiry_month']],
    [{ expiry_year: '2001' }, ['expiry_year']],
    [{ expiry_year: 2099 }, ['expiry_year']],
    [{ expiry_year: true }, ['expiry_year']],
    [{ cvv: '12' }, ['cvv']],
    [{ cvv: '12a' }, ['cvv']],
    [{ cvv: 123 }, ['cvv']],
    [
      { card_number: '4242424242424241', expiry_month: '13', expiry_year: 'x', cvv: '1' },
      ['card_number', 'cvv', 'expiry_month', 'expiry_year'],
    ],
    // What the schema finds, and what it does not, in one answer.
    [
      { card_number: '4242424242424241', expiry_month: '13', cvv: 123, full_pan: '4242424242424242' },
      ['card_number', 'cvv', 'expiry_month', 'full_pan'],
    ],
    [{ card_number: undefined, expiry_year: 'x', cvv: '1' }, ['card_number', 'cvv', 'expiry_year']],
    [{ card_number: { toString: 1 }, cvv: null }, ['card_number', 'cvv']],
    [{ full_pan: '4242424242424242' }, ['full_pan']],
    [{ cardholder_name: 'x'.repeat(101) }, ['cardholder_name']],
  ])('%j', async (changes, fields) => {
    const before = await recordCount()
    const answer = await add(changes)
    expectError(answer, 400, 'VAL_2001')
    expect(Object.keys(answer.body.error.details).sort()).toEqual(fields)
    expect(JSON.stringify(answer.body)).not.toMatch(/4242|99999|fourty/)
    expect(await recordCount()).toBe(before)
  })

  test.each([
    [{ cvv: '000' }, 'CVV_MISMATCH'],
    [{ card_number: numberOf('card_declined'), cvv: '123' }, 'CARD_DECLINED'],
    [{ card_number: numberOf('bin_country_refused'), cvv: '123' }, 'CARD_DECLINED'],
  ])('a card that the network does not accept is not stored: %j', async (changes, reason) => {
    const before = await recordCount()
    const answer = await fromPage(SHOP, changes)
    expectError(answer, 400, 'CARD_REFUSED')
    expect(answer.body.error.details).toEqual({ reason })
    expect(await recordCount()).toBe(before)
  })

  test('what cards its merchant accepts is asked when a card is made of it, not here: a page could learn the rules', async () => {
    const shop = await service.addMerchant()
    await service.app.merchants.setCardRules(shop.merchantId, { countries: ['JP'], issuers: null })
    const added = await shop.post('/v1/vault/records', CARD)
    expect(added.status).toBe(201)
    const { vault_ref_id } = added.body
    expectError(await enroll(shop, { vault_ref_id }), 400, 'BIN_COUNTRY_NOT_ALLOWED')
  })

  test('a suspended merchant stores nothing', async () => {
    const shop = await service.addMerchant()
    await service.app.merchants.updateMerchant(shop.merchantId, { status: 'suspended' })
    const before = await recordCount()
    expectError(await add({}, shop), 500, 'MERCHANT_LOOKUP_ERROR')
    expect(await recordCount()).toBe(before)
  })
})

describe('cards that are tried here', () => {
  const codeOf = ({ body }: { body: { error?: { code: string } } }) => body.error?.code ?? 'accepted'

  test('are counted by address, together with those at the page', async () => {
    const shop = await service.addMerchant()
    await service.app.merchants.updateMerchant(shop.merchantId, { allowedOrigins: [SHOP] })
    const address = newAddress()
    // Fewer than the merchant may have: tries at the same time that are withheld count as well.
    const tries = await Promise.all(
      Array.from({ length: 10 }, () => fromPage(SHOP, { cvv: '000' }, shop.publishableKey, address)),
    )
    expect(countBy(tries, codeOf)).toEqual({ CARD_REFUSED: LIMITS.address, RATE_LIMITED: 2 })
    const { session_token } = await createSession(shop)
    const init = jsonRequest(`Bearer ${session_token}`, { ...CARD, cvv: '123' })
    const headers = { ...init.headers, 'x-forwarded-for': address }
    expectError(await call(`${service.surfaceUrl}/api/cards`, { ...init, headers }), 429, 'RATE_LIMITED')
    expect(codeOf(await fromPage(SHOP, { cvv: '123' }, shop.publishableKey))).toBe('accepted')
  })

  test('are counted by merchant, over any number of addresses', async () => {
    const shop = await service.addMerchant()
    await service.app.merchants.updateMerchant(shop.merchantId, { allowedOrigins: [SHOP] })
    const tries = await Promise.all(
      Array.from({ length: 16 }, () => fromPage(SHOP, { cvv: '000' }, shop.publishableKey)),
    )
    expect(countBy(tries, codeOf)).toEqual({ CARD_REFUSED: LIMITS.merchant, RATE_LIMITED: 4 })
    expect(codeOf(await fromPage(SHOP, { cvv: '123' }, shop.publishableKey))).toBe('RATE_LIMITED')
  })
})

describe('a session that names the record', () => {
  const visit = async (user: string, vault_ref_id: string) => {
    const session = await createSession(merchant, { user_id: user, card: { vault_ref_id } })
    return { ...session, page: cardholder(service, session.session_token) }
  }

  test('asks for the security code and the network’s code only, and pays', async () => {
    const user = newUser()
    const { vault_ref_id } = (await fromPage(SHOP, { cvv: '123' })).body
    const { session_id, iframe_url, page } = await visit(user, vault_ref_id)
    const { view } = (await launch(service, iframe_url)).body
    expect(view).toMatchObject({ step: 'card_cvv', card: null, card_on_file: { card_last4: '4242' } })
    expect((await page.post('/api/cards', { cvv: '123' })).body.step).toBe('card_verification')
    expect((await page.post('/api/cards/verify', { code: STEP_UP_CODE })).body.step).toBe('passkey_registration')
    await page.registerPasskey()
    expect((await page.approve()).body).toMatchObject({ step: 'done', outcome: 'approved' })
    expect((await paymentResult(merchant, session_id)).body.status).toBe('awaiting_result')
    // The card has its number in a record of its own, which goes with it; the merchant's stays.
    const { card_id } = await dbRow(service, 'select card_id from sessions where id = $1', [session_id])
    const { vault_record_id } = await dbRow(service, 'select vault_record_id from cards where id = $1', [card_id])
    expect(vault_record_id).not.toBe(vault_ref_id)
    await deleteCard(merchant, user, card_id)
    const { rows } = await service.pool.query('select id from vault_records where id = any($1)', [
      [vault_record_id, vault_ref_id],
    ])
    expect(rows).toEqual([{ id: vault_ref_id }])
    // And brings the same card back.
    const again = await visit(user, vault_ref_id)
    await again.page.post('/api/cards', { cvv: '123' })
    await again.page.post('/api/cards/verify', { code: STEP_UP_CODE })
    expect(await cardsOf(merchant, user)).toEqual([`${card_id} active*`])
  })

  test('of another merchant is not found', async () => {
    const { vault_ref_id } = (await add({}, other)).body
    const body = {
      user_id: newUser(),
      user_email: 'ann@example.com',
      total_amount: '1.00',
      currency: 'USD',
      card: { vault_ref_id },
      purchase_context: {
        custom: {
          merchant_details: { name: 'Tea', url: 'https://tea.example', country_code_iso2: 'US' },
          product_details: [{ description: 'Tea', unit_price: '1.00' }],
        },
      },
    }
    expectError(await merchant.post('/v1/sessions', body), 400, 'CARD_NOT_FOUND')
  })
})
