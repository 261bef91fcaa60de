// Guarantee: a stop cuts no caller off: each is told to close the connection before it is closed.
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { drainable } from './drain.ts'

async function hostOf(handler: () => Promise<unknown>, graceMillis?: number) {
  const app = fastify()
  const close = drainable(app, graceMillis)
  app.get('/', handler)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { close, url }
}

const answer = async () => ({ ok: true })

function get(url: string, agent: Agent): Promise<{ status: number | undefined; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent }, (response) => {
      response.resume().on('end', () => {
        resolve({ status: response.statusCode, connection: response.headers.connection })
      })
    })
    sent.on('error', reject).end()
  })
}

test('a request in hand is finished, and its response says close', async () => {
  const [came, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()]
  const { close, url } = await hostOf(() => {
    came.resolve()
    return gate.promise
  })
  const agent = new Agent({ keepAlive: true })
  const inHand = get(url, agent)
  await came.promise
  const closed = close()
  gate.resolve({ ok: true })
  expect(await inHand).toEqual({ status: 200, connection: 'close' })
  await closed
})

test('callers with kept connections see no reset, only a close', async () => {
  // On a busy machine a request is longer on its way: the grace is as long as this test waits in any case.
  const { close, url } = await hostOf(() => delay(5, { ok: true }), 2_000)
  const agents = Array.from({ length: 8 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  let closing = false
  const kept = new Set<Agent>()
  const callers = agents.map(async (agent) => {
    for (;;) {
      const { status, connection } = await get(url, agent)
      expect(status).toBe(200)
      if (connection === 'close') return closing
      kept.add(agent)
    }
  })
  await expect.poll(() => kept.size).toBe(agents.length)
  closing = true
  const closed = close()
  // Each was told while the host was draining; none met an error.
  expect(await Promise.all(callers)).toEqual(agents.map(() => true))
  await closed
})

test('a host without connections closes immediately', async () => {
  // Callers with a kept connection would have ten minutes, and a test has less.
  const { close } = await hostOf(answer, 600_000)
  await close()
})
