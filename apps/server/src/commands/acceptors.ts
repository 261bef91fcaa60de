import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * The event loop takes one new connection of a socket in each of its turns, and a turn of a busy process is long. What comes by connections
 * of its own then waits in the kernel for seconds, unseen by the door, which could refuse it or let in first what was begun. So several
 * sockets listen at the same port, each of which is asked once a turn.
 */
const ACCEPTORS = 16

interface Address {
  host: string
  port: number
}

/**
 * Listens at an address of a host that does not listen yet. All that listens ends when the host closes, and no earlier: what waits in the
 * kernel for a socket that ends is reset.
 *
 * @throws what Node throws, such as `EADDRINUSE` where anything else listens there
 */
export async function listenWithAcceptors(host: FastifyInstance, address: Address): Promise<void> {
  await failIfUsed(address)
  if (!(await canShare(address))) {
    await host.listen(address)
    return
  }
  const acceptors: Server[] = []
  host.addHook('preClose', async () => {
    for (const acceptor of acceptors) acceptor.close()
  })
  const shared = { ...address, reusePort: true }
  await host.listen(shared)
  // Of a host that listens at a port, and at no path.
  const places = (host.addresses() as AddressInfo[]).map((at) => ({ host: at.address, port: at.port, reusePort: true }))
  for (const place of places) {
    for (let count = 1; count < ACCEPTORS; count += 1) {
      // As a server of `node:http` takes connections.
      const acceptor = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
        host.server.emit('connection', socket),
      )
      acceptors.push(acceptor)
      await listening(acceptor, place)
    }
  }
}

/** Who shares a port is not told that another process of the same user shares it, too: half of the callers would meet that one. */
async function failIfUsed(address: Address): Promise<void> {
  const probe = await listening(createServer(), address)
  probe.close()
}

/** Node shares a port between sockets where the system gives each its part, as Linux does. */
async function canShare(address: Address): Promise<boolean> {
  const probe = await listening(createServer(), { ...address, reusePort: true }).catch(() => undefined)
  probe?.close()
  return probe !== undefined
}

async function listening(server: Server, at: Address & { reusePort?: boolean }): Promise<Server> {
  server.listen(at)
  await once(server, 'listening')
  return server
}
