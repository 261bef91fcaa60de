import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../platform/ids.ts'
import type { CatalogProduct, CheckoutAnswer } from '../port.ts'
import { Buyer, many, okValue, required, type ShopUnderTest } from './buyer.ts'
import { describePayment, describeRelease, describeUnknown } from './conformance-payment.ts'

/** The contract of the port, as tests. Every adapter's test file calls this once, with a shop that answers over real sockets. */
export function describeMerchantCheckout(name: string, setup: () => Promise<ShopUnderTest>): void {
  describe(`merchant checkout: ${name}`, () => {
    let subject: ShopUnderTest | undefined
    const buyer = () => {
      if (subject === undefined) throw new Error('The shop was not set up.')
      return new Buyer(subject)
    }
    beforeAll(async () => {
      subject = await setup()
    })
    afterAll(() => subject?.close?.())
    describe('catalog', () => describeCatalog(buyer))
    describe('quotes', () => describeQuotes(buyer))
    describe('preparing', () => describePreparing(buyer))
    describe('payments', () => describePayment(buyer))
    describe('what is unknown', () => describeUnknown(buyer))
    describe('releases', () => describeRelease(buyer))
  })
}

export type Start = () => Buyer

const MAX_PAGES = 50

function describeCatalog(start: Start): void {
  const all = async ({ checkout }: Buyer, limit: number): Promise<CatalogProduct[]> => {
    const products: CatalogProduct[] = []
    let cursor: string | null = null
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { products: some, nextCursor }: { products: CatalogProduct[]; nextCursor: string | null } = okValue(
        await checkout.search({ query: null, limit, cursor }),
      )
      products.push(...some)
      if (nextCursor === null) return products
      cursor = nextCursor
    }
    throw new Error('The catalog does not end.')
  }

  test('pages of any size show every product once, and what is sold is among them', async () => {
    const buyer = start()
    const { ordinary, other } = buyer.subject.variants
    const [small, large] = [await all(buyer, 3), await all(buyer, 100)]
    expect(small).toEqual(large)
    expect(new Set(large.map(({ productId }) => productId)).size).toBe(large.length)
    const variants = large.flatMap((product) => product.variants.map(({ variantId }) => variantId))
    expect(variants).toEqual(expect.arrayContaining([ordinary, other]))
  })

  test('a product of the catalog is found by its id', async () => {
    const buyer = start()
    const [first] = await all(buyer, 100)
    expect(await buyer.checkout.product({ productId: first?.productId ?? '' })).toEqual({ outcome: 'ok', value: first })
  })

  test('a search finds what has its words, and nothing else', async () => {
    const buyer = start()
    const [first] = await all(buyer, 100)
    const found = okValue(await buyer.checkout.search({ query: first?.title ?? '', limit: 100, cursor: null }))
    expect(found.products.map(({ productId }) => productId)).toContain(first?.productId)
    const none = okValue(await buyer.checkout.search({ query: 'qzxv-no-such-thing', limit: 100, cursor: null }))
    expect(none).toEqual({ products: [], nextCursor: null })
  })

  test.for(['no-such-product', '.', '..', '../quotes', '', 'a b', '%2e%2e', "' or 1=1"])(
    'a product that is not there: %j',
    async (productId) => {
      const { checkout } = start()
      expect(await checkout.product({ productId })).toEqual({ outcome: 'refused', reason: 'not_found' })
    },
  )
}

function describeQuotes(start: Start): void {
  test('the same id gives the same quote, also to 16 requests together', async () => {
    const { checkout, ...buyer } = start()
    const request = new Buyer(buyer.subject).quoteRequest(undefined, 2)
    const answers = await Promise.all(many(16, () => checkout.quote(request)))
    const again = okValue(await checkout.quote(request))
    // Some of the requests that come together may be told to come again.
    const quotes = answers.filter(({ outcome }) => outcome !== 'unknown').map(okValue)
    expect(quotes.length).toBeGreaterThan(0)
    for (const quote of quotes) expect(quote).toEqual(again)
  })

  test('the same id for another basket is refused, and the first quote stands', async () => {
    const buyer = start()
    const request = buyer.quoteRequest()
    const quote = okValue(await buyer.checkout.quote(request))
    const other = { ...request, items: [{ variantId: buyer.subject.variants.other, quantity: 1 }] }
    expect(await buyer.checkout.quote(other)).toEqual({ outcome: 'refused', reason: 'refused' })
    expect(okValue(await buyer.checkout.quote(request))).toEqual(quote)
  })

  test('another id is another quote', async () => {
    const buyer = start()
    const [one, other] = [await buyer.quote(), await buyer.quote()]
    expect(one.shopRef).not.toBe(other.shopRef)
    expect(one.totalMinor).toBe(other.totalMinor)
  })

  test('more pieces cost more, and several things are several lines', async () => {
    const buyer = start()
    const { ordinary, other } = buyer.subject.variants
    const [one, three] = [await buyer.quote(ordinary), await buyer.quote(ordinary, 3)]
    expect(three.itemsMinor).toBe(one.itemsMinor * 3n)
    const items = [ordinary, other].map((variantId) => ({ variantId, quantity: 2 }))
    const both = okValue(await buyer.checkout.quote({ ...buyer.quoteRequest(), items }))
    expect(new Set(both.lines.map(({ variantId }) => variantId))).toEqual(new Set([ordinary, other]))
  })

  test('what the shop does not have', async () => {
    const buyer = start()
    const answer = await buyer.checkout.quote(buyer.quoteRequest('no-such-variant'))
    expect(answer).toEqual({ outcome: 'refused', reason: 'not_found' })
  })

  test('where the shop does not send to', async (context) => {
    const buyer = start()
    const shippingAddress = required(context, buyer.subject.farAway)
    const answer = await buyer.checkout.quote({ ...buyer.quoteRequest(), shippingAddress })
    expect(answer).toEqual({ outcome: 'refused', reason: 'address_refused' })
  })
}

function describePreparing(start: Start): void {
  test('again is fine, also 16 times together, and takes the goods once', async (context) => {
    const buyer = start()
    const request = await buyer.request(required(context, buyer.subject.variants.lastPiece))
    const answers = await Promise.all(many(16, () => buyer.checkout.prepare(request)))
    expect(answers).toEqual(many(16, () => ({ outcome: 'ok', value: {} })))
    expect(await buyer.state(request)).toEqual({ state: 'open' })
    okValue(await buyer.checkout.release(request))
  })

  test('at another price than the quoted one', async () => {
    const buyer = start()
    const { total, ...request } = await buyer.request()
    for (const minor of [total.minor - 1n, total.minor + 1n]) {
      const other = { ...request, purchaseId: newId('charge'), total: { ...total, minor } }
      const answer = await buyer.checkout.prepare(other)
      expect(answer).toEqual({ outcome: 'refused', reason: 'price_changed' })
    }
    const euros = { ...request, purchaseId: newId('charge'), total: { ...total, currency: 'EUR' as const } }
    expect(await buyer.checkout.prepare(euros)).toEqual({ outcome: 'refused', reason: 'price_changed' })
  })

  test('what was never quoted', async () => {
    const buyer = start()
    const answer = await buyer.checkout.prepare({ ...(await buyer.request()), shopRef: `qte_${newId('charge')}` })
    expect(answer).toEqual({ outcome: 'refused', reason: 'not_found' })
  })

  test.for([
    ['outOfStock', 'out_of_stock'],
    ['priceChanged', 'price_changed'],
  ] as const)('what cannot be had any more: %s', async ([variant, reason], context) => {
    const buyer = start()
    const variantId = required(context, buyer.subject.variants[variant])
    const quoted = await buyer.checkout.quote(buyer.quoteRequest(variantId))
    const prepare = async (): Promise<CheckoutAnswer<unknown>> => {
      if (quoted.outcome !== 'ok') return quoted
      const { shopRef, totalMinor, currency } = quoted.value
      return buyer.checkout.prepare({ purchaseId: newId('charge'), shopRef, total: { minor: totalMinor, currency } })
    }
    // A shop may know it when it is asked for a price.
    expect(await prepare()).toEqual({ outcome: 'refused', reason })
  })
}
