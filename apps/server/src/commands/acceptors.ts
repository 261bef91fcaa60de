import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * The event loop takes one new connection of a socket in each of its turns, and a turn of a busy process is long. What comes by connections
 * of its own then waits in the kernel for seconds, unseen by the door, which could refuse it or let in first what was begun. So several
 * sockets listen at the same port, each of which is asked once a turn.
 */
const ACCEPTORS = 16

/**
 * Listens at an address of a host that does not listen yet.
 *
 * @returns ends what listens beside the host's own socket, which the host closes
 * @throws what Node throws, such as `EADDRINUSE` where anything else listens there
 */
export async function listenWithAcceptors(
  host: FastifyInstance,
  address: { host: string; port: number },
): Promise<() => void> {
  await failIfUsed(address)
  if (!(await canShare(address))) {
    await host.listen(address)
    return () => undefined
  }
  const shared = { ...address, reusePort: true }
  await host.listen(shared)
  // Of a host that listens at a port, and at no path.
  const addresses = host.addresses() as AddressInfo[]
  const take = (socket: Socket) => host.server.emit('connection', socket)
  const others = addresses.flatMap((at) => Array.from({ length: ACCEPTORS - 1 }, () => accept(at, take)))
  const acceptors = await Promise.all(others)
  return () => {
    // Their connections are the host's, which ends them: no acceptor waits for those.
    for (const acceptor of acceptors) acceptor.close()
  }
}

/** Who shares a port is not told that another process of the same user shares it, too: half of the callers would meet that one. */
async function failIfUsed(address: { host: string; port: number }): Promise<void> {
  const probe = await listening(createServer(), address)
  probe.close()
}

/** Node shares a port between sockets where the system gives each its part, as Linux does. */
async function canShare(address: { host: string; port: number }): Promise<boolean> {
  const probe = await listening(createServer(), { ...address, reusePort: true }).catch(() => undefined)
  probe?.close()
  return probe !== undefined
}

function accept({ address, port }: AddressInfo, take: (socket: Socket) => void): Promise<Server> {
  // As a server of `node:http` takes them.
  const acceptor = createServer({ allowHalfOpen: true, noDelay: true }, take)
  // The host's own socket keeps the process alive, or nothing does.
  return listening(acceptor.unref(), { host: address, port, reusePort: true })
}

async function listening(server: Server, at: { host: string; port: number; reusePort?: boolean }): Promise<Server> {
  server.listen(at)
  await once(server, 'listening')
  return server
}
