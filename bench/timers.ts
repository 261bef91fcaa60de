import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PUBLIC_AND_LOOPBACK } from '../apps/server/src/platform/egress/policy.ts'
import { send } from '../apps/server/src/platform/egress/send.ts'

// node bench/timers.ts            a minute
// node bench/timers.ts --quick    one round: shows that it works
//
// When requests to servers that never answer are given up, by the clocks of those servers, which are a process of their own: 3.0 seconds
// for the connection, 10.0 in all, 50 milliseconds more or less on an idle machine. What the sender was kept from running is beside it.

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, receive: { type: 'boolean', default: false } },
})
const ROUNDS = options.quick ? 1 : 5
const AT_ONCE = 10

const KINDS = [
  { name: 'accepts, and no TLS comes', scheme: 'https', millis: 3_000 },
  { name: 'takes the request, and says nothing', scheme: 'http', millis: 10_000 },
  { name: 'a byte of its head every 200 ms', scheme: 'http', millis: 10_000 },
] as const

if (options.receive) await receive()
else await measure()

/** In a process of its own: tells the ports, and then how long each connection was open. */
async function receive(): Promise<void> {
  const ports: number[] = []
  for (const kind of KINDS.keys()) {
    const server = createServer((socket: Socket) => {
      const from = performance.now()
      const drip = kind === 2 ? setInterval(() => socket.write('x'), 200) : undefined
      if (kind === 2) socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
      socket.on('error', () => undefined).resume()
      socket.on('close', () => {
        clearInterval(drip)
        process.send?.({ kind, millis: performance.now() - from })
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ports.push((server.address() as AddressInfo).port)
  }
  process.send?.({ ports })
  process.on('disconnect', () => process.exit(0))
}

async function measure(): Promise<void> {
  const receiver = fork(fileURLToPath(import.meta.url), ['--receive'])
  const [{ ports }] = (await once(receiver, 'message')) as [{ ports: number[] }]
  const seen: number[][] = KINDS.map(() => [])
  receiver.on('message', ({ kind, millis }: { kind: number; millis: number }) => void seen[kind]?.push(millis))
  const stalls = monitorEventLoopDelay({ resolution: 5 })
  stalls.enable()
  for (let round = 0; round < ROUNDS; round += 1) {
    const requests = KINDS.flatMap(({ scheme }, kind) =>
      Array.from({ length: AT_ONCE }, () => give(`${scheme}://localhost:${ports[kind]}/`)),
    )
    await Promise.all(requests)
  }
  stalls.disable()
  while (seen.some((times) => times.length < ROUNDS * AT_ONCE)) await once(receiver, 'message')
  receiver.disconnect()
  KINDS.forEach(({ name, millis }, kind) => {
    const off = (seen[kind] ?? []).map((time) => time - millis).sort((one, other) => one - other)
    const [first = 0, middle = 0, last = 0] = [off[0], off[Math.floor(off.length / 2)], off.at(-1)]
    console.log(
      `${name}: given up after ${millis / 1000} s; earliest ${show(first)}, median ${show(middle)}, latest ${show(last)}`,
    )
  })
  console.log(`the sender was kept from running for ${(stalls.max / 1e6).toFixed(0)} ms at most`)
}

function give(url: string) {
  return send({ url, method: 'POST', headers: {}, body: '{}', policy: PUBLIC_AND_LOOPBACK })
}

function show(millis: number): string {
  return `${millis < 0 ? '' : '+'}${millis.toFixed(1)} ms`
}
