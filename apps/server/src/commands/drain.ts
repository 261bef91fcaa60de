import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const LOOK_MILLIS = 100
const SILENT_MILLIS = 1_000
const REQUESTS_END_MILLIS = 10_000

/**
 * Returns the function that closes a host. Call it before the host listens. Closing takes no new connections and finishes
 * the open requests. Node waits for every open connection, so the others are ended here: kept alive after the last
 * response, opened by a browser in advance, or stuck in the middle of a request.
 */
export function drainable(host: FastifyInstance): () => Promise<void> {
  const { server } = host
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return async () => {
    const from = performance.now()
    const looking = setInterval(() => {
      const waited = performance.now() - from
      server.closeIdleConnections()
      // Node does not count these as idle. They get a second, because a first request may be on its way.
      if (waited > SILENT_MILLIS) for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
      if (waited > REQUESTS_END_MILLIS) server.closeAllConnections()
    }, LOOK_MILLIS)
    await host.close()
    clearInterval(looking)
  }
}
