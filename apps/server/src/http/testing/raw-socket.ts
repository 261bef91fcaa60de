import { connect } from 'node:net'

export interface RawAnswer {
  /** Everything the server sent until it closed the connection or what was asked for had come. */
  text: string
  closed: boolean
  status: number
  header(name: string): string | undefined
  /** The body of the last response, parsed. */
  json(): unknown
}

/** The text ends with a body in JSON. */
export const hasJson = (text: string) => /\r\n\r\n\{[\s\S]*\}$/.test(text)

/**
 * Sends bytes exactly as given, which no HTTP client would, and collects what comes back until the server closes the connection, or
 * `isEnough`. It has no time of its own: how long a busy machine takes says nothing.
 */
export async function exchange(
  port: number,
  bytes: string | Buffer,
  isEnough: (text: string) => boolean = () => false,
): Promise<RawAnswer> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    if (isEnough(Buffer.concat(chunks).toString('utf8'))) resolve(false)
  })
  socket.on('error', () => resolve(true))
  socket.on('close', () => resolve(true))
  socket.write(bytes)
  const closed = await promise
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
