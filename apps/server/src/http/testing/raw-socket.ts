import { connect } from 'node:net'

export interface RawAnswer {
  /** Everything the server sent until it closed the connection or `waitMillis` passed. */
  text: string
  closed: boolean
  status: number
  header(name: string): string | undefined
  /** The body of the last response, parsed. */
  json(): unknown
}

/** Sends bytes exactly as given, which no HTTP client would, and collects what comes back. */
export async function exchange(port: number, bytes: string | Buffer, waitMillis = 1_000): Promise<RawAnswer> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => resolve(true))
  socket.on('close', () => resolve(true))
  socket.write(bytes)
  const timer = setTimeout(resolve, waitMillis, false)
  const closed = await promise
  clearTimeout(timer)
  socket.destroy()
  const text = Buffer.concat(chunks).toString('utf8')
  return {
    text,
    closed,
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
    header: (name) => new RegExp(`^${name}: (.*)\r$`, 'im').exec(text)?.[1],
    json: () => JSON.parse(text.slice(text.lastIndexOf('\r\n\r\n') + 4)),
  }
}
