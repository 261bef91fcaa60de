// Guarantee: an agent is offered what it can see to an end: what only a key charges or reads is offered to an agent with a key, at once when it
// has one; and no client waits for news of the list (faults G2).
import { afterAll, describe, expect, test } from 'vitest'
import { approveLink, askForLink, newAgent, TEA } from '../../test/agents.ts'
import { dbRow } from '../../test/flows.ts'
import {
  ALL,
  answerOf,
  callTool,
  keyedClient,
  type LinkedClient,
  linkedClient,
  rpc,
  startToolParty,
} from '../../test/tool-clients.ts'

const party = await startToolParty({ isForCrowds: true })
const { service, documents } = party
afterAll(party.close)
const agent = await keyedClient(service, { clientId: documents.url(), scope: ALL })

const hasKey = async (client: LinkedClient): Promise<boolean> => (await answerOf(service, client, 'get_agent')).has_key

describe('an agent without a key', () => {
  const LED_NOWHERE = ['create_mandate', 'request_purchase']
  const namesFor = async ({ token }: LinkedClient): Promise<string[]> =>
    (await rpc(service, token, 'tools/list')).body.result.tools.map(({ name }: { name: string }) => name)

  test('is not offered what only a key can charge or read, and all else', async () => {
    const keyless = await linkedClient(service, { clientId: documents.url(), scope: ALL })
    const all = await namesFor(agent)
    expect(all).toEqual(expect.arrayContaining(LED_NOWHERE))
    expect(await namesFor(keyless)).toEqual(all.filter((name) => !LED_NOWHERE.includes(name)))
    expect(await hasKey(keyless)).toBe(false)
    expect(await hasKey(agent)).toBe(true)
    for (const name of LED_NOWHERE) {
      const given = { ...TEA, ...(name === 'create_mandate' && { mandate_setup: { recurring_frequency: 'monthly' } }) }
      const { body } = await callTool(service, keyless.token, name, given)
      expect(body.error).toMatchObject({ code: -32602, message: `Tool ${name} not found` })
    }
    const row = await dbRow(service, 'select count(*)::int as asked from sessions where agent_id = $1', [
      keyless.agentId,
    ])
    expect(row).toEqual({ asked: 0 })
  })

  test('is told what it can do, and where its owner gives it a key it is offered all', async () => {
    const keyless = await linkedClient(service, { clientId: documents.url(), scope: ALL })
    const told = async () => (await rpc(service, keyless.token, 'server/discover')).body.result
    expect(await told()).toMatchObject({ instructions: expect.stringContaining('You have no key') })
    const linkId = await askForLink(newAgent(service))
    expect((await approveLink(service, linkId, { agent_id: keyless.agentId })).status).toBe(200)
    expect(await namesFor(keyless)).toEqual(await namesFor(agent))
    expect((await told()).instructions).not.toContain('You have no key')
  })
})

test.each([
  ['2026-07-28', 'server/discover', {}],
  [
    '2025-11-25',
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  ],
])('%s: it is declared that no client is told of another list', async (revision, method, params) => {
  const body = { jsonrpc: '2.0', id: 1, method, params }
  const response =
    method === 'initialize'
      ? await fetch(`${service.apiUrl}/mcp`, {
          method: 'POST',
          headers: {
            ...{ authorization: `Bearer ${agent.token}`, 'content-type': 'application/json' },
            ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': revision },
          },
          body: JSON.stringify(body),
        }).then((answer) => answer.text())
      : JSON.stringify((await rpc(service, agent.token, method)).body)
  expect(response).toContain('"tools":{')
  expect(response).not.toMatch(/"listChanged":\s*true/)
})
