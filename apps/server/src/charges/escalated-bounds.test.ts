// Guarantee: what an owner has allowed is that charge, at that shop, once, however late or often it is asked for, and of an agent that is still
// theirs; a shop that the mandate does not name is asked about as well.
import { afterAll, describe, expect, test } from 'vitest'
import { atNode, decideFor, type LinkedAgent, linkedAgent, mandateOf } from '../../test/agents.ts'
import { atOnce, blocked, countBy, dbRow, expectError } from '../../test/flows.ts'
import { type Answer, startTestNodes } from '../../test/service.ts'

const { service, nodeAt, close } = await startTestNodes()
afterAll(close)

const LIMITS = {
  ...{ currency: 'USD', charge: '10.00', day: '1000.00', month: null, open: null },
  ...{ merchants: null, hours: null, ask_above: null },
}
const COFFEE = { name: 'Coffee Bar', url: 'https://coffee.example', country_code_iso2: 'US' }
const at = (merchant_details: object) => ({
  purchase_context: [{ merchant_details, product_details: [{ description: 'Beans', unit_price: '20.00' }] }],
})
const ANYWHERE = { mandate_setup: { recurring_frequency: 'monthly', merchant_scope: 'any' } }
const charge = (agent: LinkedAgent, mandateId: string, body: object = {}) =>
  agent.send('POST', `/v1/mandates/${mandateId}/charge`, { amount: '20.00', reference: 'order-1', ...body })
const decline = (agent: LinkedAgent, { body: { mandateId, transactionId } }: Answer) =>
  agent.send('POST', `/v1/mandates/${mandateId}/charges/${transactionId}/report`, {
    ...{ txn_status: 'DECLINED', txn_type: 'PURCHASE' },
  })
const outcomeOf = ({ body }: Answer) => (body.status === 'failed' ? body.errorCode : body.status)
const idOf = ({ body }: Answer): string => body.escalation.id

async function limited(limits: object = {}, mandate: object = {}) {
  const agent = await linkedAgent(service, { limits: { ...LIMITS, ...limits } })
  return { agent, mandateId: await mandateOf(service, agent, mandate) }
}

describe('the shop', () => {
  test('that was allowed is the one where the charge is made, not that of the mandate', async () => {
    const { agent, mandateId } = await limited({}, ANYWHERE)
    await decideFor(service, idOf(await charge(agent, mandateId, at(COFFEE))), 'allow')
    expect(outcomeOf(await charge(agent, mandateId))).toBe('AGENT_LIMIT_EXCEEDED')
    const made = await charge(agent, mandateId, at(COFFEE))
    expect(outcomeOf(made)).toBe('awaiting_result')
    expect(await dbRow(service, 'select payee_url from charges where id = $1', [made.body.transactionId])).toEqual({
      payee_url: COFFEE.url,
    })
  })

  test('of the mandate that was allowed is not another one', async () => {
    const { agent, mandateId } = await limited({}, ANYWHERE)
    await decideFor(service, idOf(await charge(agent, mandateId)), 'allow')
    expect(outcomeOf(await charge(agent, mandateId, at(COFFEE)))).toBe('AGENT_LIMIT_EXCEEDED')
    expect(outcomeOf(await charge(agent, mandateId))).toBe('awaiting_result')
  })

  test('that the mandate does not name is asked about, and allowed by a one-time mandate for that shop', async () => {
    const { agent, mandateId } = await limited({ charge: null })
    const dry = await agent.send('POST', `/v1/mandates/${mandateId}/charge?dry_run=true`, {
      amount: '1.00',
      ...at(COFFEE),
    })
    const told = { limit: 'shop', left: null, renews_at: null, can_ask: true }
    expect(dry.body).toMatchObject({ status: 'failed', errorCode: 'AGENT_LIMIT_EXCEEDED', details: told })
    const refused = await charge(agent, mandateId, at(COFFEE))
    expect(refused.body).toMatchObject({
      ...{ errorCode: 'AGENT_LIMIT_EXCEEDED', details: told },
      escalation: { status: 'pending' },
    })
    expect(await decideFor(service, idOf(refused), 'allow')).toMatchObject({ body: { status: 'allowed' } })
    const made = await charge(agent, mandateId, at(COFFEE))
    expect(outcomeOf(made)).toBe('awaiting_result')
    expect(made.body.mandateId).not.toBe(mandateId)
    const carrier = await dbRow(service, 'select payee_url, payee_name, frequency from mandates where id = $1', [
      made.body.mandateId,
    ])
    expect(carrier).toEqual({ payee_url: COFFEE.url, payee_name: COFFEE.name, frequency: 'one_time' })
    // Its reference is that charge, wherever it is said to be.
    expect((await charge(agent, mandateId, at(COFFEE))).body).toMatchObject({
      transactionId: made.body.transactionId,
      deduplicated: true,
    })
  })

  test('that the mandate does not name is refused for good when the owner said no', async () => {
    const { agent, mandateId } = await limited({ charge: null })
    await decideFor(service, idOf(await charge(agent, mandateId, at(COFFEE))), 'deny')
    expect((await charge(agent, mandateId, at(COFFEE))).body).toMatchObject({
      errorCode: 'OWNER_DENIED',
      escalation: { status: 'denied' },
    })
  })
})

describe('what was allowed', () => {
  test('and came to nothing is not said to be allowed any more', async () => {
    const { agent, mandateId } = await limited()
    await decideFor(service, idOf(await charge(agent, mandateId)), 'allow')
    await decline(agent, await charge(agent, mandateId))
    const again = await charge(agent, mandateId)
    expect(again.body).toMatchObject({
      errorCode: 'AGENT_LIMIT_EXCEEDED',
      details: { limit: 'charge', can_ask: false },
    })
    expect(again.body).not.toHaveProperty('escalation')
  })

  test('is not made a second time by a call that has waited for the first one and its end', async () => {
    const { agent, mandateId } = await limited()
    const id = idOf(await charge(agent, mandateId))
    await decideFor(service, id, 'allow')
    const first = await service.pool.connect()
    try {
      await first.query('begin')
      await first.query('select 1 from mandates where id = $1 for no key update', [mandateId])
      // It has read that it is allowed, and waits with that knowledge.
      const late = charge(agent, mandateId)
      await waiting(1)
      // Meanwhile another call has made the charge, and its report said that it was declined.
      await first.query(`update escalations set status = 'used' where id = $1`, [id])
      await first.query('commit')
      expect(outcomeOf(await late)).toBe('AGENT_LIMIT_EXCEEDED')
    } finally {
      first.release(true)
    }
  })

  test.each([
    ['within', '20.00', { charge: '10.00' }, '19.99'],
    ['beyond', '80.00', { charge: null }, '79.99'],
  ])(
    '%s the mandate is one charge of many callers at three nodes, and of two answers one counts',
    async (_, amount, limits, less) => {
      const { agent, mandateId } = await limited(limits)
      const id = idOf(await charge(agent, mandateId, { amount }))
      const answers = await atOnce(3, () => decideFor(service, id, 'allow'))
      const [{ status }] = (
        await service.pool.query('select count(*)::int as status from escalations where agent_id = $1', [agent.agentId])
      ).rows
      expect([status, answers.filter((one) => one.status === 200).length > 0]).toEqual([1, true])
      const made = await atOnce(30, (index) =>
        charge(atNode(nodeAt(index), agent), mandateId, { amount: index % 5 === 4 ? less : amount }),
      )
      const charged = made.filter((one) => outcomeOf(one) === 'awaiting_result')
      expect(new Set(charged.map(({ body }) => body.transactionId)).size).toBe(1)
      expect(new Set(charged.map(({ body }) => body.amount))).toEqual(new Set([amount]))
      expect(countBy(made, ({ status }) => status)).toEqual({ 200: 30 })
      const minor = Number(amount) * 100
      expect(
        await dbRow(
          service,
          'select open_count, day_minor::int, month_minor::int from agent_spending where agent_id = $1',
          [agent.agentId],
        ),
      ).toEqual({ open_count: 1, day_minor: minor, month_minor: minor })
    },
  )
})

test('an agent that was revoked asks for nothing any more, and its owner allows it nothing', async () => {
  const { agent, mandateId } = await limited()
  const [within, beyond] = [
    await charge(agent, mandateId),
    await charge(agent, mandateId, { amount: '90.00', reference: 'order-2' }),
  ]
  await service.app.agentOperations.revoke(agent.agentId)
  for (const asked of [within, beyond])
    expectError(await decideFor(service, idOf(asked), 'allow'), 400, 'INVALID_STATE')
  // One that was being refused at that moment.
  await service.pool.query(`update escalations set expires_at = now() + interval '1 hour' where agent_id = $1`, [
    agent.agentId,
  ])
  for (const asked of [within, beyond])
    expectError(await decideFor(service, idOf(asked), 'allow'), 400, 'INVALID_STATE')
})

const waiting = (count: number) => expect.poll(() => blocked(service)).toBe(count)
