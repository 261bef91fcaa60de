import { expect, test } from 'vitest'
import { newId } from '../../platform/ids.ts'
import type { ShopPurchaseState } from '../port.ts'
import { many, okValue, required } from './buyer.ts'
import type { Start } from './conformance.ts'

const PAID = { state: 'paid', orderId: expect.any(String) }
const RELEASED = { outcome: 'refused', reason: 'released' }
const ROUNDS = 8

export function describePayment(start: Start): void {
  test('it is paid, once, and the same again says the same', async () => {
    const buyer = start()
    const purchase = await buyer.prepared()
    expect(await buyer.state(purchase)).toEqual({ state: 'open' })
    const first = okValue(await buyer.checkout.pay(purchase))
    expect(first).toMatchObject(PAID)
    expect(okValue(await buyer.checkout.pay(purchase))).toEqual(first)
    expect(await buyer.state(purchase)).toEqual(first)
    // What is on its way to the buyer is not prepared away.
    expect((await buyer.checkout.prepare(purchase)).outcome).toBe('ok')
    expect(await buyer.state(purchase)).toEqual(first)
    expect(buyer.payments(purchase)).toBe(1)
  })

  test('of 16 payments together one is made, and none is refused', async () => {
    const buyer = start()
    const purchase = await buyer.prepared()
    const answers = await Promise.all(many(16, () => buyer.checkout.pay(purchase)))
    expect(answers.filter(({ outcome }) => outcome === 'refused')).toEqual([])
    await expect.poll(() => buyer.state(purchase), { timeout: 15_000 }).toMatchObject(PAID)
    expect(buyer.payments(purchase)).toBe(1)
  })

  test('two purchases have two orders', async () => {
    const buyer = start()
    const [one, other] = await Promise.all([buyer.prepared(), buyer.prepared()])
    const orders = [await buyer.checkout.pay(one), await buyer.checkout.pay(other)].map(okValue)
    expect(orders).toMatchObject([PAID, PAID])
    expect(orders[0]).not.toEqual(orders[1])
    expect([buyer.payments(one), buyer.payments(other)]).toEqual([1, 1])
  })

  test('another amount than the prepared one is never paid', async () => {
    const buyer = start()
    const { total, ...purchase } = await buyer.prepared()
    for (const minor of [1n, total.minor + 1n]) {
      const answer = await buyer.checkout.pay({ ...purchase, total: { ...total, minor } })
      expect(answer.outcome).not.toBe('ok')
    }
    expect(buyer.payments(purchase)).toBe(0)
    expect(await buyer.state({ ...purchase, total })).toEqual({ state: 'open' })
  })

  test.for([
    ['declined', ['card_declined']],
    // A protocol may have one word for both.
    ['insufficientFunds', ['insufficient_funds', 'card_declined']],
  ] as const)('a card that is not good for it: %s', async ([variant, reasons], context) => {
    const buyer = start()
    const purchase = await buyer.prepared(required(context, buyer.subject.variants[variant]))
    const answer = await buyer.checkout.pay(purchase)
    expect(answer).toEqual({ outcome: 'refused', reason: expect.toBeOneOf([...reasons]) })
    expect(await buyer.checkout.pay(purchase)).toEqual(answer)
    expect(['declined', 'open']).toContain((await buyer.state(purchase)).state)
    expect(buyer.payments(purchase)).toBe(0)
  })

  test('a shop that wants to speak to a person', async (context) => {
    const buyer = start()
    const purchase = await buyer.prepared(required(context, buyer.subject.variants.needsHuman))
    expect(okValue(await buyer.checkout.pay(purchase))).toEqual({ state: 'needs_human' })
    expect(await buyer.state(purchase)).toEqual({ state: 'needs_human' })
  })

  test('what was never prepared is not paid', async () => {
    const buyer = start()
    const { number, ...purchase } = await buyer.prepared()
    const lost = { ...purchase, purchaseId: newId('charge'), shopRef: `qte_${newId('charge')}` }
    expect(await buyer.checkout.pay(lost)).toEqual({ outcome: 'refused', reason: 'not_found' })
    expect(await buyer.state(lost)).toEqual({ state: 'not_found' })
    expect(buyer.payments({ number })).toBe(0)
  })
}

export function describeUnknown(start: Start): void {
  test('a request that is lost is unknown; the inquiry finds it open, and the next payment is the only one', async (context) => {
    const buyer = start()
    const purchase = await buyer.prepared(required(context, buyer.subject.variants.requestLost))
    expect((await buyer.checkout.pay(purchase)).outcome).toBe('unknown')
    expect(await buyer.state(purchase)).toEqual({ state: 'open' })
    expect(buyer.payments(purchase)).toBe(0)
    expect(okValue(await buyer.checkout.pay(purchase))).toMatchObject(PAID)
    expect(buyer.payments(purchase)).toBe(1)
  })

  test.for(['answerLost', 'answerGarbled'] as const)(
    'an answer that does not come is unknown, never a refusal; the inquiry finds it paid: %s',
    async (variant, context) => {
      const buyer = start()
      const purchase = await buyer.prepared(required(context, buyer.subject.variants[variant]))
      expect((await buyer.checkout.pay(purchase)).outcome).toBe('unknown')
      const state = await buyer.state(purchase)
      expect(state).toMatchObject(PAID)
      expect(okValue(await buyer.checkout.pay(purchase))).toEqual(state)
      expect(buyer.payments(purchase)).toBe(1)
    },
  )

  test('an answer that takes too long is unknown, and paying again meanwhile pays nothing more', async (context) => {
    const buyer = start()
    const hasty = required(context, buyer.subject.hasty)
    const purchase = await buyer.prepared(required(context, buyer.subject.variants.slow))
    expect((await hasty.pay(purchase)).outcome).toBe('unknown')
    const meanwhile: ShopPurchaseState['state'][] = ['in_progress', 'paid']
    expect(meanwhile).toContain((await buyer.state(purchase)).state)
    expect((await hasty.pay(purchase)).outcome).not.toBe('refused')
    await expect.poll(() => buyer.state(purchase), { timeout: 15_000 }).toMatchObject(PAID)
    expect(okValue(await buyer.checkout.pay(purchase))).toMatchObject(PAID)
    expect(buyer.payments(purchase)).toBe(1)
  })
}

export function describeRelease(start: Start): void {
  test('again is fine, also 16 times together; nothing is prepared or paid after it', async () => {
    const buyer = start()
    const purchase = await buyer.prepared()
    const answers = await Promise.all(many(16, () => buyer.checkout.release(purchase)))
    const ok = { outcome: 'ok', value: {} }
    for (const answer of answers.filter(({ outcome }) => outcome !== 'unknown')) {
      expect([ok, RELEASED]).toContainEqual(answer)
    }
    expect([ok, RELEASED]).toContainEqual(await buyer.checkout.release(purchase))
    expect(await buyer.state(purchase)).toEqual({ state: 'released' })
    expect(await buyer.checkout.pay(purchase)).toEqual(RELEASED)
    expect(await buyer.checkout.prepare(purchase)).toEqual(RELEASED)
    expect(await buyer.state(purchase)).toEqual({ state: 'released' })
    expect(buyer.payments(purchase)).toBe(0)
  })

  test('what is given back can be bought by the next one', async (context) => {
    const buyer = start()
    const lastPiece = required(context, buyer.subject.variants.lastPiece)
    const purchase = await buyer.prepared(lastPiece)
    okValue(await buyer.checkout.release(purchase))
    const next = await buyer.prepared(lastPiece)
    okValue(await buyer.checkout.release(next))
  })

  test('what is paid stays paid', async () => {
    const buyer = start()
    const purchase = await buyer.prepared()
    const paid = okValue(await buyer.checkout.pay(purchase))
    expect((await buyer.checkout.release(purchase)).outcome).toBe('refused')
    expect(await buyer.state(purchase)).toEqual(paid)
  })

  test('what is not there', async () => {
    const buyer = start()
    const purchase = { purchaseId: newId('charge'), shopRef: `qte_${newId('charge')}` }
    expect(await buyer.checkout.release(purchase)).toEqual({ outcome: 'refused', reason: 'not_found' })
    expect(okValue(await buyer.checkout.inquire(purchase))).toEqual({ state: 'not_found' })
  })

  test('with a payment at the same time: one of the two happens, and the inquiry says which', async () => {
    const buyer = start()
    for (let round = 0; round < ROUNDS; round += 1) {
      const purchase = await buyer.prepared()
      await Promise.all([buyer.checkout.pay(purchase), buyer.checkout.release(purchase)])
      await expect.poll(async () => (await buyer.state(purchase)).state).toMatch(/^(?:paid|released|open)$/)
      // Each may have been told to come again; a release that does settles it.
      await buyer.checkout.release(purchase)
      const { state } = await buyer.state(purchase)
      expect([state, buyer.payments(purchase)]).toBeOneOf([
        ['paid', 1],
        ['released', 0],
      ])
    }
  })
}
