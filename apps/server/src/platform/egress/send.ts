import type { Socket } from 'node:net'
import type { EgressFailure } from '@mintmark/contract'
import { openConnection } from './connect.ts'
import { checkDestination, hostOf } from './destination.ts'
import { type Answer, exchange } from './exchange.ts'
import { EgressError, failureOf } from './failure.ts'
import type { EgressPolicy } from './policy.ts'

export interface OutgoingRequest {
  url: string
  method: string
  headers: Record<string, string>
  body?: Buffer | string | undefined
  policy: EgressPolicy
  /** Ends the request: `aborted`. */
  signal?: AbortSignal | undefined
}

export type SendOutcome =
  | ({ kind: 'answered' } & Answer)
  /**
   * `detail` is for logs: a code of the system, of OpenSSL or of the parser. It holds nothing that the other side
   * wrote.
   */
  | { kind: 'failed'; category: EgressFailure; detail: string }

/**
 * One request over one connection of its own, which is destroyed afterwards. It never throws for what the other side
 * does. No redirect is followed, no proxy of the environment is asked, nothing is decompressed. A head that has come is
 * an answer, whatever follows it.
 */
export async function send({ url, method, headers, body, policy, signal }: OutgoingRequest): Promise<SendOutcome> {
  const startedAt = performance.now()
  const checked = checkDestination(url, policy)
  if (checked.kind === 'refused') {
    const category = checked.reason === 'forbidden_address' ? checked.reason : 'forbidden_url'
    return { kind: 'failed', category, detail: checked.reason.toUpperCase() }
  }
  const stop = stopper(signal)
  const total = stop.after(policy.totalMillis, 'timeout')
  const connecting = stop.after(policy.connectMillis, 'connect_timeout')
  let socket: Socket | undefined
  try {
    const to = new URL(checked.url)
    socket = await openConnection(targetOf(to), policy, stop.signal, startedAt + policy.connectMillis)
    clearTimeout(connecting)
    const request = { url: to, method, headers, body, bodyBytes: policy.bodyBytes }
    return { kind: 'answered', ...(await exchange(socket, request, stop.signal)) }
  } catch (error) {
    const { category, detail } = failureOf('protocol', error)
    return { kind: 'failed', category, detail }
  } finally {
    clearTimeout(total)
    clearTimeout(connecting)
    stop.end()
    socket?.destroy()
  }
}

function targetOf(url: URL) {
  const isTls = url.protocol === 'https:'
  return { host: hostOf(url), port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port), isTls }
}

/** One signal for all that can end a request; its reason says which it was. The timers are on the monotonic clock. */
function stopper(outer: AbortSignal | undefined) {
  const controller = new AbortController()
  const end = (category: EgressFailure) => controller.abort(new EgressError(category))
  const onOuter = () => end('aborted')
  outer?.addEventListener('abort', onOuter, { once: true })
  if (outer?.aborted === true) onOuter()
  return {
    signal: controller.signal,
    after: (millis: number, category: EgressFailure) => setTimeout(() => end(category), millis),
    end: () => outer?.removeEventListener('abort', onOuter),
  }
}
