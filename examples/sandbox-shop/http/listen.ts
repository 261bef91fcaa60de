import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Refused } from '../buying/refused.ts'

export interface Reply {
  status: number
  type?: string
  headers?: Record<string, string>
  /** What is no text is sent as JSON. */
  body?: unknown
  /** Nothing is sent, and the connection is broken. */
  isLost?: boolean
}

export type Handler = (request: IncomingMessage, url: URL) => Promise<Reply>

const MAX_BODY_BYTES = 100_000

/** Listens on this machine only. Port 0: any. */
export async function listen(handler: Handler, port: number): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://shop')
    const reply = url === null ? Promise.resolve({ status: 400 }) : handler(request, url)
    // A defect: the caller learns nothing, and whoever runs the shop reads what it was.
    const fail = (error: unknown) => {
      console.error(`sandbox shop: ${request.method} ${url?.pathname} failed.`, error)
      response.destroy()
    }
    reply.then((one) => send(response, one)).catch(fail)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => close(server) }
}

function send(response: ServerResponse, { status, type = 'application/json', headers, body, isLost }: Reply): void {
  if (isLost === true) return void response.socket?.destroy()
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** The body as JSON; an empty one is an empty object. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    // The rest is read and dropped, or the answer would not arrive.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  if (size > MAX_BODY_BYTES) throw new Refused('too_large')
  if (size === 0) return {}
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    throw new Refused('invalid_request', 'The body is no JSON.')
  }
}

/** The digests are of equal length, whatever was sent, so that the time of the comparison says nothing. */
export function hasKey(request: IncomingMessage, key: string): boolean {
  const [, given = ''] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? []
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(key))
}
