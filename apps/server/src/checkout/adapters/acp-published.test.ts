import { array, assert, asyncProperty, constantFrom, integer, option, record, string } from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRecord, type JsonRecord } from '../../platform/json.ts'
import { secret } from '../../platform/secret.ts'
import type { CheckoutAnswer, PayRequest, QuoteRequest } from '../port.ts'
import { ACP, acpError } from './testing/acp-answers.ts'
import { ACP_FORMS, type AcpForm, formOf } from './testing/acp-forms.ts'
import { openSpecification } from './testing/acp-published.ts'
import { PAY, PURCHASE, QUOTE_REQUEST } from './testing/requests.ts'
import { startScriptedAcp } from './testing/scripted-acp.ts'

// Guarantee: whatever we are asked to buy, what we send is of a form that the protocol has. With ACP_SPECIFICATION=<a checkout of
// the protocol's specification> it is held against the published schemas as well, and every published example is understood.

const { ACP_SPECIFICATION: directory } = process.env
const specification = directory === undefined ? undefined : openSpecification(directory)

let world: Awaited<ReturnType<typeof startScriptedAcp>>
beforeAll(async () => {
  world = await startScriptedAcp()
})
afterAll(() => world.close())

function errorsOf(form: AcpForm, body: unknown): unknown[] {
  return [...ACP_FORMS[form].Errors(body), ...(specification?.errorsOfRequest(form, body) ?? [])]
}

const text = (maxLength: number) => string({ minLength: 1, maxLength, unit: 'grapheme' })
const address = record({
  ...{ name: text(200), address: text(200), city: text(100), state: string({ maxLength: 100 }), postalCode: text(20) },
  country: constantFrom('US', 'DE', 'JP'),
  phone: option(text(30)),
  email: option(constantFrom('ada@example.com')),
})
const items = array(
  record({ variantId: string({ minLength: 1, maxLength: 30 }), quantity: integer({ min: 1, max: 20 }) }),
  { minLength: 1, maxLength: 5 },
)
const quotes = record({
  items,
  shippingAddress: option(address),
  email: option(constantFrom('ada@example.com')),
})
const payments = record({
  minor: integer({ min: 1, max: 1_000_000 }),
  month: integer({ min: 1, max: 12 }),
  year: integer({ min: 2026, max: 2099 }),
})

test('every request, of any purchase, is of a form of the protocol', async () => {
  const seen = new Set<AcpForm>()
  const look = () => {
    for (const { method, path, body } of world.shop.requests.splice(0)) {
      const form = formOf(method, path.replace(/^\/acp/, ''))
      if (form === undefined) continue
      seen.add(form)
      expect(errorsOf(form, JSON.parse(body.toString()))).toEqual([])
    }
  }
  await assert(
    asyncProperty(quotes, payments, async (asked, { minor, month, year }) => {
      const totals = [{ type: 'total', display_text: 'Total', amount: minor }]
      world.says({ retrieve: { status: 200, body: { ...ACP.session, totals } } })
      await world.checkout.quote({ ...QUOTE_REQUEST, ...asked } satisfies QuoteRequest)
      const credential = {
        ...PAY.credential,
        dynamicCvv: secret('0123'),
        expiryMonth: String(month).padStart(2, '0'),
        expiryYear: String(year),
      }
      const total = { minor: BigInt(minor), currency: 'USD' as const }
      await world.checkout.pay({ ...PAY, total, credential } satisfies PayRequest)
      await world.checkout.release(PURCHASE)
      look()
    }),
    { numRuns: 50 },
  )
  expect([...seen].sort()).toEqual(Object.keys(ACP_FORMS).sort())
})

// One file, also where there is no specification: a test that is skipped looks like one that passed.
if (specification !== undefined) describePublished(specification)

function describePublished(published: NonNullable<typeof specification>): void {
  const examples = Object.entries(published.examplesOf('agentic_checkout'))
  const multiple = published.examplesOf('multi_item_checkout').create_multi_item_checkout_response
  const sessions = [...examples, ['multi item', multiple] as const].filter(([, one]) => isRecord(one) && isSession(one))

  describe('published schemas', () => {
    test('the answers that our tests work with are valid', () => {
      for (const session of [ACP.session, ACP.unselected, ACP.completed, ACP.canceled]) {
        expect(published.errorsOf('agentic_checkout', 'CheckoutSession', session)).toEqual([])
      }
      expect(published.errorsOf('agentic_checkout', 'Error', acpError('invalid'))).toEqual([])
      expect(published.errorsOf('delegate_payment', 'DelegatePaymentResponse', ACP.token)).toEqual([])
      expect(published.errorsOf('feed', 'ProductsResponse', ACP.feed)).toEqual([])
    })

    test('a quantity in a request is none of them', () => {
      const request = { line_items: [{ id: 'tee', quantity: 2 }], currency: 'usd', capabilities: {} }
      expect(published.errorsOfRequest('POST /checkout_sessions', request)).not.toEqual([])
    })
  })

  describe('published examples', () => {
    test('there are some', () => expect(sessions.length).toBeGreaterThanOrEqual(9))

    test.for(sessions)('%s stands somehow', async ([, session]) => {
      world.says({ retrieve: { status: 200, body: session } })
      const answer = await world.checkout.inquire({ ...PURCHASE, shopRef: idOf(session) })
      expect(answer).toEqual({ outcome: 'ok', value: expect.objectContaining({ state: expectedState(session) }) })
    })

    test.for(sessions.filter(([, one]) => isRecord(one) && one.status === 'ready_for_payment'))(
      '%s is a quote that adds up',
      async ([, session]) => expect(await quoteOf(session)).toMatchObject({ outcome: 'ok' }),
    )

    test('a basket without stock is none', async () => {
      const session = published.examplesOf('agentic_checkout').checkout_session_with_out_of_stock
      expect(await quoteOf(session)).toEqual({ outcome: 'refused', reason: 'out_of_stock' })
    })

    test.for(examples.filter(([name]) => name.startsWith('error_')))('%s is an error', async ([name, error]) => {
      world.says({ create: { status: Number(name.split('_')[1]), body: error } })
      const expected = /required$|in_flight$/.test(name) && !name.includes('3ds') ? 'unknown' : 'refused'
      expect((await world.checkout.quote(QUOTE_REQUEST)).outcome).toBe(expected)
    })

    test.for([
      ['invalid_card', 400, { outcome: 'refused', reason: 'card_declined' }],
      ['idempotency_conflict', 422, { outcome: 'unknown', cause: 'conflict' }],
      ['rate_limit', 429, { outcome: 'unknown', cause: 'HTTP 429' }],
      ['idempotency_key_required', 400, { outcome: 'unknown', cause: 'HTTP 400: not processed' }],
      ['idempotency_in_flight', 409, { outcome: 'unknown', cause: 'HTTP 409: not processed' }],
    ] as const)('a delegation: %s', async ([name, status, answer]) => {
      const error = published.examplesOf('delegate_payment')[`delegate_payment_error_${name}`]
      world.says({ delegate_payment: { status, body: error } })
      expect(await world.checkout.pay(PAY)).toEqual(answer)
    })

    test('a delegation, and the token in the completion', async () => {
      const token = published.examplesOf('delegate_payment').delegate_payment_success_response
      world.says({ delegate_payment: { status: 201, body: token } })
      expect(await world.checkout.pay(PAY)).toMatchObject({ outcome: 'ok', value: { state: 'paid' } })
      expect(world.bodyOf('complete')).toMatchObject({
        payment_data: { instrument: { credential: { token: isRecord(token) && token.id } } },
      })
    })

    test('the products of a feed', async () => {
      const { get_products_response: without, ...feed } = published.examplesOf('feed')
      world.says({ product_feed: { status: 200, body: without } })
      const search = () => world.checkout.search({ query: null, limit: 100, cursor: null })
      expect(await search()).toEqual({ outcome: 'ok', value: { products: [], nextCursor: null } })
      world.says({ product_feed: { status: 200, body: feed.upsert_products_request_single_product } })
      const variants = [{ priceMinor: 1_999n, available: false }]
      expect(await search()).toMatchObject({ outcome: 'ok', value: { products: [{ currency: 'USD', variants }] } })
    })

    // One prints a discount that its total does not take off: it does not add up.
    test.for(published.discounts())('of the discount extension, %s', async ([file, session]) => {
      expect((await quoteOf(session)).outcome).toBe(file === 'automatic-discount.json' ? 'unknown' : 'ok')
    })
  })
}

function isSession(value: JsonRecord): boolean {
  return Array.isArray(value.line_items) && typeof value.id === 'string'
}

function idOf(session: unknown): string {
  return isRecord(session) ? String(session.id) : ''
}

function expectedState(session: unknown): string {
  const { status, messages } = session as { status: string; messages: { code?: string }[] }
  if (status === 'completed') return 'paid'
  if (status === 'canceled') return 'released'
  if (status === 'authentication_required') return 'needs_human'
  return messages.some(({ code }) => code === 'payment_declined') ? 'declined' : 'open'
}

/** The quote of a published session, for a caller who asked for what is in it. */
async function quoteOf(session: unknown): Promise<CheckoutAnswer<unknown>> {
  const { line_items: lines } = session as { line_items: { item: { id: string }; quantity: number }[] }
  const basket = lines.map(({ item, quantity }) => ({ variantId: item.id, quantity }))
  const said = { status: 200, body: session }
  world.says({ create: said, update: said })
  return world.checkout.quote({ ...QUOTE_REQUEST, items: basket })
}
