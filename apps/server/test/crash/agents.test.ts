// Guarantee: wherever the service dies while an owner links an agent, while the agent charges or reports, or while its owner is asked about a
// charge, there is one agent and one charge or none, and one mail to the owner; the same request leads on, and what is counted of the owner's
// limits is exact.
import { randomUUID } from 'node:crypto'
import { openPayload } from '@mintmark/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectBalanced } from '../../src/charges/testing/charge.ts'
import {
  approveLink,
  askForLink,
  atNode,
  type Deployed,
  decideFor,
  type LinkedAgent,
  linkedAgent,
  mandateOf,
  newAgent,
  type TestAgent,
  WIDE,
} from '../agents.ts'
import { eventually, note } from '../processes/program.ts'
import type { TestService } from '../service.ts'
import { openStage, SIDES, SIDES_OF_FEW, type Stage, type StagedMerchant } from './stage.ts'
import { commits, runs, sweepKills } from './sweep.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

const deployed = (merchant: StagedMerchant): Deployed => ({ apiUrl: merchant.apiUrl, merchant })
const moved = (agent: TestAgent, { apiUrl }: StagedMerchant) =>
  newAgent({ apiUrl }, agent.keyId, { privateKey: agent.privateKey, publicKey: agent.privateKey })

async function rowOf(sql: string, values: unknown[]) {
  const { rows } = await stage.database.pool.query(sql, values)
  expect(rows).toHaveLength(1)
  return rows[0]
}

test.each(SIDES)('killed %s every message of the approval of a link', async (when) => {
  const asking = new Map<string, TestAgent>()
  const approve = (merchant: StagedMerchant, linkId: string) =>
    approveLink(deployed(merchant), linkId, { owner: `owner-of-${linkId}` })
  const sweep = {
    when,
    least: 8,
    // The passkey is made and then used, each with a challenge of its own.
    stops: [runs('agents.claim_challenge'), runs('agents.claim_challenge'), commits('agents.approve_link')],
    async prepare(merchant: StagedMerchant) {
      const agent = newAgent(merchant)
      const linkId = await askForLink(agent)
      asking.set(linkId, agent)
      return linkId
    },
    act: approve,
  }
  const found = await sweepKills(stage, sweep, async ({ merchant }, { sessionId: linkId, answer, reached, place }) => {
    const agent = moved(asking.get(linkId) ?? newAgent(merchant), merchant)
    const link = () => agent.send('GET', `/v1/agents/links/${linkId}`)
    const { status } = (await link()).body
    expect(status, place).toBe(reached === 3 ? 'approved' : 'pending')
    if (answer?.status === 200) expect(status).toBe('approved')
    if (status === 'pending') expect((await approve(merchant, linkId)).body).toMatchObject({ status: 'approved' })
    const { agent_id: id } = (await link()).body
    expect((await agent.send('GET', '/v1/agents/me')).body).toMatchObject({ agent_id: id })
    const made = await rowOf(
      `select (select count(*)::int from agents where link_id = $1) as agents, (select count(*)::int from agent_keys where agent_id = $2) as keys,
         (select count(*)::int from agent_spending where agent_id = $2) as limits, (select count(*)::int from approvals where subject_id = $1) as approvals,
         (select count(*)::int from passkeys p join customers c on c.id = p.customer_id where c.external_user_id = 'owner-of-' || $1) as passkeys`,
      [linkId, id],
    )
    expect(made).toEqual({ agents: 1, keys: 1, limits: 1, approvals: 1, passkeys: 1 })
    return status as string
  })
  note(`Link of an agent, killed ${when} each of ${found.length} messages: ${found.join(' ')}`)
})

/** What the agents of a sweep charge. */
const agents = new Map<string, LinkedAgent>()

/** A mandate of 50.00, and an agent of its own. */
async function prepare(merchant: StagedMerchant, limits: object = {}, owner = 'owner-1'): Promise<string> {
  const agent = await linkedAgent(deployed(merchant), { owner, limits: { ...WIDE, ...limits } })
  const mandateId = await mandateOf(deployed(merchant), agent)
  agents.set(mandateId, agent)
  return mandateId
}

function agentOf(merchant: StagedMerchant, mandateId: string): LinkedAgent {
  const agent = agents.get(mandateId)
  if (agent === undefined) throw new Error(`No agent has ${mandateId}.`)
  return atNode(merchant, agent)
}

const charge = (merchant: StagedMerchant, mandateId: string, amount = '25.00') =>
  agentOf(merchant, mandateId).send('POST', `/v1/mandates/${mandateId}/charge`, { amount, reference: 'once' })
const report = (merchant: StagedMerchant, mandateId: string, transactionId: string) =>
  agentOf(merchant, mandateId).send('POST', `/v1/mandates/${mandateId}/charges/${transactionId}/report`, {
    ...{ txn_status: 'DECLINED', txn_type: 'PURCHASE' },
  })
const takenOf = (merchant: StagedMerchant, mandateId: string) =>
  rowOf(
    'select open_count as open, day_minor::int as day, month_minor::int as month from agent_spending where agent_id = $1',
    [agentOf(merchant, mandateId).agentId],
  )
const balanced = (mandateId: string) => expectBalanced({ pool: stage.database.pool } as TestService, mandateId)
const NOTHING = { open: 0, day: 0, month: 0 }
const ONE = { open: 1, day: 2_500, month: 2_500 }

/** The charge of a reference, once it is made. */
const made = (merchant: StagedMerchant, mandateId: string) =>
  eventually(async () => {
    const { status, body } = await charge(merchant, mandateId)
    return status === 200 ? body : undefined
  })

/** Opened, minted by the network, and recorded. */
const MADE = [
  commits('charges.insert_opened'),
  commits('simnet.insert_minted'),
  commits('charges.update_standing_minted'),
]

test.each(SIDES)('killed %s every message of an agent’s charge', async (when) => {
  const sweep = {
    ...{ when, least: 5, stops: MADE },
    prepare: (merchant: StagedMerchant) => prepare(merchant),
    act: (merchant: StagedMerchant, mandateId: string) => charge(merchant, mandateId),
  }
  const found = await sweepKills(stage, sweep, async ({ merchant }, { sessionId: mandateId, answer }) => {
    const again = await made(merchant, mandateId)
    expect(again).toMatchObject({ status: 'awaiting_result', amount: '25.00' })
    if (answer?.status === 200) expect(again.transactionId).toBe(answer.body.transactionId)
    const { privateKey } = agentOf(merchant, mandateId)
    expect(openPayload(again.encrypted_payload, privateKey)).toMatchObject({ transactionId: again.transactionId })
    expect(await balanced(mandateId)).toEqual({ spent: 2_500, count: 1 })
    expect(await takenOf(merchant, mandateId)).toEqual(ONE)
  })
  note(`Charge of an agent, killed ${when} each of ${found.length} messages`)
})

test.each(SIDES_OF_FEW)('killed %s every message of its report', async (when) => {
  const charges = new Map<string, string>()
  const act = (merchant: StagedMerchant, mandateId: string) => report(merchant, mandateId, charges.get(mandateId) ?? '')
  const sweep = {
    ...{ when, least: 4, act },
    stops: [commits('charges.claim_report'), commits('charges.update_standing_failed')],
    async prepare(merchant: StagedMerchant) {
      const mandateId = await prepare(merchant)
      charges.set(mandateId, (await made(merchant, mandateId)).transactionId)
      return mandateId
    },
  }
  const found = await sweepKills(stage, sweep, async ({ merchant }, { sessionId: mandateId }) => {
    expect(await act(merchant, mandateId)).toMatchObject({ status: 200, body: { status: 'failed' } })
    expect(await balanced(mandateId)).toEqual({ spent: 0, count: 0 })
    expect(await takenOf(merchant, mandateId)).toEqual(NOTHING)
  })
  note(`Report of an agent, killed ${when} each of ${found.length} messages`)
})

/** The same of an owner who is told by mail: what is queued for them is looked at, and not sent. */
async function prepareTold(merchant: StagedMerchant, limits: object): Promise<string> {
  const owner = `owner-${randomUUID()}`
  const mandateId = await prepare(merchant, limits, owner)
  await stage.database.pool.query(
    `insert into owner_addresses (merchant_id, customer_id, email, verified_at, code_id, code_made_at, code_ends_at, code_tries, seal)
     select merchant_id, id, external_user_id, now(), '', now(), now(), 0, '' from customers where external_user_id = $1`,
    [owner],
  )
  return mandateId
}

/** A refused charge asks, the owner allows it, the same charge again is made: from wherever an earlier try has left it. */
async function escalated(merchant: StagedMerchant, mandateId: string, amount: string) {
  const first = await charge(merchant, mandateId, amount)
  if (first.body.escalation?.status !== 'pending') return first
  await decideFor(deployed(merchant), first.body.escalation.id, 'allow')
  return charge(merchant, mandateId, amount)
}

const ASKED = [runs('mail.insert_asked'), commits('mail.insert_asked')]
const SET_UP = [commits('sessions.approve_setup'), commits('mandates.update_active')]

test.each([
  ['within', '25.00', { charge: '10.00' }, 'used', [commits('escalations.allow'), commits('escalations.use')]],
  ['beyond', '75.00', {}, 'pending', [...SET_UP, commits('charges.insert_opened')]],
] as const)(
  'killed after every message of an escalation %s the mandate',
  async (where, amount, limits, stored, allowed) => {
    const act = (merchant: StagedMerchant, mandateId: string) => escalated(merchant, mandateId, amount)
    const sweep = {
      when: 'after',
      least: 12,
      stops: [...ASKED, ...allowed, commits('charges.update_standing_minted')],
      prepare: (merchant: StagedMerchant) => prepareTold(merchant, limits),
      act,
    } as const
    const found = await sweepKills(stage, sweep, async ({ merchant }, { sessionId: mandateId, answer }) => {
      const again = await eventually(async () => {
        const { body } = await act(merchant, mandateId)
        return body.status === 'awaiting_result' ? body : undefined
      })
      if (answer?.body.status === 'awaiting_result') expect(again.transactionId).toBe(answer.body.transactionId)
      const minor = Number(amount) * 100
      expect(await takenOf(merchant, mandateId)).toEqual({ open: 1, day: minor, month: minor })
      expect(await balanced(again.mandateId)).toEqual({ spent: minor, count: 1 })
      if (where === 'beyond') expect(await balanced(mandateId)).toEqual({ spent: 0, count: 0 })
      const { agentId } = agentOf(merchant, mandateId)
      const rows = await rowOf(
        `select (select array_agg(status) from escalations where agent_id = $1) as escalations,
         (select count(*)::int from mails join escalations on escalations.id = escalation_id where agent_id = $1) as mails,
         (select count(*)::int from charges where agent_id = $1 and status = 'failed') as refused,
         (select count(*)::int from charges where agent_id = $1 and status = 'awaiting_result') as made,
         (select count(*)::int from mandates where agent_id = $1 and status = 'active') as mandates`,
        [agentId],
      )
      expect(rows).toEqual({
        escalations: [stored],
        mails: 1,
        refused: 1,
        made: 1,
        mandates: where === 'beyond' ? 2 : 1,
      })
    })
    note(`Escalation ${where} the mandate, killed after each of ${found.length} messages`)
  },
)
