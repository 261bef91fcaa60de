import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { invalidFields, notFound, type PublicError } from '../platform/errors.ts'
import type { ErrorResponderOptions } from './error-response.ts'
import { bodyTooLarge, expectationRefused, headersTooLarge, refusePart, requestTooSlow } from './errors.ts'

/** The server's response in progress on a socket: not in the typed API, but the only record of what was sent. */
interface ServingSocket extends Duplex {
  _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null
}

/** The request that came last on a connection. */
const LATEST = new WeakMap<Duplex, IncomingMessage>()

/**
 * Responds to what never becomes a request: a bad request line, headers that are too large or too slow, ambiguous
 * framing (`Content-Length` with `Transfer-Encoding`). Such input is always refused and the connection closed, so that
 * nothing after it can be taken for a request (request smuggling).
 */
export function createClientErrorHandler(host: ErrorResponderOptions) {
  return function onClientError(error: Error & { code?: string }, socket: ServingSocket): void {
    const response = socket._httpMessage
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
    // The request was responded to before its body came; a second response would be read as that of the next request.
    else if (response == null && LATEST.get(socket)?.complete === false) socket.destroy()
    else if (response == null) writeRaw(host, socket, clientError(error.code))
    else if (response.req.complete) finishAndClose(response)
    else if (response.headersSent) socket.destroy()
    else writeRaw(host, socket, clientError(error.code))
  }
}

/**
 * A complete request is being worked on and garbage follows it on the same connection. An error written now would be
 * read as the response to that request, which may yet succeed; so the true response goes out, and then the connection
 * ends.
 */
function finishAndClose(response: ServerResponse): void {
  response.shouldKeepAlive = false
}

function clientError(code: string | undefined): PublicError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusePart(headersTooLarge, 'headers', 'are too large')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refusePart(bodyTooLarge, 'body', 'has chunk extensions that are too large')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusePart(requestTooSlow, 'request', 'took too long to arrive')
    default:
      return refusePart(invalidFields, 'request', 'is not valid HTTP')
  }
}

/** Requests that Node would handle by itself, without our headers: `CONNECT`, and an `Expect` that cannot be met. */
export function answerSpecialRequests(server: Server, host: ErrorResponderOptions): void {
  server.on('request', (request) => LATEST.set(request.socket, request))
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    writeRaw(host, socket, notFound())
  })
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const refused = refusePart(expectationRefused, 'expect', 'must be 100-continue or absent')
    const responseId = randomUUID()
    const body = host.envelope.error(refused, host.brand, responseId)
    response.writeHead(refused.status, {
      ...RAW_HEADERS,
      'X-Response-ID': responseId,
      'Content-Length': Buffer.byteLength(body),
    })
    response.end(body)
  })
}

/**
 * Cuts off a connection on which no byte moved for `millis`, and again for `millis`. The timers of a process that stood
 * still fire before it reads its sockets: by one look alone it would cut off every caller for its own pause.
 */
export function cutStalled(server: Server, millis: number): void {
  const stoodAt = new WeakMap<Socket, number>()
  server.on('timeout', (socket: Socket) => {
    const moved = socket.bytesRead + socket.bytesWritten
    if (stoodAt.get(socket) === moved) return void socket.destroy()
    stoodAt.set(socket, moved)
    socket.setTimeout(millis)
  })
}

const RAW_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
}

function writeRaw(host: ErrorResponderOptions, socket: Duplex, error: PublicError): void {
  const responseId = randomUUID()
  const body = host.envelope.error(error, host.brand, responseId)
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? 'Error'}`,
    ...Object.entries(RAW_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `X-Response-ID: ${responseId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
  host.log.info('A connection was refused.', { response_id: responseId, status: error.status })
}
