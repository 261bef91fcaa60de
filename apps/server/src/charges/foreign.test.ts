// Guarantee: what a reference of a mandate names is answered to whose mandate it is, and to no other agent, also not where this process has
// charged the mandate before, or an editor of the database has changed whose it is.
import { afterAll, expect, test } from 'vitest'
import { type LinkedAgent, linkedAgent, mandateOf, WIDE } from '../../test/agents.ts'
import { expectError } from '../../test/flows.ts'
import { startTestService } from '../../test/service.ts'

const service = await startTestService()
afterAll(service.close)

const charge = (agent: LinkedAgent, mandateId: string, query = '') =>
  agent.send('POST', `/v1/mandates/${mandateId}/charge${query}`, { amount: '10.00', reference: 'order-1' })
const linked = (owner: string) => linkedAgent(service, { owner, limits: WIDE })
const QUERIES = ['', '?dry_run=true']

test.each([
  ['another owner', 'owner-2'],
  ['the same owner', 'owner-1'],
])('of an agent of %s it is none of the caller’s', async (_who, owner) => {
  const [agent, other] = [await linked('owner-1'), await linked(owner)]
  const id = await mandateOf(service, agent)
  expect((await charge(agent, id)).status).toBe(200)
  for (const query of QUERIES) expectError(await charge(other, id, query), 403, 'MANDATE_FORBIDDEN')
  expect((await charge(agent, id)).body).toMatchObject({ deduplicated: true })
  // The other one has it in hand, and this one not any more.
  expectError(await charge(other, await mandateOf(service, agent)), 403, 'MANDATE_FORBIDDEN')
})

test('of a mandate that was given to another agent by hand it is shown to neither', async () => {
  const [agent, other] = [await linked('owner-3'), await linked('owner-3')]
  const id = await mandateOf(service, agent)
  await charge(agent, id)
  const give = (to: LinkedAgent) =>
    service.pool.query('update mandates set agent_id = $2 where id = $1', [id, to.agentId])
  await give(other)
  for (const query of QUERIES) {
    expectError(await charge(other, id, query), 500, 'INTERNAL_ERROR')
    expectError(await charge(agent, id, query), 403, 'MANDATE_FORBIDDEN')
  }
  await give(agent)
  expect((await charge(agent, id)).body).toMatchObject({ deduplicated: true })
})

test('it is answered whatever became of what its agent has taken, of which a new charge would have to know', async () => {
  const agent = await linked('owner-4')
  const id = await mandateOf(service, agent)
  await charge(agent, id)
  const { rows } = await service.pool.query('delete from agent_spending where agent_id = $1 returning *', [
    agent.agentId,
  ])
  try {
    expect((await charge(agent, id)).body).toMatchObject({ deduplicated: true })
    const another = await agent.send('POST', `/v1/mandates/${id}/charge`, { amount: '10.00', reference: 'order-2' })
    expectError(another, 500, 'MANDATE_CHARGE_DB_FAILED')
  } finally {
    const [{ merchant_id, agent_id, open_count, day, day_minor, month, month_minor }] = rows
    await service.pool.query(
      `insert into agent_spending (merchant_id, agent_id, open_count, day, day_minor, month, month_minor)
     values ($1, $2, $3, $4, $5, $6, $7)`,
      [merchant_id, agent_id, open_count, day, day_minor, month, month_minor],
    )
  }
})
