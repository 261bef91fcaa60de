import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as does from '../../../test/receivers/behaviours.ts'
import { type Receiver, startReceiver } from '../../../test/receivers/receiver.ts'
import { shopPolicy } from '../../platform/egress/policy.ts'
import { secret } from '../../platform/secret.ts'
import { CHECKOUT_REFUSALS, type MerchantCheckout } from '../port.ts'
import { createCheckout } from './service.ts'
import { FAULTS, VERB_NAMES, VERBS, type Verb } from './testing/faults.ts'
import { NATIVE } from './testing/native-answers.ts'
import { CARD_NUMBER, PATIENT, PAY, PREPARE, PURCHASE, QUOTE_REQUEST, SHOP_KEY } from './testing/requests.ts'

// Guarantee: a shop is asked as its API says, a clear answer becomes the port's, and everything else is `unknown`: never a sale,
// never a refusal. Over real sockets, to a shop that says what the test wants.

let shop: Receiver
let checkout: MerchantCheckout
beforeAll(async () => {
  shop = await startReceiver()
  checkout = createCheckout('native', addressOf(shop))
})
afterAll(() => shop.close())

const addressOf = ({ port }: Receiver) => ({
  baseUrl: `http://localhost:${port}`,
  key: secret(SHOP_KEY),
  ...PATIENT,
})

const says = (status: number, body: unknown) => shop.behave(does.answers(status, JSON.stringify(body)))

/** What the shop was asked last. */
function lastRequest() {
  const { method, path, headers, body } = shop.requests.at(-1) ?? {}
  return { method, path, headers, body: body?.length ? JSON.parse(body.toString()) : undefined }
}

describe('what is asked', () => {
  test.for<[Verb, string, string, unknown]>([
    ['search', 'GET', '/api/products?query=tee&limit=20', undefined],
    ['product', 'GET', '/api/products/tee', undefined],
    [
      'quote',
      'PUT',
      '/api/quotes/qte_1',
      {
        items: [{ variant_id: 'tee-red-m', quantity: 2 }],
        shipping_address: {
          name: 'Ada Example',
          address: '12 Long Street',
          city: 'Springfield',
          state: 'IL',
          postal_code: '62701',
          country: 'US',
          email: 'ada@example.com',
        },
        email: 'ada@example.com',
      },
    ],
    ['prepare', 'PUT', '/api/checkouts/txn_1', { quote: 'qte_1', total: '48.70', currency: 'USD' }],
    [
      'pay',
      'POST',
      '/api/checkouts/txn_1/pay',
      {
        card: { number: CARD_NUMBER, cvv: '737', expiry_month: '12', expiry_year: '2031' },
        total: '48.70',
        currency: 'USD',
      },
    ],
    ['inquire', 'GET', '/api/checkouts/txn_1', undefined],
    ['release', 'POST', '/api/checkouts/txn_1/release', {}],
  ])('%s', async ([verb, method, path, body]) => {
    says(200, {})
    await VERBS[verb](checkout)
    expect(lastRequest()).toMatchObject({ method, path })
    expect(lastRequest().body).toEqual(body)
    expect(lastRequest().headers).toMatchObject({ authorization: `Bearer ${SHOP_KEY}`, accept: 'application/json' })
  })

  test('an id of a shop is one part of a path, and none that leads elsewhere is sent', async () => {
    says(200, {})
    await checkout.product({ productId: 'a/../b?c=d#e%2f' })
    expect(lastRequest().path).toBe('/api/products/a%2F..%2Fb%3Fc%3Dd%23e%252f')
    const { length } = shop.requests
    for (const productId of ['.', '..', '', 'a b', 'a\nb', 'ü', 'x'.repeat(201)]) {
      expect(await checkout.product({ productId })).toEqual({ outcome: 'refused', reason: 'not_found' })
    }
    expect(shop.requests).toHaveLength(length)
  })

  test('a shop without a key is sent none', async () => {
    says(200, {})
    await createCheckout('native', { ...addressOf(shop), key: null }).inquire(PURCHASE)
    expect(lastRequest().headers).not.toHaveProperty('authorization')
  })
})

describe('what is understood', () => {
  test('a product', async () => {
    says(200, NATIVE.product)
    expect(await checkout.product({ productId: 'tee' })).toEqual({
      outcome: 'ok',
      value: {
        productId: 'tee',
        title: 'Classic Tee',
        description: 'Cotton.',
        imageUrl: 'https://shop.example/tee.jpg',
        category: 'clothes',
        priceMinor: 1_990n,
        currency: 'USD',
        inventory: 12,
        variants: [
          { variantId: 'tee-red-m', title: 'Red, M', priceMinor: 1_990n, available: true },
          { variantId: 'tee-red-xl', title: 'Red, XL', priceMinor: 2_190n, available: false },
        ],
      },
    })
  })

  test('a page, and where the next one is', async () => {
    says(200, { products: [NATIVE.product], next_cursor: 'p2' })
    expect(await VERBS.search(checkout)).toMatchObject({
      outcome: 'ok',
      value: { products: [{ productId: 'tee' }], nextCursor: 'p2' },
    })
    says(200, { products: [] })
    expect(await VERBS.search(checkout)).toEqual({ outcome: 'ok', value: { products: [], nextCursor: null } })
  })

  test('a quote; a warning that is not known is left out', async () => {
    says(200, { ...NATIVE.quote, warnings: [...NATIVE.quote.warnings, 'MOON_PHASE'] })
    expect(await checkout.quote(QUOTE_REQUEST)).toEqual({
      outcome: 'ok',
      value: {
        shopRef: 'qte_1',
        currency: 'USD',
        lines: [
          {
            productId: 'tee',
            variantId: 'tee-red-m',
            title: 'Classic Tee, Red, M',
            quantity: 2,
            unitPriceMinor: 1_990n,
            totalMinor: 3_980n,
          },
        ],
        itemsMinor: 3_980n,
        shippingMinor: 500n,
        taxMinor: 490n,
        discountMinor: 100n,
        totalMinor: 4_870n,
        warnings: ['ADDRESS_UNIT_CONFIRMATION_SUGGESTED'],
      },
    })
  })

  test('prepared, paid and released', async () => {
    says(200, NATIVE.prepared)
    expect(await checkout.prepare(PREPARE)).toEqual({ outcome: 'ok', value: {} })
    says(200, { ...NATIVE.prepared, state: 'needs_human' })
    expect(await checkout.prepare(PREPARE)).toEqual({ outcome: 'unknown', cause: 'a person is wanted' })
    says(200, NATIVE.paid)
    const paid = { outcome: 'ok', value: { state: 'paid', orderId: 'SO-1001', authorizationCode: 'A12345' } }
    expect(await checkout.pay(PAY)).toEqual(paid)
    expect(await checkout.inquire(PURCHASE)).toEqual(paid)
    says(200, NATIVE.released)
    expect(await checkout.release(PURCHASE)).toEqual({ outcome: 'ok', value: {} })
  })

  test.for<[string, object]>([
    ['open', { state: 'open' }],
    ['in_progress', { state: 'in_progress' }],
    ['needs_human', { state: 'needs_human' }],
    ['released', { state: 'released' }],
    ['declined', { state: 'declined', reason: 'refused' }],
  ])('an inquiry that says %s', async ([state, value]) => {
    says(200, { ref: 'txn_1', state })
    expect(await checkout.inquire(PURCHASE)).toEqual({ outcome: 'ok', value })
  })

  test('an order id that cannot be shown is left out, and what was paid stays paid', async () => {
    const card = CARD_NUMBER.replace(/(.{4})(?=.)/g, '$1 ')
    for (const order_id of ['a\nb', 'x'.repeat(201), '', 7, {}, card]) {
      says(200, { ...NATIVE.paid, order_id, authorization_code: null })
      const value = { state: 'paid', orderId: null, authorizationCode: null }
      expect(await checkout.pay(PAY)).toEqual({ outcome: 'ok', value })
    }
  })

  const grouped = CARD_NUMBER.replace(/(.{4})(?=.)/g, '$1-')
  test.for([
    ['between other characters', JSON.stringify(`ord.${CARD_NUMBER}.7`)],
    ['in groups, between others', JSON.stringify(`ord.${grouped}.a`)],
    ['with a digit escaped', `"${CARD_NUMBER.replace('4', '\\u0034')}"`],
    ['with a digit escaped, between others', `"x${CARD_NUMBER.replace('4', '\\u0034')}x"`],
    ['in groups, escaped', `"x-${grouped.replaceAll('-', '\\u002e')}"`],
  ])('a card number in the order id, %s, goes no further, and what was paid stays paid', async ([, written = '']) => {
    const body = JSON.stringify({ ...NATIVE.paid, order_id: '@', authorization_code: '@' }).replaceAll(
      '"@"',
      () => written,
    )
    shop.behave(does.answers(200, body))
    const answer = await checkout.pay(PAY)
    expect(answer).toMatchObject({ outcome: 'ok', value: { state: 'paid' } })
    expect(inspect(answer, { depth: 9 }).replaceAll(/[^0-9]/g, '')).not.toContain(CARD_NUMBER)
  })

  test('an order id in which a card number stands by chance is one', async () => {
    const order_id = `ord_${CARD_NUMBER}a`
    says(200, { ...NATIVE.paid, order_id })
    // This checkout has not paid with that card.
    expect(await createCheckout('native', addressOf(shop)).inquire(PURCHASE)).toMatchObject({
      value: { state: 'paid', orderId: order_id },
    })
  })

  test('text is cleaned and cut, and a picture is https or of the shop itself', async () => {
    const title = `  Classic\n\u202eTee\u0000 ${'é'.repeat(500)}`
    says(200, { ...NATIVE.product, title, description: null, category: ' ', image_url: 'javascript:alert(1)' })
    const answer = await checkout.product({ productId: 'tee' })
    const value = { description: '', category: null, imageUrl: null }
    expect(answer).toMatchObject({ outcome: 'ok', value })
    expect(answer.outcome === 'ok' && answer.value.title).toBe(`Classic Tee ${'é'.repeat(500)}`.slice(0, 200))
    for (const [image_url, imageUrl] of [
      ['/tee.png', `http://localhost:${shop.port}/tee.png`],
      ['http://shop.example/tee.png', null],
      ['https://10.0.0.1/tee.png', null],
      ['https://user:pass@shop.example/tee.png', null],
    ] as const) {
      says(200, { ...NATIVE.product, image_url })
      expect(await checkout.product({ productId: 'tee' })).toMatchObject({ value: { imageUrl } })
    }
  })

  test.for(CHECKOUT_REFUSALS)('a refusal: %s', async (reason) => {
    for (const verb of VERB_NAMES.filter((each) => each !== 'inquire')) {
      says(409, { error: { code: reason, message: `no ${CARD_NUMBER}` } })
      expect(await VERBS[verb](checkout), verb).toEqual({ outcome: 'refused', reason })
    }
  })

  test('a refusal for a reason that is not known here', async () => {
    says(422, { error: { code: 'mercury_in_retrograde', message: 'no' } })
    expect(await checkout.quote(QUOTE_REQUEST)).toEqual({ outcome: 'refused', reason: 'refused' })
  })

  test('an inquiry knows a purchase that is not there from one that it learns nothing of', async () => {
    says(404, { error: { code: 'not_found', message: 'no' } })
    expect(await checkout.inquire(PURCHASE)).toEqual({ outcome: 'ok', value: { state: 'not_found' } })
    says(409, { error: { code: 'released', message: 'no' } })
    expect((await checkout.inquire(PURCHASE)).outcome).toBe('unknown')
  })

  test('a payment under an id that was used for something else is unknown, for it may have been paid', async () => {
    for (const code of ['conflict', 'paid', 'in_progress', 'needs_human']) {
      says(409, { error: { code, message: 'no' } })
      expect(await checkout.pay(PAY)).toEqual({ outcome: 'unknown', cause: 'conflict' })
    }
    expect(await checkout.prepare(PREPARE)).toEqual({ outcome: 'refused', reason: 'refused' })
  })

  test('a release of what was paid is refused', async () => {
    says(200, NATIVE.paid)
    expect(await checkout.release(PURCHASE)).toEqual({ outcome: 'refused', reason: 'refused' })
    says(409, { error: { code: 'paid', message: 'no' } })
    expect(await checkout.release(PURCHASE)).toEqual({ outcome: 'refused', reason: 'refused' })
    says(409, { error: { code: 'declined', message: 'no' } })
    expect(await checkout.release(PURCHASE)).toEqual({ outcome: 'refused', reason: 'released' })
  })
})

describe('what leaves open what the shop did', () => {
  test.for(FAULTS)('%s', async ([, behaviour, cause]) => {
    shop.behave(behaviour)
    for (const verb of VERB_NAMES) expect(await VERBS[verb](checkout), verb).toEqual({ outcome: 'unknown', cause })
  })

  test('silence, and an answer that drips: the time of a verb is over', async () => {
    const budgets = { callMillis: 300, payMillis: 300 }
    const hasty = createCheckout('native', { ...addressOf(shop), budgets })
    for (const behaviour of [does.silent(), does.dripsHead(50)]) {
      shop.behave(behaviour)
      for (const verb of VERB_NAMES) {
        expect(await VERBS[verb](hasty), verb).toEqual({ outcome: 'unknown', cause: 'timeout' })
      }
    }
  })

  test('silence for longer than a request may take is called the same', async () => {
    shop.behave(does.silent())
    const policy = { ...shopPolicy({ allowLoopback: true }), totalMillis: 200 }
    const answer = await createCheckout('native', { ...addressOf(shop), policy }).inquire(PURCHASE)
    expect(answer).toEqual({ outcome: 'unknown', cause: 'timeout' })
  })

  test('a shop that is not there', async () => {
    const gone = await startReceiver()
    await gone.close()
    const nobody = createCheckout('native', addressOf(gone))
    for (const verb of VERB_NAMES) {
      expect(await VERBS[verb](nobody)).toEqual({ outcome: 'unknown', cause: 'connect: ECONNREFUSED' })
    }
  })

  test('a shop on this machine, where that is not allowed: nothing is sent', async () => {
    const { connections } = shop
    const strict = createCheckout('native', { ...addressOf(shop), policy: shopPolicy({ allowLoopback: false }) })
    for (const verb of VERB_NAMES) {
      expect(await VERBS[verb](strict)).toEqual({ outcome: 'unknown', cause: 'forbidden_url: SCHEME' })
    }
    expect(shop.connections).toBe(connections)
  })

  test.for<[Verb, string, object]>([
    ['product', 'another product', { ...NATIVE.product, id: 'hat' }],
    ['product', 'no variant', { ...NATIVE.product, variants: [] }],
    ['product', 'a currency that is none', { ...NATIVE.product, currency: 'XTS' }],
    ['product', 'a title of nothing', { ...NATIVE.product, title: '\u0000' }],
    ['product', 'a title of a joiner', { ...NATIVE.product, title: '\u200d' }],
    ['quote', 'a line of a blank of Braille', quoteWith({ title: '\u2800' })],
    ['product', 'an id that is none', { ...NATIVE.product, variants: [variant({ id: 'a b' })] }],
    ['product', 'a negative price', { ...NATIVE.product, variants: [variant({ price: '-1.00' })] }],
    ['product', 'a price as a number', { ...NATIVE.product, variants: [variant({ price: 19.9 })] }],
    ['product', 'a fraction of a yen', { ...NATIVE.product, currency: 'JPY' }],
    ['quote', 'another id', { ...NATIVE.quote, ref: 'qte_2' }],
    ['quote', 'a foreign currency', { ...NATIVE.quote, currency: 'XTS' }],
    ['quote', 'a total that is not the sum', { ...NATIVE.quote, total: '48.71' }],
    ['quote', 'items that are not the sum of the lines', { ...NATIVE.quote, items: '39.79', total: '48.69' }],
    ['quote', 'more pieces', quoteWith({ quantity: 3, total: '59.70' }, { items: '59.70', total: '68.60' })],
    ['quote', 'another variant', quoteWith({ variant_id: 'tee-red-xl' })],
    ['quote', 'a line that is not its pieces', quoteWith({ unit_price: '19.00' })],
    ['quote', 'a negative discount', { ...NATIVE.quote, discount: '-1.00', total: '50.70' }],
    ['quote', 'more than any amount', { ...NATIVE.quote, shipping: '1000000000000.00' }],
    ['prepare', 'another id', { ...NATIVE.prepared, ref: 'txn_2' }],
    ['prepare', 'another total', { ...NATIVE.prepared, total: '48.71' }],
    ['prepare', 'another currency', { ...NATIVE.prepared, currency: 'EUR' }],
    ['pay', 'another id', { ...NATIVE.paid, ref: 'txn_2' }],
    ['pay', 'still open', { ...NATIVE.paid, state: 'open' }],
    ['pay', 'a state that is none', { ...NATIVE.paid, state: 'perhaps' }],
    ['inquire', 'another id', { ...NATIVE.paid, ref: 'txn_2' }],
    ['inquire', 'a state that is none', { ...NATIVE.paid, state: 'perhaps' }],
    ['release', 'another id', { ...NATIVE.released, ref: 'txn_2' }],
    ['release', 'still open', { ...NATIVE.released, state: 'open' }],
  ])('%s: %s', async ([verb, , body]) => {
    says(200, body)
    expect(await VERBS[verb](checkout)).toEqual({ outcome: 'unknown', cause: 'malformed answer' })
  })
})

function variant(change: object) {
  return { ...NATIVE.product.variants[0], ...change }
}

function quoteWith(line: object, change: object = {}) {
  return { ...NATIVE.quote, lines: [{ ...NATIVE.quote.lines[0], ...line }], ...change }
}

test('a shop that quotes the card or the key does not get them shown', async () => {
  for (const told of [CARD_NUMBER, SHOP_KEY]) {
    says(200, { ...NATIVE.paid, order_id: told, authorization_code: `A ${told}` })
    const answer = await checkout.pay(PAY)
    expect(answer).toMatchObject({ outcome: 'ok', value: { state: 'paid' } })
    expect(inspect(answer, { depth: 9 })).not.toContain(told)
    says(402, { error: { code: 'card_declined', message: told } })
    expect(await checkout.pay(PAY)).toEqual({ outcome: 'refused', reason: 'card_declined' })
    says(402, { error: { code: told } })
    expect(await checkout.pay(PAY)).toEqual({ outcome: 'refused', reason: 'refused' })
  }
  // Asked later, without the card at hand.
  says(200, { ...NATIVE.paid, order_id: CARD_NUMBER })
  expect(await createCheckout('native', addressOf(shop)).inquire(PURCHASE)).toMatchObject({
    value: { state: 'paid', orderId: null },
  })
})
