// Guarantee: a message counts where Stripe has signed its raw bytes within five minutes, with either secret while one
// is exchanged; what it says of a payment is read at Stripe.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { secret } from '../../platform/secret.ts'
import { Actor, okValue, URL_OF_SHOP } from '../testing/conformance-actor.ts'
import { createStripeEvents } from './telling.ts'
import { signedMessage, startSubject, WEBHOOK_SECRET } from './testing/subject.ts'

let subject: Awaited<ReturnType<typeof startSubject>>
beforeAll(async () => {
  subject = await startSubject()
})
afterAll(() => subject?.close())

const NOW = new Date('2026-11-28T12:00:00Z')
const seconds = (offset = 0) => NOW.getTime() / 1000 + offset
/** The verification alone: nothing of it asks Stripe or the database. */
const receiver = (...secrets: string[]) =>
  createStripeEvents({} as never, { secrets: secrets.map((one) => secret(one)), now: () => NOW })
const PING = JSON.stringify({ id: 'evt_1', object: 'event', type: 'ping', data: { object: {} } })
const TAKEN = { outcome: 'ok', value: { news: [] } }
const REFUSED = { outcome: 'refused' }

describe('a message', () => {
  test.each([
    [0, TAKEN],
    [-299, TAKEN],
    [299, TAKEN],
    [-301, REFUSED],
    [301, REFUSED],
  ])('of %s seconds from now', async (offset, expected) => {
    const message = signedMessage(PING, [WEBHOOK_SECRET], seconds(offset))
    expect(await receiver(WEBHOOK_SECRET).receive(message)).toEqual(expected)
  })

  test('with one of two secrets, or signed with both', async () => {
    const [old, next] = ['whsec_old', 'whsec_next']
    const signed = (...secrets: string[]) => signedMessage(PING, secrets, seconds())
    for (const message of [signed(old), signed(next), signed(old, next)]) {
      expect(await receiver(old, next).receive(message)).toEqual(TAKEN)
    }
    expect(await receiver(next).receive(signed(old, next))).toEqual(TAKEN)
    expect(await receiver(next).receive(signed(old))).toEqual(REFUSED)
    expect(await receiver().receive(signed(old))).toEqual(REFUSED)
  })

  test('with one byte changed, of the body or of the signature, is refused', async () => {
    const { body, headers } = signedMessage(PING, [WEBHOOK_SECRET], seconds())
    const header = String(headers['stripe-signature'])
    const others = Array.from(body, (byte, place) => {
      const other = Buffer.from(body)
      other[place] = byte ^ 1
      return { body: other, headers }
    })
    const forged = Array.from(header, (letter, place) => {
      const other = `${header.slice(0, place)}${letter === '0' ? '1' : '0'}${header.slice(place + 1)}`
      return { body, headers: { 'stripe-signature': other } }
    })
    const strange = [
      { body, headers: {} },
      { body, headers: { 'stripe-signature': '' } },
    ]
    for (const message of [...others, ...forged, ...strange]) {
      expect(await receiver(WEBHOOK_SECRET).receive(message)).toEqual(REFUSED)
    }
  })
})

describe('what Stripe tells', () => {
  test('a dispute names a transaction, which is looked up; a card of no charge is no news', async () => {
    const { payments, standIn, network } = subject
    const actor = new Actor(subject)
    const charge = await actor.charge()
    const credential = okValue(await actor.network.mint(charge))
    const id = (await payments.authorize(credential, { minor: 4_000n, url: URL_OF_SHOP })) ?? ''
    await payments.settle(id, { kind: 'captured', minor: null })
    await payments.settle(id, { kind: 'disputed', minor: 1_000n })
    const { chargeId, mandateId } = charge
    const news = { outcome: 'ok', value: { news: [{ chargeId, mandateId }] } }
    expect(await network.events?.receive(await payments.message(charge))).toEqual(news)
    const [holder] = standIn.books.holders()
    const strange = standIn.books.createCard({
      cardholder: holder?.id,
      type: 'virtual',
      status: 'active',
      currency: 'usd',
    })
    standIn.payments.authorize(strange.id, { amount: 1, country: 'US' })
    expect(await network.events?.receive(await payments.message(charge))).toEqual(TAKEN)
  })
})
