// Guarantee: without its database the service answers 503 and stays up; with it back, it works again within seconds. A
// stop loses no request that was accepted.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startWireProxy } from '../crash/wire-proxy.ts'
import { createTestDatabase } from '../database.ts'
import { sessionBody } from '../service.ts'
import {
  type Caller,
  callerOf,
  databaseProcesses,
  eventually,
  freePort,
  freePorts,
  note,
  type Program,
  postmasterOf,
  preparedHome,
  readDevFile,
  startProgram,
  temporaryHome,
} from './program.ts'

const STOPPED = { code: 0, signal: null }

async function startAll(env: Record<string, string> = {}): Promise<{ program: Program; merchant: Caller }> {
  const home = await preparedHome()
  const program = startProgram(['all'], { home, port: await freePorts(), env: { LOG_LEVEL: 'silent', ...env } })
  await program.ready()
  return { program, merchant: callerOf(program.apiUrl, (await readDevFile(home)).secret_key) }
}

/** Milliseconds until the service is ready again and takes a session. */
async function recovery({ program, merchant }: { program: Program; merchant: Caller }): Promise<number> {
  const from = performance.now()
  await eventually(async () => ((await fetch(`${program.apiUrl}/ready`)).ok ? true : undefined))
  await eventually(async () => ((await merchant.post('/v1/sessions', sessionBody())).status === 201 ? true : undefined))
  return Math.round(performance.now() - from)
}

test('a database that is away: 503 with Retry-After, alive, not ready; then well again', async () => {
  const database = await createTestDatabase()
  // Its port is ours while no program listens at it.
  const proxy = await startWireProxy(database.connection, await freePort())
  const service = await startAll({ DATABASE_URL: proxy.url })
  const worker = startProgram(['worker'], { home: service.program.home, env: { DATABASE_URL: proxy.url } })
  await eventually(async () => (worker.output().includes('Worker') ? true : undefined))
  await proxy.close()

  const refused = await service.merchant.post('/v1/sessions', sessionBody())
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.headers.get('x-response-id')).toBeTruthy()
  await eventually(async () => ((await fetch(`${service.program.apiUrl}/ready`)).status === 503 ? true : undefined))
  expect((await fetch(`${service.program.apiUrl}/health`)).status).toBe(200)
  // It only makes likelier that every connection and every timer of the worker has ended; its stop shows that it has lived on.
  await delay(3_000)
  expect(worker.isRunning()).toBe(true)

  const back = await startWireProxy(database.connection, proxy.port)
  note(`Well again ${await recovery(service)} ms after the database came back`)
  expect(await worker.stop()).toEqual(STOPPED)
  expect(await service.program.stop()).toEqual(STOPPED)
  await back.close()
  await database.close()
})

test('a database that comes later than the service', async () => {
  const database = await createTestDatabase()
  const early = await startWireProxy(database.connection, await freePort())
  await early.close()
  const program = startProgram(['all'], {
    home: await temporaryHome(),
    port: await freePorts(),
    env: { DATABASE_URL: early.url, LOG_LEVEL: 'warn' },
  })
  await eventually(async () => (program.output().includes('the database does not answer yet') ? true : undefined))
  const proxy = await startWireProxy(database.connection, early.port)
  await program.ready()
  expect(await program.stop()).toEqual(STOPPED)
  await proxy.close()
  await database.close()
})

test('PostgreSQL killed under the service is started again', async () => {
  const service = await startAll()
  const { program, merchant } = service
  for (let time = 1; time <= 2; time += 1) {
    const created = await merchant.post('/v1/sessions', sessionBody())
    const all = await databaseProcesses(program.home)
    process.kill(await postmasterOf(program.home), 'SIGKILL')
    const answer = await merchant.get(`/v1/sessions/${created.body.session_id}/payment-result`)
    expect([200, 503]).toContain(answer.status)
    expect((await fetch(`${program.apiUrl}/health`)).status).toBe(200)
    // Its processes outlive it for a moment, and answer: nothing was lost yet.
    await eventually(async () => (isNoneOf(await databaseProcesses(program.home), all) ? true : undefined))
    note(`Well again ${await recovery(service)} ms after PostgreSQL was killed`)
    const kept = await merchant.get(`/v1/sessions/${created.body.session_id}/payment-result`)
    expect(kept.body).toMatchObject({ status: 'pending' })
  }
  // Also in the middle of such a restart a stop is clean.
  process.kill(await postmasterOf(program.home), 'SIGKILL')
  expect(await program.stop()).toEqual(STOPPED)
  expect(await databaseProcesses(program.home)).toEqual([])
})

const isNoneOf = (now: readonly number[], then: readonly number[]) => now.every((pid) => !then.includes(pid))

test('SIGTERM under load: no 5xx, slow requests are answered, what was acknowledged is kept', async () => {
  const database = await createTestDatabase()
  const { program, merchant } = await startAll({ DATABASE_URL: database.url, NETWORK_TIMEOUT_MS: '1500' })
  const hanging = await merchant.post('/v1/sessions', sessionBody({ user_id: 'slow' }))
  const statuses: number[] = []
  const acknowledged: string[] = []
  const client = async () => {
    while (program.isRunning()) {
      const answer = await merchant.post('/v1/sessions', sessionBody()).catch(() => null)
      // Not accepted any more: the caller goes to another node.
      if (answer === null) return
      statuses.push(answer.status)
      if (answer.status === 201) acknowledged.push(answer.body.session_id)
    }
  }
  const clients = Array.from({ length: 8 }, client)
  await eventually(async () => (statuses.length > 50 ? true : undefined))
  const slow = merchant.post(`/v1/test_helpers/sessions/${hanging.body.session_id}/complete`, {
    card_number: '4000000000000093',
  })
  await eventually(async () => {
    const { rows } = await database.pool.query(`select 1 from charges where status = 'minting'`)
    return rows.length > 0 ? true : undefined
  })
  const from = performance.now()
  const end = program.stop()
  expect(await slow).toMatchObject({ status: 200, body: { status: 'processing' } })
  expect(await end).toEqual(STOPPED)
  note(`Stopped under load in ${Math.round(performance.now() - from)} ms`)
  await Promise.all(clients)
  expect(new Set(statuses)).toEqual(new Set([201]))
  const { rows } = await database.pool.query('select 1 from sessions where id = any($1)', [acknowledged])
  expect(rows.length).toBe(acknowledged.length)
  await database.close()
})

test('a stop does not wait for a caller that says nothing, and in the end cuts one that never ends its request', async () => {
  const database = await createTestDatabase()
  const { program } = await startAll({ DATABASE_URL: database.url })
  const closed: string[] = []
  const call = (caller: string) => {
    const socket = connect(program.port, '127.0.0.1').on('error', () => undefined)
    socket.once('close', () => closed.push(caller))
    return socket
  }
  call('says nothing').resume()
  const sending = call('never ends')
  sending.write('POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{')
  // It is refused before its body is there: the service has both by then, the silent one first.
  expect(String((await once(sending, 'data'))[0])).toContain(' 401 ')
  sending.resume()
  expect(await program.stop()).toEqual(STOPPED)
  // Nothing is in hand of the one; the other may still be sending.
  await expect.poll(() => closed).toEqual(['says nothing', 'never ends'])
  await database.close()
})
