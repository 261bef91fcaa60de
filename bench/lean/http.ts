import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newId } from './crypto.ts'

// Node's own server, and as little around it as answers a request.

export interface Asked {
  /** What follows `Bearer `. */
  readonly bearer: string
  readonly body: Readonly<Record<string, unknown>>
  /** What the path names, if it names something. */
  readonly id: string
}

export interface Answered {
  readonly status: number
  readonly body: object
}

export type Handler = (asked: Asked) => Promise<Answered>
/** By method and path; `:id` stands for what the path names. */
export type Handlers = Readonly<Record<string, Handler>>

/** The caller is told this much and no more. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const NAMED = /^\/v1\/(sessions|mandates|charges)\/([^/]+)\/(.+)$/

/** Returns its port, on the loopback address. */
export async function listen(handlers: Handlers): Promise<number> {
  const server = createServer((request, response) => {
    answer(handlers, request, response).catch((error: unknown) => {
      const status = error instanceof Refused ? error.status : 500
      console.error(request.method, request.url, error)
      send(response, { status, body: { error: 'refused' } })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function answer(handlers: Handlers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request
  const [, noun, id = '', rest] = NAMED.exec(url) ?? []
  const handler = handlers[noun === undefined ? `${method} ${url}` : `${method} /v1/${noun}/:id/${rest}`]
  if (handler === undefined) throw new Refused(404, `${method} ${url}`)
  const text = await bodyOf(request)
  const body = text === '' ? {} : JSON.parse(text)
  send(response, await handler({ bearer: headers.authorization?.slice('Bearer '.length) ?? '', body, id }))
}

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
    request.on('end', () => {
      const [only] = chunks
      resolve(chunks.length === 1 && only !== undefined ? only.toString() : Buffer.concat(chunks).toString())
    })
  })
}

function send(response: ServerResponse, { status, body }: Answered): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-response-id': newId('res_'),
  })
  response.end(text)
}
