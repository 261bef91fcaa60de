// Guarantee: no card number, CVV, credential, key, token or launch secret is ever logged, answered in an error,
// captured in an event or stored outside its encrypted column, in success and in every failure.
import { randomUUID } from 'node:crypto'
import type { TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromQuote, quoteBody, SHOP_KEY, scriptedShops } from '../src/checkout/quotes/testing/scripted-shop.ts'
import type { Route } from '../src/http/route.ts'
import { activeEndpoint, ENDPOINTS, keyed, ON_THIS_MACHINE } from '../src/webhooks/testing/endpoints.ts'
import { cardholder, launch } from './cardholder.ts'
import { EVENTS } from './events.ts'
import { authorization, createSession, dbRow, newUser, paymentResult, report, revoke } from './flows.ts'
import { LeakScan, type Needle, needle } from './leak-scan.ts'
import { keepLog } from './logged.ts'
import { PATIENT, sessionBody, startTestService, type TestMerchant, type TestService } from './service.ts'

/** Entered on the surface. */
const CARD_NUMBER = '5105105105105100'
const CVV = '739'
const AMEX = '371449635398431'
const AMEX_CVV = '7391'
/** A merchant's own reference of a consent, which is nowhere kept. */
const CONSENT = 'consent-reference-6b1f0c'
/** Written by a merchant into its own texts, where it may stay; logs must not have it either. */
const TYPED_NUMBER = '4012888888881881'

/** The person that a quote is for: the shop is told who it is. */
const RECEIVER = { name: 'Wilhelmina Ohnesorg', address: '17 Hideaway Lane', email: 'ohnesorg@hideaway.example' }

const shops = scriptedShops()
let service: TestService
let merchant: TestMerchant
const { log, lines: logged } = keepLog('debug')
const errorBodies: string[] = []
const secrets: Needle[] = []

beforeAll(async () => {
  service = await startTestService({
    log,
    createCheckout: shops.createCheckout,
    env: {
      ...PATIENT,
      ...ON_THIS_MACHINE,
      RATE_LIMIT_FAILED_AUTHENTICATION: '100000',
      RATE_LIMIT_SURFACE_SECRET_ENTRY: '1000',
    },
  })
  merchant = service.merchant
  const webhookSecret = (await service.app.merchants.getWebhookSecret(merchant.merchantId)).reveal()
  plant('secret key', merchant.secretKey)
  plant('wallet key', merchant.wallet.key)
  plant('publishable key', merchant.publishableKey)
  plant('webhook secret', webhookSecret)
  plant('bytes of the webhook secret', Buffer.from(webhookSecret.slice(6), 'base64').toString('latin1'))
  for (const [name, text] of Object.entries({ CARD_NUMBER, CVV, AMEX, AMEX_CVV })) plant(name, text)
})
afterAll(() => service?.close())

const plant = (name: string, text: string) => void secrets.push(needle(name, text))

async function newSession(changes: Record<string, unknown> = {}) {
  const created = await createSession(merchant, changes)
  plant('session token', created.session_token)
  plant('signature of a session token', created.session_token.split('.')[2] ?? '')
  plant('launch secret', new URL(created.iframe_url).hash.slice(1))
  return created
}

/** Any request at all; the texts of refusals are kept. */
async function send(base: string, path: string, init: RequestInit = {}): Promise<number> {
  const response = await fetch(base + path, init)
  const text = await response.text()
  if (response.status >= 400) errorBodies.push(text)
  return response.status
}

/** What is done before anything is looked for, in this order: what one of them leaves out, no search would miss. */
const plantings: (() => Promise<void>)[] = []
const planted = (_what: string, work: () => Promise<void>) => void plantings.push(work)

planted('a whole purchase, with every mistake a cardholder makes', async () => {
  const { session_id, session_token, iframe_url } = await newSession()
  const launched = await launch(service, iframe_url)
  plant('session token of the page', launched.body.session_token)
  const visitor = cardholder(service, session_token)
  for (const [number, cvv] of [
    [`${CARD_NUMBER.slice(0, -1)}1`, CVV],
    [CARD_NUMBER, AMEX_CVV],
    [`${CARD_NUMBER} ${CARD_NUMBER}`, CVV],
    [AMEX, CVV],
  ] as const) {
    errorBodies.push(JSON.stringify((await visitor.enterCard(number, cvv)).body))
  }
  expect((await visitor.pay(CARD_NUMBER, CVV)).body).toMatchObject({ outcome: 'approved' })
  const [item] = (await paymentResult(merchant, session_id)).body.transactions[0].line_items
  plant('token', item.token)
  plant('dynamic CVV', item.dynamic_cvv)
  await merchant.post('/v1/test_helpers/authorizations', authorization(item, { dynamic_cvv: '000' }))
  await merchant.post('/v1/test_helpers/authorizations', authorization(item))
  await report(merchant, session_id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
})

planted('a purchase whose credential is still alive, by an Amex', async () => {
  const { session_id, session_token } = await newSession()
  expect((await cardholder(service, session_token).pay(AMEX, AMEX_CVV)).body).toMatchObject({ outcome: 'approved' })
  const [item] = (await paymentResult(merchant, session_id)).body.transactions[0].line_items
  plant('live token', item.token)
  plant('live dynamic CVV', item.dynamic_cvv)
})

planted('a preselected vault record and its CVV; a session revoked half-way; a refused card', async () => {
  const expiry = { expiry_month: '12', expiry_year: '2040' }
  const put = (card_number: string, cvv: string) =>
    merchant.post('/v1/vault/records', { ...expiry, card_number, cvv, cardholder_name: CARD_NUMBER })
  for (const [number, cvv] of [
    [`${CARD_NUMBER.slice(0, -1)}1`, CVV],
    [CARD_NUMBER, '000'],
    [CARD_NUMBER, AMEX_CVV],
  ] as const) {
    errorBodies.push(JSON.stringify((await put(number, cvv)).body))
  }
  const { vault_ref_id } = (await put(CARD_NUMBER, CVV)).body
  const { session_token } = await newSession({ user_id: newUser(), card: { vault_ref_id } })
  const visitor = cardholder(service, session_token)
  for (const cvv of ['000', CVV]) await visitor.post('/api/cards', { cvv })
  const { session_id, session_token: second } = await newSession()
  await cardholder(service, second).enterCard(CARD_NUMBER, CVV)
  await revoke(merchant, session_id)
  errorBodies.push(JSON.stringify((await cardholder(service, second).enterCard(CARD_NUMBER, CVV)).body))
  const { session_token: third } = await newSession()
  errorBodies.push(JSON.stringify((await cardholder(service, third).enterCard('4000000000000002', CVV)).body))
})

planted('cards that are enrolled: alone, at the page with its mistakes, revoked, and refused by a rule', async () => {
  const card = { card_number: CARD_NUMBER, expiry_month: '12', expiry_year: '2040' }
  const { vault_ref_id } = (await merchant.post('/v1/vault/records', card)).body
  plant('consent', CONSENT)
  const user_email = 'ann@example.com'
  const full = { enrollment_mode: 'full_enrollment', consent_id: CONSENT }
  const begin = async (body: object) => {
    const asked = { user_id: newUser(), user_email, ...full, ...body }
    const created = await merchant.post('/v1/sessions/enroll-card', asked)
    plant('session token', created.body.session_token)
    plant('launch secret', new URL(created.body.iframe_url).hash.slice(1))
    return { id: created.body.session_id as string, visitor: cardholder(service, created.body.session_token) }
  }
  const alone = { user_id: newUser(), user_email, consent_id: CONSENT }
  expect((await merchant.post('/v1/sessions/enroll-card', { ...alone, vault_ref_id })).status).toBe(201)
  for (const wrong of [
    { vault_ref_id: CARD_NUMBER },
    { vault_ref_id, [TYPED_NUMBER]: CVV },
    { vault_ref_id, consent_id: `${CONSENT}\n` },
  ]) {
    errorBodies.push(JSON.stringify((await merchant.post('/v1/sessions/enroll-card', { ...alone, ...wrong })).body))
  }
  const { id, visitor } = await begin({})
  for (const [number, cvv] of [
    [CARD_NUMBER, AMEX_CVV],
    [CARD_NUMBER, '000'],
  ] as const) {
    errorBodies.push(JSON.stringify((await visitor.enterCard(number, cvv)).body))
  }
  await visitor.enterCard(CARD_NUMBER, CVV)
  await visitor.registerPasskey()
  const status = await merchant.get(`/v1/sessions/${id}/status`)
  expect(status.body.status).toBe('completed')
  errorBodies.push(JSON.stringify(status.body))
  const revoked = await begin({ vault_ref_id })
  await revoked.visitor.post('/api/cards', { cvv: CVV })
  await revoke(merchant, revoked.id)
  errorBodies.push(JSON.stringify((await merchant.get(`/v1/sessions/${revoked.id}/status`)).body))
  await service.app.merchants.setCardRules(merchant.merchantId, { countries: ['US'], issuers: null })
  const refused = await begin({})
  errorBodies.push(JSON.stringify((await refused.visitor.enterCard(CARD_NUMBER, CVV)).body))
  errorBodies.push(JSON.stringify((await merchant.get(`/v1/sessions/${refused.id}/status`)).body))
  await service.app.merchants.setCardRules(merchant.merchantId, { countries: null, issuers: null })
})

planted('quotes, whom they are for, and a shop that says it all again', async () => {
  plant('shop key', SHOP_KEY)
  for (const [name, text] of Object.entries(RECEIVER)) plant(`receiver's ${name}`, text)
  const shop = await shops.add(service)
  const { email, ...person } = RECEIVER
  const shipping_address = { ...person, city: 'Springfield', state: 'IL', postal_code: '62701', country: 'US' }
  const ask = () => merchant.post('/v1/quotes', quoteBody(shop, { email, shipping_address }))
  const { body } = await ask()
  await newSession(fromQuote(body))
  const broken: (() => Promise<never>)[] = [
    () => Promise.reject(new Error(JSON.stringify(RECEIVER) + SHOP_KEY)),
    async () => ({ outcome: 'unknown', cause: 'timeout' }) as never,
    async () => ({ outcome: 'refused', reason: 'address_refused' }) as never,
  ]
  for (const instead of broken) {
    shop.script.instead = instead
    errorBodies.push(JSON.stringify((await ask()).body))
  }
  errorBodies.push(JSON.stringify((await merchant.get(`/v1/quotes/${body.quote_id}`)).body))
})

planted('a webhook endpoint with its secrets, verified, tested, rotated and refused', async () => {
  const endpoint = await activeEndpoint(merchant)
  const rotate = (key?: string) => keyed(merchant, `${endpoint.path}/rotate-secret`, undefined, key)
  const rotated = await rotate('the-key-of-a-rotation')
  for (const [name, text] of Object.entries({
    first: endpoint.secret,
    second: rotated.body.signing_secret as string,
  })) {
    plant(`${name} signing secret`, text)
    plant(`bytes of the ${name} signing secret`, Buffer.from(text.slice(6), 'base64').toString('latin1'))
  }
  for (const answer of [
    await rotate('the-key-of-a-rotation'),
    await rotate(),
    await merchant.get(endpoint.path),
    await merchant.get(ENDPOINTS),
    await merchant.send('PATCH', endpoint.path, { name: 'Renamed' }),
    await merchant.send('POST', `${endpoint.path}/verify`),
    await merchant.send('POST', `${endpoint.path}/test`, { type: 'card.deleted' }),
  ]) {
    errorBodies.push(JSON.stringify(answer.body))
  }
  // A length of three digits is now and then a CVV, and no copy of it.
  for (const { headers, body } of endpoint.receiver.requests)
    errorBodies.push(JSON.stringify({ ...headers, 'content-length': '' }), body.toString())
  await endpoint.receiver.close()
  errorBodies.push(JSON.stringify((await merchant.send('POST', `${endpoint.path}/verify`)).body))
})

planted('keys, tokens and numbers in headers, queries and paths of all hosts', async () => {
  const { session_token } = await newSession()
  const things = [CARD_NUMBER, AMEX, merchant.secretKey, merchant.wallet.key, session_token, 'sk_live_5105105105105100']
  for (const [base, good, path] of [
    [service.apiUrl, { authorization: `Bearer ${merchant.secretKey}` }, '/v1/sessions/sess_0/payment-result'],
    [service.walletUrl, { 'api-key': merchant.wallet.key }, '/v1/customers'],
    [service.surfaceUrl, { authorization: `Bearer ${session_token}` }, '/api/session'],
  ] as const) {
    for (const thing of things) {
      const requests: [string, RequestInit][] = [
        [`/v1/sessions/${thing}/payment-result`, { headers: good }],
        [`/${thing}`, { headers: good }],
        [`/v1/${thing}/${thing}`, {}],
        [`/s/${thing}/${thing}`, {}],
        [`${path}?card_number=${thing}`, { headers: good }],
        [`${path}?a=${thing}&a=${thing}`, {}],
        [path, { headers: { authorization: `Bearer ${thing}` } }],
        [path, { headers: { authorization: thing } }],
        [path, { headers: { 'api-key': thing, 'idempotency-key': thing } }],
        [path, { headers: { authorization: `Basic ${Buffer.from(`${thing}:`).toString('base64')}` } }],
        [path, { headers: { ...good, cookie: `card=${thing}`, 'user-agent': thing, 'x-request-id': thing } }],
        [path, { method: 'POST', headers: { ...good, 'content-type': `text/${thing}` }, body: thing }],
        [path, { method: 'DELETE', headers: { ...good, 'x-http-method-override': thing } }],
      ]
      for (const [target, init] of requests) await send(base, target, init)
    }
  }
})

planted('numbers as broken JSON, as names of fields and as every text of every body', async () => {
  const { session_token } = await newSession()
  for (const [base, routes, key] of [
    [service.apiUrl, service.app.apiRoutes, merchant.secretKey],
    [service.walletUrl, service.app.walletRoutes, ''],
    [service.surfaceUrl, service.app.surfaceRoutes, session_token],
  ] as const) {
    for (const row of routes.filter(({ body }) => body !== undefined)) {
      for (const body of hostileBodies(row)) await send(base, pathOf(row), jsonInit(key, body))
    }
  }
})

planted('a merchant writes a number into its own texts', async () => {
  const text = `card ${TYPED_NUMBER}`
  const answer = await merchant.post(
    '/v1/sessions',
    sessionBody({ user_id: newUser(), description: text, external_order_ref: text, user_phone: TYPED_NUMBER }),
  )
  expect(answer.status).toBe(201)
})

planted('the database refuses a row, and quotes it in its error', async () => {
  await service.pool.query(
    `alter table customers add constraint planted check (phone <> '${TYPED_NUMBER}') not valid;
     alter table vault_records add constraint planted check (last4 <> '${CARD_NUMBER.slice(-4)}') not valid`,
  )
  try {
    const body = sessionBody({ user_id: newUser(), user_phone: TYPED_NUMBER })
    expect(await send(service.apiUrl, '/v1/sessions', jsonInit(merchant.secretKey, JSON.stringify(body)))).toBe(500)
    const { session_token } = await newSession()
    const entered = await cardholder(service, session_token).enterCard(CARD_NUMBER, CVV)
    expect(entered.status).toBe(500)
    errorBodies.push(JSON.stringify(entered.body))
  } finally {
    await service.pool.query(
      'alter table customers drop constraint planted; alter table vault_records drop constraint planted',
    )
  }
})

planted('the jobs run over all of it', () => service.runJobs())

function jsonInit(key: string, body: string): RequestInit {
  return {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      // For the wallet API, where they alone count.
      ...{ 'api-key': merchant.wallet.key, 'idempotency-key': randomUUID() },
      'content-type': 'application/json',
    },
    body,
  }
}

function pathOf(row: Route): string {
  return row.path.replaceAll(/:\w+/g, 'sess_0')
}

/** Bodies of which none can succeed: what they hold must be gone when they have been refused. */
function hostileBodies(row: Route): string[] {
  const filled = (text: string) => JSON.stringify({ ...(filledWith(row.body, text) as object), unknown: text })
  return [
    filled(CARD_NUMBER),
    filled(`${CVV} ${AMEX}`),
    filled(merchant.secretKey),
    `{"card_number":"${CARD_NUMBER}","card_number":"${CARD_NUMBER}"}`,
    `{"card_number":"${CARD_NUMBER}`,
    `"${CARD_NUMBER}"`,
    CARD_NUMBER,
    `{"cvv":${CVV},"card":{"number":${CARD_NUMBER}}}`,
    JSON.stringify({ [`field_${TYPED_NUMBER}`]: CARD_NUMBER, [TYPED_NUMBER]: { [TYPED_NUMBER]: CVV } }),
  ]
}

/** A value of the schema's form with this text wherever a text may stand. */
function filledWith(schema: TSchema | undefined, text: string): unknown {
  const { type, properties, items, anyOf } = (schema ?? {}) as {
    type?: string
    properties?: Record<string, TSchema>
    items?: TSchema
    anyOf?: TSchema[]
  }
  if (anyOf !== undefined) return filledWith(anyOf.at(-1), text)
  if (type === 'array') return [filledWith(items, text)]
  if (type !== 'object') return text
  return Object.fromEntries(Object.entries(properties ?? {}).map(([name, inner]) => [name, filledWith(inner, text)]))
}

describe('nothing is found', () => {
  beforeAll(async () => {
    for (const work of plantings) await work()
  })

  const scan = (needles: readonly Needle[] = secrets) => new LeakScan(needles)

  test('the scan sees what there is to see', async () => {
    const { body } = await dbRow(service, `select data as body from ${EVENTS} events limit 1`)
    const sees = scan([needle('event', body.slice(8, 40)), needle('typed', TYPED_NUMBER), needle('last4', '"5100"')])
    await sees.database(service.pool)
    const places = [...sees.found].join('\n')
    expect(places).toMatch(/event in public\.(?:captured_events|events_\d+)\.data/)
    expect(places).toContain('typed in public.sessions.description')
    const bytes = scan([needle('card', CARD_NUMBER)])
    bytes.bytes('plain', Buffer.from(`xx${CARD_NUMBER}`))
    bytes.text('base64', Buffer.from(`x${CARD_NUMBER}yy`).toString('base64'))
    bytes.text('hex', Buffer.from(CARD_NUMBER).toString('hex'))
    bytes.text('grouped', '5105 1051 0510 5100')
    expect([...bytes.found].sort()).toEqual(['card in base64', 'card in grouped', 'card in hex', 'card in plain'])
  })

  test('in the log, at its most talkative', () => {
    expect(logged.length).toBeGreaterThan(200)
    expect(logged.filter((line) => line.includes('"A request failed."')).length).toBeGreaterThanOrEqual(2)
    const found = scan([...secrets, needle('typed number', TYPED_NUMBER), needle('email', 'ann@example.com')])
    for (const line of logged) found.text('log', line)
    expect([...found.found]).toEqual([])
  })

  test('in the answers to what was refused', () => {
    expect(errorBodies.length).toBeGreaterThan(200)
    const found = scan()
    for (const body of errorBodies) found.text('error', body)
    expect([...found.found]).toEqual([])
  })

  test('in any column of any table', async () => {
    const found = scan()
    expect(await found.database(service.pool)).toBeGreaterThan(500)
    expect([...found.found]).toEqual([])
  })

  test("in the database, of a merchant's own text, outside the columns it was meant for", async () => {
    const found = scan([needle('typed', TYPED_NUMBER)])
    await found.database(service.pool)
    expect([...found.found].sort()).toEqual([
      'typed in public.charges.external_order_ref',
      'typed in public.customers.phone',
      'typed in public.sessions.description',
    ])
  })
})
