import { MintmarkApiError } from './api-error.ts'
import type { ConnectionOptions } from './connection.ts'

/** One request, without what says who is calling. */
export interface Outgoing {
  method: string
  /** With its query. */
  path: string
  body?: string | undefined
  headers?: Record<string, string> | undefined
}

/** The headers that say who is calling: made for each attempt, because a signature is good once. */
export type Authorize = (request: { method: string; url: string; body?: string | undefined }) => Record<string, string>

/** What one attempt came to. */
export type Attempt = { body: unknown } | FailedAttempt

export interface FailedAttempt {
  error: MintmarkApiError
  /**
   * What is known of the request. `nothing_done`: it took no effect, and may be sent again. `refused`: the same, and the same again would be
   * refused again. `unknown`: it may have taken effect. `nobody`: the request had no caller, which says nothing of an earlier attempt.
   */
  known: 'nothing_done' | 'refused' | 'unknown' | 'nobody'
  retryAfterMillis: number
}

const TIMEOUT_MILLIS = 30_000
const NOT_OURS = 'that is no answer of the main API. Is the address right, with its scheme and port?'
/** The connection was never made, so nothing was sent. */
const NEVER_SENT = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENETDOWN EACCES UND_ERR_CONNECT_TIMEOUT'.split(' '),
)

export async function attempt(request: Outgoing, connection: ConnectionOptions, who: Authorize): Promise<Attempt> {
  const { apiUrl, signal, timeoutMillis = TIMEOUT_MILLIS, fetch: ask = fetch } = connection
  const { method, body } = request
  const url = String(apiUrl).replace(/\/+$/, '') + request.path
  const headers = {
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...request.headers,
    ...who({ method, url, body }),
  }
  const timeout = AbortSignal.timeout(timeoutMillis)
  const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
  try {
    // The key goes to the address that was named, and to no other.
    const response = await ask(url, { method, headers, body: body ?? null, redirect: 'manual', signal: ended })
    return judged(apiUrl, response, parse(await response.text()))
  } catch (cause) {
    const reason = reasonOf(cause, timeoutMillis)
    const message = `No answer from ${apiUrl} (${reason}). Does the service run, and is this its address?`
    const error = new MintmarkApiError(message, { status: null, code: null, responseId: null, cause })
    return { error, known: wasNeverSent(cause) ? 'nothing_done' : 'unknown', retryAfterMillis: 0 }
  }
}

function judged(apiUrl: string | URL, response: Response, body: unknown): Attempt {
  if (response.ok && body !== undefined) return { body }
  const retryAfterMillis = retryAfter(response.headers.get('retry-after'))
  const error = refused(apiUrl, response, body, retryAfterMillis)
  return { error, known: knownOf(error), retryAfterMillis: retryAfterMillis ?? 0 }
}

/** What a status says of the request, as the guide on idempotency has it. */
function knownOf({ status, code, details }: MintmarkApiError): FailedAttempt['known'] {
  if (status === null || (status >= 200 && status < 300)) return 'unknown'
  if (code !== null && NEVER_BY_ASKING_AGAIN.has(code)) return 'refused'
  if (status === 408 || status === 429 || code === 'IDEMPOTENCY_IN_PROGRESS') return 'nothing_done'
  // Each attempt has a nonce of its own: a machine on the way has sent this one twice, and the first may have had an answer.
  if (details.reason === 'nonce_replayed') return 'unknown'
  if (status === 401 || status === 403) return 'nobody'
  return status >= 500 && status !== 501 ? 'unknown' : 'refused'
}

const NEVER_BY_ASKING_AGAIN = new Set(['TRIES_EXHAUSTED', 'CONFIG_ERROR', 'NOT_IMPLEMENTED'])

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refused(apiUrl: string | URL, response: Response, body: unknown, retryAfterMillis: number | null) {
  const envelope = body as { error?: { code?: unknown; message?: unknown; details?: unknown } } | null | undefined
  const code = typeof envelope?.error?.code === 'string' ? envelope.error.code : null
  const said = typeof envelope?.error?.message === 'string' ? envelope.error.message : NOT_OURS
  const details = detailsOf(envelope?.error?.details)
  const problems = Object.entries(details).map(([field, problem]) => ` ${field} ${problem}.`)
  const { status } = response
  const message = `${apiUrl} answered ${status}${code === null ? '' : ` ${code}`}: ${said}${problems.join('')}`
  const retryAfterSeconds = retryAfterMillis === null ? null : Math.ceil(retryAfterMillis / 1000)
  const responseId = response.headers.get('x-response-id')
  return new MintmarkApiError(message, { status, code, details, responseId, retryAfterSeconds })
}

function detailsOf(given: unknown): Record<string, string> {
  const entries = Object.entries(typeof given === 'object' && given !== null ? given : {})
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

/** Seconds or a date; null where nothing is said. */
function retryAfter(value: string | null): number | null {
  if (value === null) return null
  const millis = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return millis > 0 ? millis : 0
}

interface Thrown {
  cause?: { code?: unknown; message?: unknown }
  name?: string
  message?: string
}

function wasNeverSent(error: unknown): boolean {
  const { cause } = error as Thrown
  return NEVER_SENT.has(String(cause?.code)) || cause?.message === 'bad port'
}

function reasonOf(error: unknown, timeoutMillis: number): string {
  const { cause, name, message } = error as Thrown
  if (typeof cause?.code === 'string') return cause.code
  // Node says only this of a port that no fetch asks, whatever listens there.
  if (typeof cause?.message === 'string' && cause.message !== '') return cause.message
  return name === 'TimeoutError' ? `none within ${timeoutMillis / 1000} s` : (message ?? 'unknown')
}
