// Guarantee: the protocol is spoken as it is written: headers, idempotency, errors, and the published examples.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { CARD, startTestShop, type TestShop } from '../world.ts'
import { publishedExamples } from './schemas.ts'
import { ADDRESS, acpClient, createBody, delegation, MUG, SESSIONS } from './world.ts'

let shop: TestShop
let now: Date
beforeEach(async () => {
  now = new Date('2026-11-22T10:00:00Z')
  shop = await startTestShop({ now: () => now, slowMillis: 300, acquirerTimeoutMillis: 1_500 })
})
afterEach(() => shop?.close())
const { call, created, tokenFor, complete } = acpClient(() => shop)

describe('the headers', () => {
  test('an Idempotency-Key is one request: of 64 equal ones one creates; another body is a conflict', async () => {
    const headers = { 'idempotency-key': 'create-1' }
    const answers = await Promise.all(Array.from({ length: 64 }, () => call(SESSIONS, createBody([MUG]), headers)))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.filter((one) => one.headers.get('idempotent-replayed') === 'true')).toHaveLength(63)
    // The order of members says nothing, a null does.
    const { currency, ...rest } = createBody([MUG])
    expect((await call(SESSIONS, { ...rest, currency }, headers)).status).toBe(201)
    const other = await call(SESSIONS, { ...createBody([MUG]), locale: null }, headers)
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_conflict' } })
    // At another address it is another key.
    const [{ body }] = answers as [(typeof answers)[number]]
    expect((await call(`${SESSIONS}/${body.id}`, {}, headers)).status).toBe(200)
  })

  test('a refusal is kept like an answer, and a key is forgotten after two days', async () => {
    const headers = { 'idempotency-key': 'create-2' }
    expect((await call(SESSIONS, { currency: 'usd' }, headers)).status).toBe(400)
    expect((await call(SESSIONS, { currency: 'usd' }, headers)).headers.get('idempotent-replayed')).toBe('true')
    now = new Date(now.getTime() + 49 * 3_600_000)
    await shop.restart()
    await vi.waitFor(async () => expect((await call(SESSIONS, createBody([MUG]), headers)).status).toBe(201), 8_000)
  })

  test('what comes is echoed', async () => {
    const { headers } = await call(SESSIONS, createBody([MUG]), { 'request-id': 'req_1', 'idempotency-key': 'k-1' })
    expect([headers.get('request-id'), headers.get('idempotency-key')]).toEqual(['req_1', 'k-1'])
    expect((await call(`${SESSIONS}/none`, undefined, { 'request-id': 'req_2' })).headers.get('request-id')).toBe(
      'req_2',
    )
  })

  test.each([
    ['no key', 401, 'unauthorized', { authorization: '' }],
    ['another key', 401, 'unauthorized', { authorization: 'Bearer wrong' }],
    ['no version', 400, 'missing_api_version', { 'api-version': '' }],
    ['another version', 400, 'unsupported_api_version', { 'api-version': '2025-09-29' }],
    ['no Idempotency-Key', 400, 'idempotency_key_required', { 'idempotency-key': '' }],
    ['too long an Idempotency-Key', 400, 'invalid', { 'idempotency-key': 'x'.repeat(256) }],
  ])('%s is refused', async (_what, status, code, headers) => {
    const answer = await call(SESSIONS, createBody([MUG]), headers)
    expect(answer).toMatchObject({ status, body: { code } })
    if (code.endsWith('_version')) expect(answer.body.supported_versions).toEqual(['2026-04-17'])
  })
})

describe('a request that is wrong', () => {
  test.each([
    ['nothing to buy', 'missing', '$.line_items', { line_items: [] }],
    ['an unknown item', 'invalid_item_id', '$.line_items[0].id', { line_items: [{ id: 'none' }] }],
    ['another currency', 'unsupported_currency', '$.currency', { currency: 'eur' }],
    ['no capabilities', 'missing', '$.capabilities', { capabilities: undefined }],
    ['a member that is none', 'invalid', '$.items', { items: [] }],
    [
      'an address without a city',
      'missing',
      '$.fulfillment_details.address.city',
      { fulfillment_details: { address: { ...ADDRESS, city: undefined } } },
    ],
    ['a buyer without an address', 'missing', '$.buyer.email', { buyer: {} }],
  ])('%s', async (_what, code, param, changes) => {
    expect(await call(SESSIONS, { ...createBody([MUG]), ...changes })).toMatchObject({
      status: 400,
      body: { code, param },
    })
  })

  test('a card that is none: the answer does not say it again, and no file has it', async () => {
    const session = await created()
    const body = delegation(session, { card: { ...CARD, number: '40000091827364x' } })
    const answer = await call('/acp/agentic_commerce/delegate_payment', body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_card', param: '$.payment_method.number' } })
    expect(JSON.stringify(answer.body)).not.toContain('40000091')
    await complete(session, await tokenFor(session, { card: { ...CARD, number: '4000009182736451', cvv: '9182' } }))
    const files = readdirSync(shop.home)
      .map((name) => readFileSync(join(shop.home, name), 'latin1'))
      .join('')
    expect(files).toContain('6451')
    expect(files).not.toContain('00009182')
  })

  test('a delegation is idempotent on its key', async () => {
    const session = await created()
    const path = '/acp/agentic_commerce/delegate_payment'
    const body = delegation(session, { card: CARD })
    const first = await call(path, body, { 'idempotency-key': 'd' })
    const again = await call(path, body, { 'idempotency-key': 'd' })
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true'])
    const other = await call(path, delegation(session, { card: CARD, most: 7 }), { 'idempotency-key': 'd' })
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_conflict' } })
    expect(first.body.metadata).toEqual({ source: 'test', merchant_id: 'sandbox-shop', idempotency_key: 'd' })
  })

  test('nothing there, and other methods', async () => {
    expect((await call(`${SESSIONS}/cs_none`)).status).toBe(404)
    expect((await call('/acp/none')).status).toBe(404)
    expect((await call(SESSIONS)).status).toBe(405)
  })
})

test('the feed has every variant with price, picture and whether it is there', async () => {
  const { body } = await call('/acp/product_feed')
  const shirt = body.products.find(({ id }: { id: string }) => id === 'linen-shirt')
  expect(shirt.variants[0]).toMatchObject({
    id: 'linen-shirt.navy-s',
    price: { amount: 78_00, currency: 'USD' },
    availability: { available: true },
  })
  expect((await fetch(shirt.media[0].url)).headers.get('content-type')).toBe('image/svg+xml')
})

// With ids that the shop has. Only where the specification is at hand (`ACP_SPECIFICATION`): nothing of it is part of
// this project.
const examples = publishedExamples('agentic_checkout')
if (examples !== undefined) test('the published requests are understood', () => understood(examples))

async function understood(examples: Record<string, unknown>): Promise<void> {
  const request = (name: string) => JSON.parse(JSON.stringify(examples[name]).replaceAll('item_123', MUG))
  const session = (await call(SESSIONS, request('create_checkout_session_request'))).body
  expect(session.status).toBe('ready_for_payment')
  const first = await call(SESSIONS, request('create_checkout_session_request_with_first_touch_attribution'))
  expect(first.status).toBe(201)
  const option = JSON.stringify(request('update_checkout_session_request')).replaceAll(
    /fulfillment_option_\d+/g,
    'express',
  )
  expect((await call(`${SESSIONS}/${session.id}`, JSON.parse(option))).status).toBe(200)
  const [delegate] = Object.values(publishedExamples('delegate_payment') ?? {}) as { allowance: object }[]
  const changes = {
    checkout_session_id: session.id,
    merchant_id: 'sandbox-shop',
    max_amount: 1_000_00,
    expires_at: '2026-12-01T00:00:00Z',
  }
  const body = { ...delegate, allowance: { ...delegate?.allowance, ...changes } }
  const token = (await call('/acp/agentic_commerce/delegate_payment', body)).body.id
  const completion = JSON.stringify(request('complete_checkout_session_request')).replaceAll('spt_123', token)
  expect((await call(`${SESSIONS}/${session.id}/complete`, JSON.parse(completion))).body.status).toBe('completed')
  const other = (await call(SESSIONS, request('create_checkout_session_request'))).body
  const canceled = await call(`${SESSIONS}/${other.id}/cancel`, request('cancel_checkout_session_request'))
  expect(canceled.body.status).toBe('canceled')
}
