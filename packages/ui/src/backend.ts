import type { ErrorEnvelope } from '@mintmark/contract/errors'
import { PAGE_TOKEN_HEADER } from '@mintmark/contract/page-token'

/** The backend refused a call. `message` is for developers; it is never shown. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: string
  readonly status: number
  readonly details: Readonly<Record<string, string>>

  constructor(code: string, status: number, details: Record<string, string>) {
    super(code)
    this.code = code
    this.status = status
    this.details = details
  }
}

/** No answer came: offline, a network failure, a time-out. Whether the call took effect is unknown. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

const CALL_TIMEOUT_MILLIS = 20_000

/** What the session was told last. */
let pageToken = ''

/**
 * A call of the page's own backend. Its answers are typed, not parsed again: they come from where this script came
 * from.
 */
async function call<Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
  let response: Response
  let text: string
  try {
    response = await fetch(`/api/${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(method === 'POST' && pageToken !== '' && { [PAGE_TOKEN_HEADER]: pageToken }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MILLIS),
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    })
    text = await response.text()
  } catch (error) {
    throw new Unreachable('The service did not answer.', { cause: error })
  }
  const answer = parse(text)
  pageToken = response.headers.get(PAGE_TOKEN_HEADER) ?? tokenIn(answer) ?? pageToken
  if (response.ok && answer !== null) return answer as Answer
  const { code = 'INTERNAL_ERROR', details = {} } = (answer as Partial<ErrorEnvelope> | null)?.error ?? {}
  throw new Refusal(code, response.status, details)
}

const tokenIn = (answer: object | null) => (answer as { page_token?: string } | null)?.page_token

function parse(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

export const get = <Answer>(path: string) => call<Answer>('GET', path)

/** The token may be another one since this tab was told it: then it is asked for once more. */
export async function post<Answer>(path: string, body?: object): Promise<Answer> {
  try {
    return await call<Answer>('POST', path, body)
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 403) throw error
    await get('session')
    return call<Answer>('POST', path, body)
  }
}
