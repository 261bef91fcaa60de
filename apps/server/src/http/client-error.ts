import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { BrandedNames, ErrorCode } from '@mintmark/contract'
import { PublicError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { envelope } from './error-response.ts'

interface RawHost {
  readonly brand: BrandedNames
  readonly log: Log
}

/** The server's response in progress on a socket: not in the typed API, but the only record of what was sent. */
interface ServingSocket extends Duplex {
  readonly _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null
}

/**
 * Answers what never becomes a request: a bad request line, headers that are too large or too slow, ambiguous framing
 * (`Content-Length` with `Transfer-Encoding`). One reading of such bytes exists: refused, and the connection closed, so
 * that nothing after them can be taken for a request.
 */
export function createClientErrorHandler(host: RawHost) {
  return function onClientError(error: Error & { code?: string }, socket: ServingSocket): void {
    const response = socket._httpMessage
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
    else if (response == null) writeRaw(host, socket, clientError(error.code))
    else if (response.req.complete) finishAndClose(response)
    else if (response.headersSent) socket.destroy()
    else writeRaw(host, socket, clientError(error.code))
  }
}

/**
 * A complete request is being worked on and garbage follows it on the same connection. An error written now would be read
 * as that request's answer, while its charge may yet go through; so the true answer goes out, and then the connection ends.
 */
function finishAndClose(response: ServerResponse): void {
  response.shouldKeepAlive = false
}

function clientError(code: string | undefined): PublicError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusal(431, 'headers', 'are too large')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refusal(413, 'body', 'has chunk extensions that are too large')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal(408, 'request', 'took too long to arrive')
    default:
      return refusal(400, 'request', 'is not valid HTTP')
  }
}

function refusal(status: number, part: string, message: string, code: ErrorCode = 'VAL_2001'): PublicError {
  return new PublicError(code, `The request is not valid: ${part} ${message}.`, {
    status,
    details: { [part]: message },
  })
}

/** What Node would answer by itself, without our headers: `CONNECT` and an `Expect` nobody can meet. */
export function answerSpecialRequests(server: Server, host: RawHost): void {
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    writeRaw(host, socket, new PublicError('NOT_FOUND', 'No such resource.'))
  })
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const body = envelope(refusal(417, 'expect', 'must be 100-continue or absent'), host.brand)
    response.writeHead(417, {
      ...RAW_HEADERS,
      'X-Response-ID': randomUUID(),
      'Content-Length': Buffer.byteLength(body),
    })
    response.end(body)
  })
}

const RAW_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
}

function writeRaw(host: RawHost, socket: Duplex, error: PublicError): void {
  const responseId = randomUUID()
  const body = envelope(error, host.brand)
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? 'Error'}`,
    ...Object.entries(RAW_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `X-Response-ID: ${responseId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
  host.log.info('A connection was refused.', { response_id: responseId, status: error.status })
}
