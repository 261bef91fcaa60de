import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../apps/server/test/processes/spawn.ts'

const SERVER = fileURLToPath(new URL('./server.ts', import.meta.url))
const SESSION = {
  session_id: 'sess_1',
  session_token: 'a.b.c',
  iframe_url: 'http://localhost:4002/s/ma_1/sess_1#secret',
  expires_at: '2999-01-01',
}

const PAYMENT = { iframe_url: SESSION.iframe_url, session_token: SESSION.session_token }

const sessions: { authorization: string | undefined; total_amount: string; user_id: string }[] = []
let home: string
let service: Server
let shop: ChildProcess
let url: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mintmark-shop-'))
  service = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (request.method === 'POST') sessions.push({ ...JSON.parse(text), authorization: request.headers.authorization })
    const pending = { status: 'pending', transactions: [] }
    response.end(JSON.stringify(request.method === 'POST' ? SESSION : pending))
  })
  const api_url = `http://127.0.0.1:${await listen(service)}`
  const account = {
    api_url,
    surface_url: 'http://localhost:4002',
    secret_key: 'sk_test_1',
    publishable_key: 'pk_test_1',
  }
  await writeFile(join(home, 'dev.json'), JSON.stringify(account))
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  shop = start({ MINTMARK_HOME: home, STOREFRONT_PORT: String(port) })
  await once(shop.stdout ?? shop, 'data')
})
afterAll(async () => {
  shop?.kill()
  service?.close()
  await rm(home, { recursive: true, force: true })
})

test('serves a page that loads nothing from elsewhere and frames the surface only', async () => {
  const page = await fetch(url)
  expect(page.headers.get('content-security-policy')).toContain('frame-src http://localhost:4002;')
  for (const [, path] of (await page.text()).matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
    expect((await fetch(url + path)).status, path).toBe(200)
  }
  const script = await fetch(`${url}/shop.ts`)
  expect(script.headers.get('content-type')).toMatch(/^text\/javascript/)
  expect(await script.text()).not.toContain('interface ')
})

test('orders at its own prices under its secret key, and tells the browser neither key nor credential', async () => {
  const placed = await order({ items: [{ id: 'sencha', quantity: 2, price: 1 }] })
  expect(placed.status).toBe(201)
  const body = await placed.json()
  expect(body).toMatchObject({ total: '29.00', state: 'waiting', payment: PAYMENT })
  expect(sessions.at(-1)).toMatchObject({ authorization: 'Bearer sk_test_1', total_amount: '29.00' })
  const cookie = placed.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/HttpOnly; SameSite=Lax/)

  const seen = await fetch(`${url}/api/orders/${body.id}`, { headers: { cookie } })
  // All that a reload needs, and no more.
  const { id, total, message } = body
  const standing = { id, total, message, state: 'waiting', authorization_code: null, payment: PAYMENT }
  expect(await seen.json()).toEqual(standing)
  // Another customer, or none.
  expect((await fetch(`${url}/api/orders/${body.id}`)).status).toBe(404)
  // The same browser is the same customer.
  await order({ items: [{ id: 'assam', quantity: 1 }] }, { cookie })
  expect(sessions.at(-1)?.user_id).toBe(sessions.at(-2)?.user_id)
})

test.each([
  ['no JSON', 400, '{'],
  ['an empty cart', 400, '{"items":[]}'],
  ['a body without end', 400, JSON.stringify({ items: 'x'.repeat(20_000) })],
])('refuses %s', async (_what, status, body) => {
  const answer = await fetch(`${url}/api/orders`, { method: 'POST', headers: JSON_TYPE, body })
  expect(answer.status).toBe(status)
  expect((await answer.json()).message).toMatch(/\.$/)
})

test('refuses what a form of another site could send', async () => {
  const body = JSON.stringify({ items: [{ id: 'sencha', quantity: 1 }] })
  const answer = await fetch(`${url}/api/orders`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body })
  expect(answer.status).toBe(415)
})

test('says so when there is no service yet, and ends', async () => {
  const lonely = start({ MINTMARK_HOME: join(home, 'nowhere') })
  let words = ''
  lonely.stderr?.on('data', (chunk) => {
    words += chunk
  })
  const [code] = await once(lonely, 'close')
  expect(code).toBe(1)
  expect(words).toContain('npm start')
})

const JSON_TYPE = { 'content-type': 'application/json' }

function order(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/api/orders`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  })
}

function start(env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [SERVER], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  process.once('exit', () => child.kill())
  return child
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
