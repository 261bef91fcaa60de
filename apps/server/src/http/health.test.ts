import { createServer, type Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { startDeafLine } from '../../test/deaf-line.ts'
import { lacksSpace, noteWriteError } from '../db/space.ts'
import { transaction } from '../db/transaction.ts'
import { publicErrorFrom } from './error-response.ts'
import { createReadiness, healthRoutes, type ReadinessDeps } from './health.ts'
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

const none = () => []

async function hostWith(deps: Partial<ReadinessDeps>) {
  const readiness = createReadiness({
    ...{ connection: database.connection, pool: database.pool, failingJobs: none },
    ...deps,
  })
  return startToyHost({ routes: healthRoutes(readiness), onClose: readiness.close })
}

const statusOf = async ({ baseUrl }: { baseUrl: string }, path: string) => (await fetch(baseUrl + path)).status

async function ask(path: string, deps: Partial<ReadinessDeps>) {
  const host = await hostWith(deps)
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

  test('is 503 until what the start awaits has ended, well or not', async () => {
    const readiness = createReadiness({ connection: database.connection, pool: database.pool, failingJobs: none })
    const host = await startToyHost({ routes: healthRoutes(readiness), onClose: readiness.close })
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    readiness.awaits(first.promise)
    readiness.awaits(second.promise)
    expect([await statusOf(host, '/ready'), await statusOf(host, '/health')]).toEqual([503, 200])
    first.resolve()
    expect(await statusOf(host, '/ready')).toBe(503)
    second.reject(new Error('There is no catalog.'))
    await readiness.begun()
    expect(await statusOf(host, '/ready')).toBe(200)
    await host.close()
  })

  test('is 503 when it refuses', async () => {
    const unavailable = { status: 503, retryAfter: '1', body: { error: { code: 'SERVICE_UNAVAILABLE' } } }
    expect(await ask('/ready', { connection: 'postgres://nobody@127.0.0.1:1/none' })).toMatchObject(unavailable)
  })

  test('is 503 after a second when it is silent', async () => {
    const address = mute.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const connection = { ...database.connection, host: '127.0.0.1', port }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const readiness = createReadiness({ connection, pool: database.pool, failingJobs: none })
      const asked = readiness.check()
      const refused = vi.fn()
      asked.catch(refused)
      await vi.advanceTimersByTimeAsync(999)
      expect(refused).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      await expect(asked).rejects.toMatchObject({ status: 503, retryAfterSeconds: 1 })
    } finally {
      vi.useRealTimers()
    }
  })
})

test('GET /ready is 503 while a job does nothing but fail, and GET /health is not', async () => {
  let failing = ['toys.break']
  const host = await hostWith({ failingJobs: () => failing })
  const statuses = async () => [await statusOf(host, '/ready'), await statusOf(host, '/health')]
  expect(await statuses()).toEqual([503, 200])
  failing = []
  // The database is asked as well, within a second: a busy machine may need another one.
  await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200]), { timeout: 20_000, interval: 500 })
  await host.close()
})

test('GET /health never asks the database', async () => {
  expect(await ask('/health', { connection: 'postgres://nobody@127.0.0.1:1/none' })).toMatchObject({ status: 200 })
})

test('GET /ready keeps its connection, and opens another when it was lost', async () => {
  const host = await hostWith({})
  const statusOf = async () => (await fetch(`${host.baseUrl}/ready`)).status
  const pids = async () => {
    const text =
      "select pid from pg_stat_activity where application_name = 'mintmark-ready' and datname = current_database()"
    return (await database.pool.query<{ pid: number }>(text)).rows.map(({ pid }) => pid)
  }
  expect(await statusOf()).toBe(200)
  const [first, ...others] = await pids()
  expect(others).toEqual([])
  await delay(1_100)
  expect(await statusOf()).toBe(200)
  expect(await pids()).toEqual([first])
  await database.pool.query('select pg_terminate_backend($1)', [first])
  // A good answer lasts a second: the first ones may be of before.
  const standing = async () => ({ status: await statusOf(), isLost: !(await pids()).includes(first ?? 0) })
  await expect.poll(standing, { timeout: 15_000 }).toEqual({ status: 200, isLost: true })
  await host.close()
  expect(await pids()).toEqual([])
})

test('a connection that is dead and does not say so keeps no process from its stop', async () => {
  const line = await startDeafLine(database.connection)
  const readiness = createReadiness({ connection: line.url, pool: database.pool, failingJobs: none })
  await readiness.check()
  line.goDeaf()
  // The line is deaf until after this: an end that waits for its answer does not come.
  await readiness.close()
  await line.close()
})

describe('a server without space', () => {
  test.each(['53100', '53200', '53400', '58030'])(
    '%s: 503, and not ready until a write succeeds again',
    async (code) => {
      const host = await hostWith({})
      const statusOf = async () => (await fetch(`${host.baseUrl}/ready`)).status
      const failure = transaction(database.pool, (tx) => tx.query(`do $$ begin raise sqlstate '${code}'; end $$`))
      const error = await failure.catch((thrown: unknown) => thrown)
      expect(publicErrorFrom(error)).toMatchObject({ status: 503, retryAfterSeconds: 2 })
      expect(lacksSpace(database.pool)).toBe(true)
      // A machine that is busy may not answer within the second that readiness waits.
      await expect.poll(statusOf, { timeout: 15_000 }).toBe(200)
      expect(lacksSpace(database.pool)).toBe(false)
      await host.close()
    },
  )

  test('reading and changing what is there does not make it ready', async () => {
    noteWriteError(database.pool, Object.assign(new Error('could not extend file'), { code: '53100' }))
    await transaction(database.pool, (tx) => tx.query('select 1'))
    expect(lacksSpace(database.pool)).toBe(true)
    // On this connection nothing can be written, as on a full disk.
    const connection = { ...database.connection, options: '-c default_transaction_read_only=on' }
    expect(await ask('/ready', { connection })).toMatchObject({ status: 503 })
    expect(lacksSpace(database.pool)).toBe(true)
    expect(await ask('/ready', {})).toMatchObject({ status: 200 })
  })
})
