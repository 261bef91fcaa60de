import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { ReceivedRequest } from './request.ts'

/** What a receiver does: with a connection before anything is read from it, or with a whole request. */
export interface Behaviour {
  atOnce?: (socket: Socket) => void | Promise<void>
  answer?: (socket: Socket, request: ReceivedRequest) => void | Promise<void>
}

type Headers = Record<string, string | number>

const headOf = (status: number | string, headers: Headers = {}): string =>
  `HTTP/1.1 ${status} X\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

// ── Receivers that behave ──

/** A whole answer, perhaps late. */
export const answers = (status: number, body = '', headers: Headers = {}, afterMillis = 0): Behaviour => ({
  async answer(socket) {
    if (afterMillis > 0) await delay(afterMillis)
    const length = Buffer.byteLength(body)
    socket.end(`${headOf(status, { 'content-length': length, connection: 'close', ...headers })}${body}`)
  },
})

/** An answer that depends on the request. */
export const answersBy = (
  decide: (request: ReceivedRequest) => { status: number; body?: string; headers?: Headers },
): Behaviour => ({
  answer(socket, request) {
    const { status, body, headers } = decide(request)
    return answers(status, body, headers).answer?.(socket, request)
  },
})

export const redirects = (status: number, location: string): Behaviour => answers(status, '', { location })

// ── Slow ones ──

/** Takes the request and says nothing. */
export const silent = (): Behaviour => ({ answer: () => undefined })

/** One byte of its head every so often, for ever. */
export const dripsHead = (everyMillis = 200): Behaviour => ({
  answer: (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx-slow: ', everyMillis),
})

/** A good head, then one byte of its body every so often. */
export const dripsBody = (status = 200, everyMillis = 200): Behaviour => ({
  answer: (socket) => drip(socket, '', everyMillis, headOf(status, { 'content-length': 4000 })),
})

async function drip(socket: Socket, text: string, everyMillis: number, first = ''): Promise<void> {
  socket.write(first)
  for (let index = 0; !socket.destroyed; index += 1) {
    socket.write(text[index] ?? 'x')
    await delay(everyMillis, undefined, { ref: false })
  }
}

// ── Big ones ──

/** A head, then the same bytes again and again, as fast as they are taken. */
const floods = (head: string, chunk: Buffer, count = Number.POSITIVE_INFINITY): Behaviour => ({
  async answer(socket) {
    socket.write(head)
    for (let sent = 0; sent < count && !socket.destroyed; sent += 1) {
      if (!socket.write(chunk))
        await new Promise<void>((resolve) => socket.once('drain', resolve).once('close', resolve))
    }
    socket.end()
  },
})

const MEGABYTE = Buffer.alloc(1_048_576, 'x')
const GIGABYTE = 1_073_741_824

export const gigabyte = (status = 200): Behaviour =>
  floods(headOf(status, { 'content-length': GIGABYTE }), MEGABYTE, 1024)

export const endlessChunks = (status = 200): Behaviour =>
  floods(headOf(status, { 'transfer-encoding': 'chunked' }), Buffer.from(`4000\r\n${'x'.repeat(0x4000)}\r\n`))

/** Framing that is no body: one chunk whose extension never ends. */
export const endlessExtension = (): Behaviour =>
  floods(`${headOf(200, { 'transfer-encoding': 'chunked' })}1;x=`, Buffer.alloc(16_384, 'x'))

/** A hundred megabytes of zeros, in a hundred kilobytes. */
export const gzipBomb = (status = 200): Behaviour => {
  const body = gzipSync(Buffer.alloc(104_857_600), { level: 9 })
  const head = headOf(status, { 'content-encoding': 'gzip', 'content-length': body.length })
  return { answer: (socket) => void socket.end(Buffer.concat([Buffer.from(head), body])) }
}

/** A header that never ends. */
export const endlessHeader = (): Behaviour => floods('HTTP/1.1 200 OK\r\nx-long: ', Buffer.alloc(16_384, 'x'))
export const endlessHeaders = (): Behaviour =>
  floods('HTTP/1.1 200 OK\r\n', Buffer.from(`x-many: ${'x'.repeat(100)}\r\n`.repeat(100)))
/** Empty lines before the answer, which a parser may skip. */
export const endlessEmptyLines = (): Behaviour => floods('', Buffer.alloc(16_384, '\r\n'))

// ── Ones that break off ──

/** Writes and then cuts the connection, with a RST or with a FIN. */
const breaksOff = (text: string, how: 'reset' | 'end' = 'end'): Behaviour => ({
  answer(socket) {
    socket.write(text, async () => {
      if (how === 'end') return void socket.end()
      // Time for the bytes to be read: a reset may take with it what waits to be read. A reader in this process reads in the next turns of
      // its event loop, also when it stood still meanwhile.
      await delay(50)
      for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve))
      socket.resetAndDestroy()
    })
  },
})

/** A head that promises more than comes. */
export const closesEarly = (status = 200, how: 'reset' | 'end' = 'end'): Behaviour =>
  breaksOff(`${headOf(status, { 'content-length': 1000 })}{"half":`, how)

/** More bytes than its head says. */
export const wrongLength = (status = 200): Behaviour =>
  breaksOff(`${headOf(status, { 'content-length': 2 })}{"too":"long"}`)

export const brokenChunks = (status = 200): Behaviour =>
  breaksOff(`${headOf(status, { 'transfer-encoding': 'chunked' })}zz\r\nno hexadecimal\r\n`)

/** Answers before it has read the request, and never reads it. */
export const answersUnread = (status = 200): Behaviour => ({
  atOnce(socket) {
    socket.pause()
    socket.end(headOf(status, { 'content-length': 0, connection: 'close' }))
  },
})

export const closesAtOnce = (): Behaviour => ({ atOnce: (socket) => void socket.end() })
export const resetsAtOnce = (): Behaviour => ({ atOnce: (socket) => void socket.resetAndDestroy() })
export const resetsOnFirstByte = (): Behaviour => ({
  atOnce: (socket) => void socket.once('data', () => socket.resetAndDestroy()),
})
export const closesSilently = (): Behaviour => breaksOff('')
export const resetsSilently = (): Behaviour => ({ answer: (socket) => void socket.resetAndDestroy() })

// ── Ones that do not speak HTTP/1.1 ──

/** Whatever bytes a test wants, then the end of the connection. */
export const says = (text: string | Buffer): Behaviour => ({ answer: (socket) => void socket.end(text) })

/** Interim answers without end. */
export const floodsInterim = (status = 103): Behaviour =>
  floods('', Buffer.from(headOf(status, { link: '</a>; rel=preload' }).repeat(100)))
/** A few interim answers, and then the real one. */
export const answersAfterInterim = (count: number): Behaviour =>
  says(`${headOf(103).repeat(count)}${headOf(200, { 'content-length': 0 })}`)

/** The settings with which a server of HTTP/2 greets. */
export const http2Only = (): Behaviour =>
  says(Buffer.from('000012040000000000000300000080000400010000000500ffffff', 'hex'))
export const http09 = (): Behaviour => says('<html>welcome to 1991</html>')
export const switchesProtocols = (): Behaviour => says(headOf(101, { upgrade: 'websocket', connection: 'upgrade' }))
