// Guarantee: Stripe Issuing behind the port keeps every promise of the port, as far as it can (`capabilities`); a lost
// answer is never taken for a refusal, and one purchase has one card.
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PUBLIC_AND_LOOPBACK } from '../../platform/egress/policy.ts'
import { newId } from '../../platform/ids.ts'
import { secret } from '../../platform/secret.ts'
import { describeCardNetwork } from '../testing/conformance.ts'
import { Actor, many, okValue } from '../testing/conformance-actor.ts'
import { createStripeNetwork } from './stripe.ts'
import { CARDHOLDER, KEY, startSubject, subjectOn } from './testing/subject.ts'

describeCardNetwork('stripe', startSubject)

let subject: Awaited<ReturnType<typeof startSubject>>
beforeAll(async () => {
  subject = await startSubject()
})
afterAll(() => subject?.close())

describe('the cards at Stripe', () => {
  test('one purchase is one card, with the amount as its limit, one payment, and a country', async () => {
    const actor = new Actor(subject)
    const charge = await actor.charge()
    await Promise.all(many(8, () => actor.network.mint(charge)))
    const made = subject.standIn.books.cards().filter(({ metadata }) => metadata.charge_id === charge.chargeId)
    expect(made).toMatchObject([{ limitMinor: 4_000, paymentCount: 1, countries: ['US'], status: 'active' }])
    const [{ id = '' } = {}] = made
    const authorize = (amount: number, country: string) =>
      subject.standIn.books.authorize(id, { amount, country }).approved
    expect([authorize(4_001, 'US'), authorize(1, 'FR'), authorize(4_000, 'US'), authorize(1, 'US')]).toEqual([
      ...[false, false, true, false],
    ])
  })

  test('the races are the same on three nodes', async () => {
    const nodes = many(3, () => subjectOn(subject.database, subject.clock, subject.standIn).network)
    const charge = await new Actor(subject).charge()
    const one = await Promise.all(many(12, (index) => nodes[index % 3]?.mint(charge)))
    expect(new Set(one.map((answer) => answer && okValue(answer).token.reveal())).size).toBe(1)
    const others = await Promise.all(
      Array.from({ length: 12 }, (_, index) => nodes[index % 3]?.mint({ ...charge, chargeId: newId('charge') })),
    )
    expect(others.filter((answer) => answer?.outcome === 'ok')).toHaveLength(1)
  })

  test('after a day, in which Stripe forgets keys, a card that was made is found and not made again', async () => {
    const actor = new Actor(subject)
    const charge = await actor.charge({
      card: subject.testCards.mintAnswerLost,
      validUntil: new Date(subject.clock.now().getTime() + 9e8),
    })
    expect((await actor.network.mint(charge)).outcome).toBe('unknown')
    subject.clock.advance(25 * 60 * 60)
    expect((await actor.network.mint(charge)).outcome).toBe('ok')
    expect(subject.standIn.books.cards().filter(({ metadata }) => metadata.charge_id === charge.chargeId)).toHaveLength(
      1,
    )
  })

  test('no row holds a number or a code', async () => {
    const actor = new Actor(subject)
    const { token } = okValue(await actor.network.mint(await actor.charge()))
    const { rows } = await subject.database.pool.query('select c::text as line from issuing.issuer_cards c')
    expect(rows.map(({ line }) => line).join('\n')).not.toContain(token.reveal())
  })

  test('a key that is refused says nothing of what was asked', async () => {
    const access = { key: secret('sk_live_other'), apiUrl: subject.standIn.url, policy: PUBLIC_AND_LOOPBACK }
    const { pool } = subject.database
    const network = createStripeNetwork({
      environment: 'production',
      ...{ pool, clock: subject.clock, access, cardholder: CARDHOLDER, currency: 'USD', timeoutMillis: 5_000 },
      messages: { secrets: [], now: () => new Date() },
    })
    const asked = { cardId: newId('card'), entryId: 'e', stepUp: 'never', account: true } as const
    expect(await network.provisionAccount?.(asked)).toMatchObject({ outcome: 'unknown' })
  })
})

describe("the stand-in, judged by Stripe's own client", () => {
  const client = () =>
    new Stripe(KEY, { host: '127.0.0.1', port: subject.standIn.port, protocol: 'http', maxNetworkRetries: 0 })
  const billing = { address: { line1: '1 Main Street', city: 'Berlin', postal_code: '10115', country: 'DE' } }

  test('one key makes one card; another body under it is an error of keys; number and code are told when asked', async () => {
    const stripe = client()
    const holder = await stripe.issuing.cardholders.create({ name: 'Northpay', type: 'company', billing })
    const params = { cardholder: holder.id, currency: 'usd', type: 'virtual', status: 'active' } as const
    const key = { idempotencyKey: 'one' }
    const [card, again] = [
      await stripe.issuing.cards.create(params, key),
      await stripe.issuing.cards.create(params, key),
    ]
    expect(again.id).toBe(card.id)
    await expect(stripe.issuing.cards.create({ ...params, currency: 'eur' }, key)).rejects.toThrow(
      Stripe.errors.StripeIdempotencyError,
    )
    expect(card.number).toBeUndefined()
    const told = await stripe.issuing.cards.retrieve(card.id, { expand: ['number', 'cvc'] })
    expect([told.number, told.cvc]).toEqual([expect.stringMatching(/^\d{16}$/), expect.stringMatching(/^\d{3}$/)])
  })

  test('lists go on page by page; a payment beyond the limit is declined; a cancelled card is changed no more', async () => {
    const stripe = client()
    const holder = await stripe.issuing.cardholders.create({ name: 'Northpay', type: 'company', billing })
    const limits = { spending_limits: [{ amount: 500, interval: 'all_time' as const }] }
    const make = () =>
      stripe.issuing.cards.create({
        ...{ cardholder: holder.id, currency: 'usd', type: 'virtual', status: 'active', spending_controls: limits },
      })
    const made = [await make(), await make(), await make()]
    const found = []
    for await (const card of stripe.issuing.cards.list({ cardholder: holder.id, limit: 2 })) found.push(card.id)
    expect(found.toSorted()).toEqual(made.map(({ id }) => id).toSorted())
    const [{ id: card } = made[0] as Stripe.Issuing.Card] = made
    const pay = (amount: number) => stripe.testHelpers.issuing.authorizations.create({ card, amount })
    expect([(await pay(501)).approved, (await pay(500)).approved]).toEqual([false, true])
    await stripe.issuing.cards.update(card, { status: 'canceled' })
    await expect(stripe.issuing.cards.update(card, { status: 'active' })).rejects.toThrow()
  })
})
