import { setTimeout as delay } from 'node:timers/promises'

/** Told before each pause, so that a program can say what it waits for. */
export interface RetryNotice {
  /** How many attempts have failed. */
  attempt: number
  waitMillis: number
  /** Null: there was no answer at all. */
  status: number | null
  reason: string
}

export interface RequestOptions {
  /** Of the main API, for example `http://localhost:4000`. */
  apiUrl: string | URL
  /** A secret key of the account: `sk_test_…` or `sk_live_…`. */
  secretKey: string
  /** How often a failed call is repeated. Default: 10, which is about four minutes. `Infinity` never gives up. */
  retries?: number
  /** The first pause. It doubles, up to a minute, and varies by a fifth. Default: 500. */
  backoffMillis?: number
  /** Called before each of these pauses. */
  onRetry?: (notice: RetryNotice) => void
  /** Ends the call, and every pause, with the reason of the signal. */
  signal?: AbortSignal
  /** Instead of the one of Node. */
  fetch?: typeof fetch
}

const RETRIES = 10
const BACKOFF_MILLIS = 500
const LONGEST_BACKOFF_MILLIS = 60_000
/** A server may ask for more than that by mistake; a caller would look dead. */
const LONGEST_RETRY_AFTER_MILLIS = 10 * 60_000
const TIMEOUT_MILLIS = 30_000
const NOT_OURS = 'that is no answer of the main API. Is the address right, with its scheme and port?'

/** The service refused a call, or did not answer it in all attempts. */
export class MintmarkApiError extends Error {
  override readonly name = 'MintmarkApiError'
  /** Null: there was no answer. */
  readonly status: number | null
  /** The code of the error envelope, for example `AUTH_1001`; null without one. */
  readonly code: string | null
  /** Of each field that was refused, what is wrong with it: `{ cursor: 'must be 0, or …' }`; empty without any. */
  readonly details: Readonly<Record<string, string>>
  /** `X-Response-ID`: name it when you ask the operator. */
  readonly responseId: string | null

  constructor(message: string, { status, code, details = {}, responseId, cause }: Failure) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.code = code
    this.details = details
    this.responseId = responseId
  }
}

interface Failure {
  status: number | null
  code: string | null
  details?: Record<string, string>
  responseId: string | null
  cause?: unknown
}

/**
 * Reads JSON. Repeats what may succeed later: no answer, 429, 5xx; waits as long as `Retry-After` says. Throws a `TypeError` for an
 * address or a key that nothing can be sent with.
 */
export async function readJson(path: string, options: RequestOptions): Promise<unknown> {
  checkAccount(options)
  const { retries = RETRIES, backoffMillis = BACKOFF_MILLIS, onRetry, signal } = options
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await ask(path, options)
    if ('body' in outcome) return outcome.body
    const { error, retryAfterMillis } = outcome
    // Written so that a number that is none is no reason to go on.
    if (retryAfterMillis === null || !(attempt <= retries)) throw error
    const waitMillis = Math.max(retryAfterMillis, backoff(attempt, backoffMillis))
    onRetry?.({ attempt, waitMillis, status: error.status, reason: error.message })
    await pause(waitMillis, signal)
  }
}

/**
 * Before anything is sent, because no repetition mends these. And without their values: what `fetch` says of a header that it cannot send
 * quotes it, and errors are logged.
 */
function checkAccount({ apiUrl, secretKey }: RequestOptions): void {
  if (!isAddress(String(apiUrl))) throw new TypeError(NO_ADDRESS)
  if (typeof secretKey !== 'string' || !/^[\x21-\x7e]+$/.test(secretKey.trim())) throw new TypeError(NO_KEY)
}

function isAddress(text: string): boolean {
  // What is asked is appended: behind a question mark it would be another parameter.
  if (!URL.canParse(text) || /[?#]/.test(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

const NO_ADDRESS =
  'apiUrl is no address of the main API: it begins with http:// or https:// and holds no password, ? or #, as http://localhost:4000.'
const NO_KEY =
  'secretKey is no secret key: that is one word, sk_test_… or sk_live_…, without blanks and line ends. Is the environment variable set?'

/** Ends early, with the reason of the signal. */
export async function pause(millis: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(millis, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
  signal?.throwIfAborted()
}

/** `retryAfterMillis` is null when repeating is of no use. */
type Outcome = { body: unknown } | { error: MintmarkApiError; retryAfterMillis: number | null }

async function ask(path: string, options: RequestOptions): Promise<Outcome> {
  const { apiUrl, secretKey, signal, fetch: ask = fetch } = options
  const timeout = AbortSignal.timeout(TIMEOUT_MILLIS)
  try {
    const response = await ask(String(apiUrl).replace(/\/+$/, '') + path, {
      headers: { authorization: `Bearer ${secretKey.trim()}`, accept: 'application/json' },
      // The key goes to the address that was named, and to no other.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    const body = parse(await response.text())
    if (response.ok && body !== undefined) return { body }
    return { error: refused(apiUrl, response, body), retryAfterMillis: repeatable(response) }
  } catch (cause) {
    signal?.throwIfAborted()
    const message = `No answer from ${apiUrl} (${reasonOf(cause)}). Does the service run, and is this its address?`
    return {
      error: new MintmarkApiError(message, { status: null, code: null, responseId: null, cause }),
      retryAfterMillis: 0,
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refused(apiUrl: string | URL, response: Response, body: unknown): MintmarkApiError {
  const envelope = body as { error?: { code?: unknown; message?: unknown; details?: unknown } } | null | undefined
  const code = typeof envelope?.error?.code === 'string' ? envelope.error.code : null
  const said = typeof envelope?.error?.message === 'string' ? envelope.error.message : NOT_OURS
  const details = detailsOf(envelope?.error?.details)
  const problems = Object.entries(details).map(([field, problem]) => ` ${field} ${problem}.`)
  const responseId = response.headers.get('x-response-id')
  const message = `${apiUrl} answered ${response.status}${code === null ? '' : ` ${code}`}: ${said}${problems.join('')}`
  return new MintmarkApiError(message, { status: response.status, code, details, responseId })
}

function detailsOf(given: unknown): Record<string, string> {
  const entries = Object.entries(typeof given === 'object' && given !== null ? given : {})
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

function repeatable({ status, headers }: Response): number | null {
  if (status !== 429 && status < 500) return null
  return retryAfter(headers.get('retry-after'))
}

/** Seconds or a date. */
function retryAfter(value: string | null): number {
  if (value === null) return 0
  const millis = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return millis > 0 ? Math.min(millis, LONGEST_RETRY_AFTER_MILLIS) : 0
}

function backoff(attempt: number, first: number): number {
  return Math.min(LONGEST_BACKOFF_MILLIS, first * 2 ** (attempt - 1)) * (0.8 + 0.4 * Math.random())
}

function reasonOf(error: unknown): string {
  const { cause, name, message } = error as {
    cause?: { code?: unknown; message?: unknown }
    name?: string
    message?: string
  }
  if (typeof cause?.code === 'string') return cause.code
  // Of a port that no fetch asks, whoever listens there, only this is said.
  if (typeof cause?.message === 'string' && cause.message !== '') return cause.message
  return name === 'TimeoutError' ? `none within ${TIMEOUT_MILLIS / 1000} s` : (message ?? 'unknown')
}
