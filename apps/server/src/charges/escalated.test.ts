// Guarantee: a charge that a limit refuses asks its owner once; what they allow is charged once, by the same reference, for that amount and shop
// alone, and what they do not, or do not answer, is refused for good: no owner is said to have said no who was not asked.
import { openPayload } from '@mintmark/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { completeFor, type LinkedAgent, linkedAgent, mandateOf, newAgent } from '../../test/agents.ts'
import { cardholder } from '../../test/cardholder.ts'
import { firstScan } from '../../test/explain.ts'
import { atOnce, blocked, countBy, dbRow, expectError } from '../../test/flows.ts'
import { type Answer, startTestService, type TestService } from '../../test/service.ts'
import type { SessionService } from '../sessions/service.ts'

let service: TestService
let other: TestService
beforeAll(async () => {
  service = await startTestService({ isForCrowds: true })
  other = await startTestService({ isForCrowds: true, database: service.database })
})
afterAll(async () => {
  await other?.close()
  await service?.close()
})

const LIMITS = {
  ...{ currency: 'USD', charge: '10.00', day: '1000.00', month: null, open: null },
  ...{ merchants: null, hours: null, ask_above: null },
}
const charge = (agent: LinkedAgent, mandateId: string, body: object = {}, query = '') =>
  agent.send('POST', `/v1/mandates/${mandateId}/charge${query}`, { amount: '20.00', reference: 'order-1', ...body })
const decide = (id: string, decision: string) =>
  service.merchant.post(`/v1/test_helpers/agent_escalations/${id}/decide`, { decision })
/** As the page that stands behind the owner's link calls it. */
const sessionsOf = () => (service.app as unknown as { sessions: SessionService }).sessions
const outcomeOf = ({ body }: Answer) => (body.status === 'failed' ? body.errorCode : body.status)
const takenBy = ({ agentId }: LinkedAgent) =>
  dbRow(service, 'select open_count, day_minor::int from agent_spending where agent_id = $1', [agentId])

async function asked(limits: object = {}, body: object = {}) {
  const agent = await linkedAgent(service, { limits: { ...LIMITS, ...limits } })
  const mandateId = await mandateOf(service, agent)
  const refused = await charge(agent, mandateId, body)
  return { agent, mandateId, refused, id: refused.body.escalation?.id as string }
}

describe('a charge within its mandate that a limit refuses', () => {
  test('asks the owner, who is shown where, and says so until they answer', async () => {
    const { agent, mandateId, refused, id } = await asked()
    expect(refused.body).toMatchObject({
      ...{ status: 'failed', errorCode: 'AGENT_LIMIT_EXCEEDED', credentials: null },
      details: { limit: 'charge', left: '10.00', can_ask: true },
      escalation: {
        status: 'pending',
        expires_at: expect.any(String),
        url: expect.stringMatching(new RegExp(`/escalations/${id}$`)),
      },
    })
    const again = await charge(agent, mandateId)
    expect(again.body).toMatchObject({ transactionId: refused.body.transactionId, escalation: refused.body.escalation })
    expect((await agent.send('GET', '/v1/agents/me')).body.waiting).toEqual([
      {
        ...{ type: 'charge', id, mandate_id: mandateId, reference: 'order-1', amount: '20.00', currency: 'USD' },
        ...{ limit: 'charge', merchant: { name: 'Tea House', url: 'https://tea.example' } },
        ...{ url: refused.body.escalation.url, expires_at: refused.body.escalation.expires_at },
      },
    ])
    const { count } = await dbRow(
      service,
      'select count(*)::int as count from charges where standing_mandate_id = $1',
      [mandateId],
    )
    expect(count).toBe(1)
  })

  test('is charged once when it was allowed, over a sentence that the owner has signed', async () => {
    const { agent, mandateId, id } = await asked()
    expect((await decide(id, 'allow')).body).toEqual({ escalation_id: id, status: 'allowed' })
    const { terms } = await dbRow(service, 'select terms from approvals where subject_id = $1', [id])
    expect(JSON.parse(terms)).toMatchObject({
      ...{ type: 'escalation', amount: '20.00', reference: 'order-1', agent: { id: agent.agentId, name: 'Pantry' } },
      sentence: { text: expect.stringMatching(/^Pantry may pay Tea House \(tea\.example\) \$20\.00, this once/) },
    })
    expect(outcomeOf(await charge(agent, mandateId, {}, '?dry_run=true'))).toBe('awaiting_result')
    const made = await charge(agent, mandateId)
    expect(made.body).toMatchObject({ status: 'awaiting_result', deduplicated: false, mandateId })
    expect(openPayload(made.body.encrypted_payload, agent.privateKey)).toMatchObject({ mandateId })
    expect((await charge(agent, mandateId)).body).toMatchObject({
      transactionId: made.body.transactionId,
      deduplicated: true,
    })
    expect(await takenBy(agent)).toEqual({ open_count: 1, day_minor: 2_000 })
    expect(outcomeOf(await charge(agent, mandateId, { reference: 'order-2' }))).toBe('AGENT_LIMIT_EXCEEDED')
    expectError(await decide(id, 'deny'), 400, 'INVALID_STATE')
  })

  test('is not what was allowed with another amount, or by another reference', async () => {
    const { agent, mandateId, id } = await asked()
    await decide(id, 'allow')
    expect(outcomeOf(await charge(agent, mandateId, { amount: '19.99' }))).toBe('AGENT_LIMIT_EXCEEDED')
    expect(outcomeOf(await charge(agent, mandateId, { amount: '20.01' }))).toBe('AGENT_LIMIT_EXCEEDED')
    expect(outcomeOf(await charge(agent, mandateId))).toBe('awaiting_result')
  })

  test('that was allowed and came to nothing is not allowed again', async () => {
    const { agent, mandateId, id } = await asked()
    await decide(id, 'allow')
    const { transactionId } = (await charge(agent, mandateId)).body
    const declined = { txn_status: 'DECLINED', txn_type: 'PURCHASE' }
    await agent.send('POST', `/v1/mandates/${mandateId}/charges/${transactionId}/report`, declined)
    const again = await charge(agent, mandateId)
    expect(outcomeOf(again)).toBe('AGENT_LIMIT_EXCEEDED')
    expect(await takenBy(agent)).toEqual({ open_count: 0, day_minor: 0 })
  })

  test('is refused for good when the owner said no, also when the limit allows it by then', async () => {
    const { agent, mandateId, id } = await asked({ charge: null, day: '10.00' })
    await decide(id, 'deny')
    expect((await charge(agent, mandateId)).body).toMatchObject({
      ...{ errorCode: 'OWNER_DENIED', escalation: { status: 'denied' }, details: { can_ask: false } },
    })
    await service.pool.query(`update agent_spending set day_minor = 0 where agent_id = $1`, [agent.agentId])
    expect(outcomeOf(await charge(agent, mandateId))).toBe('OWNER_DENIED')
    expect(outcomeOf(await charge(agent, mandateId, { amount: '5.00', reference: 'order-2' }))).toBe('awaiting_result')
  })

  test('is refused for good when nobody answered in half an hour, and can be answered no more', async () => {
    const { agent, mandateId, id } = await asked()
    await service.clock.advance(30 * 60 + 1)
    expect((await charge(agent, mandateId)).body).toMatchObject({
      errorCode: 'OWNER_TIMEOUT',
      escalation: { status: 'expired' },
    })
    expectError(await decide(id, 'allow'), 400, 'INVALID_STATE')
    expect((await agent.send('GET', '/v1/agents/me')).body.waiting).toEqual([])
  })

  test('asks nothing without a reference, nor for what no owner can allow, nor more than ten at once', async () => {
    const { agent, mandateId } = await asked()
    const without = await agent.send('POST', `/v1/mandates/${mandateId}/charge`, { amount: '20.00' })
    expect(without.body).toMatchObject({ errorCode: 'AGENT_LIMIT_EXCEEDED', details: { can_ask: true } })
    expect(without.body).not.toHaveProperty('escalation')
    const full = await asked({ charge: null, open: 1 }, { amount: '1.00' })
    const shut = await charge(full.agent, full.mandateId, { reference: 'order-2' })
    expect(shut.body).toMatchObject({ details: { limit: 'open', can_ask: false } })
    expect(shut.body).not.toHaveProperty('escalation')
    const answers = await atOnce(12, (index) => charge(agent, mandateId, { reference: `many-${index}` }))
    // One waits already.
    expect(answers.filter(({ body }) => body.escalation !== undefined)).toHaveLength(9)
  })
})

describe('a charge beyond its mandate', () => {
  test('is carried by a one-time mandate that the owner approves, and answered by its reference on the first one', async () => {
    const { agent, mandateId, refused, id } = await asked({ charge: null }, { amount: '80.00' })
    expect(refused.body).toMatchObject({
      errorCode: 'THRESHOLD_EXCEEDED',
      details: { limit: 'mandate', can_ask: true },
    })
    expect((await decide(id, 'allow')).body.status).toBe('allowed')
    const made = await charge(agent, mandateId, { amount: '80.00' })
    expect(made.body).toMatchObject({ status: 'awaiting_result', amount: '80.00' })
    const carrier: string = made.body.mandateId
    expect(carrier).not.toBe(mandateId)
    expect((await charge(agent, mandateId, { amount: '80.00' })).body).toMatchObject({
      ...{ mandateId: carrier, transactionId: made.body.transactionId, deduplicated: true },
    })
    const approved = { txn_status: 'APPROVED', txn_type: 'PURCHASE' }
    const reported = await agent.send(
      'POST',
      `/v1/mandates/${carrier}/charges/${made.body.transactionId}/report`,
      approved,
    )
    expect(reported.body).toMatchObject({ status: 'completed', mandateStatus: 'consumed' })
    expect((await agent.send('GET', `/v1/mandates/${mandateId}`)).body).toMatchObject({ spent: '0.00' })
  })

  test('that was declined may be made again within what the owner has approved, and once it is paid never more', async () => {
    const { agent, mandateId, id } = await asked({ charge: null }, { amount: '80.00' })
    await decide(id, 'allow')
    const first = (await charge(agent, mandateId, { amount: '80.00' })).body
    const report = (transactionId: string, txn_status: string) =>
      agent.send('POST', `/v1/mandates/${first.mandateId}/charges/${transactionId}/report`, {
        ...{ txn_status, txn_type: 'PURCHASE' },
      })
    expect((await report(first.transactionId, 'DECLINED')).body).toMatchObject({ mandateStatus: 'active' })
    const answers = await atOnce(8, () => charge(agent, mandateId, { amount: '80.00' }))
    const made = new Set(answers.map(({ body }) => body.transactionId))
    expect([...made]).toEqual([expect.not.stringMatching(first.transactionId)])
    const [again = ''] = made
    expect((await report(again, 'APPROVED')).body).toMatchObject({ mandateStatus: 'consumed' })
    expect((await charge(agent, mandateId, { amount: '80.00' })).body).toMatchObject({
      ...{ status: 'completed', transactionId: again, deduplicated: true },
    })
    expect(await takenBy(agent)).toEqual({ open_count: 0, day_minor: 8000 })
  })

  test('by their number is refused the same way each time, and takes nothing', async () => {
    const agent = await linkedAgent(service, { limits: { ...LIMITS, charge: null } })
    const mandateId = await mandateOf(service, agent, {
      mandate_setup: { recurring_frequency: 'monthly', max_charges: 1 },
    })
    expect(outcomeOf(await charge(agent, mandateId, { reference: 'first' }))).toBe('awaiting_result')
    const refused = await atOnce(6, () => charge(agent, mandateId, { reference: 'second' }))
    expect(countBy(refused, outcomeOf)).toEqual({ MAX_CHARGES_EXCEEDED: 6 })
    expect(new Set(refused.map(({ body }) => body.escalation?.id)).size).toBe(1)
    expect(await takenBy(agent)).toEqual({ open_count: 1, day_minor: 2000 })
  })

  test('is carried by one mandate, however often the owner opens it, and whichever page they left', async () => {
    const { agent, mandateId, id } = await asked({ charge: null }, { amount: '80.00' })
    const ref = {
      merchantId: (await dbRow(service, 'select merchant_id from escalations where id = $1', [id])).merchant_id,
      id,
    }
    const opened = await atOnce(4, () =>
      sessionsOf()
        .openEscalation(ref)
        .catch(() => null),
    )
    expect(opened.filter((one) => one !== null).length).toBeGreaterThan(0)
    const last = await sessionsOf().openEscalation(ref)
    for (const each of opened) {
      if (each !== null) expect([400, 401]).toContain((await completeFor(service, each.sessionId)).status)
    }
    expect(await completeFor(service, last.sessionId)).toMatchObject({ status: 200, body: { status: 'completed' } })
    expect((await charge(agent, mandateId, { amount: '80.00' })).body).toMatchObject({ mandateId: last.mandateId })
    await expect(sessionsOf().openEscalation(ref)).rejects.toMatchObject({ code: 'INVALID_STATE' })
  })
})

describe('a page that is still open for a charge beyond its mandate', () => {
  async function opened() {
    const { agent, mandateId, id } = await asked({ charge: null }, { amount: '80.00' })
    const { merchant_id: merchantId } = await dbRow(service, 'select merchant_id from escalations where id = $1', [id])
    const open = () => sessionsOf().openEscalation({ merchantId, id })
    const again = () => charge(agent, mandateId, { amount: '80.00' })
    const allowed = () =>
      dbRow(
        service,
        `select count(*)::int as count from mandates where agent_id = $1 and id <> $2 and status = 'active'`,
        [agent.agentId, mandateId],
      )
    return { id, open, again, allowed }
  }

  test('makes no mandate when the owner has said no elsewhere', async () => {
    const { id, open, again, allowed } = await opened()
    const { sessionId } = await open()
    expect((await decide(id, 'deny')).body.status).toBe('denied')
    expect([400, 401]).toContain((await completeFor(service, sessionId)).status)
    expect(await allowed()).toEqual({ count: 0 })
    expect(outcomeOf(await again())).toBe('OWNER_DENIED')
  })

  test('makes none either when the time of the question is over: nobody has answered, for good', async () => {
    const { open, again, allowed } = await opened()
    await service.clock.advance(25 * 60)
    const { sessionId, expiresAt, sessionToken } = await open()
    expect(expiresAt.getTime() - service.clock.now().getTime()).toBeLessThanOrEqual(5 * 60_000)
    await service.clock.advance(4 * 60)
    const page = cardholder(service, sessionToken)
    expect((await page.get('/api/session')).body).not.toHaveProperty('more_time_from')
    expectError(await page.post('/api/more-time'), 400, 'INVALID_STATE')
    await service.clock.advance(60 + 1)
    expect(outcomeOf(await again())).toBe('OWNER_TIMEOUT')
    expect([400, 401]).toContain((await completeFor(service, sessionId)).status)
    expect(await allowed()).toEqual({ count: 0 })
    expect(outcomeOf(await again())).toBe('OWNER_TIMEOUT')
  })

  test.each([
    ['a denial', (id: string) => decide(id, 'deny')],
    [
      'another opening',
      async (id: string) => {
        const { merchant_id: merchantId } = await dbRow(service, 'select merchant_id from escalations where id = $1', [
          id,
        ])
        const opening = sessionsOf().openEscalation({ merchantId, id })
        return opening.then(() => ({ status: 200 })).catch(({ status }) => ({ status }))
      },
    ],
  ])('and %s that has seen it open: an approval that was there first stands', async (_, act) => {
    const { id, open, again, allowed } = await opened()
    const { sessionId } = await open()
    const held = await service.pool.connect()
    await held.query('begin')
    await held.query(
      `select 1 from passkeys
       where (merchant_id, customer_id) = (select merchant_id, customer_id from sessions where id = $1) for update`,
      [sessionId],
    )
    // The approval has closed the session, and waits for the passkey; the other one waits for the session.
    const completed = completeFor(service, sessionId)
    await expect.poll(() => blocked(service), { interval: 5 }).toBe(1)
    const answered = act(id)
    await expect.poll(() => blocked(service), { interval: 5 }).toBe(2)
    await held.query('commit')
    held.release()
    expect([(await completed).status, (await answered).status]).toEqual([200, 400])
    expect(await allowed()).toEqual({ count: 1 })
    expect(outcomeOf(await again())).toBe('awaiting_result')
  })

  test('and a denial at the same moment: one of them is the owner’s word', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id, open, again, allowed } = await opened()
      const { sessionId } = await open()
      const [denied, completed] = await Promise.all([decide(id, 'deny'), completeFor(service, sessionId)])
      const words = JSON.stringify([denied, completed].map(({ status, body }) => ({ status, body })))
      // An approval that the network has not heard of yet is one, and a worker tells it.
      const settled = async () => service.runJobs().then(allowed)
      await expect.poll(settled, { message: words }).toEqual({ count: denied.status === 200 ? 0 : 1 })
      expect(outcomeOf(await again())).toBe(denied.status === 200 ? 'OWNER_DENIED' : 'awaiting_result')
    }
  })
})

describe('whatever comes at once', () => {
  test('of 32 charges of one reference that was allowed one is made, at two nodes', async () => {
    const { agent, mandateId, id } = await asked()
    await decide(id, 'allow')
    const nodes = [service, other].map((node) => ({
      ...newAgent(node, agent.agentId, { privateKey: agent.privateKey, publicKey: agent.privateKey }),
      agentId: agent.agentId,
    }))
    const answers = await atOnce(32, (index) => charge(nodes[index % 2] ?? agent, mandateId))
    expect(countBy(answers, outcomeOf)).toEqual({ awaiting_result: 32 })
    expect(new Set(answers.map(({ body }) => body.transactionId)).size).toBe(1)
    expect(await takenBy(agent)).toEqual({ open_count: 1, day_minor: 2_000 })
  })

  test('of 16 refused charges of one reference one asks', async () => {
    const agent = await linkedAgent(service, { limits: LIMITS })
    const mandateId = await mandateOf(service, agent)
    const answers = await atOnce(16, () => charge(agent, mandateId))
    expect(countBy(answers, outcomeOf)).toEqual({ AGENT_LIMIT_EXCEEDED: 16 })
    expect(new Set(answers.map(({ body }) => body.escalation?.id)).size).toBe(1)
  })

  test('of allow and deny at once one is the owner’s word', async () => {
    const { agent, mandateId, id } = await asked()
    const answers = await Promise.all(['allow', 'deny', 'allow', 'deny'].map((word) => decide(id, word)))
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    const { status } = await dbRow(service, 'select status from escalations where id = $1', [id])
    expect(outcomeOf(await charge(agent, mandateId))).toBe(status === 'allowed' ? 'awaiting_result' : 'OWNER_DENIED')
  })
})

describe('rows that somebody has edited', () => {
  test.each([
    ['another amount', 'amount_minor = 1'],
    [
      'allowed by nobody',
      `status = 'allowed', decided_at = now(), good_until = now() + interval '1 day', allowed_seal = seal`,
    ],
    ['another shop', `payee_url = 'https://evil.example'`],
  ])('%s', async (_, edit) => {
    const { agent, mandateId, id } = await asked()
    await service.pool.query(`update escalations set ${edit} where id = $1`, [id])
    expect((await charge(agent, mandateId)).status).toBe(500)
    expect((await decide(id, 'allow')).status).toBe(500)
    expect(await takenBy(agent)).toEqual({ open_count: 0, day_minor: 0 })
  })
})

test('what waits costs the same, however many questions nobody has answered before', async () => {
  const agent = await linkedAgent(service, { owner: 'asked-for-years', limits: LIMITS })
  const id: string = (await charge(agent, await mandateOf(service, agent))).body.escalation.id
  await service.pool.query(
    `insert into escalations (merchant_id, id, agent_id, customer_id, mandate_id, reference, charge_id, limit_kind, beyond, amount_minor, currency,
       payee_name, payee_url, payee_country, products, created_at, expires_at, seal)
     select merchant_id, id || n, agent_id, customer_id, mandate_id, reference || n, charge_id, limit_kind, beyond, amount_minor, currency,
       payee_name, payee_url, payee_country, products, created_at - n * interval '1 hour', expires_at - n * interval '1 hour', seal
     from escalations, generate_series(1, 5000) n where id = $1`,
    [id],
  )
  await service.pool.query('analyze escalations')
  const row = await dbRow(
    service,
    'select merchant_id, agent_id, customer_id, expires_at from escalations where id = $1',
    [id],
  )
  const at = new Date(row.expires_at.getTime() - 60_000)
  const given = { merchantId: row.merchant_id, agentId: row.agent_id, customerId: row.customer_id, at, limit: 50 }
  for (const name of ['escalations.list_of_owner', 'escalations.list_waiting']) {
    const scan = await firstScan(service.pool, name, { table: 'escalations', given })
    expect(scan).toMatchObject({
      'Actual Rows': 1,
      'Index Name': expect.stringMatching(/^escalations_(?:customer|agent)_idx$/),
    })
    expect(scan).not.toHaveProperty('Rows Removed by Filter')
  }
})
