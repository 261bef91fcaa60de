// Guarantee: a key is linked once, by a request that it signed and an owner's passkey that signed what the agent may do. A link that no owner
// approved in time is over.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approveLink, askForLink, linkedAgent, newAgent } from '../../test/agents.ts'
import { dbRow, expectError, expectInvalid } from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

const link = (agent: ReturnType<typeof newAgent>, changes: object = {}) =>
  agent.send('POST', '/v1/agents/links', { public_key: agent.publicKey, name: 'Pantry', ...changes })
const reasonOf = (answer: { status: number; body: { error?: { details?: object } } }) => [
  answer.status,
  answer.body.error?.details,
]

test('from the question to the approval', async () => {
  const agent = newAgent(service)
  const before = service.clock.now().getTime()
  const asked = await link(agent, { platform: ' Acme  Assistant ', description: '' })
  expect(asked).toMatchObject({ status: 201 })
  const { link_id: id, link_url: url, expires_at: until } = asked.body
  expect(url).toMatch(new RegExp(`/links/${id}$`))
  expect(Date.parse(until) - before).toBeGreaterThan(14 * 60_000)
  const standing = async () => (await agent.send('GET', `/v1/agents/links/${id}`)).body
  expect(await standing()).toEqual({ status: 'pending' })
  const { body } = await approveLink(service, id)
  expect(await standing()).toEqual({ status: 'approved', agent_id: body.agent_id })
  const kept = await dbRow(
    service,
    `select terms from approvals where subject_type = 'agent_link' and subject_id = $1`,
    [id],
  )
  expect(JSON.parse(kept.terms)).toMatchObject({
    ...{
      type: 'agent_link',
      agent_id: body.agent_id,
      link_id: id,
      name: 'Pantry',
      platform: 'Acme Assistant',
      description: null,
    },
    limits: { currency: 'USD', charge: '100.00' },
  })
})

test('after fifteen minutes it is over, and cannot be approved', async () => {
  const agent = newAgent(service)
  const id = await askForLink(agent)
  await service.clock.advance(15 * 60)
  expect((await agent.send('GET', `/v1/agents/links/${id}`)).body).toEqual({ status: 'expired' })
  expectError(await approveLink(service, id), 400, 'INVALID_STATE')
  await service.clock.advance(25 * 60 * 60)
  await service.runJobs()
  expect(await dbRow(service, 'select count(*)::int as count from agent_links where id = $1', [id])).toEqual({
    count: 0,
  })
})

test('of sixteen approvals at once, by four owners, one makes the agent', async () => {
  const agent = newAgent(service)
  const id = await askForLink(agent)
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, at) => approveLink(service, id, { owner: `racing-${at % 4}` })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await dbRow(service, 'select count(*)::int as count from agents where link_id = $1', [id])).toEqual({
    count: 1,
  })
})

test('a key is linked once: of two links of one key the second approved is refused, and a third is not made', async () => {
  const agent = newAgent(service)
  const [first, second] = [await askForLink(agent), await askForLink(agent)]
  expect(await approveLink(service, first)).toMatchObject({ status: 200 })
  expectError(await approveLink(service, second), 409, 'AGENT_KEY_LINKED')
  expectError(await link(agent), 409, 'AGENT_KEY_LINKED')
  // The agent does not wait fifteen minutes for what nothing can come of.
  const standing = async (id: string) => (await agent.send('GET', `/v1/agents/links/${id}`)).body
  expect(await standing(first)).toMatchObject({ status: 'approved' })
  expect(await standing(second)).toEqual({ status: 'expired' })
})

test('two links of one key, approved at the same moment: one agent', async () => {
  const agent = newAgent(service)
  const links = [await askForLink(agent), await askForLink(agent)]
  const answers = await Promise.all(links.map((id) => approveLink(service, id)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('only the key that is to be linked signs for it', async () => {
  const [agent, other] = [newAgent(service), newAgent(service)]
  const foreign = await agent.send('POST', '/v1/agents/links', { public_key: other.publicKey, name: 'Pantry' })
  expect(reasonOf(foreign)).toMatchObject([401, { reason: 'key_unknown' }])
  const id = await askForLink(agent)
  expect(reasonOf(await other.send('GET', `/v1/agents/links/${id}`))).toMatchObject([401, { reason: 'key_unknown' }])
  expectError(await agent.send('GET', '/v1/agents/links/lk_nothing'), 404, 'NOT_FOUND')
  const plain = await fetch(`${service.apiUrl}/v1/agents/links`, { method: 'POST', body: '{}' })
  expect(plain.status).toBe(401)
})

test.each([
  ['public_key', { public_key: 'MCowBQYDK2VwAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }],
  ['encryption_key', { encryption_key: `${'A'.repeat(43)}=` }],
  ['mandate_key', { mandate_key: { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) } }],
  ['name', { name: ' ' }],
  ['description', { description: 'x'.repeat(501) }],
])('%s that is none', async (field, changes) => {
  expectInvalid(await link(newAgent(service), changes), field)
})

test('a link that was edited in the database is approved by nobody', async () => {
  const agent = newAgent(service)
  const id = await askForLink(agent)
  await service.pool.query(`update agent_links set name = 'Your bank' where id = $1`, [id])
  expect((await approveLink(service, id)).status).toBe(500)
})

test('an owner has many agents, and each sees another name of the owner', async () => {
  const agents = [await linkedAgent(service, { owner: 'twice' }), await linkedAgent(service, { owner: 'twice' })]
  const names = await Promise.all(agents.map(async (agent) => (await agent.send('GET', '/v1/agents/me')).body.owner))
  expect(new Set(names).size).toBe(2)
  expect(await dbRow(service, `select count(*)::int as count from customers where external_user_id = 'twice'`)).toEqual(
    { count: 1 },
  )
})
