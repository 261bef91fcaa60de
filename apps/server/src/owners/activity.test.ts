// Guarantee: an owner pages and filters what their own agents did, and no other one's; what an agent could still
// spend at most is what it can charge.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LinkedAgent, linkedAgent, mandateOf } from '../../test/agents.ts'
import { expectError } from '../../test/flows.ts'
import { NARROW } from '../../test/owner-examples.ts'
import { newOwner, sandboxOwner } from '../../test/owners.ts'
import { startTestService, type TestService } from '../../test/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

const WIDE = { ...NARROW, charge: null, day: null, month: null, open: null }
const charge = async (agent: LinkedAgent, mandate: string, amount: string, reference?: string) =>
  (await agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount, reference })).body
const report = (agent: LinkedAgent, mandate: string, charge: string, outcome: 'APPROVED' | 'DECLINED') =>
  agent.send('POST', `/v1/mandates/${mandate}/charges/${charge}/report`, {
    ...{ txn_status: outcome, txn_type: 'PURCHASE' },
  })

/** All that is there, page by page. */
async function all(
  owner: { get(path: string): Promise<{ body: { charges: { charge_id: string }[]; next_before: string | null } }> },
  query: string,
) {
  const ids: string[] = []
  const asked = new URLSearchParams(query)
  for (let isMore = true; isMore; ) {
    const { body } = await owner.get(`/api/activity?${asked}`)
    ids.push(...body.charges.map(({ charge_id }) => charge_id))
    isMore = body.next_before !== null
    asked.set('before', body.next_before ?? '')
  }
  return ids
}

test('an owner reads what each agent did, filters it, and sees what happened to one charge', async () => {
  const agent = await linkedAgent(service, { owner: 'seen', limits: { ...NARROW, charge: '20.00' } })
  const other = await linkedAgent(service, { owner: 'seen', limits: WIDE }, { name: 'Atlas' })
  const owner = await sandboxOwner(service, agent.agentId)
  const [tea, coffee] = [
    await mandateOf(service, agent),
    await mandateOf(service, other, { merchant_name: 'Coffee House', merchant_url: 'https://coffee.example' }),
  ]
  const held = await charge(agent, tea, '11.00', 'r-1')
  const refused = await charge(agent, tea, '30.00', 'r-2')
  const paid = await charge(other, coffee, '12.00')
  expect((await report(other, coffee, paid.transactionId, 'APPROVED')).status).toBe(200)
  const back = await charge(other, coffee, '13.00')
  expect((await report(other, coffee, back.transactionId, 'DECLINED')).status).toBe(200)
  await service.runJobs()

  const { charges, next_before } = (await owner.get('/api/activity')).body
  expect(next_before).toBeNull()
  expect(charges).toMatchObject([
    { charge_id: back.transactionId, outcome: 'given_back', shop: 'Coffee House', agent: 'Atlas' },
    { charge_id: paid.transactionId, outcome: 'paid', amount: '12.00', currency: 'USD' },
    { outcome: 'refused', code: 'AGENT_LIMIT_EXCEEDED', limit: 'charge', escalation_id: refused.escalation.id },
    { charge_id: held.transactionId, outcome: 'held', shop: 'Tea House', shop_host: 'tea.example', code: null },
  ])
  const ids = charges.map(({ charge_id }: { charge_id: string }) => charge_id)
  const month = new Date(service.clock.now()).toISOString().slice(0, 7)
  const filters: [string, string[]][] = [
    [`agent=${agent.agentId}`, ids.slice(2)],
    ['shop=Coffee+House', ids.slice(0, 2)],
    ['outcome=paid', [paid.transactionId]],
    ['outcome=refused', [ids[2]]],
    ['outcome=given_back&shop=Coffee+House', [back.transactionId]],
    ['outcome=held&shop=Coffee+House', []],
    [`month=${month}`, ids],
    ['month=2020-01', []],
    [`before=${Date.parse(charges[1].created_at)}_${charges[1].charge_id}`, ids.slice(2)],
  ]
  for (const [query, expected] of filters)
    expect({ query, ids: await all(owner, query) }).toEqual({ query, ids: expected })
  expect((await owner.get('/api/activity/shops')).body).toEqual({ shops: ['Coffee House', 'Tea House'] })

  const life = (await owner.get(`/api/activity/${back.transactionId}`)).body
  expect(life.moments.map(({ what }: { what: string }) => what)).toEqual([
    'asked',
    'number_made',
    'reported',
    'given_back',
  ])
  expect((await owner.get(`/api/activity/${held.transactionId}`)).body).toMatchObject({
    ...{ reference: 'r-1', lapses_at: expect.any(String) },
    moments: [{ what: 'asked' }, { what: 'number_made' }],
  })

  // Another owner has none of it.
  const stranger = await newOwner(service)
  expect(await all(stranger, `agent=${agent.agentId}`)).toEqual([])
  expectError(await stranger.get(`/api/activity/${held.transactionId}`), 404, 'CHARGE_NOT_FOUND')
  for (const path of ['', '/charges']) {
    expectError(await stranger.get(`/api/permissions/${tea}${path}`), 404, 'MANDATE_NOT_FOUND')
  }
  for (const act of ['pause', 'end'])
    expectError(await stranger.post(`/api/permissions/${tea}/${act}`), 404, 'MANDATE_NOT_FOUND')
})

test('pages of an owner name each charge once, also of several agents, while more are made', async () => {
  const agents = [
    await linkedAgent(service, { owner: 'paged', limits: WIDE }),
    await linkedAgent(service, { owner: 'paged', limits: WIDE }),
  ]
  const owner = await sandboxOwner(service, agents[0]?.agentId ?? '')
  const mandates = await Promise.all(agents.map((agent) => mandateOf(service, agent, { total_amount: '900.00' })))
  const made: string[] = []
  const make = async (place: number) => {
    const [agent, mandate] = [agents[place % 2] as LinkedAgent, mandates[place % 2] as string]
    made.unshift((await charge(agent, mandate, '1.00', `p-${place}`)).transactionId)
  }
  for (let place = 0; place < 110; place += 1) await make(place)
  const first = (await owner.get('/api/activity')).body
  await make(110)
  const rest = await all(owner, `before=${first.next_before}`)
  const ids = [...first.charges.map(({ charge_id }: { charge_id: string }) => charge_id), ...rest]
  expect(ids).toEqual(made.slice(1))
  const permission = (await owner.get(`/api/permissions/${mandates[0]}/charges`)).body
  expect(permission.charges).toHaveLength(50)
  expect(new Set(permission.charges.map(({ agent_id }: { agent_id: string }) => agent_id))).toEqual(
    new Set([agents[0]?.agentId]),
  )
})

test('an owner sees their permissions and cards, holds one by a press and ends it, and what has ended stays there', async () => {
  const agent = await linkedAgent(service, { owner: 'permits', limits: WIDE })
  const owner = await sandboxOwner(service, agent.agentId)
  const id = await mandateOf(service, agent)
  await charge(agent, id, '20.00')
  const [shown] = (await owner.get('/api/permissions')).body.permissions
  expect(shown).toMatchObject({
    ...{
      mandate_id: id,
      agent: 'Pantry',
      merchant_name: 'Tea House',
      frequency: 'monthly',
      amount: '50.00',
      spent: '20.00',
    },
    ...{ left: '30.00', state: 'available', charges: 1, ended_at: null, renews_at: expect.any(String) },
  })
  const { cards } = (await owner.get('/api/cards')).body
  expect(cards).toMatchObject([
    { status: 'active', last4: expect.stringMatching(/^\d{4}$/), permissions: [{ mandate_id: id }] },
  ])
  expect((await owner.post(`/api/permissions/${id}/pause`)).status).toBe(200)
  expect((await owner.get(`/api/permissions/${id}`)).body).toMatchObject({ state: 'paused' })
  expect((await owner.get('/api/home')).body.money.agents).toMatchObject([
    { amount: '0.00', permissions: [{ barrier: 'paused' }] },
  ])
  expect((await owner.post(`/api/permissions/${id}/end`)).status).toBe(200)
  expect((await owner.get('/api/permissions')).body.permissions).toMatchObject([
    { state: 'cancelled', ended_at: expect.any(String) },
  ])
  expect((await owner.get('/api/cards')).body.cards).toMatchObject([{ permissions: [] }])
  expectError(await owner.post(`/api/permissions/${id}/pause`), 409, 'MANDATE_INVALID_TRANSITION')
})

const DAY = 24 * 60 * 60

test('an agent that charges as much as it can until the month ends comes to the sum that was said', async () => {
  // So that some days of the month are left, and windows of a week begin anew.
  const now = service.clock.now()
  const tenth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 18, 9)
  await service.clock.advance(Math.ceil((tenth - Number(now)) / 1000))
  const limits = { ...WIDE, charge: '20.00', day: '30.00', month: '260.00' }
  const agent = await linkedAgent(service, { owner: 'brute', limits })
  const owner = await sandboxOwner(service, agent.agentId)
  const setup = (recurring_frequency: string, more: object = {}) => ({
    mandate_setup: { recurring_frequency, ...more },
  })
  const mandates = [
    await mandateOf(service, agent, { total_amount: '45.00', ...setup('weekly') }),
    await mandateOf(service, agent, { total_amount: '70.00', ...setup('monthly', { max_charges: 3 }) }),
    await mandateOf(service, agent, { total_amount: '100.00', ...setup('monthly') }),
  ]
  await charge(agent, mandates[2] as string, '5.00')
  const { money } = (await owner.get('/api/home')).body
  expect(money.spent).toEqual([{ amount: '5.00', held: '5.00', currency: 'USD' }])
  const said = Number(money.agents[0].amount)
  let charged = 0
  const end = new Date(money.until)
  while (service.clock.now() < end) {
    for (const [place, mandate] of mandates.entries()) {
      // One that is for few charges is kept for large ones.
      for (const amount of place === 1 ? [20] : [20, 10, 5, 1]) {
        for (;;) {
          const made = await charge(agent, mandate, `${amount}.00`)
          if (made.status !== 'awaiting_result') break
          charged += amount
          expect((await report(agent, mandate, made.transactionId, 'APPROVED')).status).toBe(200)
        }
      }
    }
    const left = (Number(end) - Number(service.clock.now())) / 1000
    await service.clock.advance(Math.min(DAY, Math.max(1, Math.ceil(left))))
  }
  expect(charged).toBe(said)
})
