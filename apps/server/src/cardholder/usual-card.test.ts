// Guarantee: a returning customer has only to approve. The card that a new session opens with is one that may be approved with at once, the
// default before the newest; where there is none, or the shop has named one, the choice is the cardholder's.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cardholder, cardholder, launch, newAuthenticator } from '../../test/cardholder.ts'
import { CARDS, createEnrollment, createSession, newUser } from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { usualCard } from './rules.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** A customer who has paid with each of these, one after the other. */
async function returning(...numbers: string[]) {
  const user = newUser()
  const authenticator = newAuthenticator(service)
  const visit = async (changes: object = {}) => {
    const session = await createSession(service.merchant, { user_id: user, ...changes })
    const { body } = await launch(service, session.iframe_url)
    const page: Cardholder = cardholder(service, body.session_token, authenticator)
    return { session, page, view: body.view }
  }
  for (const number of numbers) {
    const { page, view } = await visit()
    await page.enterCard(number)
    if (!view.has_passkey) await page.registerPasskey()
    expect((await page.approve()).body.outcome).toBe('approved')
  }
  return { user, visit }
}

describe('a session that is opened', () => {
  test('by a returning customer has the default card, and is approved as it is', async () => {
    const { visit } = await returning(CARDS.success, '5555555555554444')
    const { page, view } = await visit()
    expect(view).toMatchObject({ step: 'approval', card: { card_last4: '4242' }, has_passkey: true })
    expect(view.cards.map((card: { card_last4: string }) => card.card_last4)).toEqual(['4242', '4444'])
    expect((await page.approve()).body).toMatchObject({ step: 'done', outcome: 'approved' })
  })

  test('keeps the card that was chosen instead, however often it is opened', async () => {
    const { visit } = await returning(CARDS.success, '5555555555554444')
    const { session, page, view } = await visit()
    await page.post('/api/cards/select', { card_id: view.cards[1].card_id })
    const again = (await launch(service, session.iframe_url)).body.view
    expect(again).toMatchObject({ step: 'approval', card: { card_last4: '4444' } })
  })

  test('many times at once has one card', async () => {
    const { user } = await returning(CARDS.success)
    const { iframe_url } = await createSession(service.merchant, { user_id: user })
    const all = await Promise.all(Array.from({ length: 8 }, () => launch(service, iframe_url)))
    for (const { body } of all) expect(body.view).toMatchObject({ step: 'approval', card: { card_last4: '4242' } })
  })

  test('for a permission has it too; for an enrollment a card is typed, and one that the shop names is proven', async () => {
    const { user, visit } = await returning(CARDS.success)
    const setup = await visit({ mandate_setup: { recurring_frequency: 'monthly' } })
    expect(setup.view).toMatchObject({ step: 'approval', card: { card_last4: '4242' } })
    const enrollment = await createEnrollment(service.merchant, { user_id: user })
    expect((await launch(service, enrollment.iframe_url)).body.view).toMatchObject({ step: 'card', card: null })
  })

  test('by a new customer has none, nor where every card has run out or the passkey may be replaced', async () => {
    const { iframe_url } = await createSession(service.merchant, { user_id: newUser() })
    expect((await launch(service, iframe_url)).body.view).toMatchObject({ step: 'card', card: null })
    const { user, visit } = await returning(CARDS.success)
    await service.pool.query(
      `update cards set exp_month = 1, exp_year = 2020
       where customer_id = (select id from customers where merchant_id = $1 and external_user_id = $2)`,
      [service.merchant.merchantId, user],
    )
    expect((await visit()).view).toMatchObject({ step: 'card', card: null })
    const lost = await returning(CARDS.success)
    const reset = await service.merchant.post(`/v1/customers/${encodeURIComponent(lost.user)}/passkey-reset`)
    expect(reset.status).toBe(201)
    expect((await lost.visit()).view).toMatchObject({ step: 'card', card: null })
  })
})

test('the first card whose month is not over in UTC', () => {
  const card = (expYear: number, expMonth: number) => ({ expYear, expMonth })
  const now = new Date('2026-11-30T23:59:59Z')
  expect(usualCard([card(2026, 10), card(2026, 11), card(2031, 1)], now)).toEqual(card(2026, 11))
  expect(usualCard([card(2026, 11), card(2027, 1)], new Date('2026-12-01T00:00:00Z'))).toEqual(card(2027, 1))
  expect(usualCard([card(2025, 12)], now)).toBeUndefined()
  expect(usualCard([], now)).toBeUndefined()
})
