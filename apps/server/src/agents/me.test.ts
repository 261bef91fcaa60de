// Guarantee: what an agent is and may do is read by its own signature alone. It changes its key by both keys, and a revoked one is refused on
// every node from its next request on (faults G3).
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkedAgent, newAgent, type TestAgent } from '../../test/agents.ts'
import { dbRow, expectError, expectInvalid } from '../../test/flows.ts'
import { type Answer, startTestService, type TestService } from '../../test/service.ts'
import { changeBody, changeKey } from './testing/change-key.ts'
import { thumbprintOf } from './testing/thumbprint.ts'

let service: TestService
let node: TestService
beforeAll(async () => {
  service = await startTestService()
  node = await startTestService({ database: service.database })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})

type Agent = TestAgent & { agentId: string }
const me = (agent: TestAgent, by = {}) => agent.send('GET', '/v1/agents/me', undefined, by)
const atNode = (agent: TestAgent) => newAgent(node, agent.keyId, pairOf(agent))
const pairOf = ({ privateKey }: TestAgent) => ({ privateKey, publicKey: privateKey })
const refusalOf = ({ status, body }: Answer) => [status, body.error?.code, body.error?.details?.reason]

test('who it is, whose, and what it may do', async () => {
  const agent = await linkedAgent(service)
  const answer = await me(agent)
  expect(answer.body).toEqual({
    ...{ agent_id: agent.agentId, name: 'Pantry', platform: null, description: null },
    owner: expect.stringMatching(/^own_[0-9a-z]{26}$/),
    key_thumbprint: thumbprintOf(agent.privateKey),
    card_url: null,
    limits: expect.arrayContaining([{ kind: 'charge', limit: '100.00', used: null, left: null, renews_at: null }]),
    operations: [
      ...[
        'listMandates',
        'getMandate',
        'pauseMandate',
        'resumeMandate',
        'cancelMandate',
        'chargeMandate',
        'reportCharge',
      ],
      ...['getAgent', 'changeAgent', 'changeAgentKey'],
      ...['createAgentSession', 'listAgentSessions', 'getAgentPaymentResult', 'reportAgentStatus'],
    ],
    waiting: [],
  })
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const byThumbprint = await me(agent, { keyId: thumbprintOf(agent.privateKey) })
  expect(byThumbprint.body).toEqual(answer.body)
})

test('name and description are its own to change, and nothing else', async () => {
  const agent = await linkedAgent(service)
  const change = (body: object) => agent.send('PATCH', '/v1/agents/me', body)
  expect((await change({ name: ' The  Pantry', description: 'Tea.' })).body).toMatchObject({
    name: 'The Pantry',
    description: 'Tea.',
  })
  expect((await change({ name: 'Pantry' })).body).toMatchObject({ name: 'Pantry', description: 'Tea.' })
  expect((await change({ description: '' })).body).toMatchObject({ name: 'Pantry', description: null })
  expectInvalid(await change({ name: 'Pantry', limits: { charge: '9999.00' } }), 'limits')
  expectInvalid(await change({ name: 'Pantry', platform: 'Bank' }), 'platform')
})

describe('refused', () => {
  test('a request that is sent twice, at whichever node', async () => {
    const agent = await linkedAgent(service)
    const sent: RequestInit[] = []
    const { fetch: original } = globalThis
    globalThis.fetch = async (url, init) => {
      sent.push(init ?? {})
      return original(url, init)
    }
    expect(
      await me(agent).finally(() => {
        globalThis.fetch = original
      }),
    ).toMatchObject({ status: 200 })
    // By its own name, as the first node was called: what is signed is for one authority.
    const again = await fetch(`${service.apiUrl}/v1/agents/me`, sent[0])
    expect([again.status, (await again.json()).error.details.reason]).toEqual([401, 'nonce_replayed'])
  })

  test('of sixteen equal requests at once one is taken', async () => {
    const agent = await linkedAgent(service)
    const headers = await signedHeaders(agent)
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => fetch(`${service.apiUrl}/v1/agents/me`, { headers })),
    )
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
  })

  test('a key of nobody, a link that was not approved, and a signature of another key', async () => {
    const agent = await linkedAgent(service)
    expect(refusalOf(await me(newAgent(service)))).toEqual([401, 'AUTH_REQUIRED', 'key_unknown'])
    expect(refusalOf(await me(newAgent(service, agent.agentId)))).toEqual([401, 'AUTH_REQUIRED', 'signature_invalid'])
  })

  test('a body that is not the one that was signed', async () => {
    const agent = await linkedAgent(service)
    const headers = await signedHeaders(agent, 'PATCH', '{"name":"Pantry"}')
    const answer = await fetch(`${service.apiUrl}/v1/agents/me`, { method: 'PATCH', headers, body: '{"name":"Thief"}' })
    expect([answer.status, (await answer.json()).error.details.reason]).toEqual([401, 'digest_mismatch'])
    expect((await me(agent)).body.name).toBe('Pantry')
  })

  test('a request for another server, where the same key is linked', async () => {
    const agent = await linkedAgent(service)
    const other = new URL(service.apiUrl)
    other.hostname = 'pay.example'
    const { signRequest } = await import('@mintmark/node')
    const headers = signRequest(
      { method: 'GET', url: `${other.origin}/v1/agents/me` },
      { privateKey: agent.privateKey, keyId: agent.agentId },
    )
    const { request } = await import('node:http')
    const status = await new Promise((resolve, reject) => {
      request(`${service.apiUrl}/v1/agents/me`, { headers: { ...headers, host: other.host } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
    expect(status).toBe(401)
  })

  test('an agent whose limits were edited in the database', async () => {
    const agent = await linkedAgent(service)
    await service.pool.query(`update agents set limits = jsonb_set(limits, '{charge}', '"9999.00"') where id = $1`, [
      agent.agentId,
    ])
    expect((await me(agent)).status).toBe(500)
  })

  test('an agent that was revoked, at once and at every node', async () => {
    const agent = await linkedAgent(service)
    expect(await me(atNode(agent))).toMatchObject({ status: 200 })
    await service.app.agentOperations.revoke(agent.agentId)
    for (const each of [agent, atNode(agent)])
      expect(refusalOf(await me(each))).toEqual([401, 'AUTH_REQUIRED', 'key_unknown'])
    await expect(service.app.agentOperations.revoke(agent.agentId)).rejects.toThrow()
  })
})

describe('a key is changed', () => {
  test('both are good for a day, then the new one', async () => {
    const agent = await linkedAgent(service)
    const next = newAgent(service, agent.agentId)
    const changed = await changeKey(agent, changeBody(agent, next))
    expect(changed).toMatchObject({
      status: 200,
      body: { agent_id: agent.agentId, key_thumbprint: thumbprintOf(next.privateKey) },
    })
    for (const each of [agent, next, atNode(agent), atNode(next)]) expect(await me(each)).toMatchObject({ status: 200 })
    await service.clock.advance(24 * 60 * 60 + 1)
    expect(refusalOf(await me(agent))).toEqual([401, 'AUTH_REQUIRED', 'key_unknown'])
    expect(await me(next)).toMatchObject({ status: 200 })
  })

  test('at once where that is asked for', async () => {
    const agent = await linkedAgent(service)
    const next = newAgent(service, agent.agentId)
    await changeKey(agent, changeBody(agent, next, { old_key_seconds: 0 }))
    expect(refusalOf(await me(agent))).toEqual([401, 'AUTH_REQUIRED', 'key_unknown'])
    expect(await me(next)).toMatchObject({ status: 200 })
  })

  test('not without the proof of the new key, not by a key that was changed already, and not to one that is linked', async () => {
    const agent = await linkedAgent(service)
    const next = newAgent(service, agent.agentId)
    const foreign = changeBody(await linkedAgent(service), next)
    expectInvalid(await changeKey(agent, foreign), 'proof')
    expect(await changeKey(agent, changeBody(agent, next))).toMatchObject({ status: 200 })
    expectError(await changeKey(agent, changeBody(agent, newAgent(service, agent.agentId))), 400, 'INVALID_STATE')
    const linked = await linkedAgent(service)
    const other = await linkedAgent(service)
    expectError(
      await changeKey(other, changeBody(other, newAgent(service, undefined, pairOf(linked)))),
      409,
      'AGENT_KEY_LINKED',
    )
  })

  test('of eight changes at once, to eight keys, one is made', async () => {
    const agent = await linkedAgent(service)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => changeKey(agent, changeBody(agent, newAgent(service, agent.agentId)))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const open = await dbRow(
      service,
      'select count(*)::int as count from agent_keys where agent_id = $1 and valid_until is null',
      [agent.agentId],
    )
    expect(open).toEqual({ count: 1 })
  })
})

async function signedHeaders(agent: Agent, method = 'GET', body?: string): Promise<Record<string, string>> {
  const { signRequest } = await import('@mintmark/node')
  const url = `${service.apiUrl}/v1/agents/me`
  const content = body === undefined ? {} : { 'content-type': 'application/json' }
  const request = { method, url, ...(body === undefined ? {} : { body }) }
  return { ...signRequest(request, { privateKey: agent.privateKey, keyId: agent.agentId }), ...content }
}
