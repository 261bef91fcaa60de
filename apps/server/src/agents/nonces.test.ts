// Guarantee: a nonce is good once, on every node, for as long as its signature could be sent again; what is left of all requests is of the last
// minutes, however many they were (faults G3).
import { randomBytes } from 'node:crypto'
import { signRequest } from '@mintmark/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkedAgent } from '../../test/agents.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { unmoved } from '../platform/clock.ts'
import type { AgentDeps } from './deps.ts'
import { nonceOf, pastSlots, SLOTS } from './nonces.ts'
import { emptyPastSlots } from './ring.ts'
import { signed } from './signature/testing/signed.ts'
import { authenticate } from './store.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

const SLOT_SECONDS = 300
/** As long as a signature may be on its way: its life, and the skew at both ends. */
const REACH_SECONDS = 420

test('no slot in which a signature may still be good is past, at any second of an hour', () => {
  for (let now = 0; now < 3600; now += 1) {
    const past = pastSlots(new Date(now * 1000))
    expect(new Set(past).size).toBe(3)
    for (const created of [now - REACH_SECONDS, now, now + 60]) {
      expect(past).not.toContain(nonceOf('key', { created, nonce: 'n' }).slot)
    }
  }
})

test('a nonce is looked for wherever its agent may have used it, and nowhere twice', () => {
  for (let created = 0; created < 3600; created += 30) {
    const { slot, slotsBeside } = nonceOf('key', { created, nonce: 'n' })
    const reached = [-REACH_SECONDS, 0, REACH_SECONDS].map(
      (by) => nonceOf('key', { created: created + by, nonce: 'n' }).slot,
    )
    expect([slot, ...slotsBeside]).toEqual(expect.arrayContaining(reached))
    expect(new Set([slot, ...slotsBeside]).size).toBe(5)
    expect([slot, ...slotsBeside].every((each) => each >= 0 && each < SLOTS)).toBe(true)
  }
})

test('a nonce that an agent uses a second time, in a later signature, is refused', async () => {
  const { agentId, privateKey: key } = await linkedAgent(service)
  const { host: authority } = new URL(service.apiUrl)
  const now = Math.floor(unmoved(service.clock).getTime() / 1000)
  const send = async (created: number) => {
    const parameters = { created: `${created}`, expires: `${created + 300}`, nonce: '"once"', keyid: `"${agentId}"` }
    const { headers } = signed({ method: 'GET', authority, rawTarget: '/v1/agents/me', key, parameters })
    const answer = await fetch(`${service.apiUrl}/v1/agents/me`, {
      headers: headers.filter(([name]) => name.startsWith('Sig')) as [string, string][],
    })
    return [answer.status, (await answer.json()).error?.details.reason]
  }
  // It has just ended, and a minute more is allowed for clocks that differ: so long all of this may take.
  expect(await send(now - 302)).toEqual([200, undefined])
  for (const created of [now - 302, now - 301, now]) expect(await send(created)).toEqual([401, 'nonce_replayed'])
  const { rows } = await service.pool.query('select octet_length(digest) as length from agent_nonces')
  expect(rows.every(({ length }) => length === 16)).toBe(true)
})

test('a request that is one too many spends no nonce, and one that is sent again takes no point', async () => {
  const POINTS = 12
  const small = await startTestService({ env: { RATE_LIMIT_AGENT: String(POINTS) } })
  try {
    const agent = await linkedAgent(small)
    const nonces = async () =>
      (await small.pool.query('select count(*)::int as count from agent_nonces')).rows[0].count as number
    const before = await nonces()
    const url = `${small.apiUrl}/v1/agents/me`
    const headers = signRequest({ method: 'GET', url }, { privateKey: agent.privateKey, keyId: agent.agentId })
    const first = await fetch(url, { headers })
    expect(first.status).toBe(200)
    for (let again = 0; again < 2 * POINTS; again += 1) expect((await fetch(url, { headers })).status).toBe(401)
    const more = await Promise.all(Array.from({ length: 3 * POINTS }, () => agent.send('GET', '/v1/agents/me')))
    expect(more.filter(({ status }) => status === 200)).toHaveLength(POINTS - 1)
    expect(more.filter(({ status }) => status === 429)).toHaveLength(2 * POINTS + 1)
    expect((await nonces()) - before).toBe(POINTS)
  } finally {
    await small.close()
  }
})

test('the nonce is committed without waiting for the disk, and what the request goes on to do is not', async () => {
  const { agentId } = await linkedAgent(service)
  const { rows } = await service.pool.query('select merchant_id, thumbprint from agent_keys where agent_id = $1', [
    agentId,
  ])
  const { merchant_id: merchantId, thumbprint } = rows[0]
  const now = service.clock.now()
  const nonce = nonceOf(thumbprint, { created: Math.floor(now.getTime() / 1000), nonce: 'n-1' })
  const client = await service.pool.connect()
  const isAwaited = async () => (await client.query('show synchronous_commit')).rows[0].synchronous_commit
  try {
    // The server of the tests waits for nothing.
    await client.query('set synchronous_commit = on')
    await client.query('begin')
    expect(await authenticate(client, { merchantId, thumbprint, ...nonce, at: now })).toMatchObject({ isFresh: true })
    expect(await isAwaited()).toBe('off')
    await client.query('commit')
    expect(await isAwaited()).toBe('on')
    expect(await authenticate(client, { merchantId, thumbprint, ...nonce, at: now })).toMatchObject({ isFresh: false })
  } finally {
    client.release(true)
  }
})

// NONCES_A_MINUTE=20000 is the load that the service is made for: 300,000 rows at most, 44 MB, and none ten minutes after the last one.
const A_MINUTE = Number(process.env.NONCES_A_MINUTE) || 100

test('at a steady pace the nonces of three slots are kept, and ten minutes after the last one none is', async () => {
  const { pool } = service
  let seconds = Date.parse('2026-11-24T12:00:00Z') / 1000
  const clock = { now: () => new Date(seconds * 1000) }
  const insert = () =>
    pool.query(
      `insert into agent_nonces (merchant_id, slot, digest)
       select 'ma_x', $1::smallint, decode(md5($2 || n::text), 'hex') from generate_series(1, $3::int) n`,
      [nonceOf('key', { created: seconds, nonce: 'n' }).slot, randomBytes(8).toString('hex'), A_MINUTE],
    )
  const left: number[] = []
  for (let minute = 1; minute <= 30; minute += 1) {
    if (minute <= 20) await insert()
    seconds += 60
    await emptyPastSlots({ pool, clock } as AgentDeps)
    const { rows } = await pool.query(`select count(*)::int as count from agent_nonces where merchant_id = 'ma_x'`)
    left.push(rows[0].count / A_MINUTE)
  }
  const slot = SLOT_SECONDS / 60
  expect(Math.max(...left)).toBeLessThanOrEqual(3 * slot)
  expect(Math.min(...left.slice(10, 20))).toBeGreaterThanOrEqual(slot)
  expect(left.at(-1)).toBeLessThan(slot)
  // Past: at most the slots that are still good.
  expect(SLOT_SECONDS * 5).toBeGreaterThan(REACH_SECONDS + 60)
})
