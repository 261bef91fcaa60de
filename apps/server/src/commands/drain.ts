import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const LOOK_MILLIS = 100
const SILENT_MILLIS = 1_000
const REQUESTS_END_MILLIS = 10_000
/** How long callers with a kept connection have to send the request that was on its way. */
const GRACE_MILLIS = 250

/**
 * Returns the function that closes a host. Call it before the host listens. From then on every response says
 * `Connection: close`, so that no caller sends another request on a connection that is about to end; it could not tell the
 * reset from a lost response. Closing takes no new connections and finishes the open requests. It waits for every open
 * connection, also for those that an acceptor took, of which Node waits for none; so the others are ended here: kept alive after
 * the last response, opened by a browser in advance, or stuck in the middle of a request.
 */
export function drainable(host: FastifyInstance, graceMillis = GRACE_MILLIS): () => Promise<void> {
  const { server } = host
  const open = new Set<Socket>()
  const inHand = new Set<ServerResponse>()
  let draining = false
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  // Before the host's own listener, which may respond immediately.
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (draining) response.shouldKeepAlive = false
    inHand.add(response)
    response.once('close', () => inHand.delete(response))
  })
  return async () => {
    draining = true
    for (const response of inHand) response.shouldKeepAlive = false
    if (open.size > 0) await delay(graceMillis)
    const from = performance.now()
    const looking = setInterval(() => {
      const waited = performance.now() - from
      server.closeIdleConnections()
      // Node does not count these as idle. They get a second, because a first request may be on its way.
      if (waited > SILENT_MILLIS) for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
      if (waited > REQUESTS_END_MILLIS) server.closeAllConnections()
    }, LOOK_MILLIS)
    await host.close()
    for (const socket of open) await new Promise((resolve) => socket.once('close', resolve))
    clearInterval(looking)
  }
}
