// Guarantee: programs of the field get in as they are, by what they were seen to send, and none of it changes what their owner reads and signs
// (faults G2).
import { afterAll, describe, expect, test } from 'vitest'
import { dbRow } from '../../test/flows.ts'
import {
  ALL,
  askOwner,
  authorizationUrl,
  grantOf,
  linkedClient,
  newBrowser,
  REDIRECT,
  refresh,
  register,
  startToolParty,
  trade,
} from '../../test/tool-clients.ts'
import { FIELD_CLIENTS, type FieldClient, ISSUER } from './testing/field-clients.ts'

const party = await startToolParty({ isForCrowds: true, env: { RATE_LIMIT_AGENT_LINK: '1000000' } })
const { service, documents, clientId } = party
afterAll(party.close)

/** As the client has it, of this server. */
const here = (given: Record<string, string>) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.replace(ISSUER, service.apiUrl)]))

/** A registered or described client: its name, and what it shows at the token endpoint. */
async function known({ registration, document, secret }: FieldClient): Promise<{ id: string; shown: object }> {
  if (registration === undefined) {
    const id = documents.url('/oauth/client.json')
    documents.answer.set('/oauth/client.json', (respond) =>
      respond(200, JSON.stringify({ client_id: id, ...document })),
    )
    return { id, shown: {} }
  }
  const { status, body } = await register(service, registration)
  expect([status, body.error_description]).toEqual([201, undefined])
  return { id: body.client_id, shown: secret === 'post' ? { client_secret: body.client_secret } : {} }
}

async function letIn(client: FieldClient) {
  const { id, shown } = await known(client)
  const { redirect_uri: back = '', ...asked } = here(client.authorization)
  const own = { scope: undefined, resource: undefined, ...asked, redirect_uri: back }
  const asking = await askOwner(service, { clientId: id, changes: own })
  const changes = { resource: undefined, ...shown, ...here(client.token) }
  const { status, body } = await trade(service, await grantOf(service, asking), changes)
  expect([status, body.error_description]).toEqual([200, undefined])
  return { id, shown, linkId: asking.linkId, body }
}

/** A request of the protocol, with no more headers than are given. */
async function call(token: string, method: string, headers: Record<string, string>, params: object = {}) {
  const response = await fetch(`${service.apiUrl}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  })
  const [type] = (response.headers.get('content-type') ?? '').split(';')
  const text = await response.text()
  const json = type === 'text/event-stream' ? eventIn(text) : text
  return { status: response.status, type, message: JSON.parse(json) }
}

const eventIn = (stream: string) => /^data: (\{.*)$/m.exec(stream)?.[1] ?? ''

test.each(FIELD_CLIENTS)('$who is let in, calls, and stays', async (client) => {
  const { id, shown, linkId, body } = await letIn(client)
  expect(body).toMatchObject({ token_type: 'Bearer', scope: client.signs.join(' ') })
  const { terms } = await dbRow(service, 'select terms from approvals where subject_id = $1', [linkId])
  expect(JSON.parse(terms).client.scopes).toEqual(client.signs)

  const { protocol: protocolVersion, headers } = client
  const clientInfo = { name: client.who, version: '1' }
  const begun = await call(body.access_token, 'initialize', headers, { protocolVersion, clientInfo, capabilities: {} })
  expect(begun).toMatchObject({ status: 200, type: client.answered, message: { id: 7, result: { protocolVersion } } })
  const later = { ...headers, 'mcp-protocol-version': protocolVersion }
  const { message } = await call(body.access_token, 'tools/call', later, { name: 'get_agent', arguments: {} })
  expect(message.result.structuredContent.scopes).toEqual(client.signs)

  const again = { clientId: id, refreshToken: body.refresh_token }
  const refreshed = await refresh(service, again, { ...shown, ...here(client.refresh) })
  expect(refreshed).toMatchObject({ status: 200, body: { scope: client.signs.join(' ') } })
  const listed = await call(refreshed.body.access_token, 'tools/list', later)
  expect(listed).toMatchObject({ status: 200, type: client.answered })
})

describe('a registration', () => {
  const least = { client_name: 'Pantry', redirect_uris: [REDIRECT] }

  test.each([
    [
      'a grant that is not here',
      { grant_types: ['authorization_code', 'urn:x:device_code'] },
      { grant_types: ['authorization_code'] },
    ],
    ['only such', { grant_types: ['client_credentials'] }, { grant_types: ['authorization_code', 'refresh_token'] }],
    ['none', { grant_types: [], response_types: [] }, { grant_types: ['authorization_code', 'refresh_token'] }],
    ['a response that is not here', { response_types: ['code', 'none', 'id_token'] }, { response_types: ['code'] }],
    [
      'a key',
      { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://x.example/k' },
      { token_endpoint_auth_method: 'none' },
    ],
    ['a secret', { token_endpoint_auth_method: 'client_secret_basic' }, { client_secret: expect.any(String) }],
    ['scopes of others', { scope: 'openid profile email offline_access' }, { scope: ALL }],
    ['scopes of others and ours', { scope: 'payments:read read:data' }, { scope: 'payments:read' }],
    ['scopes in a list', { scope: ['payments:read'] }, { scope: ALL }],
    ['an empty scope', { scope: '' }, { scope: ALL }],
    ['empty members', { client_uri: '', logo_uri: null, contacts: [], client_name: '' }, { redirect_uris: [REDIRECT] }],
    ['an unknown kind of program', { application_type: 'mobile' }, { application_type: 'native' }],
    [
      'what OpenID knows',
      { subject_type: 'pairwise', require_auth_time: true, default_max_age: -1, request_uris: 7 },
      {},
    ],
    [
      'addresses in the clear',
      { client_uri: 'http://x.example', policy_uri: 'x', tos_uri: 'https://x.example/' },
      { tos_uri: 'https://x.example/' },
    ],
    [
      'addresses for others',
      { redirect_uris: ['pantry://back', 'http://x.example/', REDIRECT] },
      { redirect_uris: [REDIRECT] },
    ],
  ])('with %s is taken, and the answer says what was kept', async (_, changes, kept) => {
    const { status, body } = await register(service, { ...least, ...changes })
    expect([status, body.error_description]).toEqual([201, undefined])
    expect(body).toMatchObject(kept)
    // A client that is given a secret is to use it, and no other client is.
    expect(body.client_secret !== undefined).toBe(body.token_endpoint_auth_method !== 'none')
    const members = [
      'subject_type_',
      'jwks_uri',
      'require_auth_time_',
      'default_max_age',
      'request_uris',
      'contacts',
      'logo_uri',
    ]
    for (const name of members) expect(body).not.toHaveProperty(name)
    const { token } = await linkedClient(service, { clientId: await publicOr(body) })
    expect(token).toEqual(expect.any(String))
  })

  /** Clients with a secret are let in by another test. */
  const publicOr = async (body: { client_id: string; client_secret?: string }) =>
    body.client_secret === undefined ? body.client_id : clientId

  test.each([
    ['no address', { redirect_uris: [] }],
    ['none that is one', { redirect_uris: ['pantry'] }],
    ['a name that is no text', { client_name: 7 }],
  ])('with %s is refused, with the member', async (_, changes) => {
    const { status, body } = await register(service, { ...least, ...changes })
    expect(status).toBe(400)
    expect(body.error_description).toContain(Object.keys(changes)[0])
  })
})

test.each([
  ['scopes of others', { scope: 'openid profile' }],
  ['grants and answers of others', { grant_types: ['urn:x:device_code'], response_types: ['code', 'none'] }],
  ['only a key', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }],
  ['addresses in the clear, and empty members', { client_uri: 'http://x.example', logo_uri: '', contacts: ['x'] }],
  ['what OpenID knows', { subject_type: 'pairwise', default_max_age: -1, id_token_signed_response_alg: 'none' }],
])('a document with %s is taken', async (what, changes) => {
  const path = `/${encodeURIComponent(what)}.json`
  const id = documents.url(path)
  const said = { client_id: id, client_name: 'Pantry', redirect_uris: [REDIRECT], ...changes }
  documents.answer.set(path, (respond) => respond(200, JSON.stringify(said)))
  const { token, refreshToken } = await linkedClient(service, { clientId: id, scope: ALL })
  expect([typeof token, typeof refreshToken]).toEqual(['string', 'string'])
})

describe('an authorization', () => {
  test.each([
    ['that asks for consent', { prompt: 'consent' }, ALL],
    ['that asks for a sign-in', { prompt: 'login' }, ALL],
    ['that asks for a choice', { prompt: 'select_account consent' }, ALL],
    ['without a resource', { resource: undefined }, ALL],
    ['with an empty one', { resource: '' }, ALL],
    ['without a scope', { scope: undefined }, 'payments:read'],
    ['with scopes of others alone', { scope: 'openid offline_access' }, 'payments:read'],
    ['with some of others', { scope: 'openid checkout:write' }, 'checkout:write'],
    [
      'as OpenID has it',
      { scope: `openid ${ALL}`, nonce: 'n', max_age: '0', claims: '{}', acr_values: 'x', login_hint: 'x' },
      ALL,
    ],
  ])('%s asks the owner, and a token comes of it', async (_, changes, scope) => {
    const asking = await askOwner(service, { clientId, scope: ALL, changes })
    const { status, body } = await trade(service, await grantOf(service, asking), { resource: undefined })
    expect([status, body.scope, body.id_token]).toEqual([200, scope, undefined])
    const headers = { accept: '*/*', 'mcp-protocol-version': '2025-11-25' }
    expect((await call(body.access_token, 'tools/list', headers)).status).toBe(200)
  })

  test.each([
    ['that nobody be asked', { prompt: 'none' }, 'interaction_required'],
    ['an answer that is posted', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['that nobody and somebody be asked', { prompt: 'none consent' }, 'invalid_request'],
    ['more than its client has registered for', { scope: ALL }, 'invalid_scope'],
    ['for a request that is elsewhere', { request_uri: 'https://x.example/r' }, 'request_uri_not_supported'],
  ])('%s is refused', async (_, changes, error) => {
    const { body } = await register(service, { redirect_uris: [REDIRECT], scope: 'payments:read' })
    const url = authorizationUrl(service, { clientId: body.client_id, changes })
    const location = (await newBrowser().open(url)).headers.get('location') ?? ''
    expect(new URL(location).searchParams.get('error')).toBe(error)
  })

  test.each(['prompt=consent&prompt=consent', 'scope=payments:read&scope=checkout:write', 'state=1&state=2'])(
    'with %s says a thing twice, and is refused',
    async (twice) => {
      const url = `${authorizationUrl(service, { clientId, changes: { scope: undefined, state: undefined } })}&${twice}`
      const location = (await newBrowser().open(url)).headers.get('location') ?? ''
      expect(new URL(location).searchParams.get('error')).toBe('invalid_request')
    },
  )
})

test('a refresh that names scopes of others gets those it has, and never more', async () => {
  const linked = await linkedClient(service, { clientId, scope: 'payments:read mandates:write' })
  const narrower = await refresh(service, linked, { scope: 'payments:read offline_access' })
  expect(narrower).toMatchObject({ status: 200, body: { scope: 'payments:read' } })
  const next = { clientId, refreshToken: narrower.body.refresh_token }
  expect(await refresh(service, next, { scope: 'openid' })).toMatchObject({
    body: { scope: 'payments:read mandates:write' },
  })
  expect(await refresh(service, next, { scope: ALL })).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
})

describe('an answer comes as its caller takes it', () => {
  const STREAM = 'text/event-stream'
  const JSON_ALONE = 'application/json'

  test.each([
    ['application/json', JSON_ALONE, JSON_ALONE],
    ['text/event-stream', STREAM, STREAM],
    ['application/json, text/event-stream', STREAM, JSON_ALONE],
    ['TEXT/EVENT-STREAM;q=0.5, Application/JSON', STREAM, JSON_ALONE],
    ['*/*', JSON_ALONE, JSON_ALONE],
    ['', JSON_ALONE, JSON_ALONE],
    ['application/*', JSON_ALONE, JSON_ALONE],
    ['text/*', STREAM, STREAM],
    ['application/json;q=0, */*', STREAM, STREAM],
    ['*/*, text/event-stream;q=0.0', JSON_ALONE, JSON_ALONE],
  ])('to Accept: %s', async (accept, of2025, of2026) => {
    const { token } = await linkedClient(service, { clientId })
    const old = await call(token, 'tools/list', { accept, 'mcp-protocol-version': '2025-11-25' })
    expect(old).toMatchObject({ status: 200, type: of2025 })
    expect(old.message.result.tools.length).toBeGreaterThan(0)
    const version = '2026-07-28'
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = { accept, 'mcp-protocol-version': version, 'mcp-method': 'tools/list' }
    const recent = await call(token, 'tools/list', headers, { _meta })
    expect(recent).toMatchObject({ status: 200, type: of2026 })
    expect(recent.message.result.tools).toEqual(old.message.result.tools)
  })

  test('and not at all to who takes neither, or wants an endless one as JSON', async () => {
    const { token } = await linkedClient(service, { clientId })
    for (const [accept, method] of [
      ['text/html', 'tools/list'],
      ['application/json;q=0', 'tools/list'],
      ['application/json', 'subscriptions/listen'],
    ] as const) {
      const { status, message } = await call(token, method, { accept })
      expect([status, message.error.message]).toEqual([406, expect.stringContaining('Accept')])
    }
  })

  test('also of several in one, and what is refused has its status in any of them', async () => {
    const { token } = await linkedClient(service, { clientId })
    const several = await fetch(`${service.apiUrl}/mcp`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
        'mcp-protocol-version': '2025-03-26',
      },
      body: JSON.stringify([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }))),
    })
    expect((await several.json()).map(({ id }: { id: number }) => id).sort()).toEqual([1, 2])
    for (const accept of ['application/json', 'text/event-stream', '*/*']) {
      const headers = { accept, 'mcp-protocol-version': '2025-11-25' }
      const beyond = await call(token, 'tools/call', headers, { name: 'cancel_mandate', arguments: {} })
      expect(beyond.status).toBe(403)
      expect((await call('nobody', 'tools/list', headers)).status).toBe(401)
    }
  })
})
