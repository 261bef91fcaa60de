// Guarantee: what a network cannot is refused before anything is made, and the cardholder is not asked for what it
// does not take.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UNLIMITED } from '../src/network/capabilities.ts'
import { cardholder, launch } from './cardholder.ts'
import { createSession, dbRow, expectError, newUser } from './flows.ts'
import { SESSIONS } from './rows/sessions.ts'
import { sessionBody, startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    createNetwork: (own) => ({
      ...own,
      capabilities: { ...UNLIMITED, cardEntry: 'account', currencies: ['USD', 'GBP'] },
    }),
  })
})
afterAll(() => service?.close())

const ask = (currency: string) => service.merchant.post('/v1/sessions', sessionBody({ user_id: newUser(), currency }))

describe('a currency that the network has not', () => {
  const count = () => dbRow(service, `select count(*)::int as sessions from ${SESSIONS} s`)

  test('is refused when the session is created, and nothing is made', async () => {
    const before = await count()
    const answer = await ask('EUR')
    expectError(answer, 400, 'VAL_2001')
    expect(answer.body.error.details).toEqual({ currency: 'must be one of USD, GBP' })
    expect(await count()).toEqual(before)
    expect((await ask('GBP')).status).toBe(201)
  })

  test('is not in the published description either', async () => {
    const { components } = await (await fetch(`${service.apiUrl}/openapi.json`)).json()
    const { currency } = components.schemas.CreateSessionRequest.properties
    expect(currency.enum).toEqual(['USD', 'GBP'])
  })
})

describe('a network that takes no typed numbers', () => {
  test('the page is told so, and a number that is sent all the same is refused', async () => {
    const { iframe_url } = await createSession(service.merchant)
    const { body } = await launch(service, iframe_url)
    expect(body.view).toMatchObject({ step: 'card', card_entry: 'account' })
    const visitor = cardholder(service, body.session_token)
    expectError(await visitor.enterCard('4242424242424242'), 403, 'FORBIDDEN')
  })

  test('the vault takes none, and its description says so', async () => {
    const card = { card_number: '4242424242424242', expiry_month: '12', expiry_year: '2040' }
    expectError(await service.merchant.post('/v1/vault/records', card), 403, 'FORBIDDEN')
    expectError(await service.merchant.post('/v1/vault/records', { card_number: 'x' }), 403, 'FORBIDDEN')
    const { paths } = await (await fetch(`${service.apiUrl}/openapi.json`)).json()
    expect(paths['/v1/vault/records'].post.responses).toHaveProperty('403')
  })
})
