import { connect, createServer, type Server, type Socket } from 'node:net'
import { type ConnectionParts, connectionUrl } from '../database.ts'

/** One message of PostgreSQL's protocol (version 3). */
export interface WireMessage {
  direction: 'frontend' | 'backend'
  /**
   * The type letter (`Q` query, `S` sync, `Z` ready …); empty for the first message of a connection, which has none.
   */
  type: string
  /** With type and length. */
  bytes: Buffer
}

/** What happens, and at which message. */
export interface Fault {
  /** Messages that are counted; all unless given. */
  counts?: (message: WireMessage) => boolean
  /** The first counted message is 1. */
  at: number
  /** Does the message at which it happens still reach the other side? */
  when: 'before' | 'after'
  /**
   * `hold`: from this instant nothing passes on this connection, in either direction, until the client ends it; kill
   * the client, and the server has seen all up to this message and nothing after it. `drop`: the connection is cut on
   * both sides. A number: its traffic is held up for so many milliseconds.
   */
  action: 'hold' | 'drop' | number
}

export interface WireProxy {
  /** For DATABASE_URL. */
  url: string
  port: number
  /** Begins to count; resolves when the fault happens. */
  arm(fault: Fault): Promise<void>
  /** Ends counting; returns how many messages counted, and whether the fault happened. */
  disarm(): { counted: number; happened: boolean }
  /**
   * Resolves when the server has ended the connections that were dropped: what it still got of them is done by then.
   */
  dropped(): Promise<void>
  close(): Promise<void>
}

interface Armed {
  fault: Fault
  counted: number
  happened: boolean
  onHappened: () => void
}

/** One client's connection and ours to the server in its name. */
interface Pair {
  client: Socket
  server: Socket
  /** Nothing passes any more. */
  cut: boolean
}

/**
 * Stands between a program and its PostgreSQL and knows where each message begins and ends (rig R1 of the fault
 * matrix). Until armed it only forwards.
 */
export async function startWireProxy(target: ConnectionParts, wantedPort = 0): Promise<WireProxy> {
  const state: ProxyState = { armed: null, pairs: new Set() }
  const listener = createServer((client) => bridge(state, client, openServer(target)))
  const port = await listen(listener, wantedPort)
  return {
    url: connectionUrl({ ...target, host: '127.0.0.1', port }),
    port,
    arm(fault) {
      const { promise, resolve } = Promise.withResolvers<void>()
      state.armed = { fault, counted: 0, happened: false, onHappened: resolve }
      return promise
    },
    disarm() {
      const { counted, happened } = state.armed ?? { counted: 0, happened: false }
      state.armed = null
      return { counted, happened }
    },
    async dropped() {
      const cut = [...state.pairs].filter((pair) => pair.cut)
      await Promise.all(cut.map(({ server }) => new Promise<void>((resolve) => server.once('close', () => resolve()))))
    },
    async close() {
      for (const pair of state.pairs) drop(pair)
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

interface ProxyState {
  armed: Armed | null
  pairs: Set<Pair>
}

function openServer({ host, port }: ConnectionParts): Socket {
  return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
}

async function listen(listener: Server, wantedPort: number): Promise<number> {
  await new Promise<void>((resolve) => listener.listen(wantedPort, '127.0.0.1', resolve))
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.')
  return address.port
}

function bridge(state: ProxyState, client: Socket, server: Socket): void {
  // Messages are written one by one; else each would wait for the other side's delayed acknowledgement, 40 ms.
  for (const socket of [client, server]) socket.setNoDelay(true)
  const pair: Pair = { client, server, cut: false }
  state.pairs.add(pair)
  client.on('error', () => undefined).on('close', () => server.end())
  // Whatever the server said last still reaches the client.
  server
    .on('error', () => client.end())
    .on('close', () => {
      state.pairs.delete(pair)
      client.end()
    })
  pump(state, pair, client, server, 'frontend')
  pump(state, pair, server, client, 'backend')
}

/** The server still gets what was written to it before, then the end of the connection; the client gets a cut. */
function drop(pair: Pair): void {
  pair.cut = true
  pair.server.end()
  pair.client.destroy()
}

function pump(state: ProxyState, pair: Pair, from: Socket, to: Socket, direction: WireMessage['direction']): void {
  let rest = Buffer.alloc(0)
  // The client's first message has no type letter.
  let typed = direction === 'backend'
  const forward = () => {
    for (;;) {
      const length = messageLength(rest, typed)
      if (from.isPaused() || length === undefined || rest.length < length) return
      const bytes = rest.subarray(0, length)
      rest = rest.subarray(length)
      const message = { direction, type: typed ? String.fromCharCode(bytes[0] ?? 0) : '', bytes }
      typed = true
      pass(state, pair, from, to, message, forward)
    }
  }
  from.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    forward()
  })
}

/** Its first four bytes after the type letter are its length, themselves included. */
function messageLength(bytes: Buffer, typed: boolean): number | undefined {
  const prefix = typed ? 1 : 0
  return bytes.length < prefix + 4 ? undefined : prefix + bytes.readUInt32BE(prefix)
}

function pass(state: ProxyState, pair: Pair, from: Socket, to: Socket, message: WireMessage, resume: () => void): void {
  if (pair.cut) return
  const armed = state.armed
  if (armed === null || !isDue(armed, message)) return void to.write(message.bytes)
  const { when, action } = armed.fault
  if (when === 'after') to.write(message.bytes)
  if (action === 'hold') pair.cut = true
  else if (action === 'drop') drop(pair)
  else {
    from.pause()
    setTimeout(() => {
      if (when === 'before' && !pair.cut) to.write(message.bytes)
      from.resume()
      resume()
    }, action)
  }
  armed.onHappened()
}

function isDue(armed: Armed, message: WireMessage): boolean {
  if (armed.happened || armed.fault.counts?.(message) === false) return false
  armed.counted += 1
  armed.happened = armed.counted >= armed.fault.at
  return armed.happened
}
