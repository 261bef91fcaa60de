// Guarantee: an owner sees and answers what their own agents do and ask, ends one for every node at once, and no other owner can.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askFor, askForLink, type LinkedAgent, linkedAgent, mandateOf, newAgent } from '../../test/agents.ts'
import { createSession, dbRow, expectError, expectInvalid } from '../../test/flows.ts'
import { askingCharge, NARROW } from '../../test/owner-examples.ts'
import { linkedTo, newOwner, sandboxOwner, type TestOwner } from '../../test/owners.ts'
import { call, PRODUCTION, startTestService, type TestService } from '../../test/service.ts'

let service: TestService
let node: TestService
beforeAll(async () => {
  service = await startTestService()
  node = await startTestService({ database: service.database })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})

const at = (where: TestService, { agentId, privateKey }: LinkedAgent) =>
  newAgent(where, agentId, { privateKey, publicKey: privateKey })

test('an owner ends an agent: every node refuses its next request, what it asked for ends', async () => {
  const [ann, bob] = [await newOwner(service), await newOwner(service)]
  const agent = await linkedTo(service, ann, NARROW)
  const asked = await askFor(agent)
  expect(asked.status).toBe(201)
  const { agents, waiting } = (await ann.get('/api/home')).body
  expect(agents).toMatchObject([{ agent_id: agent.agentId, status: 'active', limits: expect.any(Array) }])
  expect(waiting).toEqual([])
  expectError(await bob.post(`/api/agents/${agent.agentId}/revoke`), 404, 'NOT_FOUND')
  expect((await at(node, agent).send('GET', '/v1/agents/me')).status).toBe(200)
  expect(await ann.post(`/api/agents/${agent.agentId}/revoke`)).toMatchObject({ status: 200, body: { done: true } })
  for (const where of [node, service]) expect((await at(where, agent).send('GET', '/v1/agents/me')).status).toBe(401)
  await node.runJobs()
  const { rows } = await service.pool.query('select closed_at from sessions where id = $1', [asked.body.session_id])
  expect(rows[0].closed_at).not.toBeNull()
  expectError(await ann.post(`/api/agents/${agent.agentId}/revoke`), 404, 'NOT_FOUND')
  expect((await ann.get('/api/home')).body.agents).toMatchObject([{ status: 'revoked' }])
})

test('the link of an agent that has ended says so and when, and no more what the agent may do', async () => {
  const owner = await newOwner(service)
  const asking = newAgent(service)
  const linkId = await askForLink(asking)
  const { options } = (await owner.post(`/api/links/${linkId}/approval-options`, { limits: NARROW })).body
  await owner.post(`/api/links/${linkId}/approve`, { response: owner.authenticator.authenticate(options) })
  const link = async () => (await owner.get(`/api/links/${linkId}`)).body
  const { agent_id: id, ...before } = await link()
  expect(before).toMatchObject({ status: 'approved', limits: NARROW, ended_at: null })
  await owner.post(`/api/agents/${id}/revoke`)
  const { revoked_at } = await dbRow(service, 'select revoked_at from agents where id = $1', [id])
  const ended_at = revoked_at.toISOString()
  expect(await link()).toMatchObject({ status: 'approved', agent_id: id, limits: null, ended_at })
  expect((await owner.get('/api/home')).body.agents).toMatchObject([{ status: 'revoked', ended_at }])
})

test('an owner alone publishes an agent of theirs, and reads before what everybody will read', async () => {
  const [ann, bob] = [await newOwner(service), await newOwner(service)]
  const agent = await linkedTo(service, ann, NARROW)
  const at = `/api/agents/${agent.agentId}`
  const isPublic = async () => (await call(`${node.apiUrl}/v1/agents/${agent.agentId}/card`)).status === 200
  const publish = (owner: TestOwner, client_name = 'Pantry') => owner.post(`${at}/publish`, { client_name })
  expectError(await publish(bob), 404, 'NOT_FOUND')
  expectError(await bob.post(`${at}/unpublish`), 404, 'NOT_FOUND')
  expectError(await bob.get(`${at}/card`), 404, 'NOT_FOUND')
  expect((await ann.get('/api/home')).body.agents).toMatchObject([{ has_key: true, published: false }])
  const { published, card } = (await ann.get(`${at}/card`)).body
  expect({ published, isPublic: await isPublic() }).toEqual({ published: false, isPublic: false })
  expect((await publish(ann)).status).toBe(200)
  expect((await call(`${node.apiUrl}/v1/agents/${agent.agentId}/card`)).body).toEqual(card)
  expect((await ann.get(`${at}/card`)).body).toEqual({ published: true, card })
  expect((await ann.get('/api/home')).body.agents).toMatchObject([{ published: true }])
  expect((await ann.post(`${at}/unpublish`)).status).toBe(200)
  expect(await isPublic()).toBe(false)
  // Its owner cannot publish one that has ended.
  await ann.post(`${at}/revoke`)
  expectError(await ann.get(`${at}/card`), 404, 'NOT_FOUND')
  expectError(await publish(ann), 404, 'NOT_FOUND')
})

const rename = (agent: LinkedAgent, name: string) => agent.send('PATCH', '/v1/agents/me', { name })

test('an owner publishes an agent by the name that they have read, and by another one when they have read that', async () => {
  const ann = await newOwner(service)
  const agent = await linkedTo(service, ann, NARROW)
  const at = `/api/agents/${agent.agentId}`
  const publish = (client_name: string) => ann.post(`${at}/publish`, { client_name })
  const read = async () => (await call(`${node.apiUrl}/v1/agents/${agent.agentId}/card`)).body.client_name
  const shown = async () => (await ann.get(`${at}/card`)).body
  expect((await shown()).card.client_name).toBe('Pantry')
  // Between the look and the press.
  await rename(agent, 'Visa Trusted Agent (verified)')
  expectError(await publish('Pantry'), 400, 'INVALID_STATE')
  expect(await read()).toBeUndefined()
  await rename(agent, 'Pantry')
  expect((await publish('Pantry')).status).toBe(200)
  // After it.
  await rename(agent, 'Visa Trusted Agent (verified)')
  expect([await read(), await shown()]).toMatchObject(['Pantry', { published: true, card: { client_name: 'Pantry' } }])
  expectError(await publish('Pantry'), 400, 'INVALID_STATE')
  expect((await publish('Visa Trusted Agent (verified)')).status).toBe(200)
  expect(await read()).toBe('Visa Trusted Agent (verified)')
  for (const client_name of [undefined, '', '\u200d']) {
    expectInvalid(await ann.post(`${at}/publish`, { client_name }), 'client_name')
  }
})

test('an agent that calls itself otherwise is shown with what it was called when it was linked, wherever it asks', async () => {
  const agent = await linkedAgent(service, { limits: NARROW })
  const mandate = await mandateOf(service, agent)
  const owner = await sandboxOwner(service, agent.agentId)
  const ask = async (reference: string) => {
    const { escalation } = (await agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount: '45.00', reference }))
      .body
    return escalation.url.split('/').at(-1)
  }
  const asked = await ask('first')
  const seen = async () => {
    const { agents, waiting } = (await owner.get('/api/home')).body
    const question = (await owner.get(`/api/escalations/${asked}`)).body
    const own = agents.find(({ agent_id }: { agent_id: string }) => agent_id === agent.agentId)
    const row = waiting.find(({ escalation_id }: { escalation_id: string }) => escalation_id === asked)
    return [own, question.agent].map(({ name, linked_as }) => [name, linked_as]).concat([[row.agent, row.linked_as]])
  }
  expect(await seen()).toEqual(Array.from({ length: 3 }, () => ['Pantry', null]))
  await rename(agent, 'Mintmark Security Check')
  expect(await seen()).toEqual(Array.from({ length: 3 }, () => ['Mintmark Security Check', 'Pantry']))
  await rename(agent, 'Pantry')
  expect(await seen()).toEqual(Array.from({ length: 3 }, () => ['Pantry', null]))
})

test('who edits the database gives no agent another past', async () => {
  const agent = await linkedAgent(service)
  const owner = await sandboxOwner(service, agent.agentId)
  await rename(agent, 'Other')
  await service.pool.query(`update agent_links set name = 'Trusted' where agent_id = $1`, [agent.agentId])
  const { agents } = (await owner.get('/api/home')).body
  const own = agents.find(({ agent_id }: { agent_id: string }) => agent_id === agent.agentId)
  expect(own).toMatchObject({ name: 'Other', linked_as: null })
})

test('what an agent asks is shown to its owner alone', async () => {
  const id = await askingCharge(service)
  const other = await newOwner(service)
  for (const path of ['approval-options', 'deny', 'mandate']) {
    expectError(await other.post(`/api/escalations/${id}/${path}`), 404, 'NOT_FOUND')
  }
  expectError(await other.post(`/api/escalations/${id}/allow`, { response: {} }), 404, 'NOT_FOUND')
  expectError(await other.get(`/api/escalations/${id}`), 404, 'NOT_FOUND')
  expect((await other.get('/api/home')).body).toMatchObject({ agents: [], waiting: [] })
})

test('a deployment from before there were agents starts as it is: without OWNER_URL there is no page of owners, and no agent', async () => {
  const { OWNER_URL: _, ...before } = PRODUCTION
  const production = await startTestService({ database: service.database, env: before })
  try {
    expect(production.app.ownerRoutes).toEqual([])
    await expect(fetch(production.ownerUrl)).rejects.toThrow()
    const { apiUrl, merchant: live } = production
    expect((await createSession(live)).session_id).toMatch(/^sess_/)
    for (const path of ['/v1/agents/links', '/mcp', '/oauth/register']) {
      expectError(await live.post(path, {}), 404, 'NOT_FOUND')
    }
    expect((await fetch(`${apiUrl}/.well-known/http-message-signatures-directory`)).status).toBe(404)
  } finally {
    await production.close()
  }
})

test('a question says that it may repeat a charge as the service tells agents: same shop, amount and lines, within five minutes', async () => {
  await awayFromMidnight()
  const limits = { ...NARROW, charge: null, day: '25.00', open: null }
  const agent = await linkedAgent(service, { owner: 'repeated', limits })
  const owner = await sandboxOwner(service, agent.agentId)
  const [mandate, another] = [await mandateOf(service, agent), await mandateOf(service, agent)]
  const charge = async (id: string, reference: string | undefined, description = 'Green tea') => {
    const purchase_context = [{ product_details: [{ description, unit_price: '10.00', quantity: 1 }] }]
    const body = { amount: '10.00', reference, purchase_context }
    return (await agent.send('POST', `/v1/mandates/${id}/charge`, body)).body
  }
  const question = async (id: string, reference: string, description?: string) => {
    const { escalation } = await charge(id, reference, description)
    return (await owner.get(`/api/escalations/${escalation.id}`)).body
  }
  const first = await charge(mandate, 'r-1')
  expect(await charge(mandate, undefined)).toMatchObject({ possible_duplicate_of: first.transactionId })
  const marks = ({ possible_duplicate, before }: Record<string, unknown>) => ({
    possible_duplicate,
    before: (before as object[]).filter((made) => 'status' in made && made.status !== 'failed'),
  })
  const [second, made] = [
    expect.objectContaining({ possible_duplicate: true, repeated: true }),
    expect.objectContaining({ possible_duplicate: false, repeated: false }),
  ]
  expect(marks(await question(mandate, 'r-2'))).toEqual({ possible_duplicate: true, before: [second, made] })
  // Another thing for the same price is none.
  const other = expect.objectContaining({ possible_duplicate: true, repeated: false })
  const unlike = await question(mandate, 'r-3', 'Black tea')
  expect(marks(unlike)).toEqual({ possible_duplicate: false, before: [other, made] })
  expect(marks(await question(another, 'r-4'))).toEqual({ possible_duplicate: true, before: [] })
  await service.clock.advance(6 * 60)
  expect(marks(await question(mandate, 'r-5'))).toEqual({ possible_duplicate: false, before: [other, made] })
})

/** The test moves the clock by minutes, and counts one day. */
async function awayFromMidnight(): Promise<void> {
  if (service.clock.now().getUTCHours() < 20) return
  await service.clock.advance(5 * 60 * 60)
}
