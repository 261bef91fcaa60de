// Guarantee: whenever the shop is killed, nothing is paid twice, nothing paid is called open or declined, and no stock
// is lost.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { acpClient } from './testing/acp/world.ts'
import { available, CARD, call, freshCard, KEY, prepared, startAcquirer, type TestAcquirer } from './testing/world.ts'

const SERVER = join(import.meta.dirname, 'server.ts')
const ACP_SERVER = join(import.meta.dirname, 'testing/acp/server.ts')
const MUG = 'stoneware-mug.oat'
const STOCK = 15_000

let home: string
let acquirer: TestAcquirer
let running: { child: ChildProcess; url: string } | undefined
/** The shop that runs now. */
const shop = { call: (method: string, path: string, body?: unknown) => call(running?.url ?? '', method, path, body) }

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mintmark-sandbox-shop-'))
  acquirer = await startAcquirer()
})
afterEach(async () => {
  await kill()
  acquirer.close()
  await rm(home, { recursive: true, force: true })
})

/** As the service starts it, with a channel. */
async function start(env: Record<string, string> = {}, server = SERVER): Promise<ChildProcess> {
  const settings = { SHOP_HOME: home, SHOP_KEY: KEY, ACQUIRER_URL: acquirer.url, ACQUIRER_KEY: 'sk_test_1', PORT: '0' }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', server], {
    env: { ...settings, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  running = { child, url }
  return child
}

async function kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  const child = running?.child
  running = undefined
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

async function restart(env: Record<string, string> = {}): Promise<void> {
  await kill()
  await start(env)
}

const resolve = (ref: string, outcome: string) => shop.call('POST', `/api/checkouts/${ref}/resolve`, { outcome })

test('killed between the approval and its own note: a person finds out, and no second card is charged', async () => {
  await start()
  const one = await prepared(shop, MUG)
  acquirer.script = (asked) => {
    acquirer.judge(asked)
    void kill()
    return undefined
  }
  await expect(one.pay(CARD)).rejects.toThrow('fetch failed')
  acquirer.script = acquirer.judge
  await vi.waitFor(() => expect(running).toBeUndefined())
  await start()
  expect((await one.inquire()).body).toMatchObject({ state: 'needs_human', reason: 'payment_unknown' })
  expect((await one.pay()).body.state).toBe('needs_human')
  expect([...acquirer.approved.keys()]).toEqual([CARD.number])
  expect((await resolve(one.ref, 'paid')).body).toMatchObject({
    state: 'paid',
    order_id: expect.stringMatching(/^ord_/),
  })
  expect(await available(shop, 'stoneware-mug')).toBe(STOCK - 1)
})

test('killed before the acquirer was asked: the checkout is open, and pays once', async () => {
  await start()
  const one = await prepared(shop, 'test-slow.one-size')
  const lost = expect(one.pay()).rejects.toThrow('fetch failed')
  await vi.waitFor(async () => expect((await one.inquire()).body.state).toBe('in_progress'))
  await restart({ SHOP_SLOW_SECONDS: '0' })
  await lost
  expect((await one.inquire()).body.state).toBe('open')
  expect((await one.pay()).body.state).toBe('paid')
  expect(acquirer.approved.size).toBe(1)
})

test('killed at any moment of a purchase: what the acquirer approved is paid or a person’s', {
  timeout: 180_000,
}, async () => {
  const states: string[] = []
  await start()
  for (let round = 0; round < 10; round += 1) {
    // From before the reservation to after the answer.
    const killed = delay(round * 6).then(() => kill())
    const [ref, card] = [`txn_round_${round}`, freshCard()]
    const one = await prepared(shop, MUG, { ref }).catch(() => undefined)
    await one?.pay(card).catch(() => undefined)
    await killed
    await start()
    const { state = 'none' } = (await shop.call('GET', `/api/checkouts/${ref}`)).body
    const isApproved = acquirer.approved.has(card.number)
    expect(isApproved ? ['paid', 'needs_human'] : ['none', 'open', 'needs_human']).toContain(state)
    if (state === 'needs_human') await resolve(ref, isApproved ? 'paid' : 'released')
    if (state === 'open') await shop.call('POST', `/api/checkouts/${ref}/release`)
    states.push(state)
  }
  // What was bought is gone, and nothing else.
  expect(await available(shop, 'stoneware-mug'), String(states)).toBe(STOCK - acquirer.approved.size)
})

test('a payment that is under way is finished before a stop', async () => {
  const child = await start()
  const one = await prepared(shop, MUG)
  acquirer.script = (asked, response) => {
    child.disconnect()
    setTimeout(() => response.end(JSON.stringify(acquirer.judge(asked))), 300)
    return undefined
  }
  const ended = once(child, 'exit')
  await one.pay().catch(() => undefined)
  expect(await ended).toEqual([0, null])
  acquirer.script = acquirer.judge
  await start()
  expect((await one.inquire()).body.state).toBe('paid')
})

test('a key that the acquirer refuses is told to the service', async () => {
  const child = await start()
  const one = await prepared(shop, MUG)
  acquirer.script = (_asked, response) => {
    response.statusCode = 401
    return {}
  }
  const told = once(child, 'message')
  expect((await one.pay()).status).toBe(503)
  expect((await told)[0]).toEqual({ problem: 'key_refused' })
  acquirer.script = acquirer.judge
  expect((await one.pay()).body.state).toBe('paid')
})

test('two shops do not work on the same files', async () => {
  await start()
  const env = { SHOP_HOME: home, SHOP_KEY: KEY, ACQUIRER_URL: acquirer.url, ACQUIRER_KEY: 'k', PORT: '0' }
  const second = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', SERVER], { env })
  let words = ''
  second.stderr.on('data', (chunk) => {
    words += chunk
  })
  expect(await once(second, 'close')).toEqual([1, null])
  expect(words).toMatch(/^sandbox shop: .*locked/)
})

test('by itself it makes its key, for its owner alone, and finds its acquirer in dev.json', async () => {
  const env = { SHOP_HOME: join(home, 'shop'), MINTMARK_HOME: home, PORT: '0' }
  const lonely = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', SERVER], { env })
  let words = ''
  lonely.stderr.on('data', (chunk) => {
    words += chunk
  })
  expect(await once(lonely, 'close')).toEqual([1, null])
  expect(words).toContain('npm start')
  const file = join(home, 'shop', 'key')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, 'utf8')).toMatch(/^[\w-]{32}$/)
  expect(await readdir(home)).toEqual(['shop'])
})

test('killed while a session of the protocol is completed: the session is a person’s, under any key', async () => {
  await start({}, ACP_SERVER)
  const { created, tokenFor, complete, retrieve } = acpClient(() => ({ url: running?.url ?? '' }))
  const session = await created()
  const token = await tokenFor(session)
  acquirer.script = (asked) => {
    acquirer.judge(asked)
    void kill()
    return undefined
  }
  const headers = { 'idempotency-key': 'one-key' }
  await expect(complete(session, token, headers)).rejects.toThrow('fetch failed')
  acquirer.script = acquirer.judge
  await vi.waitFor(() => expect(running).toBeUndefined())
  await start({}, ACP_SERVER)
  expect((await retrieve(session)).status).toBe('requires_escalation')
  expect((await complete(session, token, headers)).body.status).toBe('requires_escalation')
  expect((await complete(session)).body.status).toBe('requires_escalation')
  expect(acquirer.approved.size).toBe(1)
})
