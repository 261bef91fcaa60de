// Guarantee: under more load than it can carry the service does what it can, refuses the rest, and is well right after.
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENT, sessionBody, startTestService, type TestService } from './service.ts'

const SESSIONS = 120
const PLACES = 8

let service: TestService
beforeAll(async () => {
  const env = { ...PATIENT, DATABASE_POOL_SIZE: '4', REQUESTS_PER_CONNECTION: String(PLACES / 4) }
  service = await startTestService({ env })
})
afterAll(() => service?.close())

test('more requests than places', async () => {
  const { merchant } = service
  const ids: string[] = []
  while (ids.length < SESSIONS) {
    const made = await merchant.post('/v1/sessions', sessionBody({ user_id: `user-${ids.length}` }))
    expect(made.status).toBe(201)
    ids.push(made.body.session_id)
  }
  const complete = (id: string) => merchant.post(`/v1/test_helpers/sessions/${id}/complete`, {})
  const answers = await Promise.all(ids.map(complete))
  const done = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 503)
  expect(done.length + refused.length).toBe(SESSIONS)
  expect(done.length).toBeGreaterThanOrEqual(PLACES)
  expect(refused.length).toBeGreaterThan(0)
  for (const { headers, body } of refused) {
    expect(headers.get('retry-after')).toBe('1')
    expect(body.error.code).toBe('SERVICE_UNAVAILABLE')
  }
  // Right after: nothing is left of the burst, and what was refused was not begun.
  const again = ids.filter((_, index) => answers[index]?.status === 503)
  for (const id of again.slice(0, 10)) expect((await complete(id)).status).toBe(200)
})

test('200 creations at one moment, each on a connection of its own, all wait for their turn', async () => {
  // The door and the pool as they are unless an operator sets them, but for the time that a burst may take, which is a machine's.
  const env = { DATABASE_POOL_SIZE: '16', REQUESTS_PER_CONNECTION: '4' }
  const burst = await startTestService({ isForCrowds: true, env })
  const { secretKey } = burst.merchant
  const agent = new Agent()
  const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' }
  const create = async (_: unknown, user: number) => {
    const sent = request(`${burst.apiUrl}/v1/sessions`, { method: 'POST', agent, headers })
    sent.end(JSON.stringify(sessionBody({ user_id: `burst-${user}` })))
    const [response] = await once(sent, 'response')
    response.resume()
    return `${response.statusCode}`
  }
  const statuses = await Promise.all(Array.from({ length: 200 }, create))
  expect(new Set(statuses)).toEqual(new Set(['201']))
  agent.destroy()
  await burst.close()
})
