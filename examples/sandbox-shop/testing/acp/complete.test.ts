// Guarantee: a session buys once, whatever is repeated, raced, lost or declined.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { FAILURES, type Failure } from '../../catalog/failures.ts'
import { available, CARD, startTestShop, type TestShop } from '../world.ts'
import { acpClient, delegation, SESSIONS, totalOf } from './world.ts'

let shop: TestShop
let now: Date
beforeEach(async () => {
  now = new Date('2026-11-22T10:00:00Z')
  shop = await startTestShop({ now: () => now, slowMillis: 300, acquirerTimeoutMillis: 1_500 })
})
afterEach(() => shop?.close())
const { call, created, tokenFor, complete, retrieve } = acpClient(() => shop)

/** Whether a text is in the shop's files as it is. */
const isAtRest = (text: string) =>
  readdirSync(shop.home).some((name) => readFileSync(join(shop.home, name)).includes(text))

/** Delegated cards in the shop's files. The shop holds these for itself, so a copy is looked at. */
function cardsAtRest(): number {
  const copy = mkdtempSync(join(tmpdir(), 'mintmark-sandbox-shop-copy-'))
  cpSync(shop.home, copy, { recursive: true })
  const db = new DatabaseSync(join(copy, 'shop.db'))
  const { count } = db.prepare('select count(card) as count from acp_tokens').get() ?? {}
  db.close()
  rmSync(copy, { recursive: true })
  return Number(count)
}

describe('a completion', () => {
  test('charges the card and makes an order that the shop’s own API shares', async () => {
    const before = await available(shop, 'stoneware-mug')
    const session = await created()
    const { status, body } = await complete(session, await tokenFor(session, { card: CARD }))
    expect([status, body.status]).toEqual([200, 'completed'])
    expect(body.order).toMatchObject({ id: expect.stringMatching(/^ord_/), checkout_session_id: session.id })
    expect(totalOf(body)).toBe(totalOf(session))
    expect(shop.acquirer.asked).toMatchObject([
      {
        token: CARD.number,
        dynamic_cvv: CARD.cvv,
        amount: (totalOf(session) / 100).toFixed(2),
        merchant_url: 'https://sandbox-shop.example',
      },
    ])
    expect(await available(shop, 'stoneware-mug')).toBe(before - 1)
    expect(await retrieve(session)).toEqual(body)
    expect((await call(`${SESSIONS}/${session.id}/cancel`, {})).status).toBe(405)
  })

  test('of 64 equal ones pays once', async () => {
    const session = await created()
    const token = await tokenFor(session)
    const headers = { 'idempotency-key': 'one-key' }
    const answers = await Promise.all(Array.from({ length: 64 }, () => complete(session, token, headers)))
    const statuses = answers.map(({ status, body }) => body.code ?? `${status} ${body.status}`)
    expect(statuses.filter((one) => one !== '200 completed' && one !== 'idempotency_in_flight')).toEqual([])
    expect(shop.acquirer.asked).toHaveLength(1)
    const replay = await complete(session, token, headers)
    expect(replay.body.status).toBe('completed')
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
  })

  test('under 64 keys and cards pays once', async () => {
    const session = await created()
    const tokens = await Promise.all(Array.from({ length: 64 }, () => tokenFor(session)))
    const answers = await Promise.all(tokens.map((token) => complete(session, token)))
    expect(new Set(answers.map(({ body }) => body.status))).toEqual(new Set(['completed', 'complete_in_progress']))
    expect(shop.acquirer.approved.size).toBe(1)
  })

  test('of 64 sessions for the last piece sells it once', async () => {
    const sessions = await Promise.all(Array.from({ length: 64 }, () => created(['last-piece.one-size'])))
    const answers = await Promise.all(sessions.map((session) => complete(session)))
    expect(answers.filter(({ body }) => body.status === 'completed')).toHaveLength(1)
    expect(answers.filter(({ body }) => body.messages[0]?.code === 'out_of_stock')).toHaveLength(63)
    expect(shop.acquirer.asked).toHaveLength(1)
  })

  test('after a decline another card may pay', async () => {
    const before = await available(shop, 'stoneware-mug')
    const session = await created()
    shop.acquirer.script = () => ({ approved: false, response_code: '51' })
    const declined = await complete(session)
    expect(declined).toMatchObject({
      status: 200,
      body: { status: 'ready_for_payment', messages: [{ code: 'payment_declined' }] },
    })
    expect(await available(shop, 'stoneware-mug')).toBe(before)
    expect((await retrieve(session)).messages[0].code).toBe('payment_declined')
    shop.acquirer.script = shop.acquirer.judge
    expect((await complete(session)).body).toMatchObject({ status: 'completed', messages: [] })
  })

  test('without the acquirer nothing happened, and the same request is welcome again', async () => {
    const session = await created()
    const token = await tokenFor(session)
    shop.acquirer.script = (_asked, response) => void response.writeHead(401).end()
    const headers = { 'idempotency-key': 'again' }
    expect(await complete(session, token, headers)).toMatchObject({
      status: 503,
      body: { type: 'service_unavailable' },
    })
    shop.acquirer.script = shop.acquirer.judge
    expect((await complete(session, token, headers)).body.status).toBe('completed')
  })

  test('whose outcome cannot be known needs a person, and no further card is tried', async () => {
    const session = await created()
    shop.acquirer.script = (asked, response) => {
      shop.acquirer.approved.set(asked.token, asked.amount)
      return void response.destroy()
    }
    expect((await complete(session)).body).toMatchObject({
      status: 'requires_escalation',
      messages: [{ code: 'intervention_required' }],
    })
    const asked = shop.acquirer.asked.length
    expect((await complete(session)).body.status).toBe('requires_escalation')
    expect(shop.acquirer.asked).toHaveLength(asked)
    expect((await call(`${SESSIONS}/${session.id}/cancel`, {})).status).toBe(405)
  })

  test.each([
    ['of another session', { checkout_session_id: 'cs_other' }],
    ['that is too small', { most: 1 }],
    ['that is over', { expires_at: '2026-11-22T09:00:00Z' }],
  ])('a token %s does not pay', async (_what, changes) => {
    const session = await created()
    const token = await tokenFor(session, changes)
    expect(await complete(session, token)).toMatchObject({ status: 400, body: { code: 'invalid_token' } })
    expect(shop.acquirer.asked).toHaveLength(0)
  })

  test('a token pays once, also after a restart, and its card is in no file afterwards', async () => {
    const session = await created()
    const token = await tokenFor(session, { card: CARD })
    await shop.restart()
    expect(isAtRest(CARD.number)).toBe(false)
    const headers = { 'idempotency-key': 'paid' }
    const paid = await complete(session, token, headers)
    expect(paid.body.status).toBe('completed')
    expect(shop.acquirer.asked).toMatchObject([{ token: CARD.number, dynamic_cvv: CARD.cvv }])
    await shop.restart()
    expect((await complete(session, token, headers)).body).toEqual(paid.body)
    expect(await retrieve(session)).toMatchObject({ status: 'completed', order: { id: paid.body.order.id } })
    expect(cardsAtRest()).toBe(0)
  })

  test('the same delegation is the same token after a restart, and another one under its key a conflict', async () => {
    const session = await created()
    const path = '/acp/agentic_commerce/delegate_payment'
    const headers = { 'idempotency-key': 'delegated' }
    const body = delegation(session)
    const first = await call(path, body, headers)
    await shop.restart()
    const again = await call(path, body, headers)
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await call(path, delegation(session), headers)).toMatchObject({
      status: 422,
      body: { code: 'idempotency_conflict' },
    })
  })

  test('a card is erased when its time is over, and cannot be opened under another key', async () => {
    const [session, other] = [await created(), await created()]
    const token = await tokenFor(session)
    await shop.restart({ key: 'another' })
    const headers = { authorization: 'Bearer another' }
    expect((await complete(session, token, headers)).body.code).toBe('invalid_token')
    await shop.restart()
    const soon = await tokenFor(other, { expires_at: '2026-11-22T10:30:00Z' })
    expect(cardsAtRest()).toBe(2)
    now = new Date('2026-11-22T10:30:00Z')
    expect((await complete(other, soon)).body.code).toBe('invalid_token')
    expect(cardsAtRest()).toBe(1)
    now = new Date('2026-11-23T10:00:00Z')
    await tokenFor(other)
    expect(cardsAtRest()).toBe(1)
  })
})

describe('the products that fail', () => {
  const EXPECTED: Record<Failure, (session: { id: string }) => Promise<void>> = {
    async out_of_stock(session) {
      expect(await retrieve(session)).toMatchObject({
        status: 'not_ready_for_payment',
        messages: [{ code: 'out_of_stock' }],
      })
      expect((await complete(session)).body).toMatchObject({ status: 'not_ready_for_payment' })
    },
    async price_changed(session) {
      const later = await retrieve(session)
      expect(later).toMatchObject({
        status: 'ready_for_payment',
        messages: [{ type: 'warning', code: 'price_change' }],
      })
      expect(totalOf(later, 'items_base_amount')).toBe(22_00)
      // What was approved is not enough, and nothing is paid; the new price is.
      const small = await tokenFor(session, { most: totalOf(later) - 1 })
      expect((await complete(session, small)).body.code).toBe('invalid_token')
      const { body } = await complete(session, await tokenFor(session, { most: totalOf(later) }))
      expect([body.status, totalOf(body)]).toEqual(['completed', totalOf(later)])
    },
    async card_declined(session) {
      expect((await complete(session)).body).toMatchObject({
        status: 'ready_for_payment',
        messages: [{ code: 'payment_declined' }],
      })
      expect(shop.acquirer.asked).toHaveLength(0)
    },
    async insufficient_funds(session) {
      expect((await complete(session)).body.messages[0]).toMatchObject({
        code: 'payment_declined',
        content: 'The card has not enough funds.',
      })
    },
    async needs_human(session) {
      expect((await complete(session)).body.status).toBe('requires_escalation')
      expect((await retrieve(session)).messages[0].code).toBe('intervention_required')
      expect(shop.acquirer.asked).toHaveLength(0)
    },
    async lost_before(session) {
      const token = await tokenFor(session)
      await expect(complete(session, token, { 'idempotency-key': 'k' })).rejects.toThrow('fetch failed')
      expect((await retrieve(session)).status).toBe('ready_for_payment')
      expect((await complete(session, token, { 'idempotency-key': 'k' })).body.status).toBe('completed')
    },
    async lost_after(session) {
      const token = await tokenFor(session)
      await expect(complete(session, token, { 'idempotency-key': 'k' })).rejects.toThrow('fetch failed')
      expect((await retrieve(session)).status).toBe('completed')
      expect((await complete(session, token, { 'idempotency-key': 'k' })).body.status).toBe('completed')
      expect(shop.acquirer.asked).toHaveLength(1)
    },
    async slow(session) {
      const token = await tokenFor(session)
      const answer = complete(session, token, { 'idempotency-key': 'k' })
      await vi.waitFor(async () => expect((await retrieve(session)).status).toBe('complete_in_progress'))
      const again = await complete(session, token, { 'idempotency-key': 'k' })
      expect(again).toMatchObject({ status: 409, body: { code: 'idempotency_in_flight' } })
      expect(again.headers.get('retry-after')).toBe('1')
      expect((await answer).body.status).toBe('completed')
    },
    async garbage(session) {
      await expect(complete(session)).rejects.toThrow(SyntaxError)
      expect((await retrieve(session)).status).toBe('completed')
    },
  }

  test.each(Object.keys(FAILURES) as Failure[])('%s', async (failure) => {
    const session = await created([`test-${failure.replaceAll('_', '-')}.one-size`])
    expect(session).toMatchObject({ status: 'ready_for_payment', messages: [] })
    await EXPECTED[failure](session)
  })
})
