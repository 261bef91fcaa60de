import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cardholder, cardholder, newAuthenticator } from '../../test/cardholder.ts'
import { CARDS, createSession, newUser } from '../../test/flows.ts'
import { type Answer, startTestService, type TestService } from '../../test/service.ts'
import { STEP_UP_CODE } from '../network/simulator/test-cards.ts'

// Guarantee: what a step returns, made of what it read, wrote and read behind that, is what a fresh look shows.

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

type Visit = Cardholder & { authenticator: ReturnType<typeof newAuthenticator> }

async function visit(user: string, authenticator = newAuthenticator(service)): Promise<Visit> {
  const session = await createSession(service.merchant, { user_id: user })
  return { ...cardholder(service, session.session_token, authenticator), authenticator }
}

const expectFresh = async (visitor: Visit, answer: Answer) => {
  expect(answer.status).toBe(200)
  const { now: _, ...shown } = answer.body
  const { now: __, ...fresh } = (await visitor.get('/api/session')).body
  expect(shown).toEqual(fresh)
  return shown
}

test('after a card was entered, a passkey was made, and after the approval', async () => {
  const visitor = await visit(newUser())
  expect(await expectFresh(visitor, await visitor.enterCard(CARDS.success))).toMatchObject({
    step: 'passkey_registration',
  })
  expect(await expectFresh(visitor, await visitor.registerPasskey())).toMatchObject({ step: 'approval' })
  expect(await expectFresh(visitor, await visitor.approve())).toMatchObject({ step: 'done', outcome: 'approved' })
})

test('after a card whose code was asked for, and its code', async () => {
  const visitor = await visit(newUser())
  const entered = await visitor.enterCard(CARDS.stepUp)
  expect(await expectFresh(visitor, entered)).toMatchObject({ step: 'card_verification' })
  const verified = await visitor.post('/api/cards/verify', { code: STEP_UP_CODE })
  expect(await expectFresh(visitor, verified)).toMatchObject({ step: 'passkey_registration' })
  // Another tab is told the same.
  expect((await visitor.post('/api/cards/verify', { code: STEP_UP_CODE })).body).toEqual({
    ...verified.body,
    now: expect.any(String),
  })
})

test('after a passkey was replaced by a card of it, where another card was saved too', async () => {
  const user = newUser()
  const owner = await visit(user)
  await owner.pay(CARDS.success)
  const again = await visit(user, owner.authenticator)
  await again.enterCard('5555555555554444')
  await again.approve()
  await service.merchant.post(`/v1/customers/${user}/passkey-reset`)
  const second = await visit(user)
  const { cards } = (await second.get('/api/session')).body
  expect(cards).toHaveLength(2)
  await expectFresh(second, await second.post('/api/cards/select', { card_id: cards[0].card_id }))
  await expectFresh(second, await second.post('/api/cards', { cvv: '123' }))
  await expectFresh(second, await second.post('/api/cards/verify', { code: STEP_UP_CODE }))
  const shown = await expectFresh(second, await second.registerPasskey())
  expect(shown).toMatchObject({ step: 'approval', passkey_made_at: expect.stringMatching(/Z$/) })
  expect(shown.cards).toHaveLength(1)
})

test.each([
  ['refused', CARDS.mintDeclined, { step: 'done', outcome: 'failed', failure: { code: 'CARD_DECLINED' } }],
  ['not heard of', CARDS.mintRequestLost, { step: 'processing', outcome: null }],
])('after an approval whose mint was %s', async (_name, number, expected) => {
  const visitor = await visit(newUser())
  await visitor.enterCard(number)
  await visitor.registerPasskey()
  expect(await expectFresh(visitor, await visitor.approve())).toMatchObject(expected)
})
