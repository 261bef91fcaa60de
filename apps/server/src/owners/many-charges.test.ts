// Guarantee: an owner whose agents made 100,000 charges pages and filters them like one who has few: an answer reads a
// bounded part of them, and what is rare among them is found in as many answers as there are such parts.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LinkedAgent, linkedAgent, mandateOf } from '../../test/agents.ts'
import { NARROW } from '../../test/owner-examples.ts'
import { sandboxOwner, type TestOwner } from '../../test/owners.ts'
import { startTestService, type TestService } from '../../test/service.ts'

const MANY = 100_000
const BATCH = 5_000
/** What one answer reads of an agent's charges at most, and how many answers go through all of them. */
const MAX_READ = 2_000
const MAX_ANSWERS = MANY / 2 / MAX_READ + 1

let service: TestService
let owner: TestOwner
let agents: LinkedAgent[]
beforeAll(async () => {
  service = await startTestService()
  agents = [
    await linkedAgent(service, { owner: 'many', limits: NARROW }),
    await linkedAgent(service, { owner: 'many', limits: NARROW }),
  ]
  owner = await sandboxOwner(service, agents[0]?.agentId ?? '')
  for (const agent of agents) await copies(agent, MANY / agents.length)
  await service.pool.query('analyze charges')
}, 120_000)
afterAll(() => service?.close())

/** So many charges like one that was made, over years: paid, now and then refused, rarely given back or at one shop. */
async function copies(agent: LinkedAgent, count: number): Promise<void> {
  const mandate = await mandateOf(service, agent)
  const made = await agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount: '1.00' })
  // As many as one statement writes in its time, however busy the machine is.
  for (let from = 1; from < count; from += BATCH) {
    await service.pool.query(
      `insert into charges select made.* from charges c, generate_series($2::integer, $3::integer) n, jsonb_populate_record(c, jsonb_build_object('id', c.id || n, 'created_at', c.created_at - n * interval '30 minutes',
         'payee_name', case when n = 40000 then 'Rare Shop' else 'Shop ' || n % 40 end, 'credential_sealed', null, 'credential_key_id', null,
         'work_due_at', null, 'lease_until', null, 'holds_reference', false, 'lapses_at', case when n % 10 > 0 or n = 45000 then c.created_at end,
         'status', case when n % 10 = 0 then 'failed' else 'completed' end,
         'failure_code', case when n % 10 = 0 then 'AGENT_LIMIT_EXCEEDED' end)) made
       where c.id = $1`,
      [made.body.transactionId, from, Math.min(count - 1, from + BATCH - 1)],
    )
  }
}

test('each page and each filter, also one that finds next to nothing', async () => {
  const long = new Date(service.clock.now().getTime() - 400 * 24 * 3_600_000)
  const questions: [string, number][] = [
    ['', 50],
    [`before=${long.getTime()}_x`, 50],
    [`agent=${agents[1]?.agentId}`, 50],
    ['shop=Shop+7', 50],
    ['shop=Rare+Shop', 2],
    ['shop=No+Shop', 0],
    [`month=${long.toISOString().slice(0, 7)}`, 50],
    ['outcome=refused', 50],
    ['outcome=given_back', 2],
    ['outcome=held', 2],
    ['outcome=refused&shop=Rare+Shop', 2],
    [`agent=${agents[0]?.agentId}&shop=Shop+3&outcome=paid&month=${long.toISOString().slice(0, 7)}`, 25],
  ]
  const answers: Record<string, number> = {}
  for (const [query, atLeast] of questions) {
    const begun = performance.now()
    let [found, before] = [0, /before/.test(query) ? undefined : '']
    answers[query] = 0
    for (let isMore = true; isMore && found < Math.max(1, atLeast); ) {
      const { status, body } = await owner.get(`/api/activity?${query}${before ? `&before=${before}` : ''}`)
      expect(status).toBe(200)
      answers[query] += 1
      found += body.charges.length
      isMore = body.next_before !== null && before !== undefined
      before = body.next_before ?? undefined
    }
    expect({ query, isEnough: found >= atLeast }).toEqual({ query, isEnough: true })
    if (process.env.SHOW_TIMES === '1') {
      const millis = (performance.now() - begun) / (answers[query] ?? 1)
      process.stdout.write(`${millis.toFixed(1)} ms each of ${answers[query]}: ${query}\n`)
    }
  }
  expect(Object.entries(answers).filter(([, count]) => count > MAX_ANSWERS)).toEqual([])
  // What is not rare is there at once.
  expect([answers[''], answers['shop=Shop+7'], answers['outcome=refused']]).toEqual([1, 1, 1])
})

test('the whole of it is read in pages of a file, each charge once', async () => {
  const ids = new Set<string>()
  let count = 0
  for (let before: string | null = ''; before !== null; ) {
    const { body } = await owner.get(`/api/activity?size=file${before === '' ? '' : `&before=${before}`}`)
    for (const { charge_id } of body.charges) ids.add(charge_id)
    count += body.charges.length
    before = body.next_before
  }
  expect({ count, different: ids.size }).toEqual({ count: MANY, different: MANY })
})
