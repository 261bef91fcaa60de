import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ShopOptions } from '../shop.ts'
import { startAcpShop } from './acp/protocol-of-shop.ts'

export const KEY = 'shop_key_of_the_test'
export const CARD = { number: '4000001234567899', cvv: '123', expiry_month: '12', expiry_year: '2031' }
export const ADDRESS = {
  ...{ name: 'Ada Lovelace', address: '12 Main Street', city: 'Portland', state: 'OR', postal_code: '97201' },
  country: 'US',
}

/** What the acquirer does with a question: an answer, or its own way with the socket. */
export type Script = (asked: Asked, response: ServerResponse) => object | undefined
export interface Asked {
  token: string
  amount: string
  currency: string
  merchant_url: string
  dynamic_cvv: string
}

/** An acquirer that approves each credential once, as the sandbox's does, and remembers what it was asked. */
export async function startAcquirer() {
  const asked: Asked[] = []
  const approved = new Map<string, string>()
  const judge = ({ token, amount }: Asked) => {
    if (approved.has(token)) return { approved: false, response_code: '57' }
    approved.set(token, amount)
    return { approved: true, response_code: '00', authorization_code: '123456' }
  }
  const world = { asked, approved, judge, script: judge as Script, url: '', close: () => {} }
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const question = JSON.parse(text) as Asked
    asked.push(question)
    const answer = world.script(question, response)
    if (answer !== undefined) response.end(JSON.stringify({ authorization_id: 'auth_1', ...answer }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  world.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  world.close = () => {
    server.close()
    server.closeAllConnections()
  }
  return world
}

export type TestAcquirer = Awaited<ReturnType<typeof startAcquirer>>

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into what it got.
  body: any
}

/** A shop in this process, with files of its own, and its acquirer. It speaks the second protocol as well. */
export async function startTestShop(options: Partial<ShopOptions> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'mintmark-sandbox-shop-'))
  const acquirer = await startAcquirer()
  const open = (more: Partial<ShopOptions> = {}) =>
    startAcpShop({ home, key: KEY, acquirer: { url: acquirer.url, key: 'sk_test_1' }, ...options, ...more })
  let shop = await open()
  return {
    home,
    acquirer,
    get url() {
      return shop.url
    },
    call: (method: string, path: string, body?: unknown) => call(shop.url, method, path, body),
    async restart(more: Partial<ShopOptions> = {}) {
      await shop.close()
      shop = await open(more)
    },
    async close() {
      await shop.close()
      acquirer.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}

export type TestShop = Awaited<ReturnType<typeof startTestShop>>

export async function call(url: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

let count = 0
function next(): number {
  count += 1
  return count
}
export const fresh = (prefix: string): string => `${prefix}_${next()}`
/** A number that no other test pays with. */
export const freshCard = () => ({ ...CARD, number: String(4_000_000_000_000_000 + next()) })

type Caller = Pick<TestShop, 'call'>

export async function quoteOf(shop: Caller, variantId: string, { quantity = 1, address = ADDRESS as unknown } = {}) {
  const ref = fresh('qte')
  const items = [{ variant_id: variantId, quantity }]
  return (await shop.call('PUT', `/api/quotes/${ref}`, { items, shipping_address: address })).body
}

/** A quote and its open checkout. `answer` is what preparing said. */
export async function prepared(
  shop: Caller,
  variantId: string,
  { ref = fresh('txn'), ...options }: Parameters<typeof quoteOf>[2] & { ref?: string } = {},
) {
  const quote = await quoteOf(shop, variantId, options)
  const body = { quote: quote.ref, total: quote.total, currency: 'USD' }
  const answer = await shop.call('PUT', `/api/checkouts/${ref}`, body)
  const pay = (card = freshCard()) =>
    shop.call('POST', `/api/checkouts/${ref}/pay`, { card, total: quote.total, currency: 'USD' })
  const inquire = () => shop.call('GET', `/api/checkouts/${ref}`)
  return { ref, quote, body, answer, pay, inquire }
}

export async function available(shop: Caller, productId: string): Promise<number> {
  return (await shop.call('GET', `/api/products/${productId}`)).body.inventory
}
