import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { events } from '@mintmark/node'
import { type Account, register, secretsOf } from './endpoint.ts'
import { openInbox } from './inbox.ts'
import { receive } from './receive.ts'
import { work } from './work.ts'

/**
 * A receiver of webhooks: verifies, keeps, acknowledges, and then works; reads in the feed what it missed. Start it beside a
 * running service; it takes address and key from the service's home, and registers itself.
 */
const HOME = process.env.MINTMARK_HOME ?? '.mintmark'
const PORT = Number(process.env.RECEIVER_PORT ?? 4020)
const URL_OF_OURS = process.env.RECEIVER_URL ?? `http://localhost:${PORT}/webhooks`
const CATCH_UP_SECONDS = Number(process.env.RECEIVER_CATCH_UP_SECONDS ?? 300)
/** The secret of `mintmark listen`, or of an endpoint made by hand; several are separated by commas. Then nothing is registered. */
const GIVEN_SECRETS = (process.env.MINTMARK_WEBHOOK_SECRET ?? '').split(',').filter((secret) => secret !== '')
/** An event is smaller than that. */
const MAX_BODY_BYTES = 64 * 1024

/** What tunnels and proxies add. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

const account = await readAccount()
const inbox = openInbox(process.env.RECEIVER_DATA ?? '.webhook-receiver')
const stopping = new AbortController()
const secrets = () => (GIVEN_SECRETS.length > 0 ? GIVEN_SECRETS : secretsOf(inbox))
let isWorking = false

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    // Not acknowledged, so it is sent again.
    console.error(error)
    if (!response.headersSent) response.writeHead(500).end()
  })
})
server.on('error', (error) => {
  console.error(`The receiver cannot listen on port ${PORT}: ${error.message}. Set RECEIVER_PORT.`)
  process.exit(1)
})
server.listen(PORT, '127.0.0.1', () => void start())
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)

async function start(): Promise<void> {
  log(`Listening at http://localhost:${PORT}. What it has: http://localhost:${PORT}/`)
  workOff()
  if (GIVEN_SECRETS.length > 0) log('Requests are verified with MINTMARK_WEBHOOK_SECRET.')
  else await registerOrSay()
  while (!stopping.signal.aborted) {
    await catchUp()
    await delay(CATCH_UP_SECONDS * 1000, undefined, { signal: stopping.signal }).catch(() => undefined)
  }
}

async function registerOrSay(): Promise<void> {
  await register(account, inbox, URL_OF_OURS).then(
    (state) => log(`The service sends to ${URL_OF_OURS}: the endpoint is ${state}.`),
    (error: Error) =>
      log(
        `Not registered: ${error.message}\n  A sandbox sends to this machine when it is started with WEBHOOK_ALLOW_LOOPBACK=on. ` +
          'Until then the feed is read.',
      ),
  )
}

/** What came while we were away, or was never acknowledged. A page and its cursor are kept together. */
async function catchUp(): Promise<void> {
  try {
    for await (const page of events({ ...account, cursor: inbox.cursor(), signal: stopping.signal })) {
      const added = inbox.addPage(page.events, page.cursor)
      if (added > 0) log(`caught up  ${added} of ${page.events.length} events of the feed were new`)
      workOff()
    }
  } catch (error) {
    if (!stopping.signal.aborted) log(`The feed cannot be read: ${(error as Error).message}`)
  }
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  if (request.method === 'GET' && pathname === '/' && isFromHere(request)) {
    response.setHeader('content-type', 'application/json')
    return void response.end(`${JSON.stringify(inbox.summary(), null, 2)}\n`)
  }
  if (request.method !== 'POST' || pathname !== new URL(URL_OF_OURS).pathname) return void response.writeHead(404).end()
  const body = await readBody(request)
  if (body === undefined) return void response.writeHead(413, { connection: 'close' }).end()
  const answer = receive({ secrets, add: inbox.add, log }, body, request.headers)
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  setImmediate(workOff)
}

/**
 * Whether a person at this machine looks. Through a tunnel or a proxy everyone reaches this port, and so does a page in a browser here that
 * binds its own name to this address: what was paid is none of their business.
 */
function isFromHere({ headers }: IncomingMessage): boolean {
  const isForwarded = FORWARDED.some((name) => headers[name] !== undefined)
  return !isForwarded && [`localhost:${PORT}`, `127.0.0.1:${PORT}`].includes(headers.host ?? '')
}

/** The bytes as they were sent: a signature is over them, and not over what a parser makes of them. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Everything that was kept and not done, also from before the last crash. */
function workOff(): void {
  if (isWorking || stopping.signal.aborted) return
  isWorking = true
  try {
    for (;;) {
      const event = inbox.workOff((one) => work(inbox, one))
      if (event === undefined) return
      log(`done  ${event.type}  ${event.resource.id}`)
    }
  } catch (error) {
    // It stays open, and is tried again with the next request, the next catching up, or the next start.
    console.error(error)
  } finally {
    isWorking = false
  }
}

function stop(): void {
  stopping.abort()
  server.close(() => {
    inbox.close()
    process.exit(0)
  })
  server.closeIdleConnections()
}

function log(line: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)}  ${line}`)
}

async function readAccount(): Promise<Account> {
  const { MINTMARK_API_URL: apiUrl, MINTMARK_SECRET_KEY: secretKey } = process.env
  if (apiUrl && secretKey) return { apiUrl, secretKey }
  const file = join(HOME, 'dev.json')
  try {
    const dev = JSON.parse(await readFile(file, 'utf8')) as { api_url: string; secret_key: string }
    return { apiUrl: apiUrl || dev.api_url, secretKey: secretKey || dev.secret_key }
  } catch {
    console.error(
      `There is no ${file}. Start the service first (npm start), then the receiver beside it; or set MINTMARK_API_URL and ` +
        'MINTMARK_SECRET_KEY.',
    )
    process.exit(1)
  }
}
