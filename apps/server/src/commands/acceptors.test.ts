// Guarantee: however long the turns of a busy process are, connections that wait are taken in few of them; a port that is in use is not shared.
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { fastify } from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenWithAcceptors } from './acceptors.ts'
import { drainable } from './drain.ts'

const CALLERS = 128
const LOOPBACK = { host: '127.0.0.1', port: 0 }

async function listeningHost(address = LOOPBACK, work: () => Promise<void> = async () => undefined, graceMillis = 0) {
  const host = fastify({ return503OnClosing: false })
  host.get('/', async () => {
    await work()
    return { ok: true }
  })
  const close = drainable(host, graceMillis)
  await listenWithAcceptors(host, address)
  onTestFinished(close)
  const { port } = host.addresses()[0] as AddressInfo
  return { host, port, close }
}

const acceptsMany = describe.runIf(process.platform === 'linux')

acceptsMany('where a port can be shared', () => {
  test('128 connections that wait are taken in far fewer turns of the event loop', async () => {
    const { host, port } = await listeningHost()
    let taken = 0
    host.server.on('connection', () => {
      taken += 1
    })
    const sockets: Socket[] = []
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    for (let count = 0; count < CALLERS; count += 1) sockets.push(connect(port, LOOPBACK.host))
    let turns = 0
    for (; taken < CALLERS; turns += 1) await turn()
    expect(turns).toBeLessThan(CALLERS / 2)
  })

  test('whichever socket takes a connection, the host answers', async () => {
    const { port } = await listeningHost()
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, () => fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
})

test('a port that another program uses is refused, also where that one would share it', async () => {
  for (const reusePort of process.platform === 'linux' ? [false, true] : [false]) {
    const other = createServer().listen({ ...LOOPBACK, reusePort })
    onTestFinished(() => {
      other.close()
    })
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    await expect(listenWithAcceptors(fastify(), { ...LOOPBACK, port })).rejects.toThrow('EADDRINUSE')
  }
})

test('a second host is told that the port is in use', async () => {
  const { port } = await listeningHost()
  await expect(listenWithAcceptors(fastify(), { ...LOOPBACK, port })).rejects.toThrow('EADDRINUSE')
})

test('a host that is closed takes nothing more, and the port is free', async () => {
  const { port, close } = await listeningHost()
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
  await close()
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  await listeningHost({ ...LOOPBACK, port })
})

test('a host is closed when the last of its requests is answered, whichever socket took it', async () => {
  const gates: PromiseWithResolvers<void>[] = []
  const { port, close } = await listeningHost(LOOPBACK, () => {
    const gate = Promise.withResolvers<void>()
    gates.push(gate)
    return gate.promise
  })
  const answers: number[] = []
  const asking = Array.from({ length: 16 }, async () => {
    answers.push((await fetch(`http://127.0.0.1:${port}/`)).status)
  })
  await expect.poll(() => gates.length).toBe(asking.length)
  let isClosed = false
  const closed = close().then(() => {
    isClosed = true
  })
  for (const [place, gate] of gates.entries()) {
    await expect.poll(() => answers.length).toBe(place)
    expect(isClosed).toBe(false)
    gate.resolve()
  }
  await closed
  await Promise.all(asking)
  expect(new Set(answers)).toEqual(new Set([200]))
})

test('a stop resets nobody who waits in the kernel for one of the sockets', async () => {
  const { port, close } = await listeningHost(LOOPBACK, undefined, 1_000)
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const kept = request({ port, agent }).end()
  const [first] = (await once(kept, 'response')) as [IncomingMessage]
  await once(first.resume(), 'end')
  const answers = Array.from({ length: CALLERS }, async () => {
    const socket = connect(port, LOOPBACK.host).setEncoding('utf8')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const parts: string[] = []
    for await (const part of socket) parts.push(part)
    return parts.join('').slice(0, 15)
  })
  // By now the kernel has them all, and the process the first few.
  await turn()
  const closed = close()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200 OK']))
  await closed
})

test('a name with several addresses is listened at by each of them, as one host', async () => {
  const twoOf = async () => ['127.0.0.1', '127.0.0.2']
  const host = fastify()
  host.get('/', async () => ({ ok: true }))
  let taken = 0
  host.server.on('connection', () => {
    taken += 1
  })
  onTestFinished(() => host.close())
  await listenWithAcceptors(host, { host: 'two.example', port: 0 }, twoOf)
  const { port } = host.addresses()[0] as AddressInfo
  for (const address of await twoOf()) expect((await fetch(`http://${address}:${port}/`)).status).toBe(200)
  expect([host.addresses().length, taken]).toEqual([1, 2])
  // Neither is shared with a server that asks for one of them.
  for (const address of await twoOf()) {
    const again = listenWithAcceptors(fastify(), { host: address, port })
    await expect(again).rejects.toThrow('EADDRINUSE')
  }
  await expect(listenWithAcceptors(fastify(), { host: 'two.example', port }, twoOf)).rejects.toThrow('EADDRINUSE')
})

test('a name of which one address is taken is refused whole, and one that this machine has not is passed over', async () => {
  const { port } = await listeningHost({ host: '127.0.0.2', port: 0 })
  const asked = { host: 'two.example', port }
  await expect(listenWithAcceptors(fastify(), asked, async () => ['127.0.0.1', '127.0.0.2'])).rejects.toThrow(
    'EADDRINUSE',
  )
  // The address is of a network that is kept for documents.
  await expect(listenWithAcceptors(fastify(), asked, async () => ['192.0.2.1'])).rejects.toThrow('EADDRNOTAVAIL')
  const host = fastify()
  onTestFinished(() => host.close())
  await listenWithAcceptors(host, asked, async () => ['192.0.2.1', '127.0.0.1'])
  expect(host.addresses()).toMatchObject([{ address: '127.0.0.1', port }])
})
