// Guarantee: a restore lets no caller act for an owner who could not before it: agents are held until the operator has looked at them, what they
// signed before is not taken again, owners sign in anew, and tokens of clients are over (faults K2).
import { signRequest } from '@mintmark/node'
import { afterAll, expect, test } from 'vitest'
import { atNode, type LinkedAgent, linkedAgent, mandateOf, newAgent } from '../../test/agents.ts'
import { expectError } from '../../test/flows.ts'
import { newOwner } from '../../test/owners.ts'
import { type Answer, call, startTestService } from '../../test/service.ts'
import { callTool, linkedClient, refresh, startToolParty } from '../../test/tool-clients.ts'
import { backUp } from './testing/backup.ts'

const party = await startToolParty({ logs: 'warn' })
const { service, documents, lines } = party
const node = await startTestService({ database: service.database })
afterAll(async () => {
  await node.close()
  await party.close()
})

const restored = () => service.app.restored
/** What an operator's verb has written reaches every process. */
const heardOf = () => Promise.all([service, node].map(({ clock }) => clock.refresh()))
const me = (agent: LinkedAgent) => agent.send('GET', '/v1/agents/me')

/** A request that is signed now, to be sent as often as wanted. */
function signedNow({ privateKey, agentId }: LinkedAgent): () => Promise<Answer> {
  const url = `${service.apiUrl}/v1/agents/me`
  const headers = signRequest({ method: 'GET', url }, { privateKey, keyId: agentId })
  return () => call(url, { headers })
}

test('agents, owners and tokens after a restore', async () => {
  const [kept, revoked] = [await linkedAgent(service), await linkedAgent(service)]
  const [mandateId, ofRevoked] = [await mandateOf(service, kept), await mandateOf(service, revoked)]
  const charge = (agent: LinkedAgent, of: string, reference: string) =>
    agent.send('POST', `/v1/mandates/${of}/charge`, { amount: '7.00', reference })
  expect((await charge(revoked, ofRevoked, 'before')).status).toBe(200)
  const client = await linkedClient(service, { clientId: documents.url() })
  const owner = await newOwner(service)
  const restore = await backUp(service.pool)

  // Meanwhile all of it ends, or is used.
  expect((await me(revoked)).status).toBe(200)
  await service.app.agentOperations.revoke(revoked.agentId)
  const used = signedNow(kept)
  expect((await used()).status).toBe(200)
  expect((await refresh(service, client)).status).toBe(200)
  expect((await owner.post('/api/sign-out')).status).toBe(200)

  await restore()
  await restored().beginEpoch()
  await heardOf()
  expectError(await me(kept), 503, 'SERVICE_UNAVAILABLE')
  await Promise.all([service, node].map((one) => one.runJobs()))
  await restored().open({ force: false })
  await heardOf()

  // The door is open, and agents are held at every node, also for shops that ask who they are.
  expect((await service.merchant.get('/v1/mandates')).status).toBe(200)
  for (const where of [service, node]) {
    const refused = await me(atNode(where, kept))
    expectError(refused, 503, 'SERVICE_UNAVAILABLE')
    expect(refused.body.error.message).toMatch(/agents are held until its operator has looked/)
    for (const path of ['/.well-known/http-message-signatures-directory', `/v1/agents/${kept.agentId}/card`]) {
      expect((await call(where.apiUrl + path)).status).toBe(503)
    }
  }
  expectError(await charge(revoked, ofRevoked, 'held'), 503, 'SERVICE_UNAVAILABLE')
  expect((await owner.get('/api/session')).status).toBe(401)
  expect((await refresh(service, client)).status).toBe(400)
  expect((await callTool(service, client.token, 'get_agent')).status).toBe(401)

  // The operator looks: the one that was charged by last comes first.
  const { agents, agents_held_since } = await restored().show()
  expect(agents_held_since).toEqual(expect.any(Date))
  expect(agents[0]).toMatchObject({
    ...{ agent_id: revoked.agentId, name: 'Pantry', limits: { currency: 'USD' } },
    ...{
      last_charged_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      key_changed_at: expect.any(Date),
      limits_changed_at: null,
    },
  })
  expect(agents.map(({ agent_id }) => agent_id)).toEqual(expect.arrayContaining([kept.agentId, client.agentId]))
  await service.app.agentOperations.revoke(revoked.agentId)
  const said = lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit === 'agent_revoke')
  expect(said).toMatchObject(Array(2).fill({ actor: 'operator', row_id: revoked.agentId }))
  const released = await Promise.all([restored().releaseAgents(), restored().releaseAgents()])
  expect(released.filter((one) => one.released)).toHaveLength(1)
  await heardOf()

  // What was signed before the door was opened is not taken, whatever a restore has forgotten; nor anything that its clock may have said.
  const again = await used()
  expectError(again, 401, 'AUTH_REQUIRED')
  expect(again.body.error.details).toMatchObject({ reason: 'signature_expired' })
  const later = new Date(Date.now() + 120_000)
  for (const { clock } of [service, node]) clock.unmoved = () => later
  const byLater = (agent: LinkedAgent, method: string, path: string, body?: object) =>
    agent.send(method, path, body, { now: later })
  expect((await byLater(kept, 'GET', '/v1/agents/me')).status).toBe(200)
  const body = { amount: '7.00', reference: 'after' }
  expect(await byLater(kept, 'POST', `/v1/mandates/${mandateId}/charge`, body)).toMatchObject({ status: 200 })
  const revived = await byLater(revoked, 'POST', `/v1/mandates/${ofRevoked}/charge`, body)
  expectError(revived, 401, 'AUTH_REQUIRED')
  expect(await restored().releaseAgents()).toMatchObject({ released: false, agents_held_since: null })
})

test('where nobody has an agent none is held, and one that is linked afterwards acts at once', async () => {
  await service.pool.query("update agents set status = 'revoked', revoked_at = now() where status = 'active'")
  await restored().beginEpoch()
  await heardOf()
  await service.runJobs()
  await restored().open({ force: true })
  await heardOf()
  expect((await restored().show()).agents_held_since).toBeNull()
  // The clocks of agents may be ahead of ours by a minute.
  const later = new Date(Date.now() + 300_000)
  service.clock.unmoved = () => later
  const agent = newAgent(service)
  const now = { now: later }
  const asked = await agent.send('POST', '/v1/agents/links', { public_key: agent.publicKey, name: 'Pantry' }, now)
  expect(asked).toMatchObject({ status: 201 })
})
