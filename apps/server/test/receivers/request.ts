import type { Socket } from 'node:net'

export interface ReceivedRequest {
  method: string
  path: string
  /** Names in lower case. */
  headers: Record<string, string>
  body: Buffer
  /** On the clock of this process, in milliseconds. */
  at: number
}

const HEAD_END = Buffer.from('\r\n\r\n')

/** One request with a `content-length`, or none; undefined when the connection ends before it is whole. */
export function readRequest(socket: Socket): Promise<ReceivedRequest | undefined> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0)
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      const request = parsed(bytes)
      if (request === undefined) return
      socket.off('data', onData)
      // What comes after it is read and dropped, so that the end of the connection is seen.
      socket.resume()
      resolve(request)
    }
    socket.on('data', onData)
    socket.once('close', () => resolve(undefined))
  })
}

function parsed(bytes: Buffer): ReceivedRequest | undefined {
  const end = bytes.indexOf(HEAD_END)
  if (end === -1) return undefined
  const [line = '', ...rows] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = Object.fromEntries(
    rows.map((row) => [row.slice(0, row.indexOf(':')).toLowerCase(), row.slice(row.indexOf(':') + 1).trim()]),
  )
  const length = Number(headers['content-length'] ?? 0)
  const body = bytes.subarray(end + HEAD_END.length)
  return body.length < length ? undefined : { method, path, headers, body: body.subarray(0, length), at: Date.now() }
}
