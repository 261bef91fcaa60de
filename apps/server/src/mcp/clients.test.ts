// Guarantee: the official clients, of 2026 and of 2025, link by OAuth, ask, wait and buy, with nothing but what they find here (faults G2).
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, expect, test } from 'vitest'
import { completeFor, linkedAgent, TEA } from '../../test/agents.ts'
import { addTestShop, openTestShop } from '../../test/shop.ts'
import { ALL, approve, begin, goOn, newBrowser, REDIRECT, startToolParty } from '../../test/tool-clients.ts'

const party = await startToolParty({ isForCrowds: true, env: { CHECKOUT_ALLOW_LOOPBACK: 'on' } })
const { service, clientId } = party
const shop = await openTestShop(service)
afterAll(async () => {
  await party.close()
  await shop.close()
})
const { id: shopId } = await addTestShop(service, shop)

// biome-ignore lint/suspicious/noExplicitAny: what a client keeps is its own; the two have types of their own for it.
type Kept = any

/** What a client keeps of itself, and the browser of its owner. `documentUrl`: its document; without it, it registers. */
function newProvider(scope: string, documentUrl?: string) {
  const kept: Record<string, Kept> = {}
  const browser = newBrowser()
  const asked: URL[] = []
  return {
    browser,
    asked,
    kept,
    redirectUrl: REDIRECT,
    ...(documentUrl !== undefined && { clientMetadataUrl: documentUrl }),
    clientMetadata: {
      client_name: 'Pantry',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope,
    },
    state: () => 'state-of-the-client',
    clientInformation: () => kept.client,
    saveClientInformation(client: Kept) {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens(tokens: Kept) {
      kept.tokens = tokens
    },
    redirectToAuthorization: (url: URL) => void asked.push(url),
    saveCodeVerifier(verifier: string) {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier,
    saveDiscoveryState(state: Kept) {
      kept.discovery = state
    },
    discoveryState: () => kept.discovery,
  }
}

/** The owner's part: from where the client sends the browser to what it is told. */
async function answered({ browser, asked }: ReturnType<typeof newProvider>): Promise<URLSearchParams> {
  const url = asked.at(-1)
  if (url === undefined) throw new Error('The client has asked nobody.')
  const { agentId: agent_id } = await linkedAgent(service)
  return goOn(browser, await approve(service, await begin(browser, url.href), { agent_id }))
}

interface Caller {
  call(name: string, given: object): Promise<Kept>
}

/** Asks for a purchase and a mandate, waits, and buys what the shop has quoted. */
async function journey({ call }: Caller): Promise<void> {
  const value = async (name: string, given: object = {}) => (await call(name, given)).structuredContent
  const setup = await value('create_mandate', { ...TEA, mandate_setup: { recurring_frequency: 'monthly' } })
  const mandateSession = setup.session_id
  await completeFor(service, mandateSession)
  expect(await value('get_session', { session_id: mandateSession })).toMatchObject({ status: 'completed' })

  const { products } = await value('search_products', { query: 'mug' })
  const quote = await value('create_quote', {
    merchant: shopId,
    items: [{ variant_id: products[0].variants[0].variant_id, quantity: 1 }],
    shipping_address: {
      ...{ name: 'Ann Example', address: '1 Main Street', city: 'Springfield' },
      ...{ state: 'IL', postal_code: '62701', country: 'US' },
    },
  })
  const { quote_id, total_amount, currency } = quote
  const { session_id } = await value('checkout', { quote_id, total_amount, currency })
  expect(await value('get_session', { session_id })).toMatchObject({ status: 'pending' })
  await completeFor(service, session_id)
  await service.runJobs()
  expect(await value('get_session', { session_id })).toMatchObject({
    ...{ status: 'completed', merchant_res: { status: 'paid' } },
  })
}

test('the client of 2026 links by its document, asks at a page that it opens, waits and buys', async () => {
  const provider = newProvider(ALL, clientId)
  const connect = () => new StreamableHTTPClientTransport(new URL(`${service.apiUrl}/mcp`), { authProvider: provider })
  const opened: string[] = []
  const client = new Client(
    { name: 'pantry', version: '1.0.0' },
    { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: 'auto' } },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    opened.push((params as { url: string }).url)
    return { action: 'accept' }
  })
  const first = connect()
  await expect(client.connect(first)).rejects.toThrow('Unauthorized')
  await first.finishAuth(await answered(provider))
  await client.connect(connect())
  expect(client.getServerVersion()).toMatchObject({ name: 'mintmark' })
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('checkout')
  await journey({ call: (name, given) => client.callTool({ name, arguments: given as Record<string, unknown> }) })
  expect(opened).toHaveLength(2)
  for (const url of opened) expect(url).toContain(service.surfaceUrl)
  await client.close()
})

test('the client of 2025 registers, is given the address in the answer, waits and buys', async () => {
  const provider = newProvider(ALL)
  const connect = () => new OldTransport(new URL(`${service.apiUrl}/mcp`), { authProvider: provider })
  const client = new OldClient({ name: 'pantry', version: '1.0.0' })
  const first = connect()
  await expect(client.connect(first as never)).rejects.toThrow('Unauthorized')
  await first.finishAuth((await answered(provider)).get('code') ?? '')
  await client.connect(connect() as never)
  expect(client.getServerVersion()).toMatchObject({ name: 'mintmark' })
  // From here on it judges each answer by the schema of its tool.
  expect((await client.listTools()).tools.every(({ outputSchema }) => outputSchema !== undefined)).toBe(true)
  const refused: Kept = await client.callTool({ name: 'get_session', arguments: { session_id: 'sess_none' } })
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'NOT_FOUND' } } })
  const asked: Kept = await client.callTool({ name: 'request_purchase', arguments: TEA })
  expect(asked.structuredContent.approval_url).toContain(service.surfaceUrl)
  await journey({ call: (name, given) => client.callTool({ name, arguments: given as Record<string, unknown> }) })
  await client.close()
})
