import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CHECKOUT_REFUSALS, DelegateRequest, MerchantCheckout } from '../port.ts'
import { createNativeCheckout } from './native.ts'
import { ACP } from './testing/acp-answers.ts'
import { FAULTS } from './testing/faults.ts'
import { CARD_NUMBER, PAY } from './testing/requests.ts'
import { refusal, startScriptedAcp } from './testing/scripted-acp.ts'

// Guarantee: a card is handed over for a session that is open at that total, and for no other; a clear no is a refusal,
// all else is unknown, and a repetition sends the same. Nothing is completed.

let world: Awaited<ReturnType<typeof startScriptedAcp>>
beforeAll(async () => {
  world = await startScriptedAcp()
})
afterAll(() => world.close())

const REQUEST: DelegateRequest = { ...PAY, expiresAt: new Date('2026-11-25T12:34:56.789Z') }
const delegate = () => (world.checkout as Required<MerchantCheckout>).delegate(REQUEST)
const session = (change: object) => ({ retrieve: { status: 200, body: { ...ACP.session, ...change } } })
const error = (code: string) => ({ messages: [{ type: 'error', code, content_type: 'plain', content: 'No.' }] })
const refused = (reason: (typeof CHECKOUT_REFUSALS)[number]) => ({ outcome: 'refused', reason })
const unknown = (cause: string) => ({ outcome: 'unknown', cause })

test('looks and delegates until the given time, and says which handler takes the token; again it is the same', async () => {
  world.says()
  const [first, second] = [await delegate(), await delegate()]
  if (first.outcome !== 'ok' || second.outcome !== 'ok') throw new Error(`${first.outcome} ${second.outcome}`)
  expect(first.value.token.reveal()).toBe('vt_0123456789')
  expect(first.value.handlerId).toBe('card')
  expect(world.bodyOf('delegate_payment').allowance).toMatchObject({
    ...{ max_amount: 4870, checkout_session_id: 'qte_1', expires_at: '2026-11-25T12:34:56.789Z' },
  })
  const sent = world.shop.requests.map(({ path, headers, body }) => [path, headers['idempotency-key'], String(body)])
  expect(world.asked()).toEqual(['retrieve', 'delegate_payment', 'retrieve', 'delegate_payment'])
  expect(sent.slice(2)).toEqual(sent.slice(0, 2))
})

test.each<[string, object, unknown]>([
  ['paid', ACP.completed, refused('refused')],
  ['waiting for a person', { status: 'authentication_required' }, refused('refused')],
  ['canceled', { status: 'canceled' }, refused('released')],
  ['expired', { status: 'expired' }, refused('quote_expired')],
  ['not ready', { status: 'incomplete' }, refused('refused')],
  ['without a handler for cards', { capabilities: {} }, refused('refused')],
  ['dearer now', { totals: [{ type: 'total', display_text: 'Total', amount: 4871 }] }, refused('price_changed')],
  ['in another currency', { currency: 'eur' }, refused('price_changed')],
  ['under way', { status: 'complete_in_progress' }, unknown('in progress')],
  ['of a status that is none', { status: 'perhaps' }, unknown('malformed answer')],
  ['another', { id: 'qte_2' }, unknown('malformed answer')],
])('a session that is %s gets no card', async (_, change, answer) => {
  world.says(session(change))
  expect(await delegate()).toEqual(answer)
  expect(world.asked()).toEqual(['retrieve'])
})

test('a session whose last card was declined may have another one', async () => {
  world.says(session(error('payment_declined')))
  expect((await delegate()).outcome).toBe('ok')
})

test.each<[string, { status: number; body: unknown }, unknown]>([
  ['the card', refusal(400, 'invalid_card'), refused('card_declined')],
  ['something else under the key', refusal(422, 'idempotency_conflict'), unknown('conflict')],
  ['a token that is none', { status: 201, body: { ...ACP.token, id: 'vt 1\n' } }, unknown('malformed answer')],
  [
    'the card as its token',
    { status: 201, body: { ...ACP.token, id: `vt_${CARD_NUMBER}` } },
    unknown('malformed answer'),
  ],
])('a shop that answers %s', async (_, said, answer) => {
  world.says({ delegate_payment: said })
  const given = await delegate()
  expect(given).toEqual(answer)
  expect(inspect(given, { depth: 9 })).not.toContain(CARD_NUMBER)
})

describe('what leaves open what the shop did', () => {
  test.each(FAULTS)('%s', async (_, behaviour, cause) => {
    world.shop.behave(behaviour)
    expect(await delegate()).toEqual(unknown(cause))
  })
})

test('another protocol has no such verb', () => {
  expect(createNativeCheckout({} as never).delegate).toBeUndefined()
})
