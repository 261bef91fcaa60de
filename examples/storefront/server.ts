import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { CATALOG, readCart } from './catalog.ts'
import { createMintmark, type MintmarkAccount } from './mintmark.ts'
import { createOrders, type Order, type Orders } from './orders.ts'

/**
 * A tea shop that takes payments through Mintmark: its backend holds the secret key and charges the credential, its page
 * embeds the secure surface. Start it beside a running service; it reads the demo keys from the service's home.
 */
const HOME = process.env.MINTMARK_HOME ?? '.mintmark'
const PORT = Number(process.env.STOREFRONT_PORT ?? 4010)
// Another site than the surface's localhost, so that the demo embeds across sites as a real shop does.
const ORIGIN = `http://127.0.0.1:${PORT}`
const LARGEST_BODY = 10_000

const account = await readAccount()
const orders = createOrders(createMintmark(account))
const page = await readFile(new URL('./public/index.html', import.meta.url), 'utf8')
const style = await readFile(new URL('./public/shop.css', import.meta.url), 'utf8')
const script = stripTypeScriptTypes(await readFile(new URL('./public/shop.ts', import.meta.url), 'utf8'))

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    sendJson(response, 502, { message: 'The shop cannot reach its payment service. Try again in a moment.' })
  })
})
server.listen(PORT, '127.0.0.1', () => {
  console.log(
    `\n  Leaf & Kettle is open: ${ORIGIN}\n  Pay with 4242 4242 4242 4242, any future date, any CVV. Stop with Ctrl-C.\n`,
  )
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close(() => process.exit(0)))
server.on('error', (error) => {
  console.error(`The storefront cannot listen on port ${PORT}: ${error.message}. Set STOREFRONT_PORT.`)
  process.exitCode = 1
})

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', ORIGIN)
  const customerId = customerOf(request, response)
  switch (`${request.method} ${pathname}`) {
    case 'GET /':
      return send(response, 200, 'text/html; charset=utf-8', page)
    case 'GET /shop.css':
      return send(response, 200, 'text/css; charset=utf-8', style)
    case 'GET /shop.js':
      return send(response, 200, 'text/javascript; charset=utf-8', script)
    case 'GET /api/catalog':
      return sendJson(response, 200, { products: CATALOG, surface_origin: new URL(account.surface_url).origin })
    case 'POST /api/orders':
      return placeOrder(orders, customerId, request, response)
    default:
      return showOrder(orders, customerId, pathname, response)
  }
}

async function placeOrder(to: Orders, customerId: string, request: IncomingMessage, response: ServerResponse) {
  // A form on another site could post with our customer's cookie; scripts of other sites cannot send JSON unasked.
  if (request.headers['content-type'] !== 'application/json') return sendJson(response, 415, { message: 'Send JSON.' })
  const body = await readBody(request)
  const cart = readCart((body as { items?: unknown } | null)?.items)
  if (typeof cart === 'string') return sendJson(response, 400, { message: cart })
  const order = await to.place(customerId, cart)
  return sendJson(response, 201, { ...publicOrder(order), iframe_url: order.iframeUrl })
}

async function showOrder(from: Orders, customerId: string, pathname: string, response: ServerResponse) {
  const [, id] = /^\/api\/orders\/([0-9a-f-]{36})$/.exec(pathname) ?? []
  const order = id === undefined ? undefined : from.find(id, customerId)
  if (order === undefined) return sendJson(response, 404, { message: 'There is nothing here.' })
  return sendJson(response, 200, publicOrder(await from.refresh(order)))
}

/** Never the credential: it lives on this side only, for the moment of the charge. */
function publicOrder(order: Order) {
  const { id, total, state, message } = order
  return { id, total, state, message, authorization_code: order.authorization?.authorization_code ?? null }
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
    if (text.length > LARGEST_BODY) return null
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
    'content-type': type,
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'self'; frame-src ${new URL(account.surface_url).origin}; frame-ancestors 'none'`,
  })
  response.end(body)
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
