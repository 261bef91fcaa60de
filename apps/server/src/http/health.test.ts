import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { type HealthDeps, healthRoutes } from './health.ts'
import { startToyHost } from './testing/toy-host.ts'

let database: TestDatabase
/** Takes connections and never says a word. */
let mute: Server
beforeAll(async () => {
  database = await createTestDatabase()
  mute = createServer(() => {})
  await new Promise<void>((done) => mute.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  mute.close()
  await database.close()
})

async function ask(path: string, deps: HealthDeps) {
  const host = await startToyHost({ routes: healthRoutes(deps) })
  const response = await fetch(host.baseUrl + path)
  const body = await response.json()
  await host.close()
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body }
}

describe('GET /ready', () => {
  test('is 200 while the database answers', async () => {
    expect(await ask('/ready', { connection: database.url })).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(await ask('/ready', { connection: database.connection })).toMatchObject({ status: 200 })
  })

  test('is 503 when it refuses, and within little more than a second when it is silent', async () => {
    const unavailable = { status: 503, retryAfter: '1', body: { error: { code: 'SERVICE_UNAVAILABLE' } } }
    expect(await ask('/ready', { connection: 'postgres://nobody@127.0.0.1:1/none' })).toMatchObject(unavailable)
    const address = mute.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const start = performance.now()
    expect(await ask('/ready', { connection: { host: '127.0.0.1', port } })).toMatchObject(unavailable)
    expect(performance.now() - start).toBeLessThan(1_800)
  })
})

test('GET /health never asks the database', async () => {
  expect(await ask('/health', { connection: 'postgres://nobody@127.0.0.1:1/none' })).toMatchObject({ status: 200 })
})
