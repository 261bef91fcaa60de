// Guarantee: an agent charges the mandates that it was given, within what its owner allows, however many charges it makes at once and wherever;
// what comes to nothing is given back; a refusal says which limit, what is left and when there will be more.
import { openPayload } from '@mintmark/node'
import { afterAll, describe, expect, test } from 'vitest'
import { type LinkedAgent, linkedAgent, mandateOf, newAgent, WIDE } from '../../test/agents.ts'
import { atOnce, blocked, countBy, dbRow, expectError } from '../../test/flows.ts'
import { startTestNodes } from '../../test/service.ts'

const DAY = 24 * 60 * 60
const CALLERS = 64
/** Connections that three nodes and one more have together. */
const EQUAL = 12
const { service, others, nodes, close } = await startTestNodes()
afterAll(close)

const limited = (limits: object) => linkedAgent(service, { limits: { ...WIDE, ...limits } })
const charge = (agent: LinkedAgent, mandateId: string, body: object = {}, query = '') =>
  agent.send('POST', `/v1/mandates/${mandateId}/charge${query}`, { amount: '10.00', ...body })
const report = (agent: LinkedAgent, mandateId: string, transactionId: string, txn_status: string) =>
  agent.send('POST', `/v1/mandates/${mandateId}/charges/${transactionId}/report`, { txn_status, txn_type: 'PURCHASE' })
const takenBy = ({ agentId }: LinkedAgent) =>
  dbRow(service, 'select open_count, day_minor::int, month_minor::int from agent_spending where agent_id = $1', [
    agentId,
  ])
/** The same agent, at each of three nodes. */
const everywhere = (agent: LinkedAgent): LinkedAgent[] =>
  nodes.map((node) => ({
    ...newAgent(node, agent.agentId, { privateKey: agent.privateKey, publicKey: agent.privateKey }),
    agentId: agent.agentId,
  }))
const outcomeOf = ({ body }: { body: { status: string; errorCode: string | null; details?: { limit: string } } }) =>
  body.status === 'failed' ? `${body.errorCode} ${body.details?.limit}` : body.status

describe('a charge', () => {
  test('is answered with what the agent alone can open, and nothing else of the card', async () => {
    const agent = await limited({})
    const id = await mandateOf(service, agent)
    const answer = await charge(agent, id, { reference: 'order-1' })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: 'awaiting_result',
        credentials: null,
        encrypted_payload: expect.any(Object),
        deduplicated: false,
      },
    })
    const card = openPayload(answer.body.encrypted_payload, agent.privateKey)
    expect(card).toMatchObject({ mandateId: id, transactionId: answer.body.transactionId })
    expect(JSON.stringify(answer.body)).not.toContain(card.token)

    const again = await charge(agent, id, { reference: 'order-1' })
    expect(again.body).toMatchObject({ transactionId: answer.body.transactionId, deduplicated: true })
    expect(openPayload(again.body.encrypted_payload, agent.privateKey)).toEqual(card)
    expect(again.body.encrypted_payload).not.toEqual(answer.body.encrypted_payload)

    expect(await report(agent, id, answer.body.transactionId, 'APPROVED')).toMatchObject({ status: 200 })
    const reported = await charge(agent, id, { reference: 'order-1' })
    expect(reported.body).toMatchObject({ status: 'completed', credentials: null })
    expect(reported.body).not.toHaveProperty('encrypted_payload')
  })

  test('that lapsed shows no payload any more', async () => {
    const agent = await limited({})
    const id = await mandateOf(service, agent)
    await charge(agent, id, { reference: 'order-2' })
    await service.clock.advance(DAY + 60)
    const late = await charge(agent, id, { reference: 'order-2' })
    expect(late.body).not.toHaveProperty('encrypted_payload')
  })

  test('is not another agent’s, and not the merchant’s', async () => {
    const [agent, other] = [await limited({}), await limited({})]
    const id = await mandateOf(service, agent)
    const { transactionId } = (await charge(agent, id)).body
    expectError(await charge(other, id), 403, 'MANDATE_FORBIDDEN')
    expectError(await report(other, id, transactionId, 'APPROVED'), 403, 'MANDATE_FORBIDDEN')
    expectError(await service.merchant.post(`/v1/mandates/${id}/charge`, { amount: '1.00' }), 403, 'MANDATE_FORBIDDEN')
  })

  test('is refused where somebody has given the mandate to another agent, of this owner or another', async () => {
    const [agent, other] = [await limited({}), await linkedAgent(service, { owner: 'owner-2', limits: WIDE })]
    const id = await mandateOf(service, agent)
    await service.pool.query('update mandates set agent_id = $2 where id = $1', [id, other.agentId])
    expectError(await charge(other, id), 403, 'MANDATE_FORBIDDEN')
    const { customer_id: owner } = await dbRow(service, 'select customer_id from agents where id = $1', [other.agentId])
    await service.pool.query('update mandates set customer_id = $2 where id = $1', [id, owner])
    expect((await charge(other, id)).status).toBe(500)
    expect(
      await dbRow(service, 'select count(*)::int as count from charges where standing_mandate_id = $1', [id]),
    ).toEqual({ count: 0 })
  })

  test('is still reported after the agent was revoked, which charges nothing more', async () => {
    const agent = await limited({})
    const id = await mandateOf(service, agent)
    const { transactionId } = (await charge(agent, id)).body
    await service.app.agentOperations.revoke(agent.agentId)
    expectError(await charge(agent, id), 401, 'AUTH_REQUIRED')
    expect(await report(agent, id, transactionId, 'APPROVED')).toMatchObject({
      status: 200,
      body: { status: 'completed' },
    })
  })
})

describe('a limit', () => {
  test.each([
    ['charge', { charge: '9.99' }, { left: '9.99', renews_at: null }],
    ['day', { day: '9.99' }, { left: '9.99', renews_at: expect.stringMatching(/T00:00:00\.000Z$/) }],
    ['month', { month: '9.99' }, { left: '9.99', renews_at: expect.stringMatching(/-01T00:00:00\.000Z$/) }],
    ['merchants', { merchants: ['coffee.example'] }, { left: null, renews_at: null }],
    ['currency', { currency: 'EUR' }, { left: null, renews_at: null }],
    ['ask_above', { ask_above: '9.99' }, { left: '9.99', renews_at: null }],
  ])('on %s is an ordinary answer, before and without the charge', async (limit, limits, told) => {
    const agent = await limited(limits)
    const id = await mandateOf(service, agent)
    const refused = { status: 'failed', fetchStatus: 'FAILURE', errorCode: 'AGENT_LIMIT_EXCEEDED', credentials: null }
    const details = { limit, can_ask: limit !== 'currency', ...told }
    expect(await charge(agent, id, {}, '?dry_run=true')).toMatchObject({
      status: 200,
      body: { ...refused, details, dryRun: true },
    })
    expect(await charge(agent, id, { reference: 'r' })).toMatchObject({ status: 200, body: { ...refused, details } })
    expect(await takenBy(agent)).toEqual({ open_count: 0, day_minor: 0, month_minor: 0 })
    const found = await dbRow(
      service,
      'select status, failure_code, agent_id from charges where standing_mandate_id = $1',
      [id],
    )
    expect(found).toEqual({ status: 'failed', failure_code: 'AGENT_LIMIT_EXCEEDED', agent_id: agent.agentId })
  })

  test('of the mandate is told the same way', async () => {
    const agent = await limited({})
    const id = await mandateOf(service, agent)
    await charge(agent, id, { amount: '20.00' })
    expect((await charge(agent, id, { amount: '30.01' })).body).toMatchObject({
      ...{ status: 'failed', errorCode: 'THRESHOLD_EXCEEDED' },
      details: { limit: 'mandate', left: '30.00', renews_at: expect.any(String) },
    })
  })

  test('on hours is that of the owner’s zone', async () => {
    const now = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'Asia/Tokyo' })
    const at = (hours: number) => now.format(new Date(service.clock.now().getTime() + hours * 3_600_000))
    const open = await limited({ hours: { from: at(-1), to: at(1), zone: 'Asia/Tokyo' } })
    const shut = await limited({ hours: { from: at(1), to: at(2), zone: 'Asia/Tokyo' } })
    expect(outcomeOf(await charge(open, await mandateOf(service, open)))).toBe('awaiting_result')
    expect(outcomeOf(await charge(shut, await mandateOf(service, shut)))).toBe('AGENT_LIMIT_EXCEEDED hours')
  })

  test('adds up over mandates, begins anew with the day, and gives back what came to nothing', async () => {
    const agent = await limited({ day: '25.00', open: 2 })
    const [one, other] = [await mandateOf(service, agent), await mandateOf(service, agent)]
    const first = (await charge(agent, one)).body.transactionId
    const second = (await charge(agent, other)).body.transactionId
    expect(outcomeOf(await charge(agent, one, { amount: '1.00' }))).toBe('AGENT_LIMIT_EXCEEDED open')
    await report(agent, one, first, 'APPROVED')
    expect(outcomeOf(await charge(agent, one, { amount: '6.00' }))).toBe('AGENT_LIMIT_EXCEEDED day')
    await report(agent, other, second, 'DECLINED')
    expect(await takenBy(agent)).toEqual({ open_count: 0, day_minor: 1_000, month_minor: 1_000 })
    expect(outcomeOf(await charge(agent, one, { amount: '15.00' }))).toBe('awaiting_result')

    const me = await agent.send('GET', '/v1/agents/me')
    expect(me.body.limits).toEqual(
      expect.arrayContaining([
        { kind: 'day', limit: '25.00', used: '25.00', left: '0.00', renews_at: expect.stringMatching(/T00:00/) },
        { kind: 'open', limit: '2', used: '1', left: '1', renews_at: null },
      ]),
    )
    await service.clock.advance(DAY)
    expect(outcomeOf(await charge(agent, other, { amount: '25.00' }))).toBe('awaiting_result')
  })

  test('takes back what lapsed unused', async () => {
    const agent = await limited({ month: '10.00' })
    const id = await mandateOf(service, agent, { mandate_setup: { recurring_frequency: 'yearly' } })
    const context = [{ effective_until_minutes: 1, product_details: [{ description: 'Tea', unit_price: '10.00' }] }]
    expect(outcomeOf(await charge(agent, id, { purchase_context: context }))).toBe('awaiting_result')
    expect(outcomeOf(await charge(agent, id))).toBe('AGENT_LIMIT_EXCEEDED month')
    await service.clock.advance(61)
    await service.runJobs()
    expect(await takenBy(agent)).toMatchObject({ open_count: 0 })
    expect(outcomeOf(await charge(agent, id))).toBe('awaiting_result')
  })

  test.each([
    ['day', { day: '70.00' }, 7],
    ['month', { month: '50.00' }, 5],
    ['open', { open: 3 }, 3],
  ])(
    'on %s is never passed together: 64 charges of four mandates at once, at three nodes',
    async (limit, limits, most) => {
      await Promise.all(others.map(({ clock }) => clock.refresh()))
      const agent = await limited(limits)
      const setup = { total_amount: '500.00', mandate_setup: { recurring_frequency: 'yearly' } }
      const ids = await Promise.all(Array.from({ length: 4 }, () => mandateOf(service, agent, setup)))
      const nodes = everywhere(agent)
      const answers = await atOnce(CALLERS, (index) =>
        charge(nodes[index % 3] ?? agent, ids[index % 4] ?? '', { reference: `r-${index}` }),
      )
      expect(countBy(answers, outcomeOf)).toEqual({
        awaiting_result: most,
        [`AGENT_LIMIT_EXCEEDED ${limit}`]: CALLERS - most,
      })
      expect(await takenBy(agent)).toEqual({ open_count: most, day_minor: most * 1_000, month_minor: most * 1_000 })
      const made = answers.filter(({ body }) => body.status === 'awaiting_result')
      await atOnce(made.length, (index) => {
        const { mandateId, transactionId } = made[index]?.body ?? {}
        return report(nodes[index % 3] ?? agent, mandateId, transactionId, index % 2 === 0 ? 'DECLINED' : 'APPROVED')
      })
      const paid = Math.floor(most / 2) * 1_000
      expect(await takenBy(agent)).toEqual({ open_count: 0, day_minor: paid, month_minor: paid })
    },
  )
})

test('a node whose clock is a day behind opens no new day for the agent', async () => {
  const agent = await limited({ day: '20.00' })
  const id = await mandateOf(service, agent)
  const [ahead, behind] = everywhere(agent)
  await Promise.all(others.map(({ clock }) => clock.refresh()))
  await service.clock.advance(DAY)
  expect(outcomeOf(await charge(ahead ?? agent, id))).toBe('awaiting_result')
  expect(outcomeOf(await charge(behind ?? agent, id))).toBe('awaiting_result')
  for (const node of [ahead, behind, ahead])
    expect(outcomeOf(await charge(node ?? agent, id))).toBe('AGENT_LIMIT_EXCEEDED day')
})

test('an owner who wants to be asked of repeats is asked, whatever the reference, and of equal charges at once one is made', async () => {
  await Promise.all(others.map(({ clock }) => clock.refresh()))
  const agent = await limited({ ask_repeats: true })
  const id = await mandateOf(service, agent, { total_amount: '500.00' })
  const at = (index: number) => charge(everywhere(agent)[index % 3] ?? agent, id, { reference: `once-${index}` })
  const answers = await atOnce(6, at)
  const outcomes = answers.map(outcomeOf).sort()
  expect(outcomes).toEqual([...Array(5).fill('AGENT_LIMIT_EXCEEDED ask_repeats'), 'awaiting_result'])
  const refused = answers.find(({ body }) => body.status === 'failed')
  expect(refused?.body.escalation).toMatchObject({ status: 'pending' })
  const unnamed = await charge(agent, id)
  expect(outcomeOf(unnamed)).toBe('AGENT_LIMIT_EXCEEDED ask_repeats')
  expect(unnamed.body.escalation ?? null).toBeNull()
  expect(outcomeOf(await charge(agent, id, { amount: '9.99', reference: 'another' }))).toBe('awaiting_result')
  const decide = `/v1/test_helpers/agent_escalations/${refused?.body.escalation.id}/decide`
  expect((await service.merchant.post(decide, { decision: 'allow' })).status).toBe(200)
  const index = answers.indexOf(refused ?? unnamed)
  const allowed = await at(index)
  expect(allowed.body).toMatchObject({ status: 'awaiting_result' })
  expect(allowed.body).not.toHaveProperty('possible_duplicate_of')
  await service.clock.advance(6 * 60)
  expect(outcomeOf(await charge(agent, id, { reference: 'later' }))).toBe('awaiting_result')
})

describe('a charge without a reference', () => {
  const lines = (quantity: number) => ({
    purchase_context: [{ product_details: [{ description: 'Tea', unit_price: '5.00', quantity }] }],
  })
  const repeats = async (sent: Promise<{ body: { possible_duplicate_of?: string } }>) =>
    (await sent).body.possible_duplicate_of

  test('that repeats one of a moment ago is made, and says which', async () => {
    const agent = await limited({})
    const id = await mandateOf(service, agent)
    const first = await charge(agent, id)
    expect(first.body).not.toHaveProperty('possible_duplicate_of')
    expect(await repeats(charge(agent, id, {}, '?dry_run=true'))).toBe(first.body.transactionId)
    const repeated = await charge(agent, id)
    expect(repeated.body).toMatchObject({ status: 'awaiting_result', possible_duplicate_of: first.body.transactionId })
    expect(repeated.body.transactionId).not.toBe(first.body.transactionId)
    const stored = await dbRow(service, 'select duplicate_of from charges where id = $1', [repeated.body.transactionId])
    expect(stored).toEqual({ duplicate_of: first.body.transactionId })
    expect(await repeats(charge(agent, id, { reference: 'mine' }))).toBeUndefined()
    await service.clock.advance(6 * 60)
    expect(await repeats(charge(agent, id))).toBeUndefined()
  })

  test('repeats agent, merchant, amount and lines, of a charge with a reference too, and not one that came to nothing', async () => {
    const [agent, other] = [await limited({}), await limited({})]
    const [id, elsewhere] = await Promise.all([
      mandateOf(service, agent, { total_amount: '500.00' }),
      mandateOf(service, agent, { total_amount: '500.00', merchant_url: 'https://coffee.example' }),
    ])
    const named = await charge(agent, id, { reference: 'mine', ...lines(2) })
    expect(await repeats(charge(agent, id, { amount: '9.00', ...lines(2) }))).toBeUndefined()
    expect(await repeats(charge(agent, id, lines(3)))).toBeUndefined()
    expect(await repeats(charge(agent, elsewhere, lines(2)))).toBeUndefined()
    expect(await repeats(charge(other, await mandateOf(service, other), lines(2)))).toBeUndefined()
    // The same merchant by another mandate.
    const again = await mandateOf(service, agent, { merchant_url: 'https://TEA.example/shop' })
    const repeated = await charge(agent, again, lines(2))
    expect(repeated.body.possible_duplicate_of).toBe(named.body.transactionId)
    await report(agent, again, repeated.body.transactionId, 'DECLINED')
    await report(agent, id, named.body.transactionId, 'DECLINED')
    expect(await repeats(charge(agent, id, lines(2)))).toBeUndefined()
  })

  test('of equal ones at once, of two mandates at three nodes, each but the first names another', async () => {
    const agent = await limited({})
    const setup = { total_amount: '500.00', mandate_setup: { recurring_frequency: 'yearly' } }
    const ids = [await mandateOf(service, agent, setup), await mandateOf(service, agent, setup)]
    await Promise.all(others.map(({ clock }) => clock.refresh()))
    const nodes = everywhere(agent)
    // All have begun before the first is made.
    const holder = await service.pool.connect()
    let charges: Promise<Awaited<ReturnType<typeof charge>>[]> | undefined
    try {
      await holder.query('begin')
      await holder.query('select 1 from agent_spending where agent_id = $1 for update', [agent.agentId])
      charges = atOnce(EQUAL, (index) => charge(nodes[index % 3] ?? agent, ids[index % 2] ?? ''))
      await expect.poll(() => blocked(service)).toBe(EQUAL)
      await holder.query('commit')
    } finally {
      holder.release(true)
    }
    const answers = (await charges) ?? []
    expect(countBy(answers, outcomeOf)).toEqual({ awaiting_result: EQUAL })
    const made = new Set(answers.map(({ body }) => body.transactionId))
    const named = answers.flatMap(({ body }) => body.possible_duplicate_of ?? [])
    expect({ made: made.size, named: named.length }).toEqual({ made: EQUAL, named: EQUAL - 1 })
    expect(named.filter((id) => !made.has(id))).toEqual([])
  })
})
