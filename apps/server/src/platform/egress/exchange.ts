import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { EgressError } from './failure.ts'

export interface Answer {
  status: number
  headers: { retryAfter: string | null }
  /** All of the head, as it came. For services that the operator chose. */
  fields: IncomingHttpHeaders
  /** Its beginning, as it came: never decompressed. */
  body: Buffer
  /** The body is whole: it ended as its head said, within the limit. */
  isComplete: boolean
}

interface Exchange {
  url: URL
  method: string
  headers: Record<string, string>
  body: Buffer | string | undefined
  bodyBytes: number
}

const MAX_HEAD_BYTES = 16_384
/** More interim answers (1xx) than any server needs. */
const MAX_INTERIM = 8
/** Everything that may come beside the body: heads, interim answers, and framing such as chunk extensions. */
const MAX_BYTES_AROUND = 262_144
const MAX_RETRY_AFTER_LENGTH = 64

/** Sends a request over an open connection and reads the answer: its head and the beginning of its body. */
export function exchange(socket: Socket, asked: Exchange, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let head: IncomingMessage | undefined
    const chunks: Buffer[] = []
    let length = 0
    /** What is first counts; all the events that follow the destruction of a socket change nothing. */
    const finish = (error: EgressError | undefined, isComplete = false) => {
      signal.removeEventListener('abort', onAbort)
      socket.destroy()
      if (head === undefined) return reject(error ?? new EgressError('reset', 'CLOSED'))
      resolve(answerOf(head, Buffer.concat(chunks).subarray(0, asked.bodyBytes), isComplete))
    }
    const onAbort = () => finish(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) return onAbort()

    const outgoing = request(optionsOf(socket, asked))
    let interim = 0
    outgoing.on('information', () => {
      interim += 1
      if (interim > MAX_INTERIM) finish(new EgressError('protocol', 'TOO_MANY_INTERIM'))
    })
    outgoing.on('upgrade', () => finish(new EgressError('protocol', 'UPGRADE')))
    outgoing.on('error', (error) => finish(failureOfExchange(error)))
    outgoing.on('close', () => finish(undefined))
    outgoing.on('response', (response) => {
      if (!isFinalStatus(response.statusCode)) return finish(new EgressError('protocol', 'STATUS'))
      head = response
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.length
        if (length > asked.bodyBytes) finish(undefined)
      })
      response.on('end', () => finish(undefined, response.complete))
      response.on('error', () => finish(undefined))
      response.on('close', () => finish(undefined))
    })
    let received = 0
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received > asked.bodyBytes + MAX_BYTES_AROUND) finish(new EgressError('protocol', 'TOO_MANY_BYTES'))
    })
    outgoing.end(asked.body)
  })
}

function optionsOf(socket: Socket, { url, method, headers, body }: Exchange) {
  return {
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    setHost: false,
    headers: {
      ...headers,
      // What is sent here is no caller's choice.
      host: url.host,
      'accept-encoding': 'identity',
      connection: 'close',
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    },
    maxHeaderSize: MAX_HEAD_BYTES,
    insecureHTTPParser: false,
  }
}

const isFinalStatus = (status: number | undefined): boolean => status !== undefined && status >= 200 && status <= 599

function answerOf({ statusCode, headers }: IncomingMessage, body: Buffer, isComplete: boolean): Answer {
  const retryAfter = headers['retry-after']
  const isShort = retryAfter !== undefined && retryAfter.length <= MAX_RETRY_AFTER_LENGTH
  return {
    status: statusCode ?? 0,
    headers: { retryAfter: isShort ? retryAfter : null },
    fields: headers,
    body,
    isComplete,
  }
}

/** What is no HTTP/1.1, an alert of TLS that came after the handshake, or a connection that ended. */
function failureOfExchange(error: Error): EgressError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN'
  if (error instanceof EgressError) return error
  if (code.startsWith('HPE_')) return new EgressError('protocol', code)
  if (/^ERR_(?:SSL|TLS)_/.test(code)) return new EgressError('tls', code)
  return new EgressError('reset', code)
}
