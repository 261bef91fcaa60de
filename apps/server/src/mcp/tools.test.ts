// Guarantee: by the tool protocol an agent asks, and its owner decides; it gets what its token allows, no other agent gets anything of it,
// nothing is charged, and no answer has a card (faults G2, G4).
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { afterAll, describe, expect, test } from 'vitest'
import { completeFor, TEA } from '../../test/agents.ts'
import { dbRow } from '../../test/flows.ts'
import { addTestShop, openTestShop } from '../../test/shop.ts'
import {
  ALL,
  callTool,
  keyedClient,
  type LinkedClient,
  linkedClient,
  rpc,
  startToolParty,
} from '../../test/tool-clients.ts'

const CARD = /\b(?:\d[ -]?){13,19}\b/

const party = await startToolParty({
  ...{ isForCrowds: true, logs: 'debug', env: { CHECKOUT_ALLOW_LOOPBACK: 'on' } },
})
const { service, documents, lines } = party
const shop = await openTestShop(service)
afterAll(async () => {
  await party.close()
  await shop.close()
})
const { id: shopId } = await addTestShop(service, shop)
const agent = await keyedClient(service, { clientId: documents.url(), scope: ALL })

const TEXT_ONLY = { capabilities: {} }
/** By the schema that the tool is listed with, in which an object has what is named there and nothing else. */
async function expectAsDeclared(name: string, structured: unknown, by: LinkedClient) {
  const { tools } = (await rpc(service, by.token, 'tools/list')).body.result
  const { outputSchema } = tools.find((tool: { name: string }) => tool.name === name)
  const closed = JSON.parse(JSON.stringify(outputSchema), (_key, value) =>
    value?.properties === undefined || value.additionalProperties !== undefined
      ? value
      : { ...value, additionalProperties: false },
  )
  const judge = new AjvJsonSchemaValidator().getValidator(closed)(structured)
  expect(judge.valid, `${name}: ${judge.errorMessage} ${JSON.stringify(structured)}`).toBe(true)
}

/** What a tool answers with, by a client that opens no pages. */
async function value(name: string, given: object = {}, by: LinkedClient = agent) {
  const { status, body } = await callTool(service, by.token, name, given, TEXT_ONLY)
  expect(status).toBe(200)
  await expectAsDeclared(name, body.result.structuredContent, by)
  expect(JSON.stringify(body)).not.toMatch(CARD)
  expect(JSON.parse(body.result.content[0].text)).toEqual(body.result.structuredContent)
  return body.result.structuredContent
}
const refusal = async (name: string, given: object = {}, by: LinkedClient = agent) => {
  const { body } = await callTool(service, by.token, name, given, TEXT_ONLY)
  expect(body.result.isError).toBe(true)
  await expectAsDeclared(name, body.result.structuredContent, by)
  return body.result.structuredContent.error
}

describe('the list', () => {
  test('is in one order, tells reading, changing and buying apart, and says how long it is good for', async () => {
    const { body } = await rpc(service, agent.token, 'tools/list')
    const { tools, ttlMs, cacheScope } = body.result
    expect({ ttlMs, cacheScope }).toEqual({ ttlMs: 300_000, cacheScope: 'private' })
    const kinds = Object.fromEntries(
      tools.map(({ name, annotations: { readOnlyHint, destructiveHint } }: never) => [
        name,
        readOnlyHint ? 'read' : destructiveHint ? 'destructive' : 'change',
      ]),
    )
    expect(Object.entries(kinds)).toEqual([
      ...['get_agent', 'get_session', 'list_cards', 'list_addresses', 'list_mandates', 'get_mandate'].map((name) => [
        name,
        'read',
      ]),
      ...['search_products', 'get_product', 'get_quote'].map((name) => [name, 'read']),
      ...[
        ['create_mandate', 'change'],
        ['pause_mandate', 'change'],
        ['resume_mandate', 'change'],
        ['cancel_mandate', 'destructive'],
        ['request_purchase', 'destructive'],
        ['create_quote', 'read'],
        ['checkout', 'destructive'],
      ],
    ])
    expect((await rpc(service, agent.token, 'tools/list')).body.result.tools).toEqual(tools)
    // Clients of before want an object, and know only the formats of all.
    for (const { name, outputSchema } of tools) {
      expect({ name, type: outputSchema.type }).toEqual({ name, type: 'object' })
      expect(JSON.stringify(outputSchema)).not.toMatch(/"format":"(?!date-time|email|uri)/)
    }
    expect(tools.find(({ name }: { name: string }) => /charge|pay_|credential|card_number/.test(name))).toBeUndefined()
  })
})

describe('what needs the owner', () => {
  test('is asked at a page that the client opens, and answered when it comes back, once', async () => {
    const { body } = await callTool(service, agent.token, 'request_purchase', TEA)
    expect(body.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        approval: {
          method: 'elicitation/create',
          params: {
            mode: 'url',
            url: expect.stringContaining(service.surfaceUrl),
            message: expect.stringMatching(/^Pantry gets/),
          },
        },
      },
      requestState: expect.any(String),
    })
    const { requestState } = body.result
    const again = { more: { requestState, inputResponses: { approval: { action: 'accept' } } } }
    const [sessionId = ''] = /sess_[0-9a-z]+/.exec(body.result.inputRequests.approval.params.url) ?? []
    await completeFor(service, sessionId)
    const back = await callTool(service, agent.token, 'request_purchase', TEA, again)
    expect(back.body.result.structuredContent).toEqual({ session_id: sessionId, status: 'awaiting_result' })
    const twice = await callTool(service, agent.token, 'request_purchase', TEA, again)
    expect(twice.body.error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' })
  })

  test('is not answered to another agent, also not of the same owner, nor later, nor changed', async () => {
    const other = await keyedClient(service, { clientId: documents.url(), scope: ALL })
    const state = async () => (await callTool(service, agent.token, 'request_purchase', TEA)).body.result.requestState
    const refused = { code: -32602, message: 'Invalid or expired requestState' }
    const come = async (by: LinkedClient, requestState: string) =>
      (await callTool(service, by.token, 'request_purchase', TEA, { more: { requestState } })).body.error
    expect(await come(other, await state())).toMatchObject(refused)
    const made: string = await state()
    expect(await come(agent, `${made.slice(0, -8)}AAAAAAA=`)).toMatchObject(refused)
    await service.clock.advance(15 * 60)
    expect(await come(agent, made)).toMatchObject(refused)
  })

  test('is not answered to another tool, which does not use it up', async () => {
    const { body } = await callTool(service, agent.token, 'request_purchase', TEA)
    const more = { requestState: body.result.requestState }
    const setup = { ...TEA, mandate_setup: { recurring_frequency: 'monthly' } }
    const other = await callTool(service, agent.token, 'create_mandate', setup, { more })
    expect(other.body.error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' })
    const own = await callTool(service, agent.token, 'request_purchase', TEA, { more })
    expect(own.body.result.structuredContent).toMatchObject({ status: 'pending' })
  })

  test('is an address in the answer, for a client that opens no pages', async () => {
    const asked = await value('request_purchase', TEA)
    expect(asked).toMatchObject({
      status: 'pending',
      session_id: expect.stringMatching(/^sess_/),
      approval_url: expect.stringContaining(service.surfaceUrl),
      approval: { sentence: expect.stringMatching(/^Pantry gets a one-time card for up to \$40\.00/) },
    })
    expect(await value('get_session', { session_id: asked.session_id })).toEqual({
      ...{ session_id: asked.session_id, status: 'pending' },
    })
  })
})

describe('a mandate', () => {
  test('is asked for, allowed, listed, paused, resumed and cancelled', async () => {
    const asked = await value('create_mandate', { ...TEA, mandate_setup: { recurring_frequency: 'monthly' } })
    const { session_id, mandate_id } = asked
    await completeFor(service, session_id)
    expect(await value('get_session', { session_id })).toMatchObject({ status: 'completed', mandate_id })
    const { mandates } = await value('list_mandates', { standing_only: 'true' })
    expect(mandates.filter(({ id }: { id: string }) => id === mandate_id)).toMatchObject([
      { agentId: agent.agentId, customerId: expect.stringMatching(/^own_/), chargeableBy: 'your_key' },
    ])
    expect(await value('get_mandate', { mandate_id })).toMatchObject({ id: mandate_id, chargeableBy: 'your_key' })
    for (const [verb, status] of [
      ['pause', 'paused'],
      ['resume', 'active'],
      ['cancel', 'cancelled'],
    ] as const) {
      const chargeableBy = status === 'cancelled' ? 'nobody' : 'your_key'
      expect(await value(`${verb}_mandate`, { mandate_id })).toMatchObject({ id: mandate_id, status, chargeableBy })
    }
    expect(await refusal('resume_mandate', { mandate_id })).toMatchObject({ code: 'MANDATE_INVALID_TRANSITION' })
  })
})

describe('a checkout', () => {
  async function quoted() {
    const { products } = await value('search_products', { query: 'mug' })
    const [{ variants }] = products
    return value('create_quote', {
      merchant: shopId,
      items: [{ variant_id: variants[0].variant_id, quantity: 1 }],
      shipping_address: {
        ...{ name: 'Ann Example', address: '1 Main Street', city: 'Springfield' },
        ...{ state: 'IL', postal_code: '62701', country: 'US' },
      },
    })
  }

  test('of a quote is bought at the shop when its owner has signed', async () => {
    const { quote_id, total_amount, currency } = await quoted()
    expect(await refusal('checkout', { quote_id, total_amount: '1.00', currency })).toMatchObject({
      code: 'QUOTE_AMOUNT_MISMATCH',
    })
    const { session_id } = await value('checkout', { quote_id, total_amount, currency })
    await completeFor(service, session_id)
    await service.runJobs()
    expect(await value('get_session', { session_id })).toEqual({
      ...{ session_id, status: 'completed' },
      merchant_res: { status: 'paid', orderId: expect.any(String) },
    })
    expect(await refusal('checkout', { quote_id, total_amount, currency })).toMatchObject({
      code: 'QUOTE_ALREADY_USED',
    })
  })

  test('of what another owner’s agent was quoted is none: it is not found, and stays theirs', async () => {
    const stranger = await linkedClient(service, { clientId: documents.url(), scope: ALL }, { owner: 'stranger' })
    const sibling = await linkedClient(service, { clientId: documents.url(), scope: ALL })
    const { quote_id, total_amount, currency } = await quoted()
    const nobodys = { quote_id: 'qte_06gq2w9k5v8c3x1t7n4m0r2hzd', total_amount, currency }
    const theirs = { quote_id, total_amount, currency }
    for (const tool of ['get_quote', 'checkout'] as const) {
      const named = (given: typeof theirs) => (tool === 'get_quote' ? { quote_id: given.quote_id } : given)
      const [found, none] = [
        await refusal(tool, named(theirs), stranger),
        await refusal(tool, named(nobodys), stranger),
      ]
      expect(found).toMatchObject({ code: 'QUOTE_NOT_FOUND' })
      expect(found).toEqual({ ...none, request_id: found.request_id })
    }
    expect(await value('get_quote', { quote_id }, sibling)).toMatchObject({ quote_id, total_amount })
    expect(await value('checkout', theirs)).toMatchObject({ status: 'pending' })
  })

  test('of one quote, asked for many times at once, is one session', async () => {
    const { quote_id, total_amount, currency } = await quoted()
    const all = await Promise.all(
      Array.from({ length: 8 }, () =>
        callTool(service, agent.token, 'checkout', { quote_id, total_amount, currency }, TEXT_ONLY),
      ),
    )
    expect(all.filter(({ body }) => body.result.isError !== true)).toHaveLength(1)
  })
})

describe('reading', () => {
  test('shows whose agent it is, its limits, the cards without their numbers, and no addresses yet', async () => {
    expect(await value('get_agent')).toMatchObject({
      agent_id: agent.agentId,
      name: 'Pantry',
      limits: expect.arrayContaining([expect.objectContaining({ kind: 'charge', limit: '100.00' })]),
      scopes: ALL.split(' '),
    })
    // An owner has a card once they have paid with it.
    await completeFor(service, (await value('request_purchase', TEA)).session_id)
    const { cards } = await value('list_cards')
    expect(cards[0]).toMatchObject({ card_last4: '4242', card_brand: 'visa' })
    expect(await value('list_addresses')).toEqual({ addresses: [], count: 0 })
  })

  test('another agent’s sessions and mandates answers as if there were none, also of the same owner', async () => {
    const other = await linkedClient(service, { clientId: documents.url(), scope: ALL })
    const { session_id } = await value('request_purchase', TEA)
    expect(await refusal('get_session', { session_id }, other)).toMatchObject({ code: 'NOT_FOUND' })
    const { session_id: setup, mandate_id } = await value('create_mandate', {
      ...{ ...TEA, mandate_setup: { recurring_frequency: 'monthly' } },
    })
    await completeFor(service, setup)
    expect(await refusal('cancel_mandate', { mandate_id }, other)).toMatchObject({ code: 'MANDATE_FORBIDDEN' })
    expect((await value('list_mandates', {}, other)).mandates).toEqual([])
  })
})

describe('refused', () => {
  test('what is wrong in the arguments, by the name of each field, as a result that a model reads', async () => {
    expect(
      await refusal('request_purchase', { ...TEA, merchant_url: 'http://tea.example', user_id: 'x' }),
    ).toMatchObject({
      code: 'VAL_2001',
      details: { merchant_url: expect.any(String), user_id: expect.any(String) },
    })
    expect(await refusal('create_mandate', { ...TEA })).toMatchObject({ details: { mandate_setup: 'is required' } })
    expect(await refusal('search_products', { limit: 0 })).toMatchObject({ details: { limit: expect.any(String) } })
  })

  test('without a token, with a wrong one, and with that of an agent that has ended', async () => {
    const ended = await linkedClient(service, { clientId: documents.url() })
    await service.app.agentOperations.revoke(ended.agentId)
    for (const token of [undefined, 'nobody', ended.token, service.merchant.secretKey]) {
      const { status, headers } = await rpc(service, token, 'tools/list')
      expect(status).toBe(401)
      const challenge = headers.get('www-authenticate')
      expect(challenge).toContain(`resource_metadata="${service.apiUrl}/.well-known/oauth-protected-resource/mcp"`)
      expect(challenge?.includes('error="invalid_token"')).toBe(token !== undefined)
    }
  })

  test('a tool beyond the token’s scopes, with what to ask for; a token with them is given what it asks', async () => {
    const reader = await keyedClient(service, { clientId: documents.url() })
    const { status, headers } = await callTool(service, reader.token, 'request_purchase', TEA)
    expect(status).toBe(403)
    const challenge = headers.get('www-authenticate') ?? ''
    expect(challenge).toContain('error="insufficient_scope"')
    expect(challenge).toContain('scope="payments:read checkout:write"')
    expect(challenge).toContain('resource_metadata=')
    const row = await dbRow(service, 'select count(*)::int as asked from sessions where agent_id = $1', [
      reader.agentId,
    ])
    expect(row).toEqual({ asked: 0 })
  })

  test.each([
    ['Host', { host: 'evil.example' }],
    ['Origin', { origin: 'https://evil.example' }],
    ['Origin', { origin: 'null' }],
  ])('another %s than ours: a page whose name was led here', async (_, headers) => {
    // `fetch` sends its own Host.
    const { request } = await import('node:http')
    const status = await new Promise((resolve, reject) => {
      const outgoing = request(`${service.apiUrl}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${agent.token}`, 'content-type': 'application/json', ...headers },
      })
      outgoing.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
    })
    expect(status).toBe(403)
  })

  test('a client that a shop’s words have talked into charging finds no tool for it, and no other route', async () => {
    const { body } = await callTool(service, agent.token, 'charge_mandate', { amount: '1.00' })
    expect(body.error ?? body.result).toBeDefined()
    expect(body.result?.isError ?? true).toBe(true)
    const asked = await value('create_mandate', { ...TEA, mandate_setup: { recurring_frequency: 'monthly' } })
    await completeFor(service, asked.session_id)
    for (const path of [`/v1/mandates/${asked.mandate_id}/charge`, '/v1/sessions/agent', '/v1/sessions']) {
      const answer = await service.merchant.send(
        'POST',
        path,
        { amount: '1.00' },
        { authorization: `Bearer ${agent.token}` },
      )
      expect(answer.status).toBe(401)
    }
  })
})

test('no card, no token and no state of a question is in the log of all that', async () => {
  const { body } = await callTool(service, agent.token, 'request_purchase', TEA)
  // Also where it is the only test that runs: a card is signed for, and each call has its line.
  await completeFor(service, (await value('request_purchase', TEA)).session_id)
  for (let calls = 0; calls < 20; calls += 1) await value('list_cards')
  const all = lines.join('\n')
  expect(lines.length).toBeGreaterThan(20)
  expect(all).not.toMatch(/4242 ?4242/)
  for (const secretOf of [agent.token, agent.refreshToken, body.result.requestState])
    expect(all).not.toContain(secretOf)
})
