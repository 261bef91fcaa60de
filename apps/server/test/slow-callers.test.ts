// Guarantee: a caller that sends slowly, with or without a credential, to whatever route of whatever host, keeps no place from others.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { signRequest } from '@mintmark/node'
import type { FastifyInstance } from 'fastify'
import { afterAll, describe, expect, test } from 'vitest'
import { LIMITS, limitVariable } from '../src/hosts/limits.ts'
import { createMetricsRegistry } from '../src/platform/metrics-registry.ts'
import { linkedAgent } from './agents.ts'
import { createSession } from './flows.ts'
import { newOwner } from './owners.ts'
import { linkedClient, startToolParty } from './tool-clients.ts'

/** More than there are places: sixteen connections with four requests each. */
const CALLERS = 80

const LIMITLESS = Object.fromEntries(LIMITS.map((limit) => [limitVariable(limit), '100000000']))
const registry = createMetricsRegistry()
const party = await startToolParty({ env: LIMITLESS, metrics: registry.metrics })
const { service, clientId } = party
afterAll(party.close)

const { merchant } = service
const { agentId, privateKey } = await linkedAgent(service)
const { token } = await linkedClient(service, { clientId, scope: 'payments:read' })
const owner = await newOwner(service)
const session = await createSession(merchant)

type Headers = Record<string, string>
interface Target {
  method: string
  path: string
}

const BODY = JSON.stringify({ a: 1 })
const bearer = (value: string): Headers => ({ authorization: `Bearer ${value}` })
const signed = ({ method, path }: Target): Headers =>
  signRequest({ method, url: service.apiUrl + path, body: BODY }, { privateKey, keyId: agentId })

interface Host {
  name: string
  app: FastifyInstance
  /** The name that its callers know. */
  url: string
  /** What its routes take, of each kind. */
  credentials: Readonly<Record<string, (target: Target) => Headers>>
}

const { app } = service
const hosts: readonly Host[] = [
  {
    name: 'API',
    app: await app.buildApiHost(),
    url: service.apiUrl,
    credentials: {
      'a secret key': () => bearer(merchant.secretKey),
      'a signature': signed,
      'a token for tools': () => bearer(token),
    },
  },
  {
    name: 'wallet',
    app: await app.buildWalletHost(),
    url: service.walletUrl,
    credentials: { 'a wallet key': () => ({ 'api-key': merchant.wallet.key }) },
  },
  {
    name: 'surface',
    app: await app.buildSurfaceHost(),
    url: service.surfaceUrl,
    credentials: { 'a session token': () => bearer(session.session_token) },
  },
  {
    name: 'owners',
    app: await ownerHost(),
    url: service.ownerUrl,
    credentials: { 'a cookie': () => ({ cookie: owner.cookie, origin: service.ownerUrl }) },
  },
]
for (const { app: host } of hosts) {
  await host.listen({ host: '127.0.0.1', port: 0 })
  // What ends them in the end is no help to who comes meanwhile: here nothing does.
  host.server.requestTimeout = 0
}
afterAll(() => Promise.all(hosts.map(({ app: host }) => host.close())))

async function ownerHost(): Promise<FastifyInstance> {
  const host = await app.buildOwnerHost()
  if (host === null) throw new Error('There is a page of owners.')
  return host
}

/** All there are, those of the tables and others, as the router prints them: a tree of the parts of their paths. */
function targetsOf(host: FastifyInstance): Target[] {
  const parts: string[] = []
  return host
    .printRoutes()
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([\s│├└─]*)(.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? []
      parts.splice(indent.length / 4 - 1, Number.POSITIVE_INFINITY, part)
      const path = parts.join('').replaceAll(/:\w+|\*/g, 'x')
      return methods === '' ? [] : methods.split(', ').map((method) => ({ method, path }))
    })
}

/** Connections of callers who are in no hurry, and how many were cut off without an answer. */
function connections({ app: host }: Host) {
  const { port } = host.server.address() as AddressInfo
  let cut = 0
  const sockets = Array.from({ length: CALLERS }, () => {
    const socket: Socket = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.once('close', () => {
      if (socket.bytesRead === 0) cut += 1
    })
    return socket
  })
  return { sockets, cut: () => cut }
}

const headOf = (target: Target, headers: Headers) =>
  [`${target.method} ${target.path} HTTP/1.1`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
    .map((line) => `${line}\r\n`)
    .join('')

async function taken(): Promise<number> {
  const [, value] = /mintmark_door_places\{state="taken"\} (\d+)/.exec(await registry.render()) ?? []
  return Number(value)
}

/** No other caller is at this service: what is in hand are the slow ones. */
async function expectRoom({ sockets, cut }: ReturnType<typeof connections>): Promise<void> {
  await expect.poll(taken, { interval: 5 }).toBe(0)
  expect((await merchant.get('/v1/mandates')).status).toBe(200)
  // The places are free while they are still there.
  expect(cut()).toBe(0)
  for (const socket of sockets) socket.destroy()
}

/** Each sends its head, and of its body the first byte. */
async function expectRoomBeside(host: Host, target: Target, credential: (target: Target) => Headers): Promise<void> {
  const callers = connections(host)
  let arrived = 0
  const all = Promise.withResolvers<void>()
  const count = () => {
    arrived += 1
    if (arrived === CALLERS) all.resolve()
  }
  host.app.server.on('request', count)
  for (const socket of callers.sockets) {
    const type = target.path.startsWith('/oauth/') ? 'application/x-www-form-urlencoded' : 'application/json'
    const content = { 'content-type': type, 'content-length': String(BODY.length) }
    socket.write(`${headOf(target, { host: new URL(host.url).host, ...content, ...credential(target) })}\r\n{`)
  }
  await all.promise
  host.app.server.off('request', count)
  await expectRoom(callers)
}

describe.each(hosts)('$name', (host) => {
  test('slow heads, before it is known for what they are', async () => {
    const callers = connections(host)
    for (const socket of callers.sockets) {
      await once(socket, 'connect')
      socket.write(headOf({ method: 'POST', path: '/x' }, { host: 'x' }))
    }
    await expectRoom(callers)
  })

  const kinds = { 'no credential': () => ({}), ...host.credentials }
  test.each(targetsOf(host.app))('slow bodies at $method $path', async (target) => {
    for (const credential of Object.values(kinds)) await expectRoomBeside(host, target, credential)
  })
})
