import type { Account } from './account.ts'
import { oneLine } from './terminal.ts'

/** Calls under the account's key. The first failure ends a command, and its text says what to do. */
export interface Api {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
}

export interface Answer {
  body: Json
  /** The service's own time. */
  date: Date
}

/** What the API returned, read by name. A field that is not there is undefined, and the call that needs it fails. */
export interface Json {
  readonly [name: string]: Json
}

const TIMEOUT_MILLIS = 30_000

export function createApi({ apiUrl, secretKey }: Account, stopped: AbortSignal): Api {
  async function call(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' }
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MILLIS)])
    const init = { method, headers, signal, redirect: 'manual' as const }
    const ask = async () => {
      const response = await fetch(apiUrl + path, body === undefined ? init : { ...init, body: JSON.stringify(body) })
      // The connection may break in the middle of it, too.
      return { response, text: await response.text() }
    }
    const { response, text } = await ask().catch((cause: unknown) => {
      stopped.throwIfAborted()
      throw new Error(noAnswer(apiUrl, cause), { cause })
    })
    if (!response.ok) throw new Refusal(`${method} ${path}`, response, text)
    return { body: parse(text, apiUrl), date: new Date(response.headers.get('date') ?? Date.now()) }
  }
  return { get: (path) => call('GET', path), post: (path, body = {}) => call('POST', path, body) }
}

function noAnswer(apiUrl: string, error: unknown): string {
  const { cause, name } = error as { cause?: { code?: string; message?: string }; name?: string }
  const silent = name === 'TimeoutError' ? `none within ${TIMEOUT_MILLIS / 1000} s` : undefined
  const reason = silent ?? cause?.code ?? oneLine(cause?.message ?? 'no connection')
  return `No answer from ${apiUrl} (${reason}). Start the service with "npm start", or set MINTMARK_API_URL to where it is.`
}

/** The service said no. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string | undefined

  constructor(what: string, response: Response, text: string) {
    const { code, message, details = {} } = envelope(text)
    const problems = Object.entries(details).map(([field, problem]) => ` ${field} ${problem}.`)
    const said = code === undefined ? oneLine(text) || 'nothing' : `${code}: ${message}${problems.join('')}`
    const key = response.status === 401 ? ' Is MINTMARK_SECRET_KEY, or dev.json, of this service?' : ''
    const id = response.headers.get('x-response-id')
    super(`${what} answered ${response.status} ${said}${key}${id === null ? '' : ` (response ${id})`}`)
    this.code = code
  }
}

interface ErrorContent {
  code?: string
  message?: string
  details?: Record<string, string>
}

function envelope(text: string): ErrorContent {
  try {
    return (JSON.parse(text) as { error?: ErrorContent }).error ?? {}
  } catch {
    return {}
  }
}

function parse(text: string, apiUrl: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw new Error(`${apiUrl} is not the main API: its answer is no JSON. Set MINTMARK_API_URL.`, { cause })
  }
}
