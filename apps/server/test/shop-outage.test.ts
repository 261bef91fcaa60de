// Guarantee: wherever a real shop goes away during a purchase, in whatever way and for however long, the purchase is
// paid once or not at all once it is back, and its merchant reads what the acquirer's books say.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startAcpShop } from '../../../examples/sandbox-shop/testing/acp/protocol-of-shop.ts'
import { fromQuote, variantOf } from '../src/checkout/quotes/testing/scripted-shop.ts'
import type { Shop } from '../src/checkout/shops/service.ts'
import { secret } from '../src/platform/secret.ts'
import { complete, createSession, paidAtTheAcquirer, paymentResult } from './flows.ts'
import { PATIENT, startTestService, type TestService } from './service.ts'

const KEY = 'key-of-the-sandbox-shop'
/**
 * How the shop is away. `cut`: it hears, and its answers are lost. `restart`: it comes back as another process on the
 * same files.
 */
const OUTAGES = ['down', 'garbage', 'busy', 'cut', 'restart'] as const
type Outage = (typeof OUTAGES)[number]

const LONG = process.env.CRASH_SWEEP !== undefined

type RunningShop = Awaited<ReturnType<typeof startAcpShop>>

let home: string
let service: TestService
let shop: RunningShop
let street: Street
beforeAll(async () => {
  service = await startTestService({ env: { ...PATIENT, CHECKOUT_ALLOW_LOOPBACK: 'on' } })
  home = await mkdtemp(join(tmpdir(), 'mintmark-outage-'))
  shop = await openShop()
  street = await openStreet()
})
beforeEach(() => street.clear())
afterAll(async () => {
  await service?.close()
  await street?.close()
  await shop?.close()
  await rm(home, { recursive: true })
})

function openShop(): Promise<RunningShop> {
  const acquirer = { url: service.apiUrl, key: service.merchant.secretKey }
  return startAcpShop({ home, key: KEY, acquirer })
}

/** The way to the shop: open, until so many questions have passed; then an outage, until it is cleared. */
interface Street {
  url: string
  passed(): number
  block(after: number, outage: Outage): void
  /** The shop is back. */
  clear(): Promise<void>
  close(): Promise<void>
}

async function openStreet(): Promise<Street> {
  let passed = 0
  let blocked: { after: number; outage: Outage } | undefined
  let restarting: Promise<void> | undefined
  const server: Server = createServer(async (request, response) => {
    if (blocked === undefined || passed < blocked.after) {
      passed += 1
      await forward(request, response)
      return
    }
    switch (blocked.outage) {
      case 'garbage':
        return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome to nginx</h1>')
      case 'busy':
        return void response.writeHead(503, { 'content-type': 'application/json' }).end('{"code":"out_of_stock"}')
      case 'cut':
        return forward(request, response, true)
      case 'restart':
        restarting ??= shop.close()
        return void response.destroy()
      case 'down':
        return void response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: () => passed,
    block(after, outage) {
      passed = 0
      blocked = { after, outage }
    },
    async clear() {
      blocked = undefined
      passed = 0
      if (restarting === undefined) return
      await restarting
      restarting = undefined
      shop = await openShop()
    },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function forward(request: IncomingMessage, response: ServerResponse, isCut = false): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { host: _host, connection: _connection, ...headers } = request.headers
  const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}
  const init = { method: request.method ?? 'GET', headers: headers as Record<string, string>, ...body }
  const answer = await fetch(shop.url + request.url, init).catch(() => undefined)
  const text = await answer?.text()
  if (isCut || answer === undefined) return void response.destroy()
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text)
}

async function approved(registered: Shop) {
  const { merchant } = service
  const { status, body: quote } = await merchant.post('/v1/quotes', {
    merchant: registered.id,
    items: [{ variant_id: variantOf(registered, 'stoneware-mug.slate'), quantity: 1 }],
    shipping_address: {
      ...{ name: 'Ann Example', address: '1 Main Street', city: 'Seattle', state: 'WA' },
      ...{ postal_code: '98101', country: 'US', contact_information: { email: 'ann@example.com' } },
    },
    email: 'ann@example.com',
  })
  expect(status, JSON.stringify(quote)).toBe(201)
  const { session_id } = await createSession(merchant, fromQuote(quote))
  expect((await complete(merchant, session_id)).status).toBe(200)
  return session_id
}

/** Lets so many minutes pass in six steps; what falls due in one is done at its end. */
async function pass(minutes: number): Promise<void> {
  await service.runJobs()
  for (let step = 0; step < 6; step += 1) {
    await service.clock.advance(minutes * 10)
    await service.runJobs()
  }
}

describe.each([
  ['native', ''],
  ['acp', '/acp'],
] as const)('at a shop that speaks %s', (adapter, path) => {
  let registered: Shop
  let questions = 0
  beforeAll(async () => {
    const settings = { name: 'Sandbox Shop', url: 'https://sandbox-shop.example', country: 'US', adapter } as const
    registered = await service.app.shops.add({ ...settings, baseUrl: street.url + path }, secret(KEY))
    const sessionId = await approved(registered)
    await street.clear()
    await pass(1)
    questions = street.passed()
    expect((await paymentResult(service.merchant, sessionId)).body.status).toBe('completed')
  })

  /**
   * The short form takes every third question of an outage, the next outage those beside them: together they take all.
   */
  const questionsOf = (outage: Outage) =>
    Array.from({ length: questions }, (_, at) => at).filter(
      (at) => LONG || (at + OUTAGES.indexOf(outage)) % Math.min(3, questions) === 0,
    )

  test.each(OUTAGES)('%s for five minutes, at each question: paid once', { timeout: 120_000 }, async (outage) => {
    for (const at of questionsOf(outage)) {
      const sessionId = await approved(registered)
      street.block(at, outage)
      await pass(5)
      const { body: meanwhile } = await paymentResult(service.merchant, sessionId)
      expect(meanwhile, `question ${at}`).toMatchObject({ status: 'processing', merchant_res: { status: 'unknown' } })
      await street.clear()
      await pass(6)
      const { body } = await paymentResult(service.merchant, sessionId)
      expect(body, `question ${at}`).toMatchObject({ status: 'completed', merchant_res: { status: 'paid' } })
      expect(await paidAtTheAcquirer(service, sessionId)).toBe(1)
    }
  })

  test.each(OUTAGES)('%s for a day, at each question: what the books say', { timeout: 120_000 }, async (outage) => {
    const ends: string[] = []
    for (const at of questionsOf(outage)) {
      const sessionId = await approved(registered)
      street.block(at, outage)
      await pass(24 * 60)
      const { body: meanwhile } = await paymentResult(service.merchant, sessionId)
      expect(meanwhile, `question ${at}`).toMatchObject({ status: 'processing', merchant_res: { status: 'unknown' } })
      await street.clear()
      await pass(30)
      const { body } = await paymentResult(service.merchant, sessionId)
      ends.push(`${body.status} ${await paidAtTheAcquirer(service, sessionId)}`)
    }
    expect(ends.filter((end) => end !== 'completed 1' && end !== 'failed 0')).toEqual([])
  })
})
