// Guarantee: the home of an owner, which their page asks for every five seconds, waits for the database so many times, with so many statements,
// however much they are asked; one thing that was edited hides nothing else.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LinkedAgent, linkedAgent, mandateOf } from '../../test/agents.ts'
import { keepLog } from '../../test/logged.ts'
import { NARROW } from '../../test/owner-examples.ts'
import { sandboxOwner, type TestOwner } from '../../test/owners.ts'
import { PATIENT, startTestService, type TestService } from '../../test/service.ts'
import { recordWaits } from '../../test/waits.ts'

/** One for the session, and one for what its owner has. One more where they have begun to make mandates for what they are asked. */
const MAX_WAITS = 2
const MAX_STATEMENTS = 7

let service: TestService
const { log, alarms, lines } = keepLog('error')
beforeAll(async () => {
  service = await startTestService({ env: PATIENT, log })
})
afterAll(() => service?.close())

/** An agent with a mandate of 50.00 a month, and its owner at the page. */
async function asking(): Promise<{ agent: LinkedAgent; mandate: string; owner: TestOwner }> {
  const limits = { ...NARROW, charge: '90.00', day: null, month: null, open: null }
  const agent = await linkedAgent(service, { owner: `home-${randomUUID()}`, limits })
  return { agent, mandate: await mandateOf(service, agent), owner: await sandboxOwner(service, agent.agentId) }
}

/** Questions for what is beyond the mandate, for each of which its owner has begun to make another one. */
async function askBeyond({ agent, mandate, owner }: Awaited<ReturnType<typeof asking>>, names: string[]) {
  const ids: string[] = []
  for (const reference of names) {
    const body = { amount: '60.00', reference }
    const { escalation } = (await agent.send('POST', `/v1/mandates/${mandate}/charge`, body)).body
    expect(await owner.post(`/api/escalations/${escalation.id}/mandate`)).toMatchObject({ status: 200 })
    ids.push(escalation.id)
  }
  return ids
}

/** What an answer of the home waits for, each with its statements. Points of a limit are fetched in blocks. */
async function waitsOf(owner: TestOwner): Promise<string[][]> {
  const recorder = recordWaits()
  try {
    expect((await owner.get('/api/home')).status).toBe(200)
    return recorder
      .take()
      .map(({ name }) => name.split(', '))
      .filter(([name]) => name !== 'limits.take_points')
  } finally {
    recorder.stop()
  }
}

const waitingOf = async (owner: TestOwner): Promise<string[]> =>
  (await owner.get('/api/home')).body.waiting.map(({ escalation_id }: { escalation_id: string }) => escalation_id)

test('waits so many times, and not once more for a question more', async () => {
  const world = await asking()
  const none = await waitsOf(world.owner)
  expect(none.length, none.join('\n')).toBeLessThanOrEqual(MAX_WAITS)
  expect(none.flat().length, none.join('\n')).toBeLessThanOrEqual(MAX_STATEMENTS)
  await askBeyond(world, ['one'])
  const one = await waitsOf(world.owner)
  expect(one.length, one.join('\n')).toBeLessThanOrEqual(MAX_WAITS + 1)
  await askBeyond(world, ['two', 'three', 'four', 'five'])
  expect(await waitingOf(world.owner)).toHaveLength(5)
  expect(await waitsOf(world.owner)).toEqual(one)
})

test('leaves out a question whose mandate was edited, or is another agent’s, and shows the others', async () => {
  const [world, other] = [await asking(), await asking()]
  const [edited, moved, good] = await askBeyond(world, ['one', 'two', 'three'])
  const [theirs] = await askBeyond(other, ['four'])
  const carrierOf = '(select carrier_id from escalations where id = $1)'
  await service.pool.query(`update mandates set agent_id = $2 where id = ${carrierOf}`, [edited, other.agent.agentId])
  await service.pool.query(`update escalations set carrier_id = ${carrierOf} where id = $2`, [theirs, moved])
  lines.length = 0
  expect(await waitingOf(world.owner)).toEqual([good])
  expect(
    alarms()
      .map(({ table }) => table)
      .sort(),
  ).toEqual(['escalations', 'mandates'])
})
