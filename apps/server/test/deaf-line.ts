import { connect, createServer, type Socket } from 'node:net'
import { type ConnectionParts, connectionUrl } from './database.ts'

export interface DeafLine {
  /** For DATABASE_URL. */
  url: string
  /**
   * From now on nothing passes, and the end of a connection is not answered: as behind a firewall that has forgotten
   * it.
   */
  goDeaf(): void
  /** Also by itself, where it was to be deaf to what a program says. */
  isDeaf(): boolean
  close(): Promise<void>
}

/** Stands between a program and its PostgreSQL, until it goes deaf. */
export async function startDeafLine(target: ConnectionParts, { deafAt }: { deafAt?: string } = {}): Promise<DeafLine> {
  let isDeaf = false
  const sockets = new Set<Socket>()
  const pass = (from: Socket, to: Socket) =>
    from
      .on('data', (chunk: Buffer) => isDeaf || to.write(chunk))
      .on('end', () => isDeaf || to.end())
      .on('error', () => undefined)
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    const { host, port } = target
    const server = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    for (const socket of [client, server]) sockets.add(socket)
    client.on('data', (chunk: Buffer) => {
      isDeaf ||= deafAt !== undefined && chunk.includes(deafAt)
    })
    pass(client, server)
    pass(server, client)
  })
  await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening))
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('The line has no port.')
  return {
    url: connectionUrl({ ...target, host: '127.0.0.1', port: address.port }),
    isDeaf: () => isDeaf,
    goDeaf() {
      isDeaf = true
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => listener.close(closed))
    },
  }
}
