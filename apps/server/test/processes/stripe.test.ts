// Guarantee: with NETWORK_ADAPTER=stripe the program pays by a card that Stripe makes, from the creation of a session
// to the capture that no merchant reports; a key of the other mode ends the start in words; no key is ever written.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StripeStandIn, startStripeStandIn } from '../../src/network/stripe/testing/stand-in.ts'
import { shownEvent } from '../../src/network/stripe/testing/stand-in-payments.ts'
import { signedMessage } from '../../src/network/stripe/testing/subject.ts'
import { approve } from '../crash/stage.ts'
import { call, sessionBody } from '../service.ts'
import {
  type Caller,
  callerOf,
  eventually,
  freePorts,
  type Program,
  preparedHome,
  readDevFile,
  runProgram,
  startProgram,
} from './program.ts'
import { runVerb } from './verb.ts'

const KEY = 'sk_test_canaryOfTheKey7Q3x'
const SECRETS = ['whsec_canaryOfTheOldSecret', 'whsec_canaryOfTheNextSecret'] as const
const STRIPE = {
  NETWORK_ADAPTER: 'stripe',
  STRIPE_SECRET_KEY: KEY,
  STRIPE_WEBHOOK_SECRETS: SECRETS.join(','),
  STRIPE_BUSINESS_NAME: 'Northpay Ltd',
  STRIPE_BUSINESS_LINE1: '1 Main Street',
  STRIPE_BUSINESS_CITY: 'Berlin',
  STRIPE_BUSINESS_POSTAL_CODE: '10115',
  STRIPE_BUSINESS_COUNTRY: 'DE',
}

let standIn: StripeStandIn
let program: Program
let merchant: Caller
const seen: string[] = []
beforeAll(async () => {
  standIn = await startStripeStandIn()
  // No pull comes while the test runs: what is heard is heard by messages.
  const env = { ...STRIPE, STRIPE_API_URL: standIn.url, LOG_LEVEL: 'debug', NETWORK_PULL_SECONDS: '3600' }
  program = startProgram(['all'], { home: await preparedHome(), port: await freePorts(), env })
  await program.ready()
  merchant = callerOf(program.apiUrl, (await readDevFile(program.home)).secret_key)
}, 60_000)
afterAll(async () => {
  await program?.stop()
  await standIn?.close()
})

const result = async (id: string) => (await merchant.get(`/v1/sessions/${id}/payment-result`)).body

/** What Stripe says last, as it says it. */
async function tell(secret: string): Promise<number> {
  const [event] = standIn.payments.events()
  if (event === undefined) throw new Error('Nothing has happened.')
  const { body, headers } = signedMessage(JSON.stringify(shownEvent(event)), [secret])
  const message = { method: 'POST', body: new Uint8Array(body), headers: headers as Record<string, string> }
  return (await call(`${program.apiUrl}/v1/network/stripe/events`, message)).status
}

async function pay(user: string) {
  const created = await merchant.post('/v1/sessions', sessionBody({ user_id: user }))
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  const { session_id: id } = created.body
  expect(await approve(merchant, id)).toMatchObject({ status: 200 })
  const { transactions } = await eventually(async () => {
    const body = await result(id)
    return body.status === 'awaiting_result' ? body : undefined
  })
  const [{ token, dynamic_cvv }] = transactions[0].line_items
  seen.push(token)
  const card = standIn.books.byNumber(token)
  expect(card).toMatchObject({ cvc: dynamic_cvv, limitMinor: 4_000, paymentCount: 1, countries: ['US'] })
  return { id, card }
}

test('a payment from its creation to the capture that Stripe tells of, with either secret', async () => {
  for (const secret of SECRETS) {
    const { id, card } = await pay('user-1')
    const authorization = standIn.payments.authorize(card?.id, { amount: 4_000, country: 'US' })
    expect(authorization.approved).toBe(true)
    standIn.payments.capture(authorization.id)
    expect(await tell('whsec_of_somebody_else')).toBe(400)
    expect(await tell(secret)).toBe(200)
    const paid = await eventually(async () => {
      const body = await result(id)
      return body.status === 'completed' ? body : undefined
    })
    expect(JSON.stringify(paid)).not.toContain(seen.at(-1))
  }
  // One card shows what the customer has; one more was made for each purchase.
  expect(standIn.books.holders()).toHaveLength(1)
  expect(standIn.books.cards()).toHaveLength(3)
  const [face] = standIn.books.cards().filter(({ metadata }) => metadata.face_of !== undefined)
  const listed = await merchant.get('/v1/listCards?customer_id=user-1')
  expect(listed.body.cards).toMatchObject([{ card_last4: face?.number.slice(-4) }])
})

test('a number is taken nowhere, and a currency that the account has not is refused when it is asked for', async () => {
  const card = { card_number: '4242424242424242', expiry_month: '12', expiry_year: '2040' }
  expect(await merchant.post('/v1/vault/records', card)).toMatchObject({
    status: 403,
    body: { error: { code: 'FORBIDDEN' } },
  })
  const euros = await merchant.post('/v1/sessions', sessionBody({ user_id: 'user-2', currency: 'EUR' }))
  expect(euros).toMatchObject({
    status: 400,
    body: { error: { code: 'VAL_2001', details: { currency: 'must be one of USD' } } },
  })
})

test('an operator reads how the account stands, with four characters of the key', async () => {
  const env = { ...STRIPE, STRIPE_API_URL: standIn.url, LOG_LEVEL: 'debug' }
  const { code, output } = await runProgram(['network', 'show'], { home: program.home, env })
  expect({ code, output }).toMatchObject({ code: 0 })
  expect(JSON.parse(output.slice(output.indexOf('{')))).toEqual({
    ...{ adapter: 'stripe', mode: 'test', key: '…7Q3x', card_entry: 'account', currencies: ['USD'] },
    account: { is_open: true, balance: '5000.00', currency: 'USD' },
  })
  expect(output).not.toContain('canary')
})

describe('what ends the start, in words', () => {
  /** A key of the other mode at the program itself, what else is wrong in the process of the test. */
  const start = (env: Record<string, string>) => {
    const run = env.STRIPE_SECRET_KEY?.startsWith('sk_live') ? runProgram : runVerb
    return run(['serve'], { home: '/nonexistent', env: { ...STRIPE, ...env } })
  }

  test.each([
    [{ STRIPE_SECRET_KEY: 'sk_live_canary1234' }, 'STRIPE_SECRET_KEY is of live mode; sandbox takes keys of test mode'],
    [{ STRIPE_SECRET_KEY: 'pk_test_canary1234' }, 'STRIPE_SECRET_KEY must be a secret or a restricted key'],
    [{ STRIPE_SECRET_KEY: '' }, 'STRIPE_SECRET_KEY is required where NETWORK_ADAPTER is stripe'],
    [{ STRIPE_WEBHOOK_SECRETS: 'canary' }, 'STRIPE_WEBHOOK_SECRETS must be one secret of an endpoint'],
    [{ STRIPE_BUSINESS_CITY: '' }, 'STRIPE_BUSINESS_CITY is required where NETWORK_ADAPTER is stripe'],
    [{ STRIPE_API_URL: 'https://elsewhere.example' }, 'STRIPE_API_URL must be http://127.0.0.1'],
  ])('%j', async (env, words) => {
    const { code, output } = await start(env)
    expect(code).not.toBe(0)
    expect(output).toContain(words)
    expect(output).not.toContain('canary')
  })
})

test('no key, secret or number was written', async () => {
  await program.stop()
  const output = program.output()
  expect(output.length).toBeGreaterThan(100)
  for (const one of [KEY, ...SECRETS, ...seen]) expect(output).not.toContain(one)
})
