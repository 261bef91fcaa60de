// Guarantee: what an agent has taken of its limits is at every moment what its charges say, and never more than its owner allows, while charges,
// reports and lapses come from three nodes at once.
import { afterAll, expect, test, vi } from 'vitest'
import { atNode, type LinkedAgent, linkedAgent, mandateOf } from '../../test/agents.ts'
import { atOnce, blocked, countBy, dbRow } from '../../test/flows.ts'
import { startTestNodes } from '../../test/service.ts'
import { undone } from '../../test/undone.ts'
import { sqlState } from '../db/errors.ts'
import { Execution } from '../db/prepared.ts'

const { service, nodes, nodeAt, close } = await startTestNodes()
afterAll(close)

const CALLERS = 64
const ROUNDS = 3
const [MAX_OPEN, MAX_MINOR] = [9, 30_000]
const LIMITS = {
  ...{ currency: 'USD', charge: '10.00', day: '300.00', month: '300.00', open: MAX_OPEN },
  ...{ merchants: null, hours: null, ask_above: null },
}
/** A charge lives a minute, which the test lets pass. */
const CHARGE = {
  amount: '10.00',
  purchase_context: [{ effective_until_minutes: 1, product_details: [{ description: 'Tea', unit_price: '10.00' }] }],
}

test('64 callers at three nodes never pass a limit together, while what was declined or lapsed is given back', async () => {
  await awayFromMidnight()
  const agent = await linkedAgent(service, { limits: LIMITS })
  const yearly = { total_amount: '5000.00', mandate_setup: { recurring_frequency: 'yearly' } }
  const mandates = await Promise.all(Array.from({ length: 4 }, () => mandateOf(service, agent, yearly)))
  const outcomes: string[] = []
  const call = async (index: number) => {
    const caller = atNode(nodeAt(index), agent)
    for (let round = 0; round < ROUNDS; round += 1) {
      const path = `/v1/mandates/${mandates[(index + round) % 4]}/charge`
      const { status, body } = await caller.send('POST', path, { ...CHARGE, reference: `${index}-${round}` })
      expect(status, JSON.stringify(body)).toBe(200)
      outcomes.push(body.status === 'failed' ? body.details.limit : body.status)
      if (body.status === 'awaiting_result' && index % 4 !== 0) await report(caller, body, index % 4 === 1)
    }
  }
  let isDone = false
  const watching = watch(agent, () => isDone)
  const passing = passTime(() => isDone)
  await atOnce(CALLERS, call)
  isDone = true
  await Promise.all([watching, passing])
  expect(await watching).toBeGreaterThan(0)

  const seen = countBy(outcomes, String)
  expect(seen.awaiting_result).toBeGreaterThan(MAX_OPEN)
  expect(seen.open ?? 0).toBeGreaterThan(0)
  await service.clock.advance(61)
  await service.runJobs()
  const { paid, ...taken } = await stateOf(agent)
  expect(taken).toMatchObject({ open: 0, open_charges: 0, day: paid, month: paid })
})

test('who asks again with a reference, and who records its payment, wait for each other in turn, and never in a ring', async () => {
  const agent = await linkedAgent(service, { limits: LIMITS })
  const id = await mandateOf(service, agent, { mandate_setup: { recurring_frequency: 'yearly' } })
  const send = () => agent.send('POST', `/v1/mandates/${id}/charge`, { ...CHARGE, reference: 'r' })
  const { body: made } = await send()
  const failed = vi.spyOn(Execution.prototype, 'handleError')
  const { again, reported } = await undone(service, async (holder) => {
    await holder.query('select 1 from agent_spending where agent_id = $1 for update', [agent.agentId])
    const again = send()
    await expect.poll(() => blocked(service), { interval: 5 }).toBe(1)
    const reported = report(agent, made, true)
    await expect.poll(() => blocked(service), { interval: 5 }).toBe(2)
    return { again, reported }
  })
  expect((await again).body).toMatchObject({ deduplicated: true, transactionId: made.transactionId })
  expect((await reported).body).toMatchObject({ status: 'completed' })
  const states = failed.mock.calls.map(([error]) => sqlState(error))
  failed.mockRestore()
  expect(states).toEqual([])
})

const report = (caller: LinkedAgent, { mandateId, transactionId }: Record<string, string>, isPaid: boolean) =>
  caller.send('POST', `/v1/mandates/${mandateId}/charges/${transactionId}/report`, {
    ...{ txn_status: isPaid ? 'APPROVED' : 'DECLINED', txn_type: 'PURCHASE' },
  })

/** Counts and charges, seen by one statement: at one moment. */
const stateOf = ({ agentId }: LinkedAgent) =>
  dbRow(
    service,
    `select s.open_count as open, s.day_minor::int as day, s.month_minor::int as month, c.open_charges, c.live, c.paid
     from agent_spending s, lateral (
       select count(*) filter (where status in ('minting', 'awaiting_result'))::int as open_charges,
         coalesce(sum(amount_minor) filter (where status <> 'failed'), 0)::int as live,
         coalesce(sum(amount_minor) filter (where status = 'completed'), 0)::int as paid
       from charges where agent_id = s.agent_id) c
     where s.agent_id = $1`,
    [agentId],
  )

async function watch(agent: LinkedAgent, isDone: () => boolean): Promise<number> {
  let looks = 0
  for (; !isDone(); looks += 1) {
    const { open, day, month, open_charges, live } = await stateOf(agent)
    expect({ open, day, month }).toEqual({ open: open_charges, day: live, month: live })
    expect(open).toBeLessThanOrEqual(MAX_OPEN)
    expect(day).toBeLessThanOrEqual(MAX_MINOR)
  }
  return looks
}

/** What is not reported lapses, and gives back. */
async function passTime(isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    await service.clock.advance(61)
    await service.runJobs()
  }
}

/** The test moves the clock by minutes, and counts one day. */
async function awayFromMidnight(): Promise<void> {
  const now = service.clock.now()
  if (now.getUTCHours() < 20) return
  await service.clock.advance(5 * 60 * 60)
  await Promise.all(nodes.map(({ clock }) => clock.refresh()))
}
