// Guarantee: an owner lets software in for what they have signed, in the browser that began it, and no other caller gets a token of it
// (faults G2, G4).
import { afterAll, describe, expect, test } from 'vitest'
import { dbRow } from '../../test/flows.ts'
import {
  approve,
  askOwner,
  authorizationUrl,
  begin,
  callerOf,
  digestOf,
  goOn,
  linkedClient,
  newBrowser,
  REDIRECT,
  register,
  startToolParty,
  toldOf,
  trade,
} from '../../test/tool-clients.ts'
import { DEADLINE_MILLIS } from '../http/door.ts'
import { MAX_MILLIS } from './documents.ts'

const party = await startToolParty({ isForCrowds: true, logs: 'error' })
const { service, documents, clientId, lines } = party
afterAll(party.close)

describe('metadata', () => {
  test('says where all of it is, and what this server knows', async () => {
    const of = async (path: string) => (await fetch(`${service.apiUrl}/.well-known/${path}`)).json()
    const resource = await of('oauth-protected-resource/mcp')
    expect(resource).toEqual(await of('oauth-protected-resource'))
    expect(resource).toMatchObject({
      resource: `${service.apiUrl}/mcp`,
      authorization_servers: [service.apiUrl],
      scopes_supported: ['payments:read', 'mandates:write', 'checkout:write'],
    })
    expect(await of('oauth-authorization-server')).toMatchObject({
      issuer: service.apiUrl,
      authorization_endpoint: `${service.apiUrl}/oauth/authorize`,
      token_endpoint: `${service.apiUrl}/oauth/token`,
      registration_endpoint: `${service.apiUrl}/oauth/register`,
      code_challenge_methods_supported: ['S256'],
      response_modes_supported: ['query', 'fragment'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: ['payments:read', 'mandates:write', 'checkout:write'],
    })
  })
})

describe('an owner lets a client in', () => {
  test('which gets a token for its agent, after a statement that names client, hosts and scopes', async () => {
    const asking = await askOwner(service, { clientId, scope: 'payments:read mandates:write' })
    const { linkId } = asking
    const told = await toldOf(service, asking)
    expect(Object.fromEntries(told)).toEqual({ code: expect.any(String), state: 'state-1', iss: service.apiUrl })
    const { terms } = await dbRow(service, 'select terms from approvals where subject_id = $1', [linkId])
    expect(JSON.parse(terms)).toMatchObject({
      name: 'Pantry',
      client: {
        host: new URL(clientId).host,
        redirect_host: '127.0.0.1',
        scopes: ['payments:read', 'mandates:write'],
      },
      limits: { currency: 'USD' },
    })
    expect(JSON.parse(terms).key_thumbprint).toBeUndefined()

    const { status, body } = await trade(service, { ...asking, code: told.get('code') ?? '' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'payments:read mandates:write' })
    const { agent_id: agentId } = await dbRow(service, 'select agent_id from agent_links where id = $1', [linkId])
    expect(await callerOf(service, body.access_token)).toMatchObject({
      agent_id: agentId,
      owner: expect.stringMatching(/^own_/),
      scopes: ['payments:read', 'mandates:write'],
    })
    expect(await dbRow(service, 'select count(*)::int as keys from agent_keys where agent_id = $1', [agentId])).toEqual(
      { keys: 0 },
    )
  })

  test('of the same owner twice: two agents, none of which can be told to be of one person', async () => {
    const [one, other] = [await linkedClient(service, { clientId }), await linkedClient(service, { clientId })]
    const callers = [await callerOf(service, one.token), await callerOf(service, other.token)]
    expect(callers[0].agent_id).not.toBe(callers[1].agent_id)
    expect(callers[0].owner).not.toBe(callers[1].owner)
  })

  test('that is registered, as older clients do', async () => {
    const { status, body } = await register(service, { client_name: 'Old\u202e pantry', redirect_uris: [REDIRECT] })
    expect(status).toBe(201)
    const { token, agentId } = await linkedClient(service, { clientId: body.client_id })
    expect(await callerOf(service, token)).toMatchObject({ agent_id: agentId, name: 'Old pantry' })
    const row = await dbRow(service, 'select client_host from agent_links where agent_id = $1', [agentId])
    expect(row).toEqual({ client_host: null })
  })

  test.each(['\u200d\u00ad', '\u2800', '\u3164', '\u0301'])(
    'that calls itself %j is called by where it answers',
    async (client_name) => {
      const { body } = await register(service, { client_name, redirect_uris: [REDIRECT] })
      const { token } = await linkedClient(service, { clientId: body.client_id })
      expect(await callerOf(service, token)).toMatchObject({ name: new URL(REDIRECT).hostname })
    },
  )

  test.each([
    ['a sector', { sector_identifier_uri: 'https://sector.example/uris.json' }, 'invalid_client_metadata'],
    ['a scheme of its own', { redirect_uris: ['view-source:https://x.example/'] }, 'invalid_redirect_uri'],
    ['a server without TLS', { redirect_uris: ['http://x.example/'] }, 'invalid_redirect_uri'],
    [
      'more addresses than any program has',
      { redirect_uris: Array.from({ length: 21 }, (_, at) => `https://x.example/${at}`) },
      'invalid_redirect_uri',
    ],
  ])('but not one that registers with %s', async (_, changes, error) => {
    const { status, body } = await register(service, { redirect_uris: [REDIRECT], ...changes })
    expect([status, body.error]).toEqual([400, error])
  })

  test('or says nothing in time: access is denied', async () => {
    const { browser, linkId } = await askOwner(service, { clientId })
    await service.pool.query("update agent_links set status = 'denied', decided_at = now() where id = $1", [linkId])
    const told = await goOn(browser, `${service.apiUrl}/oauth/links/${linkId}`)
    expect(Object.fromEntries(told)).toMatchObject({ error: 'access_denied', state: 'state-1', iss: service.apiUrl })
  })
})

describe('consent', () => {
  test('that an owner was talked into, of what somebody else began, gives neither of them anything', async () => {
    const owners = newBrowser()
    const { browser: attacker, linkId } = await askOwner(service, { clientId })
    const continueUrl = await approve(service, linkId)
    // The attacker has the cookie and not the ticket; to guess at it is to be told no.
    const told = await goOn(attacker, `${service.apiUrl}/oauth/links/${linkId}?ticket=${'A'.repeat(43)}`)
    expect(told.get('error')).toBe('access_denied')
    expect(told.get('code')).toBeNull()
    // The owner has the ticket and not the cookie: the agent ends.
    const refused = await owners.open(continueUrl)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('another browser')
    const row = await dbRow(
      service,
      'select agents.status from agents join agent_links on agent_links.agent_id = agents.id where agent_links.id = $1',
      [linkId],
    )
    expect(row).toEqual({ status: 'revoked' })
    expect((await attacker.open(continueUrl)).status).toBe(400)
  })

  test('in the browser that began it is not ended by opening its address again elsewhere', async () => {
    const asking = await askOwner(service, { clientId })
    const { browser, linkId } = asking
    const continueUrl = await approve(service, linkId)
    const told = await goOn(browser, continueUrl)
    expect((await browser.open(continueUrl)).status).toBe(400)
    expect((await newBrowser().open(continueUrl)).status).toBe(400)
    expect((await trade(service, { ...asking, code: told.get('code') ?? '' })).status).toBe(200)
  })

  test('is asked for each time, also in a browser where it was given', async () => {
    const asking = await askOwner(service, { clientId })
    const { browser } = asking
    await toldOf(service, asking)
    await expect(begin(browser, authorizationUrl(service, { clientId }))).resolves.toMatch(/^lk_/)
    const silent = await browser.open(authorizationUrl(service, { clientId, changes: { prompt: 'none' } }))
    expect(new URL(silent.headers.get('location') ?? '').searchParams.get('error')).toBe('interaction_required')
  })

  test('for a link that somebody has edited is none', async () => {
    const { linkId } = await askOwner(service, { clientId })
    await service.pool.query("update agent_links set client_host = 'bank.example' where id = $1", [linkId])
    const answer = await service.merchant.post(`/v1/test_helpers/agent_links/${linkId}/approve`, {})
    expect(answer.status).toBe(500)
  })
})

test('a token that somebody has given to the agent of another owner in the database opens nothing', async () => {
  const [own, other] = [
    await linkedClient(service, { clientId }, { owner: 'ann' }),
    await linkedClient(service, { clientId }, { owner: 'ben' }),
  ]
  expect(await callerOf(service, own.token)).toMatchObject({ agent_id: own.agentId })
  const digest = digestOf('AccessToken', own.token)
  const give = (agentId: string) =>
    service.pool.query('update oauth_entries set agent_id = $1 where digest = $2', [agentId, digest])
  lines.length = 0
  await give(other.agentId)
  expect(await callerOf(service, own.token)).toBeUndefined()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ alarm: 'row_tampered', table: 'oauth_entries' }])
  await give(own.agentId)
  expect(await callerOf(service, own.token)).toMatchObject({ agent_id: own.agentId })
})

describe('refused', () => {
  const errorOf = async (changes: Record<string, string | undefined>) => {
    const response = await newBrowser().open(authorizationUrl(service, { clientId, changes }))
    const location = response.headers.get('location')
    if (location === null) return response.status
    const { hash, searchParams } = new URL(location)
    return searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error')
  }

  test.each([
    ['for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with a token in the address', { response_type: 'token' }, 'unsupported_response_type'],
    ['to another address than the client’s', { redirect_uri: 'https://evil.example/callback' }, 400],
    ['of an unknown client', { client_id: 'nobody' }, 400],
  ])('an authorization %s', async (_, changes, error) => {
    expect(await errorOf(changes)).toBe(error)
  })

  test.each([
    ['that is on a private address', 'https://10.0.0.1/client.json'],
    ['that is on the metadata service of a cloud', 'https://169.254.169.254/client.json'],
    ['that is in the clear', 'http://localhost/client.json'],
    ['that names another address', '/other.json'],
    ['that is huge', '/huge.json'],
    ['that leads elsewhere', '/moved.json'],
    ['that brings a secret', '/secret.json'],
    ['that would have its secret in the form', '/method.json'],
    ['that names a sector', '/sector.json'],
  ])('a document %s', async (_, address) => {
    const own = (changes: object) => JSON.stringify({ client_id: 'x', redirect_uris: [REDIRECT], ...changes })
    const url = (path: string) => documents.url(path)
    documents.answer.set('/other.json', (respond) => respond(200, own({ client_id: url('/client.json') })))
    documents.answer.set('/huge.json', (respond) =>
      respond(200, own({ client_id: url('/huge.json'), client_name: 'x'.repeat(200_000) })),
    )
    documents.answer.set('/moved.json', (respond) => respond(302, ''))
    documents.answer.set('/method.json', (respond) =>
      respond(200, own({ client_id: url('/method.json'), token_endpoint_auth_method: 'client_secret_post' })),
    )
    documents.answer.set('/sector.json', (respond) =>
      respond(200, own({ client_id: url('/sector.json'), sector_identifier_uri: url('/elsewhere.json') })),
    )
    documents.answer.set('/secret.json', (respond) =>
      respond(200, own({ client_id: url('/secret.json'), client_secret: 'secret-of-nobody' })),
    )
    const id = address.startsWith('/') ? url(address) : address
    expect(await errorOf({ client_id: id })).toBe(400)
    expect(documents.asked).not.toContain('/elsewhere.json')
  })

  test('a document that never comes', async () => {
    documents.answer.set('/slow.json', () => {})
    // Where it is waited for a moment: other documents have as long as it takes.
    const hasty = await party.startNode({ outside: { document: 1_000 } })
    try {
      const changes = { client_id: documents.url('/slow.json') }
      // Were it waited for as long as the whole request may take, it would be 503.
      expect((await newBrowser().open(authorizationUrl(hasty, { clientId, changes }))).status).toBe(400)
    } finally {
      await hasty.close()
    }
  })

  test('a document is waited for less long than the request that names it', () => {
    expect(MAX_MILLIS).toBeLessThan(DEADLINE_MILLIS / 2)
  })
})
