import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type Name, type NameServer, startNameServer } from '../../../test/receivers/name-server.ts'
import { type Receiver, startReceiver } from '../../../test/receivers/receiver.ts'
import { type EgressPolicy, OPERATOR, PUBLIC_AND_LOOPBACK, PUBLIC_ONLY } from './policy.ts'
import { resolvePublicly } from './resolve.ts'
import { send } from './send.ts'

// Guarantee: all addresses of a name are judged, the connection goes to one of those, and a second answer of the name server is
// never asked for. With a real name server over UDP; loopback stands for what may be called, private addresses for what may not.

const closes: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closes.splice(0)) await close()
})

async function script(names: Record<string, Name>): Promise<NameServer> {
  const server = await startNameServer(names)
  closes.push(() => server.close())
  return server
}

async function receiver(): Promise<Receiver> {
  const one = await startReceiver()
  closes.push(() => one.close())
  return one
}

const post = (url: string, policy: EgressPolicy) => send({ url, method: 'POST', headers: {}, body: '{}', policy })

/** As long as a test has: a busy machine is no name server that says nothing, and no address that leads nowhere. */
const FOREVER_MILLIS = 300_000
const PATIENT = { connectMillis: FOREVER_MILLIS, totalMillis: FOREVER_MILLIS }

/** Names are called without TLS here, which is what is asked of them there: what they lead to is judged alike. */
const NAMED_IN_THE_CLEAR: EgressPolicy = { ...PUBLIC_AND_LOOPBACK, ...PATIENT, namesInTheClear: 'any' }

const asking = (
  server: NameServer,
  policy: EgressPolicy = NAMED_IN_THE_CLEAR,
  otherFamilyMillis = FOREVER_MILLIS,
): EgressPolicy => ({
  ...policy,
  resolve: resolvePublicly([server.address], { questionMillis: FOREVER_MILLIS, otherFamilyMillis }),
})

describe('a name leads to', () => {
  test.each<[string, Name]>([
    ['an address', { answers: [['127.0.0.1']] }],
    ['an address that is forgotten at once', { answers: [['127.0.0.1']], ttlSeconds: 0 }],
    ['another name', { answers: [['127.0.0.1']], alias: 'other.example' }],
    ['an address of IPv4, and nobody says which of IPv6', { answers: [['127.0.0.1']], silence: 'aaaa' }],
    ['addresses of which the last one works', { answers: [['127.0.0.7', '127.0.0.8', '::1', '127.0.0.1']] }],
  ])('%s: the request is made', async (_name, hook) => {
    const one = await receiver()
    const server = await script({ 'hook.example': hook })
    // Where a family is silent, the end of the patience is what is waited for.
    const patience = hook.silence === undefined ? FOREVER_MILLIS : 500
    const outcome = await post(`http://hook.example:${one.port}/`, asking(server, NAMED_IN_THE_CLEAR, patience))
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 })
    expect(one.requests).toMatchObject([{ headers: { host: `hook.example:${one.port}` } }])
  })

  test.each<[string, readonly string[]]>([
    ['a private address', ['10.0.0.1']],
    ['an allowed and a private one', ['127.0.0.1', '192.168.1.1']],
    ['an allowed and a metadata service', ['127.0.0.1', '169.254.169.254']],
    ['an allowed and, of IPv6, a private one', ['127.0.0.1', 'fd00::1']],
    ['a private one of IPv6 alone', ['fc00::1']],
    ['an IPv4 address in disguise', ['::ffff:7f00:1']],
    ['one behind NAT64', ['64:ff9b::a00:1']],
    ['many good ones and at the end a bad one', [...Array(40).fill('127.0.0.1'), '10.0.0.1']],
  ])('%s: refused, and nothing is opened', async (_name, answers) => {
    const one = await receiver()
    const server = await script({ 'hook.example': { answers: [answers] } })
    expect(await post(`http://hook.example:${one.port}/`, asking(server))).toMatchObject({
      kind: 'failed',
      category: 'forbidden_address',
    })
    expect(one.connections).toBe(0)
  })

  // The alias is a name of another domain, which no look at the URL finds: only what it leads to can be judged.
  test.each<[string, readonly string[]]>([
    ['a private address', ['10.0.0.1']],
    ['a metadata service', ['169.254.169.254']],
    ['a private address of IPv6', ['fd00::1']],
    ['an allowed and a private one', ['127.0.0.1', '10.0.0.1']],
  ])('another name, and that one to %s: refused, and nothing is opened', async (_name, answers) => {
    const one = await receiver()
    const server = await script({ 'hook.example': { alias: 'inside.other.example', answers: [answers] } })
    expect(await post(`http://hook.example:${one.port}/`, asking(server))).toMatchObject({
      kind: 'failed',
      category: 'forbidden_address',
    })
    expect(await post('https://hook.example/', asking(server, PUBLIC_ONLY))).toMatchObject({
      category: 'forbidden_address',
    })
    expect(one.connections).toBe(0)
  })

  test('loopback, where only public addresses are allowed: refused', async () => {
    const server = await script({
      'hook.example': { answers: [['127.0.0.1']] },
      'six.example': { answers: [['::1']] },
      'alias.example': { answers: [['127.0.0.1']], alias: 'localhost' },
    })
    for (const name of ['hook.example', 'six.example', 'alias.example']) {
      expect(await post(`https://${name}/`, asking(server, PUBLIC_ONLY))).toMatchObject({
        category: 'forbidden_address',
      })
    }
  })

  test.each<[string, Name, string]>([
    ['no name', { code: 3 }, 'ENOTFOUND'],
    ['a failure', { code: 2 }, 'ESERVFAIL'],
    ['a refusal', { code: 5 }, 'EREFUSED'],
    ['no address', { answers: [[]] }, 'ENODATA'],
  ])('%s: dns', async (_name, hook, detail) => {
    const server = await script({ 'hook.example': hook })
    expect(await post('https://hook.example/', asking(server))).toEqual({ kind: 'failed', category: 'dns', detail })
  })
})

test('rebinding: the second answer of a name server is never asked for', async () => {
  const one = await receiver()
  const server = await script({ 'hook.example': { answers: [['127.0.0.1'], ['10.0.0.1']], ttlSeconds: 0 } })
  expect(await post(`http://hook.example:${one.port}/`, asking(server))).toMatchObject({ kind: 'answered' })
  // A and AAAA, once each.
  expect(server.asked).toEqual(['hook.example', 'hook.example'])
  // With the next request the new address is seen, and refused.
  expect(await post(`http://hook.example:${one.port}/`, asking(server))).toMatchObject({
    category: 'forbidden_address',
  })
  expect(one.connections).toBe(1)
})

test('a resolver that brings something that is no address is not trusted', async () => {
  const one = await receiver()
  for (const found of ['localhost', '127.1', '0x7f000001', 'fe80::1%lo', '127.0.0.1 ', '']) {
    const policy: EgressPolicy = { ...NAMED_IN_THE_CLEAR, resolve: async () => [found] }
    expect(await post(`http://hook.example:${one.port}/`, policy)).toMatchObject({ category: 'forbidden_address' })
  }
  expect(one.connections).toBe(0)
})

test('names of this machine need no name server', async () => {
  const server = await script({})
  const one = await receiver()
  for (const name of ['localhost', 'LOCALHOST', 'shop.localhost']) {
    expect(await post(`http://${name}:${one.port}/`, asking(server))).toMatchObject({ kind: 'answered' })
  }
  expect(server.asked).toEqual([])
})

test('name servers that say nothing take the budget of the connection, and no thread of the process', async () => {
  const server = await script({ 'hook.example': { silence: 'both' }, 'other.example': { silence: 'both' } })
  const brief = { ...asking(server), connectMillis: 700 }
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => post('https://hook.example/', brief)))
  expect(new Set(outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.category : '')))).toEqual(
    new Set(['connect_timeout']),
  )
  const giveUp = new AbortController()
  const asked = { url: 'https://other.example/', method: 'POST', headers: {}, policy: asking(server) }
  const waiting = Array.from({ length: 20 }, () => send({ ...asked, signal: giveUp.signal }))
  // By their name: what was asked before may still be on its way.
  await expect.poll(() => server.asked.filter((name) => name === 'other.example').length).toBe(40)
  // A lookup of the system waits for a thread here: if each of the twenty held one, this would wait for them.
  const other = await receiver()
  expect(await post(`http://localhost:${other.port}/`, { ...OPERATOR, ...PATIENT })).toMatchObject({ kind: 'answered' })
  giveUp.abort()
  for (const outcome of await Promise.all(waiting)) expect(outcome).toMatchObject({ category: 'aborted' })
})

// How a full queue is treated is Linux's own way.
test.runIf(process.platform === 'linux')(
  'an address that leads nowhere has its share of the budget, and the next one is tried',
  async () => {
    const one = await receiver()
    const deaf = await listenDeaf('127.0.0.9', one.port)
    closes.push(deaf)
    // A quarter of it, and three are for a busy machine: the next ones are there.
    const policy: EgressPolicy = {
      ...{ ...NAMED_IN_THE_CLEAR, connectMillis: 24_000 },
      resolve: async () => ['127.0.0.9', '127.0.0.1', '127.0.0.1', '127.0.0.1'],
    }
    const startedAt = performance.now()
    expect(await post(`http://hook.example:${one.port}/`, policy)).toMatchObject({ kind: 'answered' })
    // Not by a refusal at once. A timer is early by as long as its tick has lasted, so it is not compared with the quarter.
    expect(performance.now() - startedAt).toBeGreaterThan(3_000)
    const only: EgressPolicy = { ...policy, connectMillis: 1_000, resolve: async () => ['127.0.0.9'] }
    expect(await post(`http://hook.example:${one.port}/`, only)).toMatchObject({ category: 'connect_timeout' })
  },
)

test('a service that the operator chose is found by the names of the machine', async () => {
  const one = await receiver()
  expect(await post(`http://localhost:${one.port}/`, { ...OPERATOR, ...PATIENT })).toMatchObject({ kind: 'answered' })
})

/** A server that is stopped, with a queue that is full: the system drops what else wants to connect. */
async function listenDeaf(host: string, port: number): Promise<() => Promise<void>> {
  const listen = `require('node:net').createServer().listen({ host: '${host}', port: ${port}, backlog: 1 }, () => console.log(1))`
  const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGSTOP')
  const queued = Array.from({ length: 4 }, () => connect({ host, port }).on('error', () => undefined))
  // The queue holds one more than it was told.
  await Promise.all(queued.slice(0, 2).map((socket) => once(socket, 'connect')))
  return async () => {
    for (const socket of queued) socket.destroy()
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}
