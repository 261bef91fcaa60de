// Guarantee: what an agent has asked for is not approved once it was revoked, not even before a job has ended it, and its standing mandates end
// with it: no other caller may charge them (faults G3).
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askFor, completeFor, type LinkedAgent, linkedAgent, mandateOf } from '../../test/agents.ts'
import { countBy, dbRow } from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { sandboxOwner } from '../../test/owners.ts'
import { startTestService, type TestService } from '../../test/service.ts'

let service: TestService
const { log, entries, lines } = keepLog('error')
beforeAll(async () => {
  service = await startTestService({ isForCrowds: true, log })
})
afterAll(() => service?.close())

const SETUP = { total_amount: '50.00', mandate_setup: { recurring_frequency: 'monthly' } }
const revoke = ({ agentId }: LinkedAgent) => service.app.agentOperations.revoke(agentId)
const mandate = (id: string) => dbRow(service, 'select status from mandates where id = $1', [id])
const madeFor = ({ agentId }: LinkedAgent) =>
  dbRow(
    service,
    `select (select count(*)::int from charges where agent_id = $1 and status not in ('pending', 'cancelled', 'failed')) as charges,
       (select count(*)::int from mandates where agent_id = $1 and status in ('active', 'paused')) as mandates`,
    [agentId],
  )

test.each([
  ['a purchase', {}],
  ['a standing mandate', SETUP],
])('%s that waits is not approved, and ends', async (_, asked) => {
  const agent = await linkedAgent(service)
  const { session_id: id } = (await askFor(agent, asked)).body
  await revoke(agent)
  expect((await completeFor(service, id)).status).not.toBe(200)
  expect(await madeFor(agent)).toEqual({ charges: 0, mandates: 0 })
  await service.runJobs()
  expect(await dbRow(service, 'select closed_at is not null as closed from sessions where id = $1', [id])).toEqual({
    closed: true,
  })
  expect((await completeFor(service, id)).status).not.toBe(200)
})

test('its standing mandates are cancelled, also one that is paused, and its owner sees that; those of other agents stay', async () => {
  const [agent, other] = [await linkedAgent(service), await linkedAgent(service)]
  const [active, paused, others] = [
    await mandateOf(service, agent),
    await mandateOf(service, agent),
    await mandateOf(service, other),
  ]
  expect((await agent.send('POST', `/v1/mandates/${paused}/pause`)).status).toBe(200)
  const owner = await sandboxOwner(service, agent.agentId)
  expect((await owner.post(`/api/agents/${agent.agentId}/revoke`)).status).toBe(200)
  await service.runJobs()
  expect([await mandate(active), await mandate(paused)]).toEqual(Array(2).fill({ status: 'cancelled' }))
  expect(await mandate(others)).toEqual({ status: 'active' })
  const told = await dbRow(
    service,
    "select count(*)::int as count from events where type = 'mandate.cancelled' and resource_id = any ($1)",
    [[active, paused]],
  )
  expect(told).toEqual({ count: 2 })
})

test('of agents that are revoked while their owners approve none keeps a mandate', async () => {
  const agents = await Promise.all(Array.from({ length: 12 }, () => linkedAgent(service)))
  const outcomes = await Promise.all(
    agents.map(async (agent) => {
      const { session_id: id } = (await askFor(agent, SETUP)).body
      const [approved] = await Promise.all([completeFor(service, id), revoke(agent)])
      return approved.status === 200 ? 'approved' : 'refused'
    }),
  )
  await service.runJobs()
  for (const agent of agents)
    expect(await madeFor(agent), JSON.stringify(countBy(outcomes, String))).toMatchObject({ mandates: 0 })
})

test('one that cannot be ended is named in the log and keeps no other from its end', async () => {
  lines.length = 0
  const agent = await linkedAgent(service)
  const idOf = async (): Promise<string> => (await askFor(agent)).body.session_id
  // The one in front is the bad one: no event can tell of an end of this mandate, and nothing writes this session.
  const [badSession = '', session = ''] = [await idOf(), await idOf()].sort()
  const [badMandate = '', standing = ''] = [await mandateOf(service, agent), await mandateOf(service, agent)].sort()
  await service.pool.query("update mandates set valid_until = 'infinity' where id = $1", [badMandate])
  await service.pool.query(`
    create function refuse_session() returns trigger language plpgsql as $$ begin raise 'It cannot be written.'; end $$;
    create trigger refuse_session before update on sessions for each row when (new.id = '${badSession}')
      execute function refuse_session();`)
  await revoke(agent)
  await service.runJobs()
  const ended = await dbRow(service, 'select closed_at is not null as closed from sessions where id = $1', [session])
  expect([ended, await mandate(standing)]).toEqual([{ closed: true }, { status: 'cancelled' }])
  expect(await mandate(badMandate)).toEqual({ status: 'active' })
  const failed = entries().filter(({ message }) => message === 'work failed')
  expect(new Set(failed.map(({ row_id }) => row_id))).toEqual(new Set([badSession, badMandate]))
})
