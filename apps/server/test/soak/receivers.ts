import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as its receiver saw it, on the one clock of all receivers. */
interface Seen {
  merchantId: string
  endpointId: string
  eventId: string
  from: number
  to: number
  acknowledged: boolean
}

/** Receivers that fail at random, and write down what they saw. */
export function createReceivers() {
  const seen: Seen[] = []
  const servers: { close(): void; closeAllConnections(): void }[] = []
  let isFailing = true

  async function start(): Promise<{ url: string; name(merchantId: string, endpointId: string): void }> {
    let place = { merchantId: '', endpointId: '' }
    const server = createServer((request, response) => {
      const eventId = String(request.headers['webhook-id'])
      const one = { ...place, eventId, from: performance.now(), to: Number.POSITIVE_INFINITY, acknowledged: false }
      seen.push(one)
      const end = () => {
        one.to = Math.min(one.to, performance.now())
      }
      response.on('close', end)
      request.resume().on('end', () => setTimeout(() => answer(response, one, end), 5 + Math.random() * 150))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}/`,
      name: (merchantId, endpointId) => {
        place = { merchantId, endpointId }
      },
    }
  }

  function answer(response: ServerResponse, one: Seen, end: () => void): void {
    const luck = isFailing ? Math.random() : 1
    // The sender may act on an answer before this process hears that it is through.
    end()
    if (luck < 0.1) return void response.socket?.resetAndDestroy()
    if (luck < 0.25) return void response.writeHead(503).end()
    one.acknowledged = !response.destroyed
    response.writeHead(204).end()
  }

  return {
    seen,
    start,
    recover: () => {
      isFailing = false
    },
    open: () => seen.filter(({ to }) => to === Number.POSITIVE_INFINITY).length,
    close: () => {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}
export type Receivers = ReturnType<typeof createReceivers>

/** How often more requests were on their way than may be: to one endpoint, and of one merchant. */
export function overlaps({ seen }: Receivers): { endpoints: number; merchants: number } {
  let endpoints = 0
  let merchants = 0
  for (const one of seen) {
    const others = seen.filter((other) => other !== one && other.from <= one.from && one.from < other.to)
    if (others.some(({ endpointId }) => endpointId === one.endpointId)) endpoints += 1
    if (others.filter(({ merchantId }) => merchantId === one.merchantId).length > 1) merchants += 1
  }
  return { endpoints, merchants }
}
