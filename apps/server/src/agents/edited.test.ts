// Guarantee: what has ended an agent, narrowed its limits or replaced its key is not undone by an edit of the database (faults G3): each try is
// refused at every node, with an alarm.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { atNode, type LinkedAgent, linkedAgent, newAgent } from '../../test/agents.ts'
import { dbRow } from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { NARROW } from '../../test/owner-examples.ts'
import { sandboxOwner } from '../../test/owners.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { changeBody, changeKey } from './testing/change-key.ts'

const { log, alarms, lines } = keepLog('error')
let service: TestService
let node: TestService
beforeAll(async () => {
  service = await startTestService({ log })
  node = await startTestService({ log, database: service.database })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})
beforeEach(() => {
  lines.length = 0
})

const query = (text: string, ...values: unknown[]) => service.pool.query(text, values)
const me = (agent: LinkedAgent) => agent.send('GET', '/v1/agents/me')
const statuses = async (agent: LinkedAgent) => [(await me(agent)).status, (await me(atNode(node, agent))).status]
const LESS = { ...NARROW, charge: '5.00' }

test('an agent that was revoked is not made active again', async () => {
  const agent = await linkedAgent(service)
  const owner = await sandboxOwner(service, agent.agentId)
  await service.app.agentOperations.revoke(agent.agentId)
  await query("update agents set status = 'active', revoked_at = null where id = $1", agent.agentId)
  expect(await statuses(agent)).toEqual([500, 500])
  expect(alarms()).toMatchObject(Array(2).fill({ table: 'agents', row_id: agent.agentId }))
  const { body } = await owner.get('/api/home')
  expect(JSON.stringify(body)).not.toContain(agent.agentId)
})

test.each([
  ['alone', 'limits = $2::jsonb, seal = $3'],
  ['with their version', 'limits = $2::jsonb, seal = $3, limits_version = $4'],
])('limits of before are not put back %s', async (_, columns) => {
  const agent = await linkedAgent(service, { limits: NARROW })
  const before = await dbRow(service, 'select limits, seal, limits_version from agents where id = $1', [agent.agentId])
  const owner = await sandboxOwner(service, agent.agentId)
  const narrowed = { version: 1, limits: LESS }
  expect(await owner.post(`/api/agents/${agent.agentId}/limits`, narrowed)).toMatchObject({ status: 200 })
  expect((await me(agent)).status).toBe(200)
  const values = [JSON.stringify(before.limits), before.seal, before.limits_version]
  await query(
    `update agents set ${columns} where id = $1`,
    agent.agentId,
    ...values.slice(0, columns.includes('$4') ? 3 : 2),
  )
  expect(await statuses(agent)).toEqual([500, 500])
  expect(alarms()).toMatchObject(Array(2).fill({ table: 'agents', row_id: agent.agentId }))
})

test.each(['null', "now() + interval '1 day'"])('a key that was changed is not good until %s again', async (until) => {
  const agent = await linkedAgent(service)
  expect(await statuses(agent)).toEqual([200, 200])
  const next = newAgent(service)
  expect(await changeKey(agent, changeBody(agent, next, { old_key_seconds: 0 }))).toMatchObject({ status: 200 })
  expect(await statuses(agent)).toEqual([401, 401])
  await query(
    `update agent_keys set valid_until = ${until} where agent_id = $1 and valid_until is not null`,
    agent.agentId,
  )
  // At a node that knows the key and at one that reads it anew.
  const fresh = await startTestService({ log, database: service.database })
  const seen = [...(await statuses(agent)), (await me(atNode(fresh, agent))).status]
  await fresh.close()
  expect(seen.every((status) => status === 500 || status === 401)).toBe(true)
  expect(alarms().length).toBeGreaterThanOrEqual(3)
  expect(alarms().every(({ table }) => table === 'agent_keys')).toBe(true)
})
