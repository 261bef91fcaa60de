// Guarantee: whatever agents, owners and the operator do at several nodes at once has one outcome: a nonce is good once, a link makes one agent, a
// key is changed once, and a revoked agent is refused everywhere, whatever it has in work; what it was given it reports (faults G3, G4).
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { signRequest } from '@mintmark/node'
import { afterAll, describe, expect, test } from 'vitest'
import {
  approveLink,
  askFor,
  askForLink,
  atNode,
  type LinkedAgent,
  linkedAgent,
  mandateOf,
  newAgent,
  type TestAgent,
  WIDE,
} from '../../test/agents.ts'
import { atOnce, countBy, dbRow, expectInvalid } from '../../test/flows.ts'
import { eventually } from '../../test/processes/program.ts'
import { type Answer, startTestNodes, type TestService } from '../../test/service.ts'
import { onNodes } from '../charges/testing/charge.ts'
import { changeBody, changeKey } from './testing/change-key.ts'
import { thumbprintOf } from './testing/thumbprint.ts'

const { service, nodes, nodeAt, close } = await startTestNodes()
afterAll(close)

const me = (agent: TestAgent) => agent.send('GET', '/v1/agents/me')
const reasonOf = ({ status, body }: Answer) =>
  status === 200 ? 'taken' : (body.error.details?.reason ?? body.error.code)

describe('at three nodes at once', () => {
  test('of thirty equal requests one is taken', async () => {
    const { privateKey, agentId: keyId } = await linkedAgent(service)
    const { host } = new URL(service.apiUrl)
    const headers = signRequest({ method: 'GET', url: `${service.apiUrl}/v1/agents/me` }, { privateKey, keyId })
    const sendTo = ({ apiUrl }: TestService) =>
      new Promise<number>((resolve, reject) => {
        // As a load balancer passes it on: the name is the one that was called.
        const sent = request(`${apiUrl}/v1/agents/me`, { headers: { ...headers, host }, agent: false }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0))
        })
        sent.on('error', reject).end()
      })
    expect(countBy(await atOnce(30, (index) => sendTo(nodeAt(index))), String)).toEqual({ 200: 1, 401: 29 })
  })

  test('of twelve approvals of two links of one key one makes an agent', async () => {
    const agent = newAgent(service)
    const links = [await askForLink(agent), await askForLink(agent)]
    const owner = `owner-${randomBytes(4).toString('hex')}`
    const answers = await atOnce(12, (index) => {
      const [merchant = service.merchant] = onNodes(service.merchant, [nodeAt(index)])
      return approveLink({ apiUrl: '', merchant }, links[index % 2] ?? '', { owner: `${owner}-${index}` })
    })
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const made = await dbRow(
      service,
      'select count(distinct agent_id)::int as agents, count(*)::int as keys from agent_keys where thumbprint = $1',
      [thumbprintOf(agent.privateKey)],
    )
    expect(made).toEqual({ agents: 1, keys: 1 })
  })

  test('of twelve changes of one key one is made, and the key before is refused at each node at once', async () => {
    const agent = await linkedAgent(service)
    for (const node of nodes) expect(await me(atNode(node, agent))).toMatchObject({ status: 200 })
    const next = Array.from({ length: 12 }, () => newAgent(service, agent.agentId))
    const answers = await atOnce(12, (index) =>
      changeKey(atNode(nodeAt(index), agent), changeBody(agent, next[index] ?? agent, { old_key_seconds: 0 })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const won = next[answers.findIndex(({ status }) => status === 200)] ?? agent
    for (const node of nodes) {
      expect(reasonOf(await me(atNode(node, agent)))).toBe('key_unknown')
      expect(reasonOf(await me(atNode(node, { ...agent, ...won })))).toBe('taken')
    }
  })

  test('a key goes on for a day at most', async () => {
    const agent = await linkedAgent(service)
    const day = 24 * 60 * 60
    const next = newAgent(service, agent.agentId)
    expectInvalid(await changeKey(agent, changeBody(agent, next, { old_key_seconds: day + 1 })), 'old_key_seconds')
    const before = service.clock.now().getTime()
    const changed = await changeKey(agent, changeBody(agent, next, { old_key_seconds: day }))
    const goesOn = new Date(changed.body.old_key_valid_until).getTime() - before
    // The wire has whole seconds.
    expect(goesOn).toBeGreaterThan(day * 1000 - 1_000)
    expect(goesOn).toBeLessThan(day * 1000 + service.clock.now().getTime() - before + 1_000)
  })
})

describe('an agent that is revoked with something in work', () => {
  test('is refused at each node at once, its sessions and questions end, and what it was given it reports', async () => {
    const agent = await linkedAgent(service, { limits: WIDE })
    const mandateId = await mandateOf(service, agent)
    const open = (await askFor(agent)).body.session_id
    const charged = await charge(agent, mandateId, { reference: 'charged' })
    const asked = await charge(agent, mandateId, { amount: '90.00', reference: 'asked' })
    expect(asked.body.escalation.status).toBe('pending')
    // A third charge is at the network when the agent ends: another payment holds its row there.
    const network = await service.pool.connect()
    try {
      await network.query('begin')
      await network.query('select 1 from simnet.instructions where mandate_id = $1 for update', [mandateId])
      const minting = charge(atNode(nodeAt(1), agent), mandateId, { reference: 'minting' })
      await eventually(async () => {
        const { count } = await dbRow(
          service,
          `select count(*)::int as count from charges where standing_mandate_id = $1 and status = 'minting'`,
          [mandateId],
        )
        return count === 1 ? true : undefined
      })
      await service.app.agentOperations.revoke(agent.agentId)
      for (const node of nodes) {
        expect(reasonOf(await me(atNode(node, agent)))).toBe('key_unknown')
        expect(reasonOf(await charge(atNode(node, agent), mandateId, { reference: 'minting' }))).toBe('key_unknown')
      }
      await network.query('commit')
      // It was asked for in time, and made: its agent may use it, and reports.
      const made = await minting
      expect(made.body).toMatchObject({ status: 'awaiting_result', encrypted_payload: expect.any(Object) })
      for (const [index, one] of [charged, made].entries()) {
        expect(await report(atNode(nodeAt(index), agent), one, 'APPROVED')).toMatchObject({
          status: 200,
          body: { status: 'completed' },
        })
      }
    } finally {
      network.release(true)
    }
    await service.runJobs()
    const left = await dbRow(
      service,
      `select (select closed_at is not null from sessions where id = $2) as session_over, (select expires_at <= now() from escalations where id = $3) as question_over,
         (select array[open_count, day_minor, month_minor]::int[] from agent_spending where agent_id = $1) as taken`,
      [agent.agentId, open, asked.body.escalation.id],
    )
    expect(left).toEqual({ session_over: true, question_over: true, taken: [0, 2_000, 2_000] })
  })
})

const charge = (agent: LinkedAgent, mandateId: string, body: object) =>
  agent.send('POST', `/v1/mandates/${mandateId}/charge`, { amount: '10.00', ...body })
const report = (agent: LinkedAgent, { body: { mandateId, transactionId } }: Answer, txn_status: string) =>
  agent.send('POST', `/v1/mandates/${mandateId}/charges/${transactionId}/report`, { txn_status, txn_type: 'PURCHASE' })
