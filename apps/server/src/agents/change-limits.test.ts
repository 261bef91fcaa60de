// Guarantee: an owner gives a linked agent other limits: more by a signature over the old and the new, less by their word alone. However many
// changes of the same limits come, one is made, every node charges by it from the next request on, and no signature is good for another change.
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { atNode, type LinkedAgent, linkedAgent, mandateOf } from '../../test/agents.ts'
import { atOnce, countBy, dbRow, expectError, expectInvalid } from '../../test/flows.ts'
import { fromPage, linkedTo, newOwner, sandboxOwner, type TestOwner } from '../../test/owners.ts'
import { startTestNodes, type TestService } from '../../test/service.ts'

const WAS: AgentLimits = {
  ...{ currency: 'USD', charge: '20.00', day: '50.00', month: '200.00', open: 20 },
  ...{ merchants: null, hours: null, ask_above: null },
}
const MORE = { ...WAS, charge: '40.00' }
const LESS = { ...WAS, charge: '5.00' }

const { service, nodes, nodeAt, close } = await startTestNodes()
afterAll(close)
// A test before may have moved the clock, and only one node knows.
beforeEach(() => Promise.all(nodes.map(({ clock }) => clock.refresh())))

/** The same owner at another node. */
const fromPageOf =
  (node: TestService, { cookie }: TestOwner): TestOwner['post'] =>
  (path, body) =>
    fromPage(node, path, body, { cookie })

const pathOf = ({ agentId }: LinkedAgent) => `/api/agents/${agentId}/limits`
const narrow = (owner: TestOwner, agent: LinkedAgent, limits: object, version = 1) =>
  owner.post(pathOf(agent), { version, limits })
const ask = async (owner: TestOwner, agent: LinkedAgent, limits: object = MORE, version = 1) =>
  (await owner.post(`${pathOf(agent)}/approval-options`, { version, limits })).body
const approve = (owner: TestOwner, agent: LinkedAgent, { terms, options }: Awaited<ReturnType<typeof ask>>) =>
  owner.post(`${pathOf(agent)}/approve`, {
    change_id: terms.change_id,
    response: owner.authenticator.authenticate(options),
  })
/** What the agent is told at each node, and what its owner sees. */
async function seen(owner: TestOwner, agent: LinkedAgent) {
  const { agents } = (await owner.get('/api/home')).body
  const { terms, version } = agents.find(({ agent_id }: { agent_id: string }) => agent_id === agent.agentId)
  const told = await atOnce(3, async (index) => {
    const { limits } = (await atNode(nodeAt(index), agent).send('GET', '/v1/agents/me')).body
    return limits.find(({ kind }: { kind: string }) => kind === 'charge').limit
  })
  return { version, charge: terms.charge, told: [...new Set(told)] }
}

describe('an owner', () => {
  test('allows more with the passkey, over a statement that names the agent, what was and what is to be', async () => {
    const ann = await newOwner(service)
    const agent = await linkedTo(service, ann, WAS)
    const more = { ...MORE, day: null, open: 2 }
    const asked = await ask(ann, agent, more)
    expect(asked.terms).toMatchObject({
      ...{ type: 'agent_limits', version: 1, was: WAS, limits: more },
      agent: { id: agent.agentId, name: 'Pantry' },
      sentence: {
        text: expect.stringContaining('$40.00 a charge instead of $20.00 a charge; any amount a day instead'),
      },
    })
    expect(await seen(ann, agent)).toEqual({ version: 1, charge: '20.00', told: ['20.00'] })
    expect(await approve(ann, agent, asked)).toMatchObject({ status: 200, body: { done: true } })
    expect(await seen(ann, agent)).toEqual({ version: 2, charge: '40.00', told: ['40.00'] })
    const evidence = await dbRow(
      service,
      'select terms::jsonb, signature is not null as signed from approvals where subject_id = $1',
      [asked.terms.change_id],
    )
    expect(evidence).toEqual({ terms: asked.terms, signed: true })
  })

  test('allows less by their word alone, and what was is kept', async () => {
    const ann = await newOwner(service)
    const agent = await linkedTo(service, ann, WAS)
    expect(await narrow(ann, agent, LESS)).toMatchObject({ status: 200 })
    expect(await seen(ann, agent)).toEqual({ version: 2, charge: '5.00', told: ['5.00'] })
    const kept = await service.pool.query(
      `select c.version, was, c.limits, a.subject_id is not null as signed from agent_limit_changes c
       left join approvals a on a.subject_id = c.id where agent_id = $1`,
      [agent.agentId],
    )
    expect(kept.rows).toEqual([{ version: 1, was: WAS, limits: LESS, signed: false }])
  })

  test('is told which field allows more, that nothing changes, that the currency stays, and of limits that cannot be kept', async () => {
    const ann = await newOwner(service)
    const agent = await linkedTo(service, ann, WAS)
    expectInvalid(await narrow(ann, agent, { ...LESS, day: null }), 'limits.day')
    for (const path of ['', '/approval-options']) {
      const sent = (limits: object) => ann.post(pathOf(agent) + path, { version: 1, limits })
      expectInvalid(await sent(WAS), 'limits')
      expectInvalid(await sent({ ...LESS, currency: 'EUR' }), 'limits.currency')
      expectInvalid(await sent({ ...LESS, merchants: ['NOT A HOST'] }), 'limits.merchants.0')
      expectInvalid(await sent({ ...LESS, hours: { from: '08:00', to: '09:00', zone: 'Mars' } }), 'limits.hours.zone')
    }
    expect(await seen(ann, agent)).toEqual({ version: 1, charge: '20.00', told: ['20.00'] })
  })

  test('alone changes the limits of an agent of theirs, while it is active', async () => {
    const [ann, bob] = [await newOwner(service), await newOwner(service)]
    const agent = await linkedTo(service, ann, WAS)
    const asked = await ask(ann, agent)
    expectError(await narrow(bob, agent, LESS), 404, 'NOT_FOUND')
    expectError(await bob.post(`${pathOf(agent)}/approval-options`, { version: 1, limits: MORE }), 404, 'NOT_FOUND')
    expectError(await approve({ ...bob, authenticator: ann.authenticator }, agent, asked), 404, 'NOT_FOUND')
    const again = await ask(ann, agent)
    expect((await ann.post(`/api/agents/${agent.agentId}/revoke`)).status).toBe(200)
    for (const refused of [await approve(ann, agent, again), await narrow(ann, agent, LESS)]) {
      expectError(refused, 404, 'NOT_FOUND')
    }
  })
})

describe('a signature', () => {
  test('is good once, for its change of its agent, and not after another one has come', async () => {
    const ann = await newOwner(service)
    const [agent, other] = [await linkedTo(service, ann, WAS), await linkedTo(service, ann, WAS)]
    const [stale, used, moved] = [await ask(ann, agent), await ask(ann, agent), await ask(ann, agent)]
    // At another agent of the same owner, and under the id of another statement.
    expectError(await approve(ann, other, moved), 404, 'NOT_FOUND')
    const crossed = { ...(await ask(ann, agent)), terms: { change_id: stale.terms.change_id } }
    expectError(await approve(ann, agent, crossed), 400, 'PASSKEY_FAILED')
    expect((await approve(ann, agent, used)).status).toBe(200)
    expectError(await approve(ann, agent, used), 400, 'PASSKEY_FAILED')
    // Back to the limits that the other statement was about: it is about those of before.
    expect((await narrow(ann, agent, WAS, 2)).status).toBe(200)
    expectError(await approve(ann, agent, stale), 400, 'INVALID_STATE')
    expect(await seen(ann, agent)).toEqual({ version: 3, charge: '20.00', told: ['20.00'] })
    expect(await seen(ann, other)).toEqual({ version: 1, charge: '20.00', told: ['20.00'] })
  })

  test('is over after its time', async () => {
    const ann = await newOwner(service)
    const agent = await linkedTo(service, ann, WAS)
    const asked = await ask(ann, agent)
    await service.clock.advance(10 * 60)
    expectError(await approve(ann, agent, asked), 400, 'PASSKEY_FAILED')
  })

  test('changes nothing where limits were edited in the database', async () => {
    const ann = await newOwner(service)
    const agent = await linkedTo(service, ann, WAS)
    const asked = await ask(ann, agent)
    await service.pool.query(`update agents set limits = limits || '{"charge": null}' where id = $1`, [agent.agentId])
    for (const edited of [await approve(ann, agent, asked), await narrow(ann, agent, LESS)]) {
      expectError(edited, 500, 'INTERNAL_ERROR')
    }
  })
})

test('of twelve changes of the same limits at three nodes one is made, and the others are told', async () => {
  const ann = await newOwner(service)
  const agent = await linkedTo(service, ann, WAS)
  const signed = await Promise.all(Array.from({ length: 6 }, () => ask(ann, agent)))
  // Signed at the first node, whose address the passkey knows.
  const answers = await atOnce(12, (index) => {
    const statement = signed[index]
    const elsewhere = { ...ann, post: fromPageOf(nodeAt(1 + (index % 2)), ann) }
    return statement === undefined ? narrow(elsewhere, agent, LESS) : approve(ann, agent, statement)
  })
  expect(countBy(answers, ({ status, body }) => body.error?.code ?? String(status))).toEqual({
    200: 1,
    INVALID_STATE: 11,
  })
  const { version, charge, told } = await seen(ann, agent)
  expect({ version, told }).toEqual({ version: 2, told: [charge] })
  const made = await dbRow(
    service,
    `select (select count(*)::int from agent_limit_changes where agent_id = $1) as changes,
       (select count(*)::int from approvals where subject_type = 'agent_limits' and terms like '%' || $1 || '%') as signed`,
    [agent.agentId],
  )
  expect(made).toEqual({ changes: 1, signed: charge === '40.00' ? 1 : 0 })
})

test('every node charges by the limits that hold when the charge comes, and a charge in between by one of them', async () => {
  const agent = await linkedAgent(service, { owner: 'charged', limits: WAS })
  const owner = await sandboxOwner(service, agent.agentId)
  const mandate = await mandateOf(service, agent)
  const charge = (index: number, amount: string, reference: string) =>
    atNode(nodeAt(index), agent).send('POST', `/v1/mandates/${mandate}/charge`, { amount, reference })
  const outcome = async (amount: string, reference: string) =>
    new Set((await atOnce(3, (index) => charge(index, amount, `${reference}-${index}`))).map(({ body }) => body.status))
  expect(await outcome('6.00', 'before')).toEqual(new Set(['awaiting_result']))
  // Both fields change while nine charges of 3.00 come. A mix of the new day and the old charge would refuse by the day.
  const other = { ...WAS, charge: '2.00', day: '20.00' }
  const [changed, ...between] = await Promise.all([
    narrow(owner, agent, other),
    ...Array.from({ length: 9 }, (_, index) => charge(index, '3.00', `between-${index}`)),
  ])
  expect(changed.status).toBe(200)
  for (const { body } of between) {
    const { status, details } = body
    expect(status === 'awaiting_result' ? 'made' : `${details.limit} ${details.left}`).toMatch(/^made$|^charge 2\.00$/)
  }
  for (const index of [0, 1, 2]) {
    expect((await charge(index, '3.00', `after-${index}`)).body).toMatchObject({
      errorCode: 'AGENT_LIMIT_EXCEEDED',
      details: { limit: 'charge', left: '2.00' },
    })
  }
})
