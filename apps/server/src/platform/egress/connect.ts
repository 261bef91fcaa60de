import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { isSameAddress, parseAddress } from './addresses.ts'
import { EgressError, failureOf } from './failure.ts'
import type { EgressPolicy } from './policy.ts'

/** Where a connection is to go. The host is a name or an address, without brackets. */
export interface Target {
  host: string
  port: number
  isTls: boolean
}

/** More addresses of a name are checked, but not tried. */
const MAX_TRIED = 4

/**
 * Opens a connection to an address that was checked. Rejects with the reason of the signal when that comes first. An attacker cannot
 * bring another address in between: the name is resolved once, every address of the answer is checked, the connection goes to one of
 * these by its number, and what the socket says of its other end is compared with it.
 */
export async function openConnection(
  target: Target,
  policy: EgressPolicy,
  signal: AbortSignal,
  budgetEndsAt: number,
): Promise<Socket> {
  const addresses = await checkedAddresses(target, policy, signal)
  const socket = await connectToOne(addresses, target.port, signal, budgetEndsAt)
  return target.isTls ? secure(socket, target.host, signal) : socket
}

/** One forbidden address refuses them all: a name that leads to both kinds has no honest use. */
async function checkedAddresses({ host, isTls }: Target, policy: EgressPolicy, signal: AbortSignal): Promise<string[]> {
  const found = isIP(host) === 0 ? await resolved(host, policy, signal) : [host]
  const allows = isTls ? policy.overTls : policy.inTheClear
  for (const text of found) {
    const address = parseAddress(text)
    if (address === undefined || allows?.(address) !== true) throw new EgressError('forbidden_address')
  }
  if (found.length === 0) throw new EgressError('dns', 'NO_ADDRESS')
  return inTurns(found).slice(0, MAX_TRIED)
}

async function resolved(host: string, policy: EgressPolicy, signal: AbortSignal): Promise<readonly string[]> {
  const found = policy.resolve(host, signal).catch((error: unknown) => {
    throw failureOf('dns', error)
  })
  return until(signal, found)
}

/** The families take turns, IPv4 first, so that one that leads nowhere does not use up all tries. */
function inTurns(addresses: readonly string[]): string[] {
  const v4 = addresses.filter((text) => isIP(text) === 4)
  const v6 = addresses.filter((text) => isIP(text) === 6)
  return Array.from({ length: Math.max(v4.length, v6.length) }, (_, turn) => [v4[turn], v6[turn]])
    .flat()
    .filter((text) => text !== undefined)
}

/** Each address has an equal share of the time that is left, the last one all of it. */
async function connectToOne(
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
  budgetEndsAt: number,
): Promise<Socket> {
  let failure = new EgressError('connect')
  for (const [tried, address] of addresses.entries()) {
    const shareMillis = (budgetEndsAt - performance.now()) / (addresses.length - tried)
    const isLast = tried === addresses.length - 1
    const own = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, Math.floor(shareMillis)))])
    try {
      return await connectTo(address, port, own)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      failure = failureOf('connect', error)
    }
  }
  throw failure
}

async function connectTo(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({ host: address, port, family: isIP(address), autoSelectFamily: false, noDelay: true })
  await opened(socket, 'connect', signal)
  const [asked, reached] = [parseAddress(address), parseAddress(socket.remoteAddress ?? '')]
  if (asked !== undefined && reached !== undefined && isSameAddress(asked, reached)) return socket
  socket.destroy()
  // Without an other end it is over already.
  throw reached === undefined ? new EgressError('reset', 'CLOSED') : new EgressError('forbidden_address', 'OTHER_END')
}

/** No session of another connection, no protocol but HTTP/1.1, and no environment variable that turns the checks off. */
async function secure(socket: Socket, host: string, signal: AbortSignal): Promise<TLSSocket> {
  const tls = connectTls({
    socket,
    host,
    // An address is no name for SNI (RFC 6066); the certificate is compared with `host`.
    servername: isIP(host) === 0 ? host : '',
    minVersion: 'TLSv1.2',
    // Level 2: no SHA-1, no RSA key below 2048 bits, also if this Node.js is built otherwise.
    ciphers: 'DEFAULT@SECLEVEL=2',
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  })
  try {
    await opened(tls, 'secureConnect', signal)
    return tls
  } catch (error) {
    socket.destroy()
    throw failureOf('tls', error)
  }
}

/** Waits for the event that says that a socket is open. If it does not open, it is destroyed. */
function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      signal.removeEventListener('abort', onAbort)
      socket.off(event, onOpen).off('close', onClose)
      end()
    }
    const fail = (error: unknown) =>
      settle(() => {
        socket.destroy()
        reject(error)
      })
    const onAbort = () => fail(signal.reason)
    const onOpen = () => settle(resolve)
    const onClose = () => fail(new EgressError(event === 'connect' ? 'connect' : 'tls', 'CLOSED'))
    // Stays for good: a socket without a listener would end the process with its error.
    socket.on('error', fail)
    socket.once(event, onOpen).once('close', onClose)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
}

/** What a promise brings, or the reason of the signal, whichever is first. */
function until<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
