import type { KeyObject } from 'node:crypto'
import { MintmarkAgent, MintmarkApiError, OutcomeUnknownError } from '@mintmark/node'
import { Failure } from '../failure.ts'
import { oneLine } from '../terminal.ts'

/** The longest answer of the API, a page of mandates, has a fifth of it. */
const MAX_ANSWER_BYTES = 2_000_000

export interface AgentIdentity {
  apiUrl: string
  key: KeyObject
  /** Absent: the key signs by its thumbprint, as before it is linked. */
  keyId?: string | undefined
}

/** No server answered, or one that may answer later. Asking again may help. */
export class Unanswered extends Failure {
  readonly retryAfterMillis: number

  constructor(message: string, retryAfterMillis: number) {
    super('NO_ANSWER', message)
    this.retryAfterMillis = retryAfterMillis
  }
}

export function openAgent(identity: AgentIdentity, stopped: AbortSignal): MintmarkAgent {
  return new MintmarkAgent({ ...identity, retries: 1, signal: stopped, fetch: bounded })
}

/** An answer that has what the command needs of it. What a call fails with is a `Failure`, or what has stopped it. */
export async function answered<T extends object>(call: Promise<T>, fields: readonly (keyof T & string)[]): Promise<T> {
  const answer = await call.catch((error: unknown) => {
    throw asFailure(error)
  })
  if (isRecord(answer) && fields.every((field) => answer[field] !== undefined)) return answer
  throw new Failure('BAD_ANSWER', 'The answer is none of the main API. Is the address right?')
}

/** A server that never ends its answer does not fill this machine. */
async function bounded(...request: Parameters<typeof fetch>): Promise<Response> {
  const { body, status, headers } = await fetch(...request)
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > MAX_ANSWER_BYTES) throw new Error('the answer is longer than any of the main API')
    pieces.push(piece)
  }
  return new Response(length === 0 ? null : Buffer.concat(pieces), { status, headers })
}

function asFailure(error: unknown): unknown {
  // `@mintmark/node` throws it for a word that is no id.
  if (error instanceof TypeError) return new Failure('INVALID_REQUEST', scrubbed(error.message))
  if (!(error instanceof MintmarkApiError)) return error
  const { status, code, details, retryAfterSeconds, responseId } = error
  const words = `${scrubbed(error.message)}${responseId === null ? '' : ` (response ${oneLine(responseId, 60)})`}`
  if (error instanceof OutcomeUnknownError) {
    const { reference } = error
    return new Failure('OUTCOME_UNKNOWN', words, 2, reference === null ? {} : { reference })
  }
  if (details.reason === 'key_unknown') {
    return new Failure('KEY_UNKNOWN', "The server does not know this agent's key: it was revoked, or never linked.", 2)
  }
  if (details.reason === 'signature_invalid') {
    return new Failure('KEY_REFUSED', `${words} Was a change of its key cut off? Finish it: mintmark agent keys rotate`)
  }
  if (status === null || status === 429 || status >= 500) return new Unanswered(words, (retryAfterSeconds ?? 0) * 1000)
  return new Failure(code !== null && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'BAD_ANSWER', words)
}

/** What a server says may hold anything: commands to a terminal, and a card that it echoes, stay out. */
function scrubbed(text: string): string {
  return oneLine(text, 500).replaceAll(/\d(?:[ -]?\d){11,18}/g, '…')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
