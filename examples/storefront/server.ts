import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CATALOG, readCart } from './catalog.ts'
import { createMintmark, type MintmarkAccount, ServiceUnreachable } from './mintmark.ts'
import { createOrders, type Order } from './orders.ts'

/**
 * A tea shop that takes payments through Mintmark: its backend holds the secret key and charges the credential, its page
 * embeds the secure surface. Start it beside a running service; it reads the demo keys from the service's home.
 */
const HOME = process.env.MINTMARK_HOME ?? '.mintmark'
const PORT = Number(process.env.STOREFRONT_PORT ?? 4010)
// Another site than the surface's localhost, so that the demo embeds across sites as a real shop does.
const ORIGIN = `http://127.0.0.1:${PORT}`
const MAX_BODY_LENGTH = 10_000

const account = await readAccount()
const orders = createOrders(createMintmark(account))
const files = await readFiles()
const POLICY = [
  "default-src 'self'",
  'img-src data:',
  `frame-src ${new URL(account.surface_url).origin}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    console.error(error)
    if (error instanceof ServiceUnreachable) {
      const message = 'The payment service does not answer. If it is yours, start it with "npm start"; then try again.'
      sendJson(response, 503, { message })
    } else sendJson(response, 502, { message: 'The payment could not be started. Nothing was charged.' })
  })
})
server.on('error', (error) => {
  console.error(`The storefront cannot listen on port ${PORT}: ${error.message}. Set STOREFRONT_PORT.`)
  process.exitCode = 1
})
server.listen(PORT, '127.0.0.1', () => {
  console.log(
    `\n  Leaf & Kettle is open: ${ORIGIN}\n  Pay with 4242 4242 4242 4242, any future date, any CVV. Stop with Ctrl-C.\n`,
  )
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', ORIGIN)
  const file = files.get(pathname)
  if (file !== undefined && request.method === 'GET') return send(response, 200, file.type, file.text)
  const customerId = customerOf(request, response)
  const [, orderId] = /^\/api\/orders\/([0-9a-f-]{36})$/.exec(pathname) ?? []
  if (request.method === 'GET' && pathname === '/api/catalog')
    sendJson(response, 200, { products: CATALOG, publishable_key: account.publishable_key })
  else if (request.method === 'POST' && pathname === '/api/orders') await placeOrder(customerId, request, response)
  else if (request.method === 'GET' && orderId !== undefined) showOrder(customerId, orderId, response)
  else sendJson(response, 404, { message: 'There is nothing here.' })
}

async function placeOrder(customerId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A form on another site could post with our customer's cookie; scripts of other sites cannot send JSON unasked.
  if (request.headers['content-type'] !== 'application/json') return sendJson(response, 415, { message: 'Send JSON.' })
  const body = await readBody(request)
  const cart = readCart((body as { items?: unknown } | null)?.items)
  if (typeof cart === 'string') return sendJson(response, 400, { message: cart })
  const order = await orders.place(customerId, cart)
  sendJson(response, 201, publicOrder(order))
}

function showOrder(customerId: string, id: string, response: ServerResponse): void {
  const order = orders.find(id, customerId)
  if (order === undefined) sendJson(response, 404, { message: 'There is no such order.' })
  else sendJson(response, 200, publicOrder(order))
}

/**
 * Never the credential: it stays on this side, for the moment of the charge. What opens the payment is for the customer who placed
 * the order, while it can be paid.
 */
function publicOrder({ id, total, state, message, authorization, payment }: Order) {
  const authorization_code = authorization?.authorization_code ?? null
  return { id, total, state, message, authorization_code, payment: state === 'waiting' ? payment : null }
}

/** A returning browser is the same customer, so its saved card and passkey are found again. */
function customerOf(request: IncomingMessage, response: ServerResponse): string {
  const [, known] = /(?:^|; )customer=([0-9a-f-]{36})(?:;|$)/.exec(request.headers.cookie ?? '') ?? []
  const id = known ?? randomUUID()
  response.setHeader('set-cookie', `customer=${id}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000`)
  return id
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > MAX_BODY_LENGTH) return null
  }
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, 'application/json', JSON.stringify(body))
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  if (response.headersSent) return
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  response.end(body)
}

/** The page's files by address. Browsers get the TypeScript with its types taken out; there is no build. */
async function readFiles(): Promise<Map<string, { type: string; text: string }>> {
  const read = (name: string) => readFile(new URL(`./public/${name}`, import.meta.url), 'utf8')
  const script = async (name: string) => ({ type: 'text/javascript', text: stripTypeScriptTypes(await read(name)) })
  return new Map([
    ['/', { type: 'text/html', text: await read('index.html') }],
    ['/shop.css', { type: 'text/css', text: await read('shop.css') }],
    ['/checkout.css', { type: 'text/css', text: await read('checkout.css') }],
    ['/shop.ts', await script('shop.ts')],
    ['/mintmark.js', { type: 'text/javascript', text: await readSdk() }],
    ['/dom.ts', await script('dom.ts')],
  ])
}

/** The package's script for pages without a bundler. */
function readSdk(): Promise<string> {
  return readFile(fileURLToPath(import.meta.resolve('@mintmark/browser/mintmark.js')), 'utf8').catch(() => {
    console.error('@mintmark/browser is not built. Run "npm run build" once.')
    process.exit(1)
  })
}

async function readAccount(): Promise<MintmarkAccount> {
  const file = join(HOME, 'dev.json')
  try {
    return JSON.parse(await readFile(file, 'utf8')) as MintmarkAccount
  } catch {
    console.error(`There is no ${file}. Start the service first (npm start), then the storefront beside it.`)
    process.exit(1)
  }
}
