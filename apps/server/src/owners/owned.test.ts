// Guarantee: an owner sees and answers what their own agents do and ask, ends one for every node at once, and nobody else can.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askFor, askForLink, type LinkedAgent, newAgent } from '../../test/agents.ts'
import { createSession, expectError } from '../../test/flows.ts'
import { askingCharge, NARROW } from '../../test/owner-examples.ts'
import { newOwner, type TestOwner } from '../../test/owners.ts'
import { PRODUCTION, startTestService, type TestService } from '../../test/service.ts'

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

/** An agent that this owner has linked at their page. */
async function linkedTo(owner: TestOwner, limits: object = NARROW): Promise<LinkedAgent> {
  const agent = newAgent(service)
  const linkId = await askForLink(agent)
  const { options } = (await owner.post(`/api/links/${linkId}/approval-options`, { limits })).body
  const response = owner.authenticator.authenticate(options)
  expect(await owner.post(`/api/links/${linkId}/approve`, { response })).toMatchObject({ status: 200 })
  const { agent_id: agentId } = (await agent.send('GET', `/v1/agents/links/${linkId}`)).body
  const pair = { privateKey: agent.privateKey, publicKey: agent.privateKey }
  return { ...newAgent(service, agentId, pair), agentId }
}
const at = (where: TestService, { agentId, privateKey }: LinkedAgent) =>
  newAgent(where, agentId, { privateKey, publicKey: privateKey })

test('an owner ends an agent: every node refuses its next request, what it asked for ends', async () => {
  const [ann, bob] = [await newOwner(service), await newOwner(service)]
  const agent = await linkedTo(ann)
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
