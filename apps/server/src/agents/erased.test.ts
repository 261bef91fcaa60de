// Guarantee: an owner who is forgotten leaves no agent that may do anything, on any node: neither one that they had, nor one that they approve at
// that moment. What these have charged may still be reported; what they said of themselves, their places in the directory, their grants and
// their questions are gone.
import { setTimeout as delay } from 'node:timers/promises'
import { openPayload } from '@mintmark/node'
import { afterAll, expect, test } from 'vitest'
import { askForLink, atNode, type LinkedAgent, linkedAgent, mandateOf, newAgent } from '../../test/agents.ts'
import { countBy, expectError } from '../../test/flows.ts'
import { NARROW } from '../../test/owner-examples.ts'
import { fromPage, newOwner, sandboxOwner } from '../../test/owners.ts'
import { call, startTestService } from '../../test/service.ts'
import { callTool, linkedClient, refresh, startToolParty } from '../../test/tool-clients.ts'
import { spend } from '../charges/testing/charge.ts'

const party = await startToolParty()
const { service, documents } = party
const node = await startTestService({ database: service.database })
afterAll(async () => {
  await node.close()
  await party.close()
})

async function rowsOf<Row>(text: string, values: unknown[]): Promise<Row[]> {
  return (await service.pool.query(text, values)).rows
}
const me = (agent: LinkedAgent) => agent.send('GET', '/v1/agents/me')

async function ownerOf(agentId: string): Promise<{ merchant_id: string; customer_id: string }> {
  const text = 'select merchant_id, customer_id from agents where id = $1'
  const [found] = await rowsOf<Awaited<ReturnType<typeof ownerOf>>>(text, [agentId])
  if (found === undefined) throw new Error('There is no such agent.')
  return found
}

/** The operator deletes the cards of an owner, by a key of their own account. */
async function endCards({ merchant_id, customer_id }: Awaited<ReturnType<typeof ownerOf>>) {
  const { key } = await service.app.merchants.createKey(merchant_id, 'secret')
  const by = { authorization: `Bearer ${key.reveal()}` }
  const { body } = await service.merchant.send('GET', `/v1/listCards?customer_id=${customer_id}`, undefined, by)
  expect(body.cards).not.toEqual([])
  for (const { card_id } of body.cards) {
    const deleted = await service.merchant.send('POST', '/v1/deleteCard', { customer_id, card_id }, by)
    expect(deleted.status).toBe(200)
  }
  await service.runJobs()
}

/** An owner with an agent that was published, has charged and asks, and with a client of the tool protocol. */
async function ownerWithAgents() {
  const said = { name: 'Zenobia’s pantry', platform: 'planted-maker', description: 'Buys for Zenobia of Planted Lane' }
  const agent = await linkedAgent(service, { owner: 'zenobia', limits: NARROW }, said)
  const client = await linkedClient(service, { clientId: documents.url() }, { owner: 'zenobia' })
  // The agent with the key comes by a client as well.
  await linkedClient(service, { clientId: documents.url() }, { owner: 'zenobia', agent_id: agent.agentId })
  const owner = await ownerOf(agent.agentId)
  expect(await ownerOf(client.agentId)).toEqual(owner)
  const page = await sandboxOwner(service, agent.agentId)
  const published = await page.post(`/api/agents/${agent.agentId}/publish`, { client_name: said.name })
  expect(published).toMatchObject({ status: 200 })
  const mandateId = await mandateOf(service, agent)
  const charge = (amount: string, reference: string) =>
    agent.send('POST', `/v1/mandates/${mandateId}/charge`, { amount, reference })
  const made = await charge('10.00', 'r-1')
  const charged: string = made.body.transactionId
  // A card that was used waits for its report, whatever becomes of mandate and card.
  const credentials = openPayload(made.body.encrypted_payload, agent.privateKey)
  const used = await spend(service, service.merchant, { ...made, body: { ...made.body, credentials } })
  expect(used.body).toMatchObject({ approved: true })
  const escalationId: string = (await charge('30.00', 'r-2')).body.escalation.id
  const erase = () => service.app.customers.erase(owner.merchant_id, owner.customer_id)
  return { agent, client, owner, page, mandateId, charged, escalationId, erase }
}
type Forgotten = Awaited<ReturnType<typeof ownerWithAgents>>

/** One way, step by step: what is there after one is what the next one ends. */
test('an owner with agents is forgotten once no mandate stands, and leaves none that may do anything', async () => {
  const forgotten = await ownerWithAgents()
  await expectRefused(forgotten)
  await expectEnded(forgotten)
  await expectNothingOpen(forgotten)
  await expectNothingSaid(forgotten)
  await expectNoWayIn(forgotten)
})

/** While a mandate of an agent stands, nothing of an agent is changed. */
async function expectRefused({ agent, client, page, erase }: Forgotten): Promise<void> {
  await expect(erase()).rejects.toThrow(/^The customer has a card: .+ a standing mandate: .+ Nothing was changed\.$/)
  expect(await me(agent)).toMatchObject({ status: 200, body: { name: 'Zenobia’s pantry' } })
  expect((await callTool(service, client.token, 'get_agent')).status).toBe(200)
  expect((await page.get('/api/session')).status).toBe(200)
}

/** Every node refuses the agents, but for the report of what was charged. */
async function expectEnded({ agent, client, owner, mandateId, charged, erase }: Forgotten): Promise<void> {
  expect((await agent.send('POST', `/v1/mandates/${mandateId}/cancel`)).status).toBe(200)
  await endCards(owner)
  expect((await me(atNode(node, agent))).status).toBe(200)
  await erase()
  for (const where of [node, service]) {
    expectError(await me(atNode(where, agent)), 401, 'AUTH_REQUIRED')
    expect((await callTool(where, client.token, 'get_agent')).status).toBe(401)
  }
  expect((await refresh(service, client)).status).toBe(400)
  const report = { txn_status: 'APPROVED', txn_type: 'PURCHASE' }
  expect(await agent.send('POST', `/v1/mandates/${mandateId}/charges/${charged}/report`, report)).toMatchObject({
    status: 200,
  })
}

/** No question, no grant, and nothing in the directory. */
async function expectNothingOpen({ agent, client, escalationId }: Forgotten): Promise<void> {
  const asked = await rowsOf<{ is_over: boolean }>(
    'select expires_at <= now() as is_over from escalations where id = $1',
    [escalationId],
  )
  expect(asked).toEqual([{ is_over: true }])
  const grants = 'select kind from oauth_entries where agent_id = any ($1)'
  expect(await rowsOf(grants, [[agent.agentId, client.agentId]])).toEqual([])
  expect((await call(`${node.apiUrl}/v1/agents/${agent.agentId}/card`)).status).toBe(404)
  const directory = await call(`${node.apiUrl}/.well-known/http-message-signatures-directory`)
  expect(JSON.stringify(directory.body)).not.toContain(agent.agentId)
}

/** Nothing that the agents have said of themselves, but in the evidence of approvals. */
async function expectNothingSaid({ agent, client, owner, erase }: Forgotten): Promise<void> {
  const rows = await rowsOf<{ id: string }>(
    'select id, name, platform, description, published_at from agents where customer_id = $1 order by id',
    [owner.customer_id],
  )
  const erased = { name: 'erased', platform: null, description: null, published_at: null }
  expect(rows).toEqual([agent.agentId, client.agentId].sort().map((id) => ({ id, ...erased })))
  const links = 'select id from agent_links where agent_id = any ($1)'
  expect(await rowsOf(links, [[agent.agentId, client.agentId]])).toEqual([])
  // Again, as after a restore.
  await erase()
}

/** An owner who was forgotten does not sign in any more, and links nothing. */
async function expectNoWayIn({ page }: Forgotten): Promise<void> {
  expectError(await page.get('/api/session'), 401, 'AUTH_1002')
  const { visit, options } = (await fromPage(service, '/api/sign-in/options')).body
  const response = page.authenticator.authenticate(options)
  expectError(await fromPage(service, '/api/sign-in', { visit, response }), 400, 'PASSKEY_FAILED')
}

test('of owners who approve an agent at the moment in which they are forgotten, none has an active one', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 24 }, async (_, place) => {
      const ann = await newOwner(service)
      const agent = newAgent(service)
      const linkId = await askForLink(agent)
      const { options } = (await ann.post(`/api/links/${linkId}/approval-options`, { limits: NARROW })).body
      const text = 'select merchant_id, customer_id from passkeys where id = $1'
      const [owner] = await rowsOf<Awaited<ReturnType<typeof ownerOf>>>(text, [ann.authenticator.credentialId])
      if (owner === undefined) throw new Error('There is no owner.')
      const response = ann.authenticator.authenticate(options)
      const approving = ann.post(`/api/links/${linkId}/approve`, { response })
      // So that they meet at different steps, mostly; no verdict hangs on where.
      await delay(place % 12)
      await service.app.customers.erase(owner.merchant_id, owner.customer_id)
      const { status } = await approving
      const left = await rowsOf<{ status: string; name: string }>(
        'select status, name from agents where customer_id = $1',
        [owner.customer_id],
      )
      return `${status === 200 ? 'approved' : 'refused'}, ${left.map(({ status: is, name }) => `${is} ${name}`)}`
    }),
  )
  expect(countBy(outcomes, String)).not.toHaveProperty('approved, active Pantry')
  for (const outcome of outcomes) expect(['approved, revoked erased', 'refused, ']).toContain(outcome)
})
