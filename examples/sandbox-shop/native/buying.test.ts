// Guarantee: a reference buys once, the last piece is sold once, and an answer that was lost is never taken for a
// refusal.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { FAILURES, type Failure } from '../catalog/failures.ts'
import { ADDRESS, available, CARD, fresh, prepared, quoteOf, startTestShop, type TestShop } from '../testing/world.ts'

let shop: TestShop
let now = new Date('2026-11-22T10:00:00Z')
beforeEach(async () => {
  now = new Date('2026-11-22T10:00:00Z')
  shop = await startTestShop({ now: () => now, slowMillis: 300, acquirerTimeoutMillis: 1_500 })
})
afterEach(() => shop?.close())

const MUG = 'stoneware-mug.oat'
const variantOf = (failure: Failure) => `test-${failure.replaceAll('_', '-')}.one-size`

describe('a quote', () => {
  test('adds up, names its lines, and says how long it is good', async () => {
    const quote = await quoteOf(shop, MUG, { quantity: 2, address: { ...ADDRESS, state: 'California' } })
    expect(quote).toEqual({
      ref: quote.ref,
      currency: 'USD',
      lines: [
        {
          product_id: 'stoneware-mug',
          variant_id: MUG,
          title: 'Stoneware mug (Oat)',
          quantity: 2,
          unit_price: '18.00',
          total: '36.00',
        },
      ],
      ...{ items: '36.00', shipping: '6.45', tax: '2.61', discount: '0.00', total: '45.06' },
      warnings: [],
      expires_at: '2026-11-22T11:00:00.000Z',
    })
  })

  test('asks for a unit where the building has many', async () => {
    const address = { ...ADDRESS, address: '500 Harbor Towers' }
    expect((await quoteOf(shop, MUG, { address })).warnings).toEqual(['ADDRESS_UNIT_CONFIRMATION_SUGGESTED'])
  })

  test('the same reference is the same quote, of 64 equal requests too; with another body it is a conflict', async () => {
    const path = `/api/quotes/${fresh('qte')}`
    const body = { items: [{ variant_id: MUG, quantity: 1 }], shipping_address: ADDRESS, email: 'ada@example.com' }
    const all = await Promise.all(Array.from({ length: 64 }, () => shop.call('PUT', path, body)))
    expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(all[0]?.status).toBe(200)
    const other = { ...body, items: [{ variant_id: MUG, quantity: 2 }] }
    expect(await shop.call('PUT', path, other)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
    expect((await shop.call('GET', path)).body).toEqual(all[0]?.body)
  })

  test.each([
    ['an unknown variant', 404, 'not_found', { items: [{ variant_id: 'none', quantity: 1 }] }],
    ['more than there is', 409, 'out_of_stock', { items: [{ variant_id: 'last-piece.one-size', quantity: 2 }] }],
    [
      'more than there is, in two lines',
      409,
      'out_of_stock',
      { items: Array(2).fill({ variant_id: 'last-piece.one-size', quantity: 1 }) },
    ],
    ['nothing', 400, 'invalid_request', { items: [] }],
    ['half a mug', 400, 'invalid_request', { items: [{ variant_id: MUG, quantity: 0.5 }] }],
    [
      'a country it does not send to',
      422,
      'address_refused',
      { items: [{ variant_id: MUG, quantity: 1 }], shipping_address: { ...ADDRESS, country: 'AQ' } },
    ],
    [
      'a state that is none',
      422,
      'address_refused',
      { items: [{ variant_id: MUG, quantity: 1 }], shipping_address: { ...ADDRESS, state: 'ZZ' } },
    ],
    [
      'an address without a street',
      400,
      'invalid_request',
      { items: [{ variant_id: MUG, quantity: 1 }], shipping_address: { country: 'US' } },
    ],
  ])('of %s is refused', async (_what, status, code, body) => {
    expect(await shop.call('PUT', `/api/quotes/${fresh('qte')}`, body)).toMatchObject({
      status,
      body: { error: { code } },
    })
  })
})

describe('preparing', () => {
  test('reserves; releasing gives back, twice as well as once', async () => {
    const before = await available(shop, 'stoneware-mug')
    const { ref, answer, body, quote } = await prepared(shop, MUG, { quantity: 3 })
    expect(answer).toEqual({ status: 200, body: { ref, state: 'open', total: quote.total, currency: 'USD' } })
    expect(await available(shop, 'stoneware-mug')).toBe(before - 3)
    for (const _again of [1, 2]) {
      expect((await shop.call('POST', `/api/checkouts/${ref}/release`)).body).toMatchObject({ state: 'released' })
    }
    expect(await available(shop, 'stoneware-mug')).toBe(before)
    expect(await shop.call('PUT', `/api/checkouts/${ref}`, body)).toMatchObject({
      status: 409,
      body: { error: { code: 'released' } },
    })
  })

  test('of 64 who want the last piece, one gets it, and the others stay without when it comes back', async () => {
    const quote = await quoteOf(shop, 'last-piece.one-size')
    const body = { quote: quote.ref, total: quote.total, currency: 'USD' }
    const refs = Array.from({ length: 64 }, () => fresh('txn'))
    const answers = await Promise.all(refs.map((ref) => shop.call('PUT', `/api/checkouts/${ref}`, body)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error?.code === 'out_of_stock')).toHaveLength(63)
    expect(await available(shop, 'last-piece')).toBe(0)
    const winner = refs[answers.findIndex(({ status }) => status === 200)]
    const loser = refs[answers.findIndex(({ status }) => status !== 200)]
    await shop.call('POST', `/api/checkouts/${winner}/release`)
    expect(await available(shop, 'last-piece')).toBe(1)
    expect((await shop.call('PUT', `/api/checkouts/${loser}`, body)).body.error.code).toBe('out_of_stock')
    expect((await shop.call('GET', `/api/checkouts/${loser}`)).status).toBe(404)
  })

  test('of 64 equal requests one reserves', async () => {
    const quote = await quoteOf(shop, MUG)
    const before = await available(shop, 'stoneware-mug')
    const ref = fresh('txn')
    const body = { quote: quote.ref, total: quote.total, currency: 'USD' }
    const answers = await Promise.all(Array.from({ length: 64 }, () => shop.call('PUT', `/api/checkouts/${ref}`, body)))
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(await available(shop, 'stoneware-mug')).toBe(before - 1)
    const other = await shop.call('PUT', `/api/checkouts/${ref}`, { ...body, total: '1.00' })
    expect(other.body.error.code).toBe('conflict')
  })

  test('a basket that is short of one thing takes nothing of the others', async () => {
    const items = [
      { variant_id: MUG, quantity: 2 },
      { variant_id: 'last-piece.one-size', quantity: 1 },
    ]
    const quote = (await shop.call('PUT', `/api/quotes/${fresh('qte')}`, { items })).body
    await prepared(shop, 'last-piece.one-size')
    const before = await available(shop, 'stoneware-mug')
    const body = { quote: quote.ref, total: quote.total, currency: 'USD' }
    expect((await shop.call('PUT', `/api/checkouts/${fresh('txn')}`, body)).body.error.code).toBe('out_of_stock')
    expect(await available(shop, 'stoneware-mug')).toBe(before)
  })

  test.each([
    ['another total', 'price_changed', { total: '1.00' }],
    ['another currency', 'price_changed', { currency: 'EUR' }],
    ['no such quote', 'not_found', { quote: 'qte_none' }],
  ])('%s is refused', async (_what, code, change) => {
    const quote = await quoteOf(shop, MUG)
    const body = { quote: quote.ref, total: quote.total, currency: 'USD', ...change }
    expect((await shop.call('PUT', `/api/checkouts/${fresh('txn')}`, body)).body.error.code).toBe(code)
  })

  test('a quote that is too old is refused', async () => {
    const quote = await quoteOf(shop, MUG)
    now = new Date(now.getTime() + 3_600_000)
    const body = { quote: quote.ref, total: quote.total, currency: 'USD' }
    expect((await shop.call('PUT', `/api/checkouts/${fresh('txn')}`, body)).body.error.code).toBe('quote_expired')
  })

  test('time gives back what is unpaid, and not what is paid', async () => {
    const paid = await prepared(shop, MUG)
    await paid.pay()
    const before = await available(shop, 'stoneware-mug')
    const { ref, pay, inquire } = await prepared(shop, MUG)
    now = new Date(now.getTime() + 900_000)
    expect((await inquire()).body).toMatchObject({ state: 'released', reason: 'expired' })
    expect(await available(shop, 'stoneware-mug')).toBe(before)
    expect(await pay()).toMatchObject({ status: 409, body: { error: { code: 'released' } } })
    expect((await shop.call('POST', `/api/checkouts/${ref}/release`)).body.error.code).toBe('released')
    expect((await paid.inquire()).body.state).toBe('paid')
    expect(shop.acquirer.approved.size).toBe(1)
  })
})

describe('paying', () => {
  test('charges the total under the shop’s name, and makes one order', async () => {
    const { ref, quote, pay, inquire } = await prepared(shop, MUG)
    const answer = await pay(CARD)
    expect(answer).toEqual({
      status: 200,
      body: {
        ref,
        state: 'paid',
        total: quote.total,
        currency: 'USD',
        order_id: expect.stringMatching(/^ord_[0-9a-f]{24}$/),
        authorization_code: '123456',
      },
    })
    expect(shop.acquirer.asked).toEqual([
      expect.objectContaining({
        token: CARD.number,
        amount: quote.total,
        currency: 'USD',
        merchant_url: 'https://sandbox-shop.example',
      }),
    ])
    expect((await inquire()).body).toEqual(answer.body)
    // Again, also with another card: the first outcome.
    expect(await pay()).toEqual(answer)
    expect(shop.acquirer.asked).toHaveLength(1)
    expect((await shop.call('POST', `/api/checkouts/${ref}/release`)).body.error.code).toBe('paid')
  })

  test('of 64 equal requests one pays', async () => {
    const { pay, inquire } = await prepared(shop, MUG)
    const answers = await Promise.all(Array.from({ length: 64 }, () => pay(CARD)))
    expect(answers.every(({ status, body }) => status === 200 && ['paid', 'in_progress'].includes(body.state))).toBe(
      true,
    )
    expect(shop.acquirer.asked).toHaveLength(1)
    expect((await inquire()).body.state).toBe('paid')
  })

  test('another total, another currency and half a card are refused, and the card is not said again', async () => {
    const { ref, quote, inquire } = await prepared(shop, MUG)
    const path = `/api/checkouts/${ref}/pay`
    const body = { card: CARD, total: quote.total, currency: 'USD' }
    expect((await shop.call('POST', path, { ...body, total: '1.00' })).body.error.code).toBe('conflict')
    expect((await shop.call('POST', path, { ...body, currency: 'EUR' })).body.error.code).toBe('conflict')
    const half = await shop.call('POST', path, { ...body, card: { ...CARD, number: '40000012345x' } })
    expect(half.status).toBe(400)
    expect(JSON.stringify(half.body)).not.toContain('4000001')
    expect((await inquire()).body.state).toBe('open')
    expect(shop.acquirer.asked).toHaveLength(0)
  })

  test.each([
    ['05', 'card_declined'],
    ['51', 'insufficient_funds'],
    ['03', 'card_declined'],
  ])('an acquirer that says %s is a %s, and the goods go back', async (response_code, code) => {
    shop.acquirer.script = () => ({ approved: false, response_code })
    const before = await available(shop, 'stoneware-mug')
    const { pay, inquire } = await prepared(shop, MUG)
    for (const _again of [1, 2]) expect(await pay()).toMatchObject({ status: 402, body: { error: { code } } })
    expect(shop.acquirer.asked).toHaveLength(1)
    expect((await inquire()).body).toMatchObject({ state: 'declined', reason: code })
    expect(await available(shop, 'stoneware-mug')).toBe(before)
  })

  test('an acquirer that cannot be reached was not asked: the checkout is open, and pays later', async () => {
    const { pay, inquire } = await prepared(shop, MUG)
    shop.acquirer.script = (_asked, response) => void response.writeHead(429).end()
    expect(await pay()).toMatchObject({ status: 503, body: { error: { code: 'acquirer_unreachable' } } })
    expect((await inquire()).body.state).toBe('open')
    shop.acquirer.script = shop.acquirer.judge
    expect((await pay()).body.state).toBe('paid')
  })

  test('an answer of the acquirer that is lost before the approval is asked for again: one approval', async () => {
    const { pay } = await prepared(shop, MUG)
    shop.acquirer.script = (_asked, response) => {
      shop.acquirer.script = shop.acquirer.judge
      response.destroy()
      return undefined
    }
    expect((await pay()).body.state).toBe('paid')
    expect(shop.acquirer.approved.size).toBe(1)
  })

  test.each(['destroyed', 'garbage', 'silence', 'an error'])(
    'an approval whose answer is lost (%s) needs a person, who may find it paid',
    async (how) => {
      const { ref, pay, inquire } = await prepared(shop, MUG)
      shop.acquirer.script = (asked, response) => {
        if (shop.acquirer.approved.has(asked.token)) return shop.acquirer.judge(asked)
        shop.acquirer.judge(asked)
        if (how === 'destroyed') response.destroy()
        else if (how === 'garbage') response.end('<html>')
        else if (how === 'an error') response.writeHead(500).end('{}')
        return undefined
      }
      expect((await pay()).body).toMatchObject({ state: 'needs_human', reason: 'payment_unknown' })
      expect(shop.acquirer.approved.size).toBe(1)
      // Nor is it given back, and another card is not tried: the first one may have paid.
      expect((await shop.call('POST', `/api/checkouts/${ref}/release`)).body.error.code).toBe('needs_human')
      expect((await pay()).body.state).toBe('needs_human')
      expect(shop.acquirer.approved.size).toBe(1)
      expect((await shop.call('POST', `/api/checkouts/${ref}/resolve`, { outcome: 'paid' })).body).toMatchObject({
        state: 'paid',
      })
      expect((await inquire()).body.order_id).toMatch(/^ord_/)
      expect((await shop.call('POST', `/api/checkouts/${ref}/resolve`, { outcome: 'released' })).body.error.code).toBe(
        'paid',
      )
    },
  )
})

describe('the products that fail', () => {
  const EXPECTED: Record<Failure, (one: Awaited<ReturnType<typeof prepared>>) => Promise<void>> = {
    async out_of_stock({ answer, inquire }) {
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'out_of_stock' } } })
      expect((await inquire()).status).toBe(404)
    },
    async price_changed({ answer }) {
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'price_changed' } } })
    },
    async card_declined({ pay, inquire }) {
      expect(await pay()).toMatchObject({ status: 402, body: { error: { code: 'card_declined' } } })
      expect((await inquire()).body).toMatchObject({ state: 'declined', reason: 'card_declined' })
      expect(shop.acquirer.asked).toHaveLength(0)
    },
    async insufficient_funds({ pay, inquire }) {
      expect(await pay()).toMatchObject({ status: 402, body: { error: { code: 'insufficient_funds' } } })
      expect((await inquire()).body).toMatchObject({ state: 'declined', reason: 'insufficient_funds' })
      expect(shop.acquirer.asked).toHaveLength(0)
    },
    async needs_human({ ref, pay, inquire }) {
      expect((await pay()).body).toMatchObject({ state: 'needs_human', reason: 'needs_human' })
      expect((await inquire()).body.state).toBe('needs_human')
      expect(shop.acquirer.asked).toHaveLength(0)
      // Nothing was asked of the acquirer: the buyer may give it up.
      expect((await shop.call('POST', `/api/checkouts/${ref}/release`)).body.state).toBe('released')
      expect((await shop.call('POST', `/api/checkouts/${ref}/resolve`, { outcome: 'paid' })).body.error.code).toBe(
        'released',
      )
    },
    async lost_before({ pay, inquire }) {
      await expect(pay()).rejects.toThrow('fetch failed')
      expect((await inquire()).body.state).toBe('open')
      expect(shop.acquirer.asked).toHaveLength(0)
      expect((await pay()).body.state).toBe('paid')
    },
    async lost_after({ pay, inquire }) {
      await expect(pay(CARD)).rejects.toThrow('fetch failed')
      expect((await inquire()).body.state).toBe('paid')
      expect((await pay(CARD)).body.state).toBe('paid')
      expect(shop.acquirer.asked).toHaveLength(1)
    },
    async slow({ pay, inquire }) {
      const answer = pay()
      await vi.waitFor(async () => expect((await inquire()).body.state).toBe('in_progress'))
      expect(shop.acquirer.asked).toHaveLength(0)
      expect((await answer).body.state).toBe('paid')
    },
    async garbage({ pay, inquire }) {
      await expect(pay()).rejects.toThrow(SyntaxError)
      expect((await inquire()).body.state).toBe('paid')
      expect(shop.acquirer.asked).toHaveLength(1)
    },
  }

  test.each(Object.keys(FAILURES) as Failure[])('%s', async (failure) => {
    const one = await prepared(shop, variantOf(failure))
    expect(one.quote.total).toBe('24.95')
    await EXPECTED[failure](one)
  })
})

test('a restart forgets nothing', async () => {
  const paid = await prepared(shop, MUG)
  const receipt = await paid.pay()
  const open = await prepared(shop, MUG)
  const last = await prepared(shop, 'last-piece.one-size')
  await shop.restart()
  expect((await paid.inquire()).body).toEqual(receipt.body)
  expect(await shop.call('PUT', `/api/checkouts/${open.ref}`, open.body)).toEqual(open.answer)
  expect((await open.pay()).body.state).toBe('paid')
  expect(await available(shop, 'last-piece')).toBe(0)
  expect((await last.inquire()).body.state).toBe('open')
  expect((await shop.call('GET', `/api/quotes/${paid.quote.ref}`)).body).toEqual(paid.quote)
})

test('no file of the shop holds a card', async () => {
  const { pay } = await prepared(shop, MUG)
  await pay({ number: '4000009182736451', cvv: '918', expiry_month: '11', expiry_year: '2039' })
  await delay(50)
  const files = readdirSync(shop.home).map((name) => readFileSync(join(shop.home, name), 'latin1'))
  expect(files.join('')).toContain('6451')
  for (const trace of ['4000009182736451', '00009182', '2039']) expect(files.join('')).not.toContain(trace)
})
