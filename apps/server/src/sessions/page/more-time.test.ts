// Guarantee: a cardholder is given ten minutes more once, in the last two minutes, and never beyond what is asked for;
// what was signed of before is good until the end that it names.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cardholder, launch, newAuthenticator } from '../../../test/cardholder.ts'
import { CARDS, countBy, createSession, expectError, paymentResult } from '../../../test/flows.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { fromQuote, quoted, scriptedShops } from '../../checkout/quotes/testing/scripted-shop.ts'

const shops = scriptedShops()
let service: TestService
beforeAll(async () => {
  service = await startTestService({ createCheckout: shops.createCheckout })
})
afterAll(() => service?.close())

async function opened(changes: Record<string, unknown> = {}) {
  const session = await createSession(service.merchant, changes)
  const page = cardholder(service, session.session_token)
  const { body } = await page.get('/api/session')
  const end = Date.parse(body.expires_at)
  const until = (left: number) => service.clock.advance(Math.floor((end - service.clock.now().getTime()) / 1000) - left)
  return { ...session, id: session.session_id, page, view: body, end, until }
}

test('once, in the last two minutes; of many callers one', async () => {
  const { page, view, end, until, id, iframe_url } = await opened()
  expect(view.more_time_from).toBe(new Date(end - 120_000).toISOString())
  await until(121)
  const early = await page.post('/api/more-time')
  expectError(early, 400, 'INVALID_STATE')
  expect(early.body.error.message).toContain('last two minutes')
  await until(100)
  const answers = await Promise.all(Array.from({ length: 8 }, () => page.post('/api/more-time')))
  expect(countBy(answers, ({ status }) => String(status))).toEqual({ 200: 1, 400: 7 })
  const won = answers.find(({ status }) => status === 200)?.body
  expect(won.expires_at).toBe(new Date(end + 600_000).toISOString())
  expect(won).not.toHaveProperty('more_time_from')
  for (const { status, body } of answers) if (status === 400) expect(body.error.message).toContain('given once')
  // In its last two minutes again: it was given.
  await until(-510)
  expectError(await page.post('/api/more-time'), 400, 'INVALID_STATE')
  await service.runJobs()
  expect((await paymentResult(service.merchant, id)).body.status).toBe('pending')
  expect((await launch(service, iframe_url)).status).toBe(200)
  expect((await page.pay(CARDS.success)).body.outcome).toBe('approved')
})

test('its end comes, ten minutes later', async () => {
  const { page, until, id } = await opened()
  await until(60)
  expect((await page.post('/api/more-time')).status).toBe(200)
  await until(-599)
  await service.runJobs()
  expect((await page.get('/api/session')).body.step).toBe('card')
  await until(-601)
  await service.runJobs()
  expectError(await page.post('/api/more-time'), 401, 'AUTH_1003')
  expect((await paymentResult(service.merchant, id)).body).toMatchObject({
    status: 'failed',
    error: { code: 'SESSION_EXPIRED' },
  })
})

test('what was asked for before is good until the end that it names', async () => {
  for (const [left, outcome] of [
    [5, 'approved'],
    [-5, undefined],
  ] as const) {
    const { session_token, until } = await opened()
    const authenticator = newAuthenticator(service)
    const page = cardholder(service, session_token, authenticator)
    await page.enterCard(CARDS.success)
    await page.registerPasskey()
    await until(60)
    const { body } = await page.post('/api/approval-options', { frame: { embedded: false } })
    expect((await page.post('/api/more-time')).status).toBe(200)
    await until(left)
    const answer = await page.post('/api/approvals', { response: authenticator.authenticate(body.options) })
    expect(answer.body.outcome).toBe(outcome)
    if (outcome === undefined) {
      expectError(answer, 400, 'INVALID_STATE')
      expect((await page.approve()).body.outcome).toBe('approved')
    }
  }
})

const setupOf = (mandate_setup: object) => ({ mandate_setup: { intent: 'mandate_setup', ...mandate_setup } })

test('a one-time permission is approved in the time that was given', async () => {
  const { page, until } = await opened(setupOf({ recurring_frequency: 'one_time' }))
  await until(60)
  expect((await page.post('/api/more-time')).status).toBe(200)
  await until(-300)
  expect((await page.pay(CARDS.success)).body.outcome).toBe('approved')
})

test('never beyond the quote that it was built from', async () => {
  const quote = await quoted(service.merchant, await shops.add(service))
  const { page, until, view, id } = await opened(fromQuote(quote))
  expect(view).not.toHaveProperty('more_time_from')
  await until(60)
  const answer = await page.post('/api/more-time')
  expectError(answer, 400, 'INVALID_STATE')
  expect(answer.body.error.message).toContain('ends before')
  // A shop that keeps what it quoted for longer.
  await service.pool.query("update quotes set expires_at = expires_at + interval '1 hour' where session_id = $1", [id])
  expect((await page.post('/api/more-time')).status).toBe(200)
})

test('never beyond the permission that is asked for', async () => {
  const valid_until = new Date(service.clock.now().getTime() + 20 * 60_000).toISOString()
  const { page, until, view } = await opened(setupOf({ recurring_frequency: 'weekly', valid_until }))
  expect(view).not.toHaveProperty('more_time_from')
  await until(60)
  const answer = await page.post('/api/more-time')
  expectError(answer, 400, 'INVALID_STATE')
  expect(answer.body.error.message).toContain('ends before')
})
