import { signRequest } from '@mintmark/node'
import { Failure } from '../failure.ts'
import { printable } from '../terminal.ts'
import type { AgentIdentity } from './client.ts'

const TIMEOUT_MILLIS = 30_000
/** The longest answer of the API, a page of mandates, has a fifth of it. */
const LONGEST_ANSWER = 2_000_000

/** Nobody answered, or somebody who may answer later. Asking again may help. */
export class Unanswered extends Failure {
  readonly retryAfterMillis: number

  constructor(message: string, retryAfterMillis = 0) {
    super('NO_ANSWER', message)
    this.retryAfterMillis = retryAfterMillis
  }
}

/** Signed calls. `fields` are those without which an answer is none of this API. */
export interface Caller {
  get<T>(path: string, fields: readonly (keyof T & string)[]): Promise<T>
  post<T>(path: string, fields: readonly (keyof T & string)[], body?: object): Promise<T>
}

export function createCaller({ apiUrl, privateKey, agentId }: AgentIdentity, stopped: AbortSignal): Caller {
  async function call<T>(method: string, path: string, fields: readonly string[], body?: object): Promise<T> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const request = { method, url: apiUrl + path, ...(text === undefined ? {} : { body: text }) }
    const signature = signRequest(request, { privateKey, ...(agentId === undefined ? {} : { keyId: agentId }) })
    const content = text === undefined ? {} : { 'content-type': 'application/json' }
    const { response, answer } = await send(request.url, { ...request, headers: { ...content, ...signature } }, stopped)
    const value = parsed(answer)
    if (response.status >= 300 && response.status < 400) {
      throw new Failure(
        'BAD_ANSWER',
        `${apiUrl} leads elsewhere, and is not followed. Link with the address that it has.`,
      )
    }
    if (!response.ok) throw refusal(apiUrl, response, value)
    if (!isRecord(value) || fields.some((field) => value[field] === undefined)) {
      throw new Failure('BAD_ANSWER', `${apiUrl} answered what the main API does not. Is the address right?`)
    }
    return value as T
  }
  return {
    get: (path, fields) => call('GET', path, fields),
    post: (path, fields, body) => call('POST', path, fields, body),
  }
}

async function send(url: string, init: RequestInit, stopped: AbortSignal) {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MILLIS)])
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal })
    return { response, answer: await readText(response) }
  } catch (error) {
    stopped.throwIfAborted()
    if (error instanceof Failure) throw error
    const { cause, name } = error as { cause?: { code?: string }; name?: string }
    const reason = name === 'TimeoutError' ? `none within ${TIMEOUT_MILLIS / 1000} s` : (cause?.code ?? 'no connection')
    throw new Unanswered(`No answer from ${new URL(url).origin} (${printable(reason)}).`)
  }
}

async function readText({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > LONGEST_ANSWER) throw new Failure('BAD_ANSWER', 'The answer is longer than any of the main API.')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refusal(apiUrl: string, { status, headers }: Response, value: unknown): Failure {
  const error = isRecord(value) && isRecord(value.error) ? value.error : {}
  const details = isRecord(error.details) ? error.details : {}
  const said = [error.message, ...Object.entries(details).map(([field, problem]) => `${field}: ${shown(problem)}.`)]
  const words = scrubbed(said.filter((part) => typeof part === 'string').join(' '))
  const id = headers.get('x-response-id')
  const where = id === null ? '' : ` (response ${printable(id, 60)})`
  if (status === 429 || status >= 500) {
    const seconds = Number(headers.get('retry-after'))
    const pause = seconds > 0 ? Math.min(seconds, 300) * 1000 : 0
    return new Unanswered(`${apiUrl} answered ${status}. ${words}${where}`, pause)
  }
  const code = typeof error.code === 'string' && /^[A-Z0-9_]{1,64}$/.test(error.code) ? error.code : 'BAD_ANSWER'
  if (details.reason === 'key_unknown') {
    return new Failure(
      code,
      `The server does not know this agent's key: it was never linked, or it was revoked.${where}`,
      2,
    )
  }
  return new Failure(code, `${words || `${apiUrl} answered ${status}, and no more.`}${where}`)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A server that echoes a card in an error has it stay there. */
function scrubbed(text: string): string {
  return printable(text, 500).replaceAll(/\d(?:[ -]?\d){11,18}/g, '…')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
