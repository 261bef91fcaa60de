// biome-ignore lint/style/noRestrictedImports: the name is this machine's own, and nothing goes there.
import { lookup } from 'node:dns/promises'
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
 * Listens at all addresses of a name, for a host that does not listen yet. All that listens ends when the host closes, and no earlier: what
 * waits in the kernel for a socket that ends is reset.
 *
 * @param addressesOf the addresses of a name; those that this machine has not are passed over, unless it has none of them
 * @throws what Node throws, such as `EADDRINUSE` where anything else listens there
 */
export async function listenWithAcceptors(
  host: FastifyInstance,
  name: Address,
  addressesOf = addressesOfName,
): Promise<void> {
  const [first = name.host, ...others] = await usable(await addressesOf(name.host), name.port)
  const reusePort = await canShare({ host: first, port: name.port })
  const acceptors: Server[] = []
  host.addHook('preClose', async () => {
    for (const acceptor of acceptors) acceptor.close()
  })
  // One address: for a name Fastify would listen at the others by a server of its own, which knows nothing of this host's.
  const own = { host: first, port: name.port, ...(reusePort && { reusePort }) }
  await host.listen(own)
  const { port } = host.addresses()[0] as AddressInfo
  const each = reusePort ? ACCEPTORS : 1
  const places = [...Array(each - 1).fill(first), ...others.flatMap((other) => Array(each).fill(other))] as string[]
  for (const place of places) {
    // As a server of `node:http` takes connections.
    const acceptor = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      host.server.emit('connection', socket),
    )
    acceptors.push(acceptor)
    await listening(acceptor, { host: place, port, reusePort })
  }
}

async function addressesOfName(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true })
  return [...new Set(found.map(({ address }) => address))]
}

/**
 * Those at which nothing listens yet. A process that shares a port is not told that another one of the same user shares it, too: half of
 * the callers would meet that one.
 */
async function usable(addresses: readonly string[], port: number): Promise<string[]> {
  const here: string[] = []
  let missing: unknown
  for (const host of addresses) {
    try {
      const probe = await listening(createServer(), { host, port })
      probe.close()
      here.push(host)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT') throw error
      missing = error
    }
  }
  if (here.length === 0 && missing !== undefined) throw missing
  return here
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
