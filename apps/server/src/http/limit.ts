import { isIPv4, isIPv6 } from 'node:net'

/** What a limit may count by, besides the caller. */
interface LimitedRequest {
  /** The client's address, as a trusted proxy or the connection says; a connection that was reset has forgotten it. */
  ip: string | undefined
  /** The connection itself. */
  socket: { remoteAddress?: string | undefined }
  /** The variable parts of the path, as the caller wrote them. */
  params?: unknown
}

export interface Quota {
  points: number
  windowSeconds: number
}

interface LimitSpec<Caller> extends Quota {
  /** Default number of points in the sandbox, where it differs. */
  sandboxPoints?: number
  /** The key that is counted, made before the body is read. */
  by: (caller: Caller, request: LimitedRequest) => string
  /**
   * What happens while the store cannot be read. `refuse` where the limit stands between an attacker and something that
   * can be guessed. `pass` elsewhere: an outage of the limiter must not become an outage of the service.
   */
  withoutStore: 'pass' | 'refuse'
  /**
   * In how many blocks a node takes the points, a hundred unless it is said: fewer ask the store less often, and leave
   * more points unused on nodes that the caller does not come back to.
   */
  blocks?: number
  /** A limit of the calls that follow this one: the store is asked for its first block in the same question. */
  ahead?: Limit<Caller>
  /** What is counted, and by what: for the operator who sets the number. */
  meaning: string
  countedBy: string
}

/** How often something may be done. Rows name one; the operator may change its points. */
export interface Limit<Caller> extends LimitSpec<Caller> {
  /** In lower snake case. The setting `RATE_LIMIT_<NAME>` and the response fields are made from it. */
  name: string
}
export type AnyLimit = Limit<never>

/** Declares a limit. The feature whose rows name it does this once. */
export function limit<Caller>(name: string, spec: LimitSpec<Caller>): Limit<Caller> {
  return Object.freeze({ name, ...spec })
}

/**
 * The key of a limit that counts by the client's address. An IPv6 client has a whole /64 network to choose addresses
 * from, so that network is counted. What a proxy forwards and is no address counts for the peer that sent it.
 */
export function byAddress(_caller: unknown, { ip, socket }: LimitedRequest): string {
  return networkOf(ip ?? '') ?? networkOf(socket.remoteAddress ?? '') ?? 'unknown'
}

/** An IPv4 address, or the first four groups of an IPv6 one; undefined for any other text. */
export function networkOf(address: string): string | undefined {
  const [text = ''] = address.split('%')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1] ?? text
  if (isIPv4(mapped)) return mapped
  if (!isIPv6(text)) return undefined
  // The URL parser writes the one canonical form, without a dotted tail.
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length
  const groups = [...first, ...Array.from({ length: zeros }, () => '0'), ...last]
  return `${groups.slice(0, 4).join(':')}::/64`
}
