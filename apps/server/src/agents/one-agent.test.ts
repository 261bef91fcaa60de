// Guarantee: an agent is one thing with one set of limits, whether it comes with its key, by clients of the tool protocol, or both: its owner says
// which of their agents asks, and signs that. What is asked for by a tool is charged and read with the key; more scopes are the same agent's;
// no other owner's agent is joined, and none by two keys.
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { openPayload } from '@mintmark/node'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import {
  approveLink,
  askFor,
  askForLink,
  completeFor,
  type LinkedAgent,
  linkedAgent,
  mandateOf,
  newAgent,
  resultOf,
  TEA,
} from '../../test/agents.ts'
import { atOnce, countBy, dbRow, expectError, expectInvalid } from '../../test/flows.ts'
import { NARROW } from '../../test/owner-examples.ts'
import { newOwner, sandboxOwner, type TestOwner } from '../../test/owners.ts'
import { TEST_SEALS } from '../../test/service.ts'
import {
  ALL,
  answerOf,
  approve,
  askOwner,
  callTool,
  goOn,
  grantOf,
  keyedClient,
  type LinkedClient,
  linkedClient,
  newBrowser,
  refresh,
  revoke,
  startToolParty,
  trade,
} from '../../test/tool-clients.ts'
import { sealedAgent } from './seal.ts'

const SETUP = { ...TEA, total_amount: '50.00', mandate_setup: { recurring_frequency: 'monthly' } }

const party = await startToolParty({ isForCrowds: true, logs: 'error' })
const { service, documents, lines } = party
afterAll(party.close)
beforeEach(() => {
  lines.length = 0
})

const tool = (client: Pick<LinkedClient, 'token'>, name: string, given?: object) =>
  answerOf(service, client, name, given)
const limitsOf = async (client: Pick<LinkedClient, 'token'>) => (await tool(client, 'get_agent')).limits
const countAgents = async (agentId: string) =>
  (
    await dbRow(
      service,
      'select count(*)::int as agents from agents where customer_id = (select customer_id from agents where id = $1)',
      [agentId],
    )
  ).agents
const chargeOf = (agent: LinkedAgent, mandateId: string, reference: string) =>
  agent.send('POST', `/v1/mandates/${mandateId}/charge`, { amount: '10.00', reference })

/** The same agent, with a key that its owner gives it afterwards. */
async function givenKey({ agentId }: LinkedClient, approval: object = {}): Promise<LinkedAgent> {
  const key = newAgent(service)
  const linkId = await askForLink(key, { name: 'Key of the pantry' })
  const approved = await approveLink(service, linkId, { agent_id: agentId, ...approval })
  expect(approved).toMatchObject({ status: 200, body: { agent_id: agentId } })
  const { privateKey } = key
  return { ...newAgent(service, agentId, { privateKey, publicKey: privateKey }), agentId }
}

describe('what a tool asks for', () => {
  test('is charged by the key, where a client was let in as an agent that has one', async () => {
    const client = await keyedClient(service, { clientId: documents.url(), scope: ALL })
    expect(client.agentId).toBe(client.key.agentId)
    const { session_id, mandate_id } = await tool(client, 'create_mandate', SETUP)
    await completeFor(service, session_id)
    const charged = await chargeOf(client.key, mandate_id, 'order-1')
    expect(charged).toMatchObject({ status: 200, body: { status: 'awaiting_result' } })
    expect(openPayload(charged.body.encrypted_payload, client.key.privateKey)).toMatchObject({ mandateId: mandate_id })
  })

  test('is read and reported by the key, of a purchase', async () => {
    const client = await keyedClient(service, { clientId: documents.url(), scope: ALL })
    const { session_id } = await tool(client, 'request_purchase', TEA)
    await completeFor(service, session_id)
    const { body } = await resultOf(client.key, session_id)
    expect(openPayload(body.encrypted_payload, client.key.privateKey)).toHaveProperty('token')
    expect(await tool(client, 'get_session', { session_id })).toEqual({ session_id, status: 'awaiting_result' })
    const report = { txn_ref_id: body.txn_ref_id, txn_status: 'DECLINED' }
    expect(await client.key.send('POST', `/v1/sessions/agent/${session_id}/report-status`, report)).toMatchObject({
      status: 200,
    })
  })

  test('is of the same agent, whichever way it came: what the key has asked for, its clients see and stop', async () => {
    const client = await keyedClient(service, { clientId: documents.url(), scope: ALL })
    const mandateId = await mandateOf(service, client.key)
    const { mandates } = await tool(client, 'list_mandates')
    expect(mandates).toMatchObject([{ id: mandateId, agentId: client.agentId, chargeableBy: 'your_key' }])
    const asked = (await askFor(client.key)).body.session_id
    expect(await tool(client, 'get_session', { session_id: asked })).toMatchObject({ status: 'pending' })
    expect(await tool(client, 'pause_mandate', { mandate_id: mandateId })).toMatchObject({ status: 'paused' })
    expect((await client.key.send('GET', `/v1/mandates/${mandateId}`)).body).toMatchObject({ status: 'paused' })
  })

  test('is charged by a key that the owner gives the agent afterwards, within the same limits', async () => {
    const client = await linkedClient(service, { clientId: documents.url(), scope: ALL }, { limits: NARROW })
    const before = await limitsOf(client)
    const key = await givenKey(client)
    expect(await limitsOf(client)).toEqual(before)
    expect((await key.send('GET', '/v1/agents/me')).body).toMatchObject({
      ...{ agent_id: client.agentId, name: 'Pantry', owner: (await tool(client, 'get_agent')).owner },
      limits: before,
    })
    const { session_id, mandate_id } = await tool(client, 'create_mandate', SETUP)
    await completeFor(service, session_id)
    expect(await chargeOf(key, mandate_id, 'order-2')).toMatchObject({ body: { status: 'awaiting_result' } })
    const day = (await limitsOf(client)).find(({ kind }: { kind: string }) => kind === 'day')
    expect(day).toMatchObject({ used: '10.00', left: '40.00' })
  })
})

describe('an owner', () => {
  test('signs which agent it is: the client, the agent, and the limits that it has', async () => {
    const key = await linkedAgent(service, { limits: NARROW }, { name: 'Kitchen' })
    const owner = await sandboxOwner(service, key.agentId)
    const { linkId } = await askOwner(service, { clientId: documents.url(), scope: ALL })
    const { may_be, last } = (await owner.get(`/api/links/${linkId}`)).body
    expect(may_be[0]).toMatchObject({ agent_id: key.agentId, name: 'Kitchen', has_key: true, limits: NARROW })
    expect(last).not.toBe(key.agentId)
    const { terms } = await joined(owner, linkId, key.agentId)
    expect(terms).toMatchObject({
      ...{ type: 'agent_join', link_id: linkId, name: 'Pantry', agent: { id: key.agentId, name: 'Kitchen' } },
      client: { redirect_host: '127.0.0.1', scopes: ALL.split(' ') },
      limits: NARROW,
      sentence: {
        text: expect.stringMatching(
          /^From now on Pantry acts as your agent Kitchen, within the limits that it has\. Kitchen may ask .+ at most \$20\.00 a charge/,
        ),
      },
    })
    const kept = await dbRow(service, 'select terms from approvals where subject_id = $1', [linkId])
    expect(JSON.parse(kept.terms)).toEqual(terms)
  })

  test('who is asked for more scopes widens the same agent: its limits stay, and there is no other', async () => {
    const client = await linkedClient(service, { clientId: documents.url('/step-up.json') }, { limits: NARROW })
    const [before, count] = [await limitsOf(client), await countAgents(client.agentId)]
    // As the page proposes it, and as the sandbox's owner does who is told nothing else.
    const wider = await linkedClient(
      service,
      { clientId: client.clientId, scope: 'payments:read checkout:write' },
      { agent_id: undefined },
    )
    expect(wider.agentId).toBe(client.agentId)
    expect(await countAgents(client.agentId)).toBe(count)
    expect(await limitsOf(wider)).toEqual(before)
    expect((await tool(wider, 'get_agent')).scopes).toEqual(['payments:read', 'checkout:write'])
    // What was given before is as good as it was, and no better.
    expect((await tool(client, 'get_agent')).scopes).toEqual(['payments:read'])
  })

  test('ends key and clients with the agent', async () => {
    const client = await keyedClient(service, { clientId: documents.url(), scope: ALL })
    const second = await linkedClient(
      service,
      { clientId: documents.url('/second.json') },
      { agent_id: client.agentId },
    )
    const owner = await sandboxOwner(service, client.agentId)
    expect((await owner.post(`/api/agents/${client.agentId}/revoke`)).status).toBe(200)
    expectError(await client.key.send('GET', '/v1/agents/me'), 401, 'AUTH_REQUIRED')
    for (const each of [client, second]) {
      expect((await callTool(service, each.token, 'get_agent')).status).toBe(401)
      expect((await refresh(service, each)).status).toBe(400)
    }
  })
})

test('a client that loses its tokens takes those of no other client of the agent with it', async () => {
  const client = await linkedClient(service, { clientId: documents.url() })
  const second = await linkedClient(service, { clientId: documents.url('/second.json') }, { agent_id: client.agentId })
  expect((await revoke(service, client.clientId, client.refreshToken)).status).toBe(200)
  expect((await callTool(service, client.token, 'get_agent')).status).toBe(401)
  expect((await callTool(service, second.token, 'get_agent')).status).toBe(200)
  expect((await refresh(service, second)).status).toBe(200)
})

test('what was approved in another browser than began it is taken back, and the agent goes on', async () => {
  const client = await keyedClient(service, { clientId: documents.url(), scope: ALL })
  const { browser: attacker, linkId } = await askOwner(service, { clientId: client.clientId, scope: ALL })
  const continueUrl = await approve(service, linkId, { agent_id: client.agentId })
  expect((await newBrowser().open(continueUrl)).status).toBe(400)
  // Also where the attacker has got hold of the address since.
  expect((await goOn(attacker, continueUrl)).get('error')).toBe('access_denied')
  expect((await client.key.send('GET', '/v1/agents/me')).status).toBe(200)
  expect((await callTool(service, client.token, 'get_agent')).status).toBe(200)
})

test('of many keys that an owner gives one agent at once it gets one', async () => {
  const client = await linkedClient(service, { clientId: documents.url() })
  const keys = await atOnce(8, async () => {
    const key = newAgent(service)
    return approveLink(service, await askForLink(key), { agent_id: client.agentId })
  })
  expect(countBy(keys, ({ status }) => String(status))).toEqual({ 200: 1, 400: 7 })
  const row = await dbRow(service, 'select count(*)::int as keys from agent_keys where agent_id = $1', [client.agentId])
  expect(row).toEqual({ keys: 1 })
})

/** The statement of an owner at their page, and what came of it. `meanwhile`: between the two. */
async function joined(owner: TestOwner, linkId: string, agentId: string, meanwhile = async () => {}) {
  const asked = await owner.post(`/api/links/${linkId}/approval-options`, { agent_id: agentId })
  if (asked.status !== 200) return { answer: asked, terms: undefined }
  await meanwhile()
  const response = owner.authenticator.authenticate(asked.body.options)
  return { answer: await owner.post(`/api/links/${linkId}/approve`, { response }), terms: asked.body.terms }
}
const linkOf = async () => (await askOwner(service, { clientId: documents.url() })).linkId

describe('refused', () => {
  test('an agent of another owner, as if there were none, and one that has ended', async () => {
    const [agent, ended] = [await linkedAgent(service), await linkedAgent(service)]
    await service.app.agentOperations.revoke(ended.agentId)
    const stranger = await newOwner(service)
    const linkId = await linkOf()
    expect((await stranger.get(`/api/links/${linkId}`)).body.may_be).toEqual([])
    expectError((await joined(stranger, linkId, agent.agentId)).answer, 404, 'NOT_FOUND')
    const owner = await sandboxOwner(service, agent.agentId)
    expectError((await joined(owner, linkId, ended.agentId)).answer, 404, 'NOT_FOUND')
    expectError((await joined(owner, linkId, 'aa_nobody')).answer, 404, 'NOT_FOUND')
  })

  test('a second key, which the agent changes by itself', async () => {
    const agent = await linkedAgent(service)
    const owner = await sandboxOwner(service, agent.agentId)
    const linkId = await askForLink(newAgent(service))
    const { may_be } = (await owner.get(`/api/links/${linkId}`)).body
    expect(may_be.map(({ agent_id }: { agent_id: string }) => agent_id)).not.toContain(agent.agentId)
    expectError((await joined(owner, linkId, agent.agentId)).answer, 400, 'INVALID_STATE')
  })

  test.each([
    [
      'with other limits',
      (owner: TestOwner, agent: LinkedAgent) =>
        owner.post(`/api/agents/${agent.agentId}/limits`, { version: 1, limits: { ...NARROW, charge: '5.00' } }),
    ],
    [
      'under another name',
      (_: TestOwner, agent: LinkedAgent) => agent.send('PATCH', '/v1/agents/me', { name: 'Other' }),
    ],
  ])('what was signed of an agent that is %s by now', async (_, change) => {
    const agent = await linkedAgent(service, { limits: NARROW })
    const owner = await sandboxOwner(service, agent.agentId)
    const linkId = await linkOf()
    const changed = async () => expect((await change(owner, agent)).status).toBe(200)
    const { answer } = await joined(owner, linkId, agent.agentId, async () => void (await changed()))
    expectError(answer, 400, 'INVALID_STATE')
    expect((await owner.get(`/api/links/${linkId}`)).body.status).toBe('pending')
  })

  test('limits for an agent that has some, and neither of the two', async () => {
    const agent = await linkedAgent(service)
    const owner = await sandboxOwner(service, agent.agentId)
    const linkId = await linkOf()
    const options = (body: object) => owner.post(`/api/links/${linkId}/approval-options`, body)
    expectInvalid(await options({ agent_id: agent.agentId, limits: NARROW }), 'limits')
    expectInvalid(await options({}), 'limits')
    expectInvalid(await approveLink(service, linkId, { agent_id: agent.agentId, limits: NARROW }), 'limits')
  })
})

test.each([
  ['alone', 'agent_id = $2'],
  [
    'with the seal of the other one',
    'agent_id = $2, grant_seal = (select grant_seal from agent_links where agent_id = $2)',
  ],
])('a client acts as no other agent by an edit of its link in the database, %s', async (_, columns) => {
  const victim = await linkedClient(service, { clientId: documents.url() }, { owner: 'victim' })
  const { browser, linkId } = await askOwner(service, { clientId: documents.url() })
  const continueUrl = await approve(service, linkId)
  await service.pool.query(`update agent_links set ${columns} where id = $1`, [linkId, victim.agentId])
  // Neither led on with a code nor told anything: it is an alarm.
  expect((await browser.open(continueUrl)).status).toBe(500)
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ alarm: 'row_tampered', table: 'agent_links', row_id: linkId }),
  )
})

test('an agent that was made for one client, as before agents could have more, goes on: its client is let in anew, and it gets a key', async () => {
  const clientId = documents.url('/before.json')
  const client = await linkedClient(service, { clientId }, { limits: NARROW })
  const { merchant_id: merchantId, customer_id: customerId } = await dbRow(
    service,
    'select merchant_id, customer_id from agents where id = $1',
    [client.agentId],
  )
  const ofClient = { clientId, scopes: ['payments:read'] as const }
  const agent = {
    merchantId,
    id: client.agentId,
    customerId,
    limits: NARROW as AgentLimits,
    limitsVersion: 1,
    ...ofClient,
  }
  const seal = TEST_SEALS.seal(sealedAgent(agent))
  const values = [client.agentId, clientId, JSON.stringify(ofClient.scopes), seal]
  await service.pool.query('update agents set client_id = $2, scopes = $3, seal = $4 where id = $1', values)
  await service.pool.query('update agent_links set grant_seal = null where agent_id = $1', [client.agentId])

  expect((await callTool(service, client.token, 'get_agent')).status).toBe(401)
  const owner = await sandboxOwner(service, client.agentId)
  expect((await owner.get('/api/home')).body.agents).toContainEqual(
    expect.objectContaining({ agent_id: client.agentId, has_key: false }),
  )
  const again = await linkedClient(service, { clientId, scope: ALL }, { agent_id: client.agentId })
  expect((await tool(again, 'get_agent')).scopes).toEqual(ALL.split(' '))
  const key = await givenKey(again)
  expect((await key.send('GET', '/v1/agents/me')).body).toMatchObject({ agent_id: client.agentId })
  const narrowed = { version: 1, limits: { ...NARROW, charge: '5.00' } }
  expect((await owner.post(`/api/agents/${client.agentId}/limits`, narrowed)).status).toBe(200)
  expect((await key.send('GET', '/v1/agents/me')).status).toBe(200)
})

test('a code is for the agent that was named, however many agents the client has', async () => {
  const [first, second] = [await linkedAgent(service), await linkedAgent(service)]
  const clientId = documents.url()
  const codes = await Promise.all(
    [first, second].map(async ({ agentId }) => {
      const asking = await askOwner(service, { clientId })
      const { body } = await trade(service, await grantOf(service, asking, { agent_id: agentId }))
      return (await tool({ token: body.access_token }, 'get_agent')).agent_id
    }),
  )
  expect(codes).toEqual([first.agentId, second.agentId])
})
