// Guarantee: a cardholder whose code does not come is sent another one, three times a session and half a minute apart,
// and a new code ends the one before without giving back a try.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cardholder, cardholder } from '../../test/cardholder.ts'
import { CARDS, countBy, createSession, expectError } from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { stepUpCode } from '../network/simulator/test-cards.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

/** A cardholder who was sent a code. */
async function asked(): Promise<Cardholder> {
  const { session_token } = await createSession(service.merchant)
  const page = cardholder(service, session_token)
  expect((await page.enterCard(CARDS.stepUp)).body.step).toBe('card_verification')
  return page
}

const askAnew = (page: Cardholder) => page.post('/api/cards/new-code')
const verify = (page: Cardholder, number: number) => page.post('/api/cards/verify', { code: stepUpCode(number) })

test('half a minute later, and of many callers one; the code before is wrong, and counts as a try', async () => {
  const page = await asked()
  const { now, code } = (await page.get('/api/session')).body
  expect(code.number).toBe(0)
  expect(Date.parse(code.next_from) - Date.parse(now)).toBeGreaterThan(25_000)
  const early = await askAnew(page)
  expectError(early, 400, 'INVALID_STATE')
  expect(early.body.error.message).toContain('half a minute')
  await service.clock.advance(31)
  const answers = await Promise.all(Array.from({ length: 8 }, () => askAnew(page)))
  expect(countBy(answers, ({ status }) => String(status))).toEqual({ 200: 1, 400: 7 })
  for (const { status, body } of answers) {
    if (status === 400) expect(body.error.message).toContain('half a minute')
    else expect(body).toMatchObject({ step: 'card_verification', code: { number: 1 } })
  }
  const former = await verify(page, 0)
  expectError(former, 400, 'STEP_UP_INVALID')
  expect(former.body.error.details).toEqual({ tries_left: '2' })
  const { body } = await verify(page, 1)
  expect(body.step).toBe('passkey_registration')
  expect(body).not.toHaveProperty('code')
  expectError(await askAnew(page), 400, 'INVALID_STATE')
})

test('three a session, whichever card they are for; each card begins with its first code', async () => {
  const page = await asked()
  for (const number of [1, 2]) {
    await service.clock.advance(31)
    expect((await askAnew(page)).body.code.number).toBe(number)
  }
  expect((await page.enterCard(CARDS.stepUp)).body.code.number).toBe(0)
  await service.clock.advance(31)
  const last = (await askAnew(page)).body
  expect(last.code).toEqual({ number: 1 })
  await service.clock.advance(31)
  const spent = await askAnew(page)
  expectError(spent, 400, 'INVALID_STATE')
  expect(spent.body.error.message).toContain('as many')
})

test('of a card without a try left there is none, and another one is chosen', async () => {
  const page = await asked()
  for (let tries = 0; tries < 2; tries += 1) expectError(await verify(page, 3), 400, 'STEP_UP_INVALID')
  await service.clock.advance(31)
  await askAnew(page)
  const refused = await verify(page, 0)
  expectError(refused, 400, 'CARD_REFUSED')
  expect(refused.body.error.details).toEqual({ reason: 'STEP_UP_EXHAUSTED' })
  expect((await page.get('/api/session')).body).toMatchObject({ step: 'card', card: null })
  await service.clock.advance(31)
  expectError(await askAnew(page), 400, 'INVALID_STATE')
})

test('where no code is awaited there is none to ask for', async () => {
  const { session_token } = await createSession(service.merchant)
  const page = cardholder(service, session_token)
  expectError(await askAnew(page), 400, 'INVALID_STATE')
  await page.enterCard(CARDS.success)
  expectError(await askAnew(page), 400, 'INVALID_STATE')
})
