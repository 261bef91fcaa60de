import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type SecureVersion } from 'node:tls'
import { answers, type Behaviour } from './behaviours.ts'
import { type Credentials, issue, trustTestAuthority } from './certificates.ts'
import { type ReceivedRequest, readRequest } from './request.ts'

export interface ReceiverOptions {
  /** What it does with each request; it can be changed later (`behave`). Default: `answers(200)`. */
  behaviour?: Behaviour
  /** Over TLS with a good certificate, or with one of the test's own, or with an old version. Default: in the clear. */
  tls?: boolean | { credentials?: Credentials; version?: SecureVersion }
  /** Default: 127.0.0.1 and a free port. */
  host?: string
  port?: number
}

/** A server that is not ours, over real sockets. It notes whatever comes. */
export interface Receiver {
  /** `http(s)://localhost:PORT/hook`. */
  url: string
  port: number
  /** Whole requests, in the order in which they came. */
  requests: ReceivedRequest[]
  /** Connections that were opened to it, also those that never sent anything. */
  connections: number
  /** The address that each of them was made to. */
  reachedAt: string[]
  /** Connections that are open now. */
  open: number
  behave(behaviour: Behaviour): void
  close(): Promise<void>
}

export async function startReceiver({
  behaviour = answers(200),
  tls = false,
  host = '127.0.0.1',
  port = 0,
}: ReceiverOptions = {}): Promise<Receiver> {
  let now = behaviour
  const sockets = new Set<Socket>()
  const receiver: Receiver = {
    url: '',
    port: 0,
    requests: [],
    connections: 0,
    reachedAt: [],
    open: 0,
    behave: (next) => {
      now = next
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  const raw = new Map<number | undefined, Socket>()
  const server = serverFor(tls, (socket) => {
    // A TLS socket cannot be reset; the one below it can.
    const below = raw.get(socket.remotePort)
    if (below !== undefined && below !== socket) socket.resetAndDestroy = () => below.resetAndDestroy()
    serve(socket, now, receiver.requests)
  })
  server.on('connection', (socket: Socket) => {
    receiver.connections += 1
    receiver.reachedAt.push(socket.localAddress ?? '')
    receiver.open += 1
    const { remotePort } = socket
    raw.set(remotePort, socket)
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      receiver.open -= 1
      sockets.delete(socket)
      raw.delete(remotePort)
    })
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  receiver.port = (server.address() as AddressInfo).port
  receiver.url = `${tls === false ? 'http' : 'https'}://localhost:${receiver.port}/hook`
  return receiver
}

function serverFor(tls: ReceiverOptions['tls'], onSocket: (socket: Socket) => void): Server {
  if (tls === false || tls === undefined) return createTcpServer({ noDelay: true }, onSocket)
  trustTestAuthority()
  const { credentials, version } = tls === true ? {} : tls
  const own = credentials ?? issue({ names: ['localhost', '127.0.0.1'] })
  // The lowest level of OpenSSL lets a server be as bad as a test wants it.
  const old = version === undefined ? {} : { minVersion: version, maxVersion: version }
  return createTlsServer({ ...own, ...old, ciphers: 'DEFAULT@SECLEVEL=0', noDelay: true }, onSocket)
}

async function serve(socket: Socket, behaviour: Behaviour, requests: ReceivedRequest[]): Promise<void> {
  socket.on('error', () => undefined)
  if (behaviour.atOnce !== undefined) {
    await behaviour.atOnce(socket)
    // Without a reader the end of a connection is never seen.
    if (!socket.isPaused()) socket.resume()
    return
  }
  const request = await readRequest(socket)
  if (request === undefined) return
  requests.push(request)
  await behaviour.answer?.(socket, request)
}
