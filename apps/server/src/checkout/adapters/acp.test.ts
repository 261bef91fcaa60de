import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import * as does from '../../../test/receivers/behaviours.ts'
import type { CheckoutRefusal } from '../port.ts'
import { createCheckout } from './service.ts'
import { ACP } from './testing/acp-answers.ts'
import { ACP_FORMS, formOf } from './testing/acp-forms.ts'
import { FAULTS, VERB_NAMES, VERBS } from './testing/faults.ts'
import { CARD_NUMBER, PAY, PREPARE, PURCHASE, QUOTE_REQUEST, SHOP_KEY } from './testing/requests.ts'
import { refusal, startScriptedAcp } from './testing/scripted-acp.ts'

// Guarantee: a shop is asked as the protocol says, a clear answer becomes the port's, and everything else is `unknown`.
// Nothing is completed that is not open at the approved total, and a repetition sends the same.

let world: Awaited<ReturnType<typeof startScriptedAcp>>
beforeAll(async () => {
  world = await startScriptedAcp()
})
afterAll(() => world.close())

/** Every request of every test is of a form that the protocol has, and carries the headers that it wants. */
afterEach(() => {
  for (const { method, path, headers, body } of world.shop.requests) {
    const form = formOf(method, path.replace(/^\/acp/, ''))
    if (method === 'POST') {
      const errors = form === undefined ? [`no form for ${path}`] : ACP_FORMS[form].Errors(JSON.parse(body.toString()))
      expect(errors).toEqual([])
    }
    expect(headers).toMatchObject({
      'api-version': '2026-04-17',
      authorization: `Bearer ${SHOP_KEY}`,
      'request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    const key = method === 'POST' ? expect.stringMatching(/^(?:qte|txn)_1$/) : undefined
    expect(headers['idempotency-key']).toEqual(key)
  }
})

const session = (change: object) => ({ status: 200, body: { ...ACP.session, ...change } })
const error = (code: string, param?: string) => ({ type: 'error', code, param, content_type: 'plain', content: 'no' })
const refused = (reason: CheckoutRefusal) => ({ outcome: 'refused', reason })
const malformed = { outcome: 'unknown', cause: 'malformed answer' }

describe('a quote', () => {
  test('is a session, with the cheapest way to send it', async () => {
    world.says()
    expect(await world.checkout.quote(QUOTE_REQUEST)).toEqual({
      outcome: 'ok',
      value: {
        shopRef: 'qte_1',
        currency: 'USD',
        lines: Array.from({ length: 2 }, () => ({
          productId: 'tee',
          variantId: 'tee-red-m',
          title: 'Classic Tee, Red, M',
          quantity: 1,
          unitPriceMinor: 1_990n,
          totalMinor: 1_990n,
        })),
        itemsMinor: 3_980n,
        shippingMinor: 500n,
        taxMinor: 490n,
        discountMinor: 100n,
        totalMinor: 4_870n,
        warnings: [],
      },
    })
    expect(world.asked()).toEqual(['create', 'update'])
    expect(world.bodyOf('create')).toEqual({
      line_items: [{ id: 'tee-red-m' }, { id: 'tee-red-m' }],
      currency: 'usd',
      capabilities: { interventions: { supported: [] } },
      buyer: { email: 'ada@example.com', full_name: 'Ada Example' },
      fulfillment_details: {
        name: 'Ada Example',
        email: 'ada@example.com',
        address: {
          name: 'Ada Example',
          line_one: '12 Long Street',
          city: 'Springfield',
          state: 'IL',
          country: 'US',
          postal_code: '62701',
        },
      },
    })
    expect(world.bodyOf('update')).toEqual({
      selected_fulfillment_options: [{ type: 'shipping', option_id: 'standard', item_ids: ['tee-red-m'] }],
    })
  })

  test('that points out an address without a unit', async () => {
    const param = '$.fulfillment_details.address.line_two'
    world.says({ update: session({ messages: [{ type: 'info', param, content_type: 'plain', content: 'Unit?' }] }) })
    const warnings = ['ADDRESS_UNIT_CONFIRMATION_SUGGESTED']
    expect(await world.checkout.quote(QUOTE_REQUEST)).toMatchObject({ outcome: 'ok', value: { warnings } })
  })

  test('needs no second request where the shop has chosen', async () => {
    world.says({ create: { status: 201, body: ACP.session } })
    expect((await world.checkout.quote(QUOTE_REQUEST)).outcome).toBe('ok')
    expect(world.asked()).toEqual(['create'])
  })

  test.for<[string, object, CheckoutRefusal]>([
    ['out of stock', { messages: [error('out_of_stock')] }, 'out_of_stock'],
    ['fewer than asked for', { messages: [error('quantity_exceeded')] }, 'out_of_stock'],
    ['not sent there', { messages: [error('region_restricted')] }, 'address_refused'],
    [
      'an address without a state',
      { messages: [error('missing', '$.fulfillment_details.address.state')] },
      'address_refused',
    ],
    ['the reason that is known', { messages: [error('unsupported'), error('out_of_stock')] }, 'out_of_stock'],
    ['a reason that is not', { messages: [error('age_verification_required')] }, 'refused'],
    ['no reason at all', {}, 'refused'],
  ])('that cannot be paid is none: %s', async ([, change, reason]) => {
    world.says({ update: session({ status: 'not_ready_for_payment', ...change }) })
    expect(await world.checkout.quote(QUOTE_REQUEST)).toEqual(refused(reason))
  })

  test('is none where no handler takes a card of ours; a shop that names none so far may still name one', async () => {
    const saved = ACP.handler('saved', { name: 'dev.acp.seller_backed.saved_card' })
    world.says({ update: session({ capabilities: { payment: { handlers: [saved] } } }) })
    expect(await world.checkout.quote(QUOTE_REQUEST)).toEqual(refused('refused'))
    world.says({ update: session({ capabilities: { payment: { handlers: [] } } }) })
    expect(await world.checkout.quote(QUOTE_REQUEST)).toMatchObject({ outcome: 'ok' })
  })

  test.for<[number, string, CheckoutRefusal]>([
    [400, 'invalid_item_id', 'not_found'],
    [422, 'idempotency_conflict', 'refused'],
    [400, 'mercury_in_retrograde', 'refused'],
  ])('%i %s', async ([status, code, reason]) => {
    world.says({ create: refusal(status, code) })
    expect(await world.checkout.quote(QUOTE_REQUEST)).toEqual(refused(reason))
  })

  test.for(['idempotency_in_flight', 'unsupported_api_version', 'rate_limited'])('%s is no refusal', async (code) => {
    world.says({ create: refusal(409, code) })
    expect(await world.checkout.quote(QUOTE_REQUEST)).toEqual({ outcome: 'unknown', cause: 'HTTP 409: not processed' })
  })

  test.for<[string, object]>([
    ['another basket', { line_items: ACP.session.line_items.slice(1) }],
    ['a total that is not the sum', totalsWith('total', 4871)],
    ['no total', { totals: ACP.session.totals.filter(({ type }) => type !== 'total') }],
    ['two totals', { totals: [...ACP.session.totals, { type: 'total', display_text: 'Total', amount: 0 }] }],
    ['a negative tax', totalsWith('tax', -490)],
    ['an amount with a fraction', totalsWith('tax', 4.9)],
    ['a currency that is none', { currency: 'xts' }],
    ['another session', { id: 'qte_2' }],
    ['a line without a price', { line_items: [{ ...ACP.session.line_items[0], unit_amount: undefined, totals: [] }] }],
  ])('with %s is unknown', async ([, change]) => {
    world.says({ update: session(change) })
    expect(await world.checkout.quote(QUOTE_REQUEST)).toEqual(malformed)
  })

  test.for([
    ['jpy', 4870, 487_000n],
    ['kwd', 48_700, 4_870n],
    ['eur', 4870, 4_870n],
  ] as const)('in %s', async ([currency, amount, totalMinor]) => {
    const [line] = ACP.session.line_items
    const one = { ...line, quantity: 2, unit_amount: amount / 2, totals: [] }
    const totals = [{ type: 'total', display_text: 'Total', amount }]
    world.says({ update: session({ currency, line_items: [one], totals }) })
    expect(await world.checkout.quote(QUOTE_REQUEST)).toMatchObject({ outcome: 'ok', value: { totalMinor } })
  })
})

function totalsWith(changed: string, amount: number) {
  return { totals: ACP.session.totals.map((total) => (total.type === changed ? { ...total, amount } : total)) }
}

describe('prepared', () => {
  test('it is, when it is ready to be paid at that total', async () => {
    world.says()
    expect(await world.checkout.prepare(PREPARE)).toEqual({ outcome: 'ok', value: {} })
    expect(world.asked()).toEqual(['retrieve'])
  })

  test.for<[string, object, CheckoutRefusal]>([
    ['another total', totalsWith('total', 4871), 'price_changed'],
    ['another currency', { currency: 'eur' }, 'price_changed'],
    ['out of stock', { status: 'not_ready_for_payment', messages: [error('out_of_stock')] }, 'out_of_stock'],
    ['canceled', { status: 'canceled' }, 'released'],
    ['expired', { status: 'expired' }, 'quote_expired'],
    ['for a card of ours', { capabilities: {} }, 'refused'],
  ])('it is not: %s', async ([, change, reason]) => {
    world.says({ retrieve: session(change) })
    expect(await world.checkout.prepare(PREPARE)).toEqual(refused(reason))
  })

  test('not at a shop that does not know it, and is left to an inquiry where a person is wanted', async () => {
    world.says({ retrieve: refusal(404, 'session_not_found') })
    expect(await world.checkout.prepare(PREPARE)).toEqual(refused('not_found'))
    world.says({ retrieve: session({ status: 'requires_escalation' }) })
    expect(await world.checkout.prepare(PREPARE)).toEqual({ outcome: 'unknown', cause: 'a person is wanted' })
  })
})

describe('a payment', () => {
  test('looks, turns the card into a token for this session alone, and completes with it', async () => {
    world.says()
    const value = { state: 'paid', orderId: 'ord_1', authorizationCode: null }
    expect(await world.checkout.pay(PAY)).toEqual({ outcome: 'ok', value })
    expect(world.asked()).toEqual(['retrieve', 'delegate_payment', 'complete'])
    expect(world.bodyOf('delegate_payment')).toEqual({
      payment_method: {
        type: 'card',
        card_number_type: 'fpan',
        virtual: true,
        number: CARD_NUMBER,
        exp_month: '12',
        exp_year: '2031',
        cvc: '737',
        display_card_funding_type: 'credit',
        metadata: {},
      },
      allowance: {
        reason: 'one_time',
        max_amount: 4870,
        currency: 'usd',
        checkout_session_id: 'qte_1',
        merchant_id: 'merchant_of_card',
        expires_at: '2032-01-01T00:00:00.000Z',
      },
      risk_signals: [],
      metadata: { handler_id: 'card', checkout_session_id: 'qte_1' },
    })
    expect(world.bodyOf('complete')).toEqual({
      payment_data: {
        handler_id: 'card',
        instrument: { type: 'card', credential: { type: 'spt', token: 'vt_0123456789' } },
      },
    })
  })

  test('is sent the same at each repetition: keys and bodies', async () => {
    world.says({ complete: { status: 503, body: {} } })
    await world.checkout.pay(PAY)
    await world.checkout.pay(PAY)
    const sent = world.shop.requests.map(({ path, headers, body }) => [path, headers['idempotency-key'], String(body)])
    expect(sent.slice(3)).toEqual(sent.slice(0, 3))
  })

  test.for<[string, object, unknown]>([
    [
      'paid already',
      ACP.completed,
      { outcome: 'ok', value: { state: 'paid', orderId: 'ord_1', authorizationCode: null } },
    ],
    ['under way', { status: 'complete_in_progress' }, { outcome: 'ok', value: { state: 'in_progress' } }],
    ['waiting for a person', { status: 'authentication_required' }, { outcome: 'ok', value: { state: 'needs_human' } }],
    ['canceled', { status: 'canceled' }, refused('released')],
    ['expired', { status: 'expired' }, refused('quote_expired')],
    ['declined', { messages: [error('payment_declined')] }, refused('card_declined')],
    ['dearer now', totalsWith('total', 4871), refused('price_changed')],
    ['out of stock', { status: 'not_ready_for_payment', messages: [error('out_of_stock')] }, refused('out_of_stock')],
    ['not ready', { status: 'incomplete' }, refused('refused')],
    ['without a handler for cards', { capabilities: {} }, refused('refused')],
    ['of a status that is none', { status: 'perhaps' }, malformed],
    ['another', { id: 'qte_2' }, malformed],
  ])('is not begun of a session that is %s', async ([, change, answer]) => {
    world.says({ retrieve: session(change) })
    expect(await world.checkout.pay(PAY)).toEqual(answer)
    expect(world.asked()).toEqual(['retrieve'])
  })

  test.for<[number, string, unknown]>([
    [400, 'invalid_card', refused('card_declined')],
    [422, 'idempotency_conflict', { outcome: 'unknown', cause: 'conflict' }],
    [409, 'idempotency_in_flight', { outcome: 'unknown', cause: 'HTTP 409: not processed' }],
  ])('whose card is not taken: %i %s', async ([status, code, answer]) => {
    world.says({ delegate_payment: refusal(status, code) })
    expect(await world.checkout.pay(PAY)).toEqual(answer)
    expect(world.asked()).not.toContain('complete')
  })

  test.for<[number, string, unknown]>([
    [402, 'payment_declined', refused('card_declined')],
    [402, 'insufficient_funds', refused('insufficient_funds')],
    [409, 'out_of_stock', refused('out_of_stock')],
    [409, 'idempotency_in_flight', { outcome: 'ok', value: { state: 'in_progress' } }],
    [400, 'requires_3ds', { outcome: 'ok', value: { state: 'needs_human' } }],
    [422, 'idempotency_conflict', { outcome: 'unknown', cause: 'conflict' }],
    [405, 'not_completable', { outcome: 'unknown', cause: 'conflict' }],
    [429, 'rate_limited', { outcome: 'unknown', cause: 'HTTP 429' }],
  ])('that is not completed: %i %s', async ([status, code, answer]) => {
    world.says({ complete: refusal(status, code) })
    expect(await world.checkout.pay(PAY)).toEqual(answer)
  })

  test.for<[string, object, unknown]>([
    ['declined', { messages: [error('payment_declined')] }, refused('card_declined')],
    ['under way', { status: 'complete_in_progress' }, { outcome: 'ok', value: { state: 'in_progress' } }],
    ['waiting for a person', { status: 'requires_escalation' }, { outcome: 'ok', value: { state: 'needs_human' } }],
    ['open, and nothing is said of why', {}, malformed],
    ['another', { ...ACP.completed, id: 'qte_2' }, malformed],
    ['of another order', { ...ACP.completed, order: { id: 'ord_1', checkout_session_id: 'qte_2' } }, malformed],
  ])('that leaves the session %s', async ([, change, answer]) => {
    world.says({ complete: session(change) })
    expect(await world.checkout.pay(PAY)).toEqual(answer)
  })

  test('is not completed after its time: the caller was told unknown, and may release', async () => {
    world.says()
    const slow = does.answers(201, JSON.stringify(ACP.token), {}, 400)
    const { checkout, asked } = world
    const hasty = createCheckout('acp', { ...world.address, budgets: { callMillis: 300, payMillis: 300 } })
    world.shop.behave({
      answer: (socket, request) =>
        (request.method === 'GET' ? does.answers(200, JSON.stringify(ACP.session)) : slow).answer?.(socket, request),
    })
    expect((await hasty.pay(PAY)).outcome).toBe('unknown')
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(asked()).toEqual(['retrieve', 'delegate_payment'])
    world.says()
    expect((await checkout.pay(PAY)).outcome).toBe('ok')
  })
})

describe('an inquiry', () => {
  test.for<[object, object]>([
    [ACP.completed, { state: 'paid', orderId: 'ord_1', authorizationCode: null }],
    [
      { ...ACP.completed, order: undefined },
      { state: 'paid', orderId: null, authorizationCode: null },
    ],
    [{ status: 'ready_for_payment' }, { state: 'open' }],
    [{ status: 'incomplete' }, { state: 'open' }],
    [{ messages: [error('payment_declined')] }, { state: 'declined', reason: 'card_declined' }],
    [{ status: 'in_progress' }, { state: 'in_progress' }],
    [{ status: 'pending_approval' }, { state: 'needs_human' }],
    [{ status: 'canceled' }, { state: 'released' }],
    [{ status: 'expired' }, { state: 'released' }],
  ])('of %o', async ([change, value]) => {
    world.says({ retrieve: session(change) })
    expect(await world.checkout.inquire(PURCHASE)).toEqual({ outcome: 'ok', value })
  })

  test('knows a session that is not there from one that it learns nothing of', async () => {
    world.says({ retrieve: refusal(404, 'session_not_found') })
    expect(await world.checkout.inquire(PURCHASE)).toEqual({ outcome: 'ok', value: { state: 'not_found' } })
    world.says({ retrieve: refusal(400, 'invalid') })
    expect(await world.checkout.inquire(PURCHASE)).toEqual(malformed)
    world.says({ retrieve: session({ status: 'perhaps' }) })
    expect(await world.checkout.inquire(PURCHASE)).toEqual(malformed)
    world.says({ retrieve: { status: 404, body: { error: 'not found' } } })
    expect(await world.checkout.inquire(PURCHASE)).toEqual(malformed)
  })
})

describe('a release', () => {
  test('cancels', async () => {
    world.says()
    expect(await world.checkout.release(PURCHASE)).toEqual({ outcome: 'ok', value: {} })
    expect(world.asked()).toEqual(['cancel'])
  })

  test.for<[string, object, unknown]>([
    ['canceled before', { status: 'canceled' }, refused('released')],
    ['paid', ACP.completed, refused('refused')],
    ['under way', { status: 'in_progress' }, { outcome: 'unknown', cause: 'not released yet' }],
  ])('of what cannot be canceled looks why: %s', async ([, change, answer]) => {
    world.says({ cancel: refusal(405, 'not_cancelable'), retrieve: session(change) })
    expect(await world.checkout.release(PURCHASE)).toEqual(answer)
  })

  test('of a session that is not there, and an answer that makes no sense', async () => {
    world.says({ cancel: refusal(404, 'session_not_found') })
    expect(await world.checkout.release(PURCHASE)).toEqual(refused('not_found'))
    world.says({ cancel: { status: 200, body: ACP.session } })
    expect(await world.checkout.release(PURCHASE)).toEqual(malformed)
  })
})

describe('what leaves open what the shop did', () => {
  test.for(FAULTS)('%s', async ([, behaviour, cause]) => {
    world.shop.behave(behaviour)
    for (const verb of VERB_NAMES) {
      expect(await VERBS[verb](world.checkout), verb).toEqual({ outcome: 'unknown', cause })
    }
  })
})

test('neither the card nor the token is in an answer, whatever the shop says', async () => {
  // The card goes with another request than the order comes back with.
  const grouped = `A-${CARD_NUMBER.replace(/(.{4})(?=.)/g, '$1.')}`
  for (const told of [CARD_NUMBER, `A-${CARD_NUMBER}`, grouped, ACP.token.id]) {
    const completed = { ...ACP.completed, order: { id: told, checkout_session_id: 'qte_1' } }
    for (const said of [{ status: 200, body: completed }, refusal(402, told), refusal(500, told)]) {
      world.says({ complete: said, delegate_payment: { status: 201, body: ACP.token } })
      expect(inspect(await world.checkout.pay(PAY), { depth: 9 })).not.toContain(told)
    }
    world.says({ delegate_payment: refusal(400, told) })
    expect(inspect(await world.checkout.pay(PAY), { depth: 9 })).not.toContain(told)
  }
})
