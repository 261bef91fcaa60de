// Guarantee: no route of the real tables serves a caller who may not ask, none tells of another merchant's things, and
// what the published description says is well-formed and true.
import { randomBytes, randomUUID } from 'node:crypto'
import { ERROR_CODES } from '@mintmark/contract'
import { SignJWT } from 'jose'
import { afterAll, describe, expect, test } from 'vitest'
import { quoteExamples } from '../src/checkout/quotes/testing/examples.ts'
import { scriptedShops } from '../src/checkout/quotes/testing/scripted-shop.ts'
import type { Route } from '../src/http/route.ts'
import { describeRouteTable, type RouteExample } from '../src/http/testing/table-walk.ts'
import { mandateForbidden } from '../src/mandates/errors.ts'
import { deriveKeys } from '../src/platform/keys.ts'
import { secret } from '../src/platform/secret.ts'
import { createSessionTokens, type TokenSubject } from '../src/sessions/token.ts'
import { deliveryExamples } from '../src/webhooks/delivery/testing/examples.ts'
import { endpointExamples } from '../src/webhooks/testing/endpoints.ts'
import { agentExamples, signedBy } from './agent-examples.ts'
import { linkedAgent, newAgent } from './agents.ts'
import { cardholder } from './cardholder.ts'
import {
  approvedSession,
  CARDS,
  complete,
  createEnrollment,
  createSession,
  dbRow,
  expectError,
  newUser,
  paymentResult,
  vaultRecord,
} from './flows.ts'
import { openApiProblems } from './openapi-check.ts'
import { ownersWalk } from './owner-examples.ts'
import { testTruthOf } from './published-description.ts'
import { PATIENT, sessionBody, startTestService, TEST_ROOT_KEY, type TestMerchant } from './service.ts'

// Before the tests are collected: the walk makes one test a row, and the rows come with the service.
const shops = scriptedShops()
const service = await startTestService({
  env: { ...PATIENT, RATE_LIMIT_FAILED_AUTHENTICATION: '1000000' },
  createCheckout: shops.createCheckout,
})
const { merchant } = service
const other = await service.addMerchant()
const agent = await linkedAgent(service)
const otherAgent = await linkedAgent(service)
const asker = newAgent(service)
afterAll(() => service.close())

const NOBODYS = 'sess_00000000000000000000000000'
const forSession = (sessionId: string, body?: object) => ({ params: { sessionId }, ...(body && { body }) })

/** A route that names a session: its own, another merchant's, one that does not exist. */
async function sessionExample(body?: object): Promise<RouteExample> {
  const [own, theirs] = [await createSession(merchant), await createSession(other)]
  return {
    own: forSession(own.session_id, body),
    foreign: { theirs: forSession(theirs.session_id, body), nobodys: forSession(NOBODYS, body), status: 404 },
  }
}

async function theirCard(): Promise<string> {
  const { id } = await approvedSession(other)
  return (await paymentResult(other, id)).body.transactions[0].card_id
}

const expiry_year = String(service.clock.now().getUTCFullYear() + 3)
const card = { card_number: CARDS.success, expiry_month: '12', expiry_year, cvv: '123' }
const OWN_SESSION = 'Names nothing: the session is the one in the token.'

/** The mandate of an approved session. */
async function mandateOf(of: TestMerchant): Promise<string> {
  const { id } = await approvedSession(of)
  return (await dbRow(service, 'select mandate_id from charges where opened_by = $1', [id])).mandate_id
}

/** The contract says of a mandate alone that it is another's. */
async function mandateExample(body?: object): Promise<RouteExample> {
  const named = (mandateId: string) => ({ params: { mandateId, txnId: 'txn_none' }, ...(body && { body }) })
  const [own, theirs, nobodys] = [await mandateOf(merchant), await mandateOf(other), 'mdt_nobodys'].map(named)
  if (own === undefined || theirs === undefined || nobodys === undefined) throw new Error('Three were named.')
  return { own, foreign: { theirs, nobodys, status: 404, forbidden: mandateForbidden } }
}

/** Two events of one merchant in the feed, and the cursor between them. */
async function eventsOf(of: TestMerchant): Promise<{ id: string; cursor: string }> {
  for (let sessions = 0; sessions < 2; sessions += 1) await approvedSession(of)
  await service.runJobs()
  const { data, next_cursor } = (await of.get('/v1/events?limit=1')).body
  return { id: data[0].id, cursor: next_cursor }
}

const apiKeys = async (refused: Record<string, string> = {}) => ({
  working: `Bearer ${merchant.secretKey}`,
  refused: {
    ...refused,
    'a wrong key': `Bearer ${merchant.secretKey.slice(0, -4)}0000`,
    'a key of the other environment': `Bearer ${merchant.secretKey.replace('test', 'live')}`,
    'a publishable key': `Bearer ${merchant.publishableKey}`,
    'a session token': `Bearer ${(await createSession(merchant)).session_token}`,
  },
})

/** Opens what dashboards do, and nothing else. */
async function controlPlaneKey(): Promise<string> {
  const { key } = await service.app.merchants.createKey(merchant.merchantId, 'secret', 'control_plane')
  return `Bearer ${key.reveal()}`
}

test('what a cardholder has to finish begins something, so that the door keeps places for the rest of it', () => {
  const { apiRoutes, surfaceRoutes } = service.app
  const named = (rows: readonly Route[]) => rows.map(({ operationId }) => operationId)
  // A link that is read again was made before.
  const withLink = apiRoutes.filter(
    ({ method, response }) => method !== 'GET' && /"(?:iframe|payment)_url"/.test(JSON.stringify(response)),
  )
  expect(named(withLink)).toContain('createSession')
  // And what waits for a shop, which may be slow.
  const ASKING_SHOPS = ['createQuote', 'getCatalogProduct', 'searchCatalog']
  expect(named([...apiRoutes, ...surfaceRoutes].filter(({ begins }) => begins)).sort()).toEqual(
    [...named(withLink), ...ASKING_SHOPS].sort(),
  )
})

test('what takes a session further waits longer at the door, and nothing else does', () => {
  const { apiRoutes, surfaceRoutes, walletRoutes = [] } = service.app
  const goesOn = (rows: readonly Route[]) => rows.filter((row) => row.goesOn).map(({ operationId }) => operationId)
  const byToken = surfaceRoutes.filter(
    ({ auth }) => Array.isArray(auth) && auth.some(({ name }) => name === 'session_token'),
  )
  expect(byToken.length).toBeGreaterThan(5)
  expect(goesOn(surfaceRoutes)).toEqual(byToken.map(({ operationId }) => operationId))
  expect(goesOn(walletRoutes)).toEqual([])
  expect(goesOn(apiRoutes).sort()).toEqual(
    [
      ...['getPaymentResult', 'reportStatus', 'revokeSession', 'getAgentPaymentResult', 'reportAgentStatus'],
      ...['getEnrollmentStatus', 'reportCharge', 'completeSession'],
    ].sort(),
  )
})

describeRouteTable({
  name: 'main API',
  routes: service.app.apiRoutes,
  start: async () => ({
    baseUrl: service.apiUrl,
    close: async () => {},
    credentials: {
      secret_key: await apiKeys({ 'a control-plane key': await controlPlaneKey() }),
      mandate_key: await apiKeys(),
      agent_signature: { ...signedBy(service, agent), explains: true },
      reporting_agent_signature: { ...signedBy(service, agent), explains: true },
      linking_signature: { ...signedBy(service, asker), explains: true },
      publishable_key: {
        working: `Bearer ${merchant.publishableKey}`,
        refused: {
          'a wrong key': `Bearer ${merchant.publishableKey.slice(0, -4)}0000`,
          'a key of the other environment': `Bearer ${merchant.publishableKey.replace('test', 'live')}`,
          'a session token': `Bearer ${(await createSession(merchant)).session_token}`,
        },
      },
    },
    examples: {
      createSession: async () => {
        const withCard = (card_id: string) => ({ body: sessionBody({ card: { card_id } }) })
        return {
          own: { body: sessionBody({ user_id: newUser() }) },
          foreign: { theirs: withCard(await theirCard()), nobodys: withCard('card_nobodys'), status: 400 },
        }
      },
      enrollCard: async () => {
        const withRecord = (vault_ref_id: string) => ({
          body: { user_id: newUser(), user_email: 'ann@example.com', vault_ref_id },
        })
        return {
          own: withRecord(await vaultRecord(merchant)),
          foreign: {
            theirs: withRecord(await vaultRecord(other)),
            nobodys: withRecord(randomUUID()),
            status: 400,
          },
        }
      },
      getEnrollmentStatus: async () => {
        const [own, theirs] = [await createEnrollment(merchant), await createEnrollment(other)]
        return {
          own: forSession(own.session_id),
          foreign: { theirs: forSession(theirs.session_id), nobodys: forSession(NOBODYS), status: 404 },
        }
      },
      getPaymentResult: () => sessionExample(),
      reportStatus: () => sessionExample({ txn_ref_id: 'tli_1', txn_status: 'APPROVED' }),
      revokeSession: () => sessionExample(),
      listCards: async () => {
        const of = (customer_id: string) => ({ query: { customer_id } })
        const [own, theirs] = [newUser(), newUser()]
        await createSession(merchant, { user_id: own })
        await createSession(other, { user_id: theirs })
        return { own: of(own), foreign: { theirs: of(theirs), nobodys: of(newUser()), status: 404 } }
      },
      deleteCard: async () => {
        const user = newUser()
        await createSession(merchant, { user_id: user })
        const of = (card_id: string, customer_id = user) => ({ body: { customer_id, card_id } })
        return {
          own: of('card_none'),
          foreign: { theirs: of(await theirCard()), nobodys: of('card_nobodys'), status: 404 },
        }
      },
      createVaultRecord: () => ({ own: { body: card }, foreign: 'Names nothing: what is stored is the caller’s.' }),
      listMandates: async () => {
        const of = (customer_id: string) => ({ query: { customer_id } })
        const theirs = newUser()
        await approvedSession(other, CARDS.success, { user_id: theirs })
        return { own: of(newUser()), foreign: { theirs: of(theirs), nobodys: of(newUser()), status: 200 } }
      },
      getMandate: () => mandateExample(),
      pauseMandate: () => mandateExample(),
      resumeMandate: () => mandateExample(),
      cancelMandate: () => mandateExample(),
      chargeMandate: () => mandateExample({ amount: '1.00' }),
      reportCharge: () => mandateExample({ txn_status: 'APPROVED', txn_type: 'PURCHASE' }),
      resetPasskey: async () => {
        const user = newUser()
        const { session_id } = await createSession(merchant, { user_id: user })
        await complete(merchant, session_id)
        const [theirs, nobodys] = [newUser(), newUser()]
        await createSession(other, { user_id: theirs })
        const of = (userId: string) => ({ params: { userId } })
        return { own: of(user), foreign: { theirs: of(theirs), nobodys: of(nobodys), status: 404 } }
      },
      listEvents: async () => {
        const of = (cursor: string) => ({ query: { cursor } })
        const [own, theirs] = [await eventsOf(merchant), await eventsOf(other)]
        return { own: of(own.cursor), foreign: { theirs: of(theirs.cursor), nobodys: of('nobodys'), status: 400 } }
      },
      getEvent: async () => {
        const of = (eventId: string) => ({ params: { eventId } })
        const [own, theirs] = [await eventsOf(merchant), await eventsOf(other)]
        const nobodys = theirs.id.replace(/.{16}$/, '0'.repeat(16))
        return { own: of(own.id), foreign: { theirs: of(theirs.id), nobodys: of(nobodys), status: 404 } }
      },
      ...quoteExamples(service, shops, [merchant, other]),
      ...endpointExamples({ merchant, other }),
      ...deliveryExamples(service.pool, { merchant, other }),
      ...agentExamples({ agent, otherAgent, asker }),
      completeSession: () => sessionExample({}),
      advanceClock: () => ({ own: { body: { seconds: 1 } }, foreign: "Names nothing: the environment's one clock." }),
      authorize: () => ({
        own: { body: {} },
        foreign: 'The credential is what is shown; whoever holds it may spend it.',
      }),
    },
  }),
})

describeRouteTable({
  name: 'page of owners',
  routes: service.app.ownerRoutes,
  hasApiDocument: false,
  start: async () => ownersWalk(service),
})

describeRouteTable({
  name: 'surface',
  routes: service.app.surfaceRoutes,
  hasApiDocument: false,
  start: async () => {
    const session = await createSession(merchant)
    return {
      baseUrl: service.surfaceUrl,
      close: async () => {},
      credentials: {
        session_token: { working: `Bearer ${session.session_token}`, refused: await forgeries(session.session_token) },
      },
      examples: {
        getSurfaceSession: () => ({ own: {}, foreign: OWN_SESSION }),
        enterCard: () => ({ own: { body: card }, foreign: OWN_SESSION }),
        selectCard: async () => ({
          own: { body: { card_id: 'card_nobodys' } },
          foreign: {
            theirs: { body: { card_id: await theirCard() } },
            nobodys: { body: { card_id: 'card_nobodys' } },
            status: 400,
          },
        }),
        verifyCard: () => ({ own: { body: { code: '123456' } }, foreign: OWN_SESSION }),
        passkeyRegistrationOptions: () => ({ own: { body: { embedded: false } }, foreign: OWN_SESSION }),
        registerPasskey: () => ({ own: { body: { response: {} } }, foreign: OWN_SESSION }),
        approvalOptions: () => ({ own: { body: { embedded: false } }, foreign: OWN_SESSION }),
        approve: () => ({ own: { body: { response: {} } }, foreign: OWN_SESSION }),
        extendSession: () => ({ own: {}, foreign: OWN_SESSION }),
        // The last row: it ends the session of the walk.
        cancelSession: () => ({ own: {}, foreign: OWN_SESSION }),
      },
    }
  },
})

/** Tokens that look right. */
async function forgeries(token: string): Promise<Record<string, string>> {
  const [header = '', claims = '', signature = ''] = token.split('.')
  const said = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const subject: TokenSubject = {
    ...{ merchantId: said.mid, sessionId: said.sub, customerId: said.cus, orderId: said.ord, readAs: said.knd },
    ...{ issuedAt: new Date(said.iat * 1000), expiresAt: new Date(said.exp * 1000) },
  }
  const key = deriveKeys(TEST_ROOT_KEY).sessionTokens
  const theirs = await createSession(other)
  const rightKey = new Uint8Array(key.reveal())
  const signed = (typ: string, changes: object) =>
    new SignJWT({ ...said, ...changes }).setProtectedHeader({ alg: 'HS256', typ }).sign(rightKey)
  const forged = {
    'a secret key': merchant.secretKey,
    'a publishable key': merchant.publishableKey,
    'of the other environment': await createSessionTokens({ key, environment: 'production' }).sign(subject),
    'signed with another key': await createSessionTokens({
      key: secret(randomBytes(32)),
      environment: 'sandbox',
    }).sign(subject),
    unsigned: `${encode({ alg: 'none', typ: 'mintmark-session+jwt' })}.${claims}.`,
    'with another algorithm named': `${encode({ alg: 'HS512', typ: 'mintmark-session+jwt' })}.${claims}.${signature}`,
    'with a claim changed': `${header}.${encode({ ...said, sub: theirs.session_id })}.${signature}`,
    'of another type': await signed('JWT', {}),
    'for another audience': await signed('mintmark-session+jwt', { aud: 'mintmark-owner' }),
    'without its signature': `${header}.${claims}.`,
  }
  return Object.fromEntries(Object.entries(forged).map(([what, text]) => [what, `Bearer ${text}`]))
}

test.for([
  ['a session of nobody', { sessionId: NOBODYS }],
  ['another merchant', { merchantId: other.merchantId }],
  ['another customer', { customerId: 'cus_nobody' }],
] as const)('a token of ours that names %s opens nothing', async ([, change]) => {
  const { session_id: sessionId, order_id: orderId, session_token } = await createSession(merchant)
  const { cus: customerId } = JSON.parse(Buffer.from(session_token.split('.')[1] ?? '', 'base64url').toString())
  const tokens = createSessionTokens({ key: deriveKeys(TEST_ROOT_KEY).sessionTokens, environment: 'sandbox' })
  const times = { issuedAt: service.clock.now(), expiresAt: new Date(service.clock.now().getTime() + 60_000) }
  const { merchantId } = merchant
  const right = { merchantId, sessionId, customerId, orderId, readAs: 'payment', ...times } as const
  expect((await cardholder(service, await tokens.sign(right)).get('/api/session')).status).toBe(200)
  const wrong = cardholder(service, await tokens.sign({ ...right, ...change }))
  expectError(await wrong.get('/api/session'), 401, 'AUTH_1001')
  expectError(await wrong.post('/api/cards', card), 401, 'AUTH_1001')
  expectError(await wrong.post('/api/cancel'), 401, 'AUTH_1001')
})

describe('the published description', () => {
  const read = async () => (await merchant.get('/openapi.json')).body
  const REVOKE = '/v1/sessions/{sessionId}/revoke'
  // biome-ignore lint/suspicious/noExplicitAny: tests read the document as a caller would, without types.
  const bodyOf = ({ components }: any) => components.schemas.CreateSessionRequest

  test('is well-formed OpenAPI 3.1', async () => {
    expect(await openApiProblems(await read())).toEqual([])
  })

  // biome-ignore lint/suspicious/noExplicitAny: a document is broken where no type would let one reach.
  const breakages: [string, (document: any) => void][] = [
    ['another version', (document) => Object.assign(document, { openapi: '3.0.0' })],
    ['no title', ({ info }) => delete info.title],
    ['an unknown method', ({ paths }) => Object.assign(paths['/health'], { brew: {} })],
    ['a path without a slash', ({ paths }) => Object.assign(paths, { x: {} })],
    ['an undeclared tag', ({ paths }) => paths['/health'].get.tags.push('x')],
    ['an undeclared security', ({ paths }) => paths['/health'].get.security.push({ none: [] })],
    [
      'an operation id given twice',
      ({ paths }) => Object.assign(paths['/health'].get, { operationId: 'createSession' }),
    ],
    ['no operation id', ({ paths }) => delete paths['/health'].get.operationId],
    ['no success', ({ paths }) => delete paths['/health'].get.responses['200']],
    [
      'a status that is none',
      ({ paths }) => Object.assign(paths['/health'].get.responses, { 999: { description: '' } }),
    ],
    ['a response without words', ({ paths }) => delete paths['/health'].get.responses['200'].description],
    [
      'a media type that is none',
      ({ paths }) => Object.assign(paths['/health'].get.responses['200'].content, { json: {} }),
    ],
    ['a missing path parameter', ({ paths }) => paths[REVOKE].post.parameters.pop()],
    ['an optional path parameter', ({ paths }) => Object.assign(paths[REVOKE].post.parameters[0], { required: false })],
    ['a parameter nowhere', ({ paths }) => Object.assign(paths[REVOKE].post.parameters[0], { in: 'nowhere' })],
    ['a reference to nothing', (document) => Object.assign(bodyOf(document).properties, { user_id: { $ref: '#/x' } })],
    ['an unknown type', (document) => Object.assign(bodyOf(document).properties.user_id, { type: 'text' })],
    ['a pattern that is none', (document) => Object.assign(bodyOf(document).properties.total_amount, { pattern: '(' })],
    ['an unknown field required', (document) => bodyOf(document).required.push('nothing')],
    ['entries of no schema', (document) => Object.assign(bodyOf(document).properties, { user_id: { items: 3 } })],
    ['a wrong shared schema', ({ components }) => Object.assign(components.schemas.Error, { type: 'text' })],
  ]
  test.each(breakages)('the check itself sees %s', async (_what, breakIt) => {
    const document = await read()
    breakIt(document)
    expect(await openApiProblems(document)).not.toEqual([])
  })

  testTruthOf(read, { rows: service.app.apiRoutes, codes: ERROR_CODES, badInput: 'VAL_2001' })
})
