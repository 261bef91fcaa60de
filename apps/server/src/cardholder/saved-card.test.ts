import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cardholder, cardholder, launch, newAuthenticator } from '../../test/cardholder.ts'
import { atOnce, CARDS, createSession, dbRow, expectError, newUser, paymentResult } from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { STEP_UP_CODE } from '../network/simulator/test-cards.ts'

// Guarantee: a card is spent by the passkey it belongs to. Before there is one, only the session in which the card was
// entered can use it; a link alone makes no passkey, and takes no card of another person along.

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

type Visit = Cardholder & { sessionId: string }

async function visit(user: string, changes: object = {}, authenticator = newAuthenticator(service)): Promise<Visit> {
  const session = await createSession(service.merchant, { user_id: user, ...changes })
  return { ...cardholder(service, session.session_token, authenticator), sessionId: session.session_id }
}

/** A customer who entered a card and closed the tab. */
async function abandonedCard(user: string): Promise<string> {
  const { body } = await (await visit(user)).enterCard(CARDS.success)
  expect(body.step).toBe('passkey_registration')
  return body.card.card_id
}

const view = async (visitor: Visit) => (await visitor.get('/api/session')).body
const select = (visitor: Visit, card_id: string) => visitor.post('/api/cards/select', { card_id })
const cvv = (visitor: Visit, code = '123') => visitor.post('/api/cards', { cvv: code })
const verify = (visitor: Visit, code = STEP_UP_CODE) => visitor.post('/api/cards/verify', { code })
const registrationOptions = (visitor: Visit) =>
  visitor.post('/api/passkeys/registration-options', { frame: { embedded: false } })

describe('a card without a passkey', () => {
  test('is not listed, chosen, proven by a guess or approved by the holder of another link', async () => {
    const user = newUser()
    const card = await abandonedCard(user)
    const thief = await visit(user, { total_amount: '999.00' })
    expect(await view(thief)).toMatchObject({ step: 'card', cards: [], card: null, has_passkey: false })
    expectError(await select(thief, card), 400, 'CARD_NOT_FOUND')
    expectError(await registrationOptions(thief), 400, 'INVALID_STATE')
    expectError(await verify(thief), 400, 'INVALID_STATE')
    expectError(await cvv(thief), 400, 'VAL_2001')
    expect((await paymentResult(service.merchant, thief.sessionId)).body.status).toBe('pending')
  })

  test('does not come along with the passkey of somebody who entered a card of their own', async () => {
    const user = newUser()
    const card = await abandonedCard(user)
    const authenticator = newAuthenticator(service)
    const thief = await visit(user, {}, authenticator)
    await thief.enterCard('5555555555554444')
    expect((await thief.registerPasskey()).body).toMatchObject({ step: 'approval', has_passkey: true })
    expect((await view(thief)).cards.map(({ card_last4 }: { card_last4: string }) => card_last4)).toEqual(['4444'])
    expectError(await select(thief, card), 400, 'CARD_NOT_FOUND')
    const next = await visit(user, { card: { card_id: card } }, authenticator)
    expect((await view(next)).step).toBe('card_cvv')
    expectError(await next.post('/api/approval-options', { frame: { embedded: false } }), 400, 'INVALID_STATE')
  })

  test('is not approved when the choice was written into the row of another session', async () => {
    const user = newUser()
    const card = await abandonedCard(user)
    const authenticator = newAuthenticator(service)
    const thief = await visit(user, {}, authenticator)
    await thief.enterCard('5555555555554444')
    await thief.registerPasskey()
    const { body } = await thief.post('/api/approval-options', { frame: { embedded: false } })
    await service.pool.query('update sessions set card_id = $1 where id = $2', [card, thief.sessionId])
    const refused = await thief.post('/api/approvals', { response: authenticator.authenticate(body.options) })
    expectError(refused, 400, 'INVALID_STATE')
    expect((await paymentResult(service.merchant, thief.sessionId)).body.status).toBe('pending')
  })

  test('is used on by its owner who enters it again', async () => {
    const user = newUser()
    const card = await abandonedCard(user)
    const owner = await visit(user)
    expect((await owner.enterCard(CARDS.success)).body).toMatchObject({
      step: 'passkey_registration',
      card: { card_id: card },
    })
    await owner.registerPasskey()
    expect((await owner.approve()).body).toMatchObject({ step: 'done', outcome: 'approved' })
  })

  test('that the shop preselects asks for its CVV and for the code before a passkey is made', async () => {
    const user = newUser()
    const card = await abandonedCard(user)
    const owner = await visit(user, { card: { card_id: card } })
    expect(await view(owner)).toMatchObject({ step: 'card_cvv', card: { card_id: card } })
    expectError(await registrationOptions(owner), 400, 'INVALID_STATE')
    expectError(await cvv(owner, '000'), 400, 'CARD_REFUSED')
    expect((await cvv(owner)).body.step).toBe('card_verification')
    expectError(await registrationOptions(owner), 400, 'INVALID_STATE')
    expectError(await verify(owner, '999999'), 400, 'STEP_UP_INVALID')
    expect((await verify(owner)).body.step).toBe('passkey_registration')
    expect((await verify(owner)).body.step).toBe('passkey_registration')
    await owner.registerPasskey()
    expect((await owner.approve()).body.outcome).toBe('approved')
  })

  test('of two sessions that proved it together one makes the passkey', async () => {
    const user = newUser()
    const card = await abandonedCard(user)
    const both = await atOnce(2, () => visit(user, { card: { card_id: card } }))
    for (const each of both) {
      await cvv(each)
      await verify(each)
    }
    const options = await Promise.all(both.map((each) => registrationOptions(each)))
    const answers = await Promise.all(
      both.map((each, index) =>
        each.post('/api/passkeys/registrations', {
          response: newAuthenticator(service).register(options[index]?.body),
        }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })
})

describe('a card of a passkey', () => {
  test('is listed in every session of its customer, and needs no CVV', async () => {
    const user = newUser()
    const authenticator = newAuthenticator(service)
    const first = await visit(user, {}, authenticator)
    await first.pay(CARDS.success)
    const second = await visit(user, {}, authenticator)
    const { cards } = await view(second)
    expect(cards).toHaveLength(1)
    expect((await select(second, cards[0].card_id)).body.step).toBe('approval')
    expect((await second.approve()).body.outcome).toBe('approved')
  })

  test('takes the place of one that waits for its code, and the code is asked for no more', async () => {
    const user = newUser()
    const authenticator = newAuthenticator(service)
    await (await visit(user, {}, authenticator)).pay(CARDS.success)
    const second = await visit(user, {}, authenticator)
    expect((await second.enterCard(CARDS.stepUp)).body).toMatchObject({ step: 'card_verification' })
    const { card_id } = (await view(second)).cards[0]
    const chosen = { step: 'approval', card: { card_id } }
    expect((await select(second, card_id)).body).toMatchObject(chosen)
    expectError(await verify(second), 400, 'INVALID_STATE')
    expect(await view(second)).toMatchObject(chosen)
  })

  test('a wrong CVV in another session changes nothing of it', async () => {
    const user = newUser()
    const authenticator = newAuthenticator(service)
    await (await visit(user, {}, authenticator)).pay(CARDS.success)
    const thief = await visit(user)
    const before = (await view(thief)).cards
    expectError(await thief.enterCard(CARDS.success, '000'), 400, 'CARD_REFUSED')
    expect((await view(thief)).cards).toEqual(before)
  })
})

describe('a lost passkey', () => {
  const reset = (user: string) => service.merchant.post(`/v1/customers/${encodeURIComponent(user)}/passkey-reset`)

  async function owner(user: string, authenticator = newAuthenticator(service)) {
    const first = await visit(user, {}, authenticator)
    await first.pay(CARDS.success)
    return authenticator
  }

  test('is released of a customer with the longest name there is', async () => {
    const name = `${newUser()} `.padEnd(255).replaceAll(' ', '🍵')
    await owner(name)
    expect((await reset(name)).status).toBe(201)
    expectError(await reset(`${name}🍵`), 404, 'NOT_FOUND')
  })

  test('is replaced after a release, by the CVV and the code of one of its cards; the owner is told for 30 days', async () => {
    const user = newUser()
    const old = await owner(user)
    const released = await reset(user)
    expect(released.status).toBe(201)
    const again = newAuthenticator(service)
    const second = await visit(user, {}, again)
    const { cards } = await view(second)
    expect((await select(second, cards[0].card_id)).body).toMatchObject({ step: 'card_cvv', has_passkey: false })
    expectError(await registrationOptions(second), 400, 'INVALID_STATE')
    await cvv(second)
    expect((await verify(second)).body.step).toBe('passkey_registration')
    const registered = (await second.registerPasskey()).body
    expect(registered).toMatchObject({ step: 'approval', passkey_made_at: expect.stringMatching(/Z$/) })
    expect((await second.approve()).body.outcome).toBe('approved')

    const late = await visit(user, {}, old)
    await select(late, cards[0].card_id)
    const { body } = await late.post('/api/approval-options', { frame: { embedded: false } })
    expect(body.options.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([again.credentialId])
    const row = await dbRow(
      service,
      'select released_by, used_at, expires_at - released_at as life from passkey_releases where customer_id = (select id from customers where external_user_id = $1)',
      [user],
    )
    expect(row.released_by).toMatch(/^key [a-z0-9]{16}$/)
    expect(row.used_at).not.toBeNull()
    expectError(await registrationOptions(await visit(user)), 400, 'INVALID_STATE')

    await service.clock.advance(31 * 24 * 3600)
    const later = await visit(user, {}, again)
    expect(await view(later)).toMatchObject({ passkey_made_at: null, has_passkey: true })
  })

  test('is replaced also by a card that is typed once more after its code', async () => {
    const user = newUser()
    await owner(user)
    await reset(user)
    const second = await visit(user)
    await select(second, (await view(second)).cards[0].card_id)
    await cvv(second)
    await verify(second)
    expect((await second.enterCard(CARDS.success)).body).toMatchObject({ step: 'passkey_registration' })
    expect((await second.registerPasskey()).body).toMatchObject({ step: 'approval' })
  })

  test('is not replaced with the card of a thief, with a link alone, or a day later', async () => {
    const user = newUser()
    await owner(user)
    const early = await visit(user)
    await early.enterCard('5555555555554444')
    expectError(await registrationOptions(early), 400, 'INVALID_STATE')
    await reset(user)
    const thief = await visit(user)
    expect((await thief.enterCard('5555555555554444')).body.step).toBe('card')
    const options = await registrationOptions(thief)
    const forced = await thief.post('/api/passkeys/registrations', {
      response: newAuthenticator(service).register(options.body),
    })
    expectError(forced, 400, 'INVALID_STATE')
    await service.clock.advance(24 * 3600 + 1)
    const late = await visit(user)
    const { cards } = await view(late)
    expect((await select(late, cards[0].card_id)).body.step).toBe('approval')
  })

  test('is released for who has one only, at the own merchant only', async () => {
    expectError(await reset('nobody'), 404, 'NOT_FOUND')
    const user = newUser()
    await abandonedCard(user)
    expectError(await reset(user), 400, 'INVALID_STATE')
    const other = await service.addMerchant()
    expectError(await other.post(`/v1/customers/${user}/passkey-reset`), 404, 'NOT_FOUND')
  })
})

describe('a suspended merchant', () => {
  test('mints nothing, reads no credential, and its page does nothing', async () => {
    const merchant = await service.addMerchant()
    const made = await createSession(merchant)
    const ready = cardholder(service, made.session_token)
    await ready.pay(CARDS.success)
    const open = await createSession(merchant)
    const authenticator = newAuthenticator(service)
    const visitor = cardholder(service, open.session_token, authenticator)
    await visitor.enterCard(CARDS.success)
    await visitor.registerPasskey()
    const { body } = await visitor.post('/api/approval-options', { frame: { embedded: false } })
    await service.app.merchants.updateMerchant(merchant.merchantId, { status: 'suspended' })

    const result = await paymentResult(merchant, made.session_id)
    expect(result.body).toMatchObject({ status: 'awaiting_result' })
    expect(result.body.transactions[0].line_items[0]).toMatchObject({ token: null, dynamic_cvv: null })
    const response = authenticator.authenticate(body.options)
    expectError(await visitor.post('/api/approvals', { response }), 500, 'MERCHANT_LOOKUP_ERROR')
    expectError(await visitor.get('/api/session'), 500, 'MERCHANT_LOOKUP_ERROR')
    expectError(await launch(service, open.iframe_url), 500, 'MERCHANT_LOOKUP_ERROR')
    const helped = await merchant.post(`/v1/test_helpers/sessions/${open.session_id}/complete`, {})
    expectError(helped, 500, 'MERCHANT_LOOKUP_ERROR')
    expect((await paymentResult(merchant, open.session_id)).body.status).toBe('pending')
    expectError(await merchant.post('/v1/customers/user/passkey-reset'), 404, 'NOT_FOUND')

    await service.app.merchants.updateMerchant(merchant.merchantId, { status: 'active' })
    expect((await paymentResult(merchant, made.session_id)).body.transactions[0].line_items[0].token).toMatch(/^\d+$/)
  })
})

describe('a session token and its link', () => {
  test.each(['pending', 'awaiting_result'])(
    'end a quarter of an hour after the session, also of one that is %s',
    async (state) => {
      const changes = {
        purchase_context: {
          custom: {
            merchant_details: { name: 'Tea', url: 'https://tea.example', country_code_iso2: 'US' },
            product_details: [{ description: 'Tea', unit_price: '40.00' }],
            effective_until_minutes: 527040,
          },
        },
      }
      const session = await createSession(service.merchant, changes)
      const visitor = cardholder(service, session.session_token)
      if (state === 'awaiting_result') await visitor.pay(CARDS.success)
      const end = Date.parse(session.expires_at) + 15 * 60_000
      const secondsLeft = () => Math.ceil((end - service.clock.now().getTime()) / 1_000)
      // The clock goes on by itself: a minute is what a busy machine may take for the call.
      await service.clock.advance(secondsLeft() - 60)
      if (state === 'awaiting_result') expect((await visitor.get('/api/session')).status).toBe(200)
      await service.clock.advance(secondsLeft() + 1)
      expectError(await visitor.get('/api/session'), 401, 'AUTH_1003')
      expectError(await launch(service, session.iframe_url), 401, 'AUTH_1003')
    },
  )
})
