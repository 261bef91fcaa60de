// Guarantee: a list shows each enrolled card of the customer once, in one question of the database, and nothing that could be
// used or that belongs to another customer.
import { CARD_BRAND_NAMES } from '@mintmark/contract'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CARDS, complete, createSession, expectError, expectInvalid, newUser } from '../../test/flows.ts'
import { call, PATIENT, startTestService, TEST_SEALS, type TestMerchant, type TestService } from '../../test/service.ts'
import { artName, drawArt } from './art.ts'
import { listed, maskedNumber } from './rules.ts'
import { sealedCard } from './seal.ts'
import { enrollCard, listCards } from './testing/enrolled.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
  merchant = service.merchant
})
afterAll(() => service?.close())

const list = (query: Record<string, string>, as = merchant) => listCards(as, query)
const enroll = (user: string, number?: string, as = merchant) => enrollCard(service, as, user, number)

describe('a list', () => {
  test('shows every field of a card, and nothing else', async () => {
    const user = newUser()
    const id = await enroll(user)
    const { status, headers, body } = await list({ customer_id: user })
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      cards: [
        {
          card_id: id,
          card_last4: '4242',
          card_brand: 'visa',
          card_exp_month: 12,
          card_exp_year: expect.any(Number),
          masked_card_number: '**** **** **** 4242',
          is_default: true,
          status: 'active',
          card_art_url: null,
          metadata: null,
          created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
        },
      ],
      count: 1,
    })
    const { rows } = await service.pool.query('select accepted_at from cards where id = $1', [id])
    expect(body.cards[0].created_at).toBe(rows[0].accepted_at.toISOString())
  })

  test('has the default card first, then the newest; the first one entered is the default', async () => {
    const user = newUser()
    const ids = [await enroll(user), await enroll(user, '5555555555554444'), await enroll(user, CARDS.amex)]
    const { body } = await list({ customer_id: user })
    expect(body.count).toBe(3)
    expect(body.cards.map((card: { card_id: string }) => card.card_id)).toEqual([ids[0], ids[2], ids[1]])
    expect(body.cards.map((card: { is_default: boolean }) => card.is_default)).toEqual([true, false, false])
    expect(body.cards[1]).toMatchObject({ card_brand: 'amex', masked_card_number: '**** ****** *0005' })
  })

  test('is found by your own id of the customer, or ours', async () => {
    const user = newUser()
    const id = await enroll(user)
    const { rows } = await service.pool.query('select id from customers where external_user_id = $1', [user])
    expect((await list({ customer_id: rows[0].id })).body.cards[0].card_id).toBe(id)
  })

  test('is never somebody else’s for a user_id that is our id of another customer', async () => {
    const user = newUser()
    const id = await enroll(user)
    const { rows } = await service.pool.query('select id from customers where external_user_id = $1', [user])
    // Such a name is refused today; rows of before may have it.
    const other = newUser()
    await createSession(merchant, { user_id: other })
    await service.pool.query('update customers set external_user_id = $2 where external_user_id = $1', [
      other,
      rows[0].id,
    ])
    expect((await list({ customer_id: rows[0].id })).body).toEqual({ cards: [], count: 0 })
    expect((await list({ customer_id: user })).body.cards[0].card_id).toBe(id)
  })

  test('of a customer without cards is empty', async () => {
    const user = newUser()
    await createSession(merchant, { user_id: user })
    expect((await list({ customer_id: user, status: 'all' })).body).toEqual({ cards: [], count: 0 })
  })

  test('leaves out cards that the network refused, or has not accepted yet', async () => {
    const user = newUser()
    const { session_id } = await createSession(merchant, { user_id: user })
    expect((await complete(merchant, session_id, { card_number: CARDS.refused })).status).toBe(400)
    const waiting = await createSession(merchant, { user_id: user })
    await complete(merchant, waiting.session_id, { card_number: CARDS.stepUp, stop_after: 'card' })
    const { rows } = await service.pool.query(
      'select status from cards join customers c on c.id = customer_id where external_user_id = $1 order by status',
      [user],
    )
    expect(rows.map(({ status }) => status)).toEqual(['deleted', 'provisioning'])
    expect((await list({ customer_id: user, status: 'all' })).body).toEqual({ cards: [], count: 0 })
  })

  test('of 1,000 cards is one question', async () => {
    const user = newUser()
    const id = await enroll(user)
    await service.pool.query(
      `insert into cards select (jsonb_populate_record(c, jsonb_build_object('id', 'card_' || n, 'is_default', false,
         'fingerprint', '\\x' || md5(n::text)))).* from cards c, generate_series(1, 999) n where c.id = $1`,
      [id],
    )
    const { rows } = await service.pool.query(
      'select * from cards where customer_id = (select customer_id from cards where id = $1)',
      [id],
    )
    const seals = rows.map((row) => {
      const card = {
        merchantId: row.merchant_id,
        id: row.id,
        customerId: row.customer_id,
        last4: row.last4,
        brand: row.brand,
      }
      return TEST_SEALS.seal(sealedCard({ ...card, vaultRecordId: row.vault_record_id }, row.network_token_ref))
    })
    await service.pool.query(
      'update cards set seal = s.seal from unnest($1::text[], $2::bytea[]) s (id, seal) where cards.id = s.id',
      [rows.map((row) => row.id), seals],
    )
    await list({ customer_id: user })
    const query = vi.spyOn(Client.prototype, 'query')
    const { body } = await list({ customer_id: user, include_card_art: 'true', status: 'all' })
    const asked = query.mock.calls.map(([sent]) => (typeof sent === 'string' ? sent : (sent as { name?: string }).name))
    query.mockRestore()
    expect(asked.filter((name) => name?.startsWith('cards.') || name === 'begin')).toEqual(['cards.list'])
    // Besides it only who is calling, how often, what time it is, and whether a new connection can write.
    const ground = /^(?:clock\.|limits\.|merchants\.find_key|select pg_is_in_recovery)/
    expect(asked.filter((name) => name !== undefined && name !== 'cards.list' && !ground.test(name))).toEqual([])
    expect(body.count).toBe(1000)
    expect(body.cards).toHaveLength(1000)
    expect(body.cards[0]).toMatchObject({ card_id: id, is_default: true })
  })
})

describe('art', () => {
  test('is named by the network’s colours, and drawn for everyone', async () => {
    const user = newUser()
    await enroll(user)
    const [card] = (await list({ customer_id: user, include_card_art: 'true' })).body.cards
    expect(card.metadata).toEqual({ backgroundColor: '#1a1f71', foregroundColor: '#ffffff', labelColor: '#c7cbf0' })
    expect(card.card_art_url).toBe(`${service.config.apiUrl}/v1/card-art/visa-1a1f71-ffffff-c7cbf0.svg`)
    const drawn = await fetch(service.apiUrl + new URL(card.card_art_url).pathname)
    expect(drawn.status).toBe(200)
    expect(Object.fromEntries(drawn.headers)).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'x-response-id': expect.any(String),
    })
    const text = await drawn.text()
    expect(text).toContain('Visa')
    // The same picture for every card of the look: it cannot tell of one.
    expect(text).not.toMatch(/4242|card_|user/)
    expect(text).not.toMatch(/<script|<style|style=|href|onload|url\(/)
  })

  test('two cards of one look share it, also of two merchants', async () => {
    const shop = await service.addMerchant()
    const [one, two] = [newUser(), newUser()]
    await enroll(one)
    await enroll(two, CARDS.success, shop)
    const url = async (customer_id: string, as: TestMerchant) =>
      (await list({ customer_id, include_card_art: 'true' }, as)).body.cards[0].card_art_url
    expect(await url(one, merchant)).toBe(await url(two, shop))
  })

  test.each([...CARD_BRAND_NAMES, null, 'elo'])('of the brand %s', (brand) => {
    const drawing = drawArt(artName(brand, null))
    expect(drawing).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    expect(drawing).toMatch(/<\/svg>\n$/)
  })

  test.each([
    'visa-1a1f71-ffffff.svg',
    'visa-1A1F71-ffffff-c7cbf0.svg',
    'nobody-1a1f71-ffffff-c7cbf0.svg',
    'visa-1a1f71-ffffff-c7cbf0.png',
    'visa-1a1f71-ffffff-c7cbf0',
    'constructor-1a1f71-ffffff-c7cbf0.svg',
    '%22onload%3d-1a1f71-ffffff-c7cbf0.svg',
  ])('is nowhere else: %s', async (file) => {
    expectError(await call(`${service.apiUrl}/v1/card-art/${file}`), 404, 'NOT_FOUND')
  })
})

describe('a list is refused', () => {
  test.each([[''], ['?status=all'], ['?customer_id=']])('without a customer: %s', async (query) => {
    const answer = await merchant.get(`/v1/listCards${query}`)
    expectError(answer, 400, 'INVALID_REQUEST')
    expect(answer.body.error.details).toEqual({ customer_id: 'is required' })
  })

  test.each([
    ['status=deleted', 'status'],
    ['status=', 'status'],
    ['include_card_art=1', 'include_card_art'],
    ['include_card_art=TRUE', 'include_card_art'],
    ['limit=10', 'limit'],
  ])('for %s', async (query, field) => {
    expectInvalid(await merchant.get(`/v1/listCards?customer_id=user-1&${query}`), field)
  })

  test.each([`customer_id=${'x'.repeat(256)}`, 'customer_id=a&customer_id=b', 'customer_id=a%00b'])(
    'for a customer that is no name: %s',
    async (query) => {
      expectInvalid(await merchant.get(`/v1/listCards?${query}`), 'customer_id')
    },
  )

  test('for a customer who is not there, or is another merchant’s', async () => {
    const shop = await service.addMerchant()
    const user = newUser()
    await enroll(user, CARDS.success, shop)
    expectError(await list({ customer_id: user }), 404, 'CUSTOMER_NOT_FOUND')
    expectError(await list({ customer_id: 'cus_nobody' }), 404, 'CUSTOMER_NOT_FOUND')
  })
})

describe('of the cards as they stand', () => {
  const card = (id: string, status: 'active' | 'deleted', isDefault: boolean) => ({ id, status, isDefault })

  test.each([
    ['none', [], []],
    ['one marked', [card('a', 'active', true), card('b', 'active', false)], ['a*', 'b']],
    ['none marked: the newest', [card('b', 'active', false), card('a', 'active', false)], ['b*', 'a']],
    ['two marked: the first', [card('b', 'active', true), card('a', 'active', true)], ['b*', 'a']],
    ['the newest deleted', [card('c', 'deleted', false), card('b', 'active', false)], ['b*', 'c']],
    ['all deleted', [card('c', 'deleted', false), card('b', 'deleted', false)], ['c', 'b']],
  ])('one is the default, if one is active: %s', (_what, cards, shown) => {
    expect(listed(cards).map(({ id, isDefault }) => (isDefault ? `${id}*` : id))).toEqual(shown)
  })

  test.each([
    ['visa', '4242', '**** **** **** 4242'],
    ['amex', '0005', '**** ****** *0005'],
    ['diners', '0004', '**** ****** 0004'],
    [null, '1234', '**** **** **** 1234'],
    ['constructor', '1234', '**** **** **** 1234'],
  ])('a number of %s is masked', (brand, last4, masked) => {
    expect(maskedNumber(brand, last4)).toBe(masked)
  })
})
