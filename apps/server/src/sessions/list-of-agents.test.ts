// Guarantee: an agent whose answer was lost finds what it has asked for, with the address to show its owner, and no other agent's.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askFor, completeFor, type LinkedAgent, linkedAgent, mandateOf, TEA } from '../../test/agents.ts'
import { launch } from '../../test/cardholder.ts'
import { firstScan } from '../../test/explain.ts'
import { dbRow, expectInvalid } from '../../test/flows.ts'
import { call, startTestService, type TestService } from '../../test/service.ts'
import type { SessionService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

/** As the page that stands behind the owner's link calls it. */
const sessionsOf = () => (service.app as unknown as { sessions: SessionService }).sessions
const list = (agent: LinkedAgent, query = '') => agent.send('GET', `/v1/agents/sessions${query}`)
const listed = async (agent: LinkedAgent, query = '') => (await list(agent, query)).body.sessions
const waiting = async (agent: LinkedAgent) => (await agent.send('GET', '/v1/agents/me')).body.waiting
const idsOf = (sessions: { session_id: string }[]) => sessions.map(({ session_id }) => session_id)
const MONTHLY = { mandate_setup: { recurring_frequency: 'monthly' } }

describe('what waits', () => {
  test('is listed and told of with the very address that was answered first, which opens it', async () => {
    const agent = await linkedAgent(service)
    const [{ body: purchase }, { body: setup }] = [await askFor(agent), await askFor(agent, MONTHLY)]
    const about = { amount: '40.00', currency: 'USD', merchant: { name: 'Tea House', url: 'https://tea.example' } }
    const times = (of: { expires_at: string }) => ({ created_at: expect.any(String), expires_at: of.expires_at })
    expect((await list(agent)).body).toEqual({
      sessions: [
        {
          ...{ ...about, merchant: { ...about.merchant, country: 'US' }, ...times(setup), status: 'pending' },
          ...{ session_id: setup.session_id, payment_url: setup.payment_url },
          ...{ authorizeOnly: true, mandate_id: setup.mandate_id },
        },
        {
          ...{ ...about, merchant: { ...about.merchant, country: 'US' }, ...times(purchase), status: 'pending' },
          ...{ session_id: purchase.session_id, payment_url: purchase.payment_url },
          txn_ref_id: expect.stringMatching(/^tli_/),
        },
      ],
    })
    expect(await waiting(agent)).toEqual(
      [setup, purchase].map((of) => ({
        ...{ ...about, type: 'session', id: of.session_id, mandate_id: of.mandate_id ?? null, reference: null },
        ...{ limit: null, url: of.payment_url, expires_at: of.expires_at },
      })),
    )
    expect(await launch(service, purchase.payment_url)).toMatchObject({ status: 200 })
  })

  test('waits until it is approved, cancelled or over, and is listed as it ended', async () => {
    const agent = await linkedAgent(service)
    const asked = []
    for (const _ of [1, 2, 3]) asked.push((await askFor(agent)).body.session_id)
    await completeFor(service, asked[0])
    await service.merchant.get('/v1/mandates')
    expect(idsOf((await waiting(agent)).map(({ id }: { id: string }) => ({ session_id: id })))).toEqual([
      asked[2],
      asked[1],
    ])
    await service.clock.advance(16 * 60)
    expect(await waiting(agent)).toEqual([])
    const sessions = await listed(agent)
    expect(idsOf(sessions)).toEqual([...asked].reverse())
    expect(sessions).toMatchObject([
      { status: 'failed', error: { code: 'SESSION_EXPIRED' } },
      { status: 'failed', error: { code: 'SESSION_EXPIRED' } },
      { status: expect.stringMatching(/^(?:awaiting_result|failed)$/) },
    ])
    for (const session of sessions) expect(session).not.toHaveProperty('payment_url')
  })

  test('is told beside the questions about charges, each with its address', async () => {
    const limits = {
      currency: 'USD',
      charge: '10.00',
      day: null,
      month: null,
      open: null,
      merchants: null,
      hours: null,
    }
    const agent = await linkedAgent(service, { limits: { ...limits, ask_above: null } })
    const mandateId = await mandateOf(service, agent)
    const charge = { amount: '20.00', reference: 'order-1' }
    const { escalation } = (await agent.send('POST', `/v1/mandates/${mandateId}/charge`, charge)).body
    const { body: session } = await askFor(agent)
    expect(await waiting(agent)).toMatchObject([
      { type: 'charge', id: escalation.id, url: escalation.url, expires_at: escalation.expires_at, limit: 'charge' },
      { type: 'session', id: session.session_id, url: session.payment_url },
    ])
  })

  test('beyond the mandate is the question alone: the address of the owner’s own page is nobody’s to show', async () => {
    const agent = await linkedAgent(service)
    const mandateId = await mandateOf(service, agent)
    const charge = { amount: '80.00', reference: 'order-1' }
    const { escalation } = (await agent.send('POST', `/v1/mandates/${mandateId}/charge`, charge)).body
    const { merchant_id } = await dbRow(service, 'select merchant_id from escalations where id = $1', [escalation.id])
    const opened = await sessionsOf().openEscalation({ merchantId: merchant_id, id: escalation.id })
    expect((await waiting(agent)).map(({ id }: { id: string }) => id)).toEqual([escalation.id])
    const [newest] = await listed(agent)
    expect(newest).toMatchObject({ session_id: opened.sessionId, status: 'pending' })
    expect(newest).not.toHaveProperty('payment_url')
  })
})

describe('the list', () => {
  test('is read page by page, and every session is on one of them', async () => {
    const agent = await linkedAgent(service)
    const asked: string[] = []
    for (const _ of [1, 2, 3, 4, 5]) asked.push((await askFor(agent)).body.session_id)
    const pages = []
    for (let query = '?limit=2'; ; ) {
      const { body } = await list(agent, query)
      pages.push(idsOf(body.sessions))
      if (body.next_cursor === undefined) break
      // What is asked for meanwhile is on no later page.
      await askFor(agent)
      query = `?limit=2&cursor=${encodeURIComponent(body.next_cursor)}`
    }
    expect(pages.flat()).toEqual([...asked].reverse())
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
  })

  test('keeps its order where it is longer than what is read at once, whatever was asked for', async () => {
    const agent = await linkedAgent(service)
    const asked: string[] = []
    for (let at = 0; at < 53; at += 1) asked.push((await askFor(agent, at % 3 === 0 ? MONTHLY : {})).body.session_id)
    expect(idsOf(await listed(agent, '?limit=500'))).toEqual([...asked].reverse())
    expect((await waiting(agent)).map(({ id }: { id: string }) => id)).toEqual([...asked].reverse().slice(0, 50))
  })

  test.each(['?limit=0', '?limit=501', '?cursor=sess_1', '?cursor=MSBzZXNzXyc', '?cursor=', '?status=pending'])(
    '%s is refused by name',
    async (query) => {
      const agent = await linkedAgent(service)
      expectInvalid(await list(agent, query), query.slice(1).split('=')[0] ?? '')
    },
  )

  test('is an agent’s own: of the same owner another one’s, and another account’s, are not there', async () => {
    const [agent, other] = [await linkedAgent(service), await linkedAgent(service)]
    const { session_id } = (await askFor(agent)).body
    expect(await listed(other)).toEqual([])
    expect(idsOf(await listed(agent))).toEqual([session_id])
    expect((await call(`${service.apiUrl}/v1/agents/sessions`)).status).toBe(401)
    expect((await service.merchant.get('/v1/agents/sessions')).status).toBe(401)
  })

  test('leaves out what was given to an agent by hand', async () => {
    const [agent, thief] = [await linkedAgent(service), await linkedAgent(service)]
    const { session_id } = (await askFor(agent)).body
    const own = (await askFor(thief)).body.session_id
    await service.pool.query('update sessions set agent_id = $2 where id = $1', [session_id, thief.agentId])
    expect(idsOf(await listed(thief))).toEqual([own])
    expect((await waiting(thief)).map(({ id }: { id: string }) => id)).toEqual([own])
  })

  test('costs the same, however many of it have ended', async () => {
    const agent = await linkedAgent(service)
    await askFor(agent)
    await service.pool.query(
      `insert into sessions (merchant_id, id, customer_id, order_id, kind, mandate_id, integration_type, effective_minutes, launch_hash,
         version, created_at, expires_at, closed_at, agent_id, agent_name, agent_seal)
       select merchant_id, 'sess_' || n, customer_id, order_id, 'mandate_setup', 'mdt_' || n, integration_type, effective_minutes,
         launch_hash, 1, created_at - n * interval '1 hour', expires_at - n * interval '1 hour', expires_at, agent_id, agent_name, agent_seal
       from (select * from sessions where agent_id = $1 limit 1) s, generate_series(1, 5000) n`,
      [agent.agentId],
    )
    await service.pool.query('analyze sessions')
    const row = await dbRow(
      service,
      'select merchant_id, agent_id, created_at from sessions where agent_id = $1 and closed_at is null',
      [agent.agentId],
    )
    const of = { merchantId: row.merchant_id, agentId: row.agent_id, limit: 51 }
    const since = new Date(row.created_at.getTime() - 25 * 60_000)
    const asked = [
      ['sessions.list_of_agent', { ...of, beforeAt: new Date('9999-12-31T23:59:59Z'), beforeId: '' }, 51],
      ['sessions.list_open_of_agent', { ...of, since, at: row.created_at }, 1],
    ] as const
    for (const [name, given, read] of asked) {
      const scan = await firstScan(service.pool, name, { table: 'sessions', given })
      expect(scan).toMatchObject({ 'Actual Rows': read, 'Index Name': 'sessions_of_agent_idx' })
      expect(scan?.['Rows Removed by Filter'] ?? 0).toBe(0)
    }
    expect(await waiting(agent)).toHaveLength(1)
    // They are of mandates that are not there.
    await service.pool.query(`delete from sessions where mandate_id ~ '^mdt_[0-9]{1,4}$'`)
  })
})

test('an answer that was lost is found by its amount and shop, whether or not a key was sent', async () => {
  const agent = await linkedAgent(service)
  await askFor(agent, { total_amount: '41.00' })
  const [found] = (await listed(agent)).filter(({ amount }: { amount: string }) => amount === '41.00')
  await completeFor(service, found.session_id)
  const result = await agent.send('GET', `/v1/sessions/agent/${found.session_id}/payment-result`)
  expect(result.body).toMatchObject({ status: 'awaiting_result', txn_ref_id: found.txn_ref_id })
  expect(TEA.total_amount).not.toBe(found.amount)
})
