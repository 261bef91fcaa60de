// Guarantee: every event of the account is worked off exactly once, whatever is sent twice, lost, or cut off by a crash.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { signWebhook } from '@mintmark/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { approvedSession, report } from '../../apps/server/test/flows.ts'
import { freePort } from '../../apps/server/test/processes/spawn.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from '../../apps/server/test/service.ts'

const SERVER = join(import.meta.dirname, 'server.ts')
/** The feed is out of reach: what is kept has come by a request. */
const AWAY = { MINTMARK_API_URL: 'http://127.0.0.1:59' }
const SECRET = `whsec_${randomBytes(32).toString('base64')}`

let service: TestService
let merchant: TestMerchant
let directory: string
let receiver: { child: ChildProcess; url: string; output: () => string } | undefined

beforeAll(async () => {
  service = await startTestService({ env: { ...PATIENT, WEBHOOK_ALLOW_LOOPBACK: 'on' } })
})
afterAll(() => service?.close())
beforeEach(async () => {
  // Each test has an account, and so a feed, of its own.
  merchant = await service.addMerchant()
  directory = await mkdtemp(join(tmpdir(), 'mintmark-receiver-'))
})
afterEach(async () => {
  await kill()
  await rm(directory, { recursive: true, force: true })
})

async function start(env: Record<string, string> = {}, port?: number): Promise<string> {
  port ??= await freePort()
  const settings = {
    ...{
      PATH: process.env.PATH,
      RECEIVER_PORT: String(port),
      RECEIVER_DATA: directory,
      MINTMARK_WEBHOOK_SECRET: SECRET,
    },
    ...{ MINTMARK_API_URL: service.apiUrl, MINTMARK_SECRET_KEY: merchant.secretKey },
    ...env,
  }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', SERVER], { env: settings })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  const url = `http://127.0.0.1:${port}`
  receiver = { child, url, output: () => text }
  await eventually(() =>
    fetch(url).then(
      (response) => response.ok,
      () => false,
    ),
  )
  return url
}

async function kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  const child = receiver?.child
  receiver = undefined
  if (child === undefined || child.exitCode !== null) return
  // Not `exit`: what it said last may still be on its way then.
  const ended = once(child, 'close')
  child.kill(signal)
  await ended
}

/** Ends it, and returns all that it has said. */
async function lastWords(): Promise<string> {
  const output = receiver?.output
  await kill('SIGTERM')
  return output?.() ?? ''
}

async function eventually(look: () => Promise<boolean>): Promise<void> {
  // For what hangs: a busy machine is no fault.
  for (const deadline = performance.now() + 240_000; performance.now() < deadline; await delay(50)) {
    if (await look()) return
  }
  throw new Error(`It did not happen.\n${receiver?.output()}`)
}

interface Summary {
  stored: number
  waiting: number
  payments: { id: string; status: string; amount: string }[]
}
const summary = async (url: string): Promise<Summary> => (await fetch(url)).json() as Promise<Summary>

/** A payment that was made: two events. Returns them as the feed has them. */
async function pay() {
  const { id, item } = await approvedSession(merchant)
  await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
  await service.runJobs()
  const { body } = await merchant.get('/v1/events?limit=100')
  return (body.data as { id: string; type: string; data: { session_id: string }; resource: { id: string } }[]).filter(
    (event) => event.data.session_id === id,
  )
}

/** What the service would send. */
async function deliver(url: string, event: { id: string }, secret = SECRET): Promise<Response> {
  const body = JSON.stringify(event)
  const headers = { ...signWebhook(body, { id: event.id, secrets: secret }), 'content-type': 'application/json' }
  return fetch(`${url}/webhooks`, { method: 'POST', headers, body })
}

describe('a request', () => {
  test('is kept once and worked off once, however often and in whatever order it comes', async () => {
    const url = await start(AWAY)
    const [ready, succeeded] = await pay()
    if (ready === undefined || succeeded === undefined) throw new Error('A payment has two events.')
    for (const event of [succeeded, ready, succeeded, ready, succeeded])
      expect((await deliver(url, event)).status).toBe(204)
    await eventually(async () => (await summary(url)).waiting === 0)
    const payment = { id: succeeded.resource.id, status: 'completed', amount: '40.00' }
    expect(await summary(url)).toEqual({ stored: 2, waiting: 0, payments: [payment] })
    expect((await lastWords()).match(/ done /g)).toHaveLength(2)
  })

  test('many at once with one event are one event', async () => {
    const url = await start(AWAY)
    const [event] = await pay()
    if (event === undefined) throw new Error('A payment has events.')
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(url, event)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 204))
    expect(await summary(url)).toMatchObject({ stored: 1 })
    expect((await lastWords()).match(/ received {2}/g)).toHaveLength(1)
  })

  test('that is not signed, or by another, is refused and leaves nothing', async () => {
    const url = await start()
    const event = { id: 'evt_1', type: 'payment.succeeded' }
    const refused = await deliver(url, event, `whsec_${randomBytes(32).toString('base64')}`)
    expect([refused.status, await refused.json()]).toEqual([400, { code: 'SIGNATURE_MISMATCH' }])
    expect((await fetch(`${url}/webhooks`, { method: 'POST', body: '{}' })).status).toBe(400)
    const large = await fetch(`${url}/webhooks`, { method: 'POST', body: 'x'.repeat(70_000) }).catch(() => undefined)
    expect([413, undefined]).toContain(large?.status)
    expect((await fetch(`${url}/elsewhere`, { method: 'POST' })).status).toBe(404)
    expect(await summary(url)).toMatchObject({ stored: 0 })
  })

  test('to see what was paid is answered to this machine alone: not through a tunnel, and not to a page under another name', async () => {
    const url = await start()
    const look = async (headers: Record<string, string>) => {
      const [response] = await once(get(url, { headers }), 'response')
      response.resume()
      return response.statusCode
    }
    expect(await look({})).toBe(200)
    for (const headers of [
      { host: 'shop.example' },
      { host: `rebound.example:${new URL(url).port}` },
      { 'x-forwarded-for': '203.0.113.7' },
      { forwarded: 'for=203.0.113.7' },
      { via: '1.1 tunnel' },
    ]) {
      expect([headers, await look(headers)]).toEqual([headers, 404])
    }
  })

  test('to verify the endpoint gets its challenge back; kinds that are not known are acknowledged; tests change nothing', async () => {
    const url = await start(AWAY)
    const asked = { id: 'evt_1', type: 'webhook.endpoint_verification', challenge: 'abc', data: { challenge: 'abc' } }
    const answer = await deliver(url, asked)
    expect([answer.status, await answer.json()]).toEqual([200, { challenge: 'abc' }])
    expect((await deliver(url, { id: 'evt_2', type: 'card.painted', data: {} } as never)).status).toBe(204)
    const [, succeeded] = await pay()
    expect((await deliver(url, { ...succeeded, id: 'evt_3', test: true } as never)).status).toBe(204)
    await eventually(async () => (await summary(url)).waiting === 0)
    expect(await summary(url)).toEqual({ stored: 2, waiting: 0, payments: [] })
  })
})

test('after an outage it catches up from the feed, and what is delivered as well counts once', async () => {
  const url = await start()
  const before = await pay()
  for (const event of before) await deliver(url, event)
  await eventually(async () => (await summary(url)).waiting === 0)
  await kill()
  const missed = [...(await pay()), ...(await pay()), ...(await pay())]

  const again = await start()
  await eventually(async () => (await summary(again)).stored === 8)
  for (const event of [...before, ...missed]) expect((await deliver(again, event)).status).toBe(204)
  await eventually(async () => (await summary(again)).waiting === 0)
  const { stored, payments } = await summary(again)
  expect([stored, payments.map(({ status }) => status)]).toEqual([8, Array.from({ length: 4 }, () => 'completed')])
  await expect.poll(() => receiver?.output()).toContain('caught up  6 of 8 events of the feed were new')
  await expect.poll(() => receiver?.output().match(/ done /g)?.length).toBe(6)
})

test('what was acknowledged survives a crash that comes with the acknowledgement', async () => {
  // Nothing but the disk can bring the events back.
  const all = [...(await pay()), ...(await pay()), ...(await pay())]
  for (const event of all) {
    const url = await start(AWAY)
    expect((await deliver(url, event)).status).toBe(204)
    await kill()
  }
  const url = await start(AWAY)
  await eventually(async () => (await summary(url)).waiting === 0)
  expect(await summary(url)).toMatchObject({
    stored: 6,
    payments: Array.from({ length: 3 }, () => ({ status: 'completed' })),
  })
  await kill('SIGTERM')
})

describe('registered with the service', () => {
  /** It registers itself, and the feed is out of the way until it starts anew. */
  const OWN = { MINTMARK_WEBHOOK_SECRET: '', RECEIVER_CATCH_UP_SECONDS: '86400' }
  const endpoints = async () => (await merchant.get('/v1/webhook-endpoints')).body.data
  const lines = (word: string) => receiver?.output().match(new RegExp(` ${word} {2}`, 'g'))?.length ?? 0

  test('it is sent what happens, and after an outage every event counts once, whichever way it comes', async () => {
    const port = await freePort()
    // So that it says when it has read the feed: what happens after that is there for it by a request alone.
    await pay()
    const url = await start(OWN, port)
    await eventually(async () => receiver?.output().includes('caught up  2 of 2') === true)
    const [endpoint] = await endpoints()
    expect(endpoint).toMatchObject({ state: 'active', verified: true, url: `http://localhost:${port}/webhooks` })

    await pay()
    await eventually(async () => {
      await service.runJobs()
      return (await summary(url)).stored === 4
    })
    await expect.poll(() => lines('received')).toBe(2)
    expect(lines('caught up')).toBe(1)

    await kill()
    await pay()
    await service.runJobs()
    await start(OWN, port)
    await eventually(async () => (await summary(url)).stored === 6 && receiver?.output().includes('is active') === true)
    await expect.poll(() => lines('caught up')).toBe(1)
    expect(await endpoints()).toMatchObject([{ id: endpoint.id, state: 'active' }])

    // The service sends again what was not acknowledged, when its time comes.
    await service.clock.advance(600)
    await eventually(async () => {
      await service.runJobs()
      return lines('received again') >= 2
    })
    await eventually(async () => (await summary(url)).waiting === 0)
    const { stored, payments } = await summary(url)
    expect([stored, payments.map(({ status }) => status)]).toEqual([6, ['completed', 'completed', 'completed']])
    await expect.poll(() => lines('done')).toBe(2)
  })

  test('without its memory it makes the endpoint anew: the secret was shown once', async () => {
    const port = await freePort()
    await start(OWN, port)
    await eventually(async () => receiver?.output().includes('the endpoint is active') === true)
    const [before] = await endpoints()
    await kill()
    await start({ ...OWN, RECEIVER_DATA: join(directory, 'new') }, port)
    await eventually(async () => receiver?.output().includes('the endpoint is active') === true)
    const [after, ...others] = await endpoints()
    expect(others).toEqual([])
    expect(after.id).not.toBe(before.id)
  })
})

test('it ends on a signal without an error, and says what is missing', async () => {
  await start()
  const child = receiver?.child
  await kill('SIGINT')
  expect(child?.exitCode).toBe(0)
  const lost = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', SERVER], {
    env: { PATH: process.env.PATH, MINTMARK_HOME: directory },
  })
  const chunks: string[] = []
  lost.stderr.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk))
  expect(await once(lost, 'close')).toEqual([1, null])
  expect(chunks.join('')).toMatch(/There is no .*dev\.json\. Start the service first/)
})
