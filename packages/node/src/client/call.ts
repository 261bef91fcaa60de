import { randomUUID } from 'node:crypto'
import { OutcomeUnknownError } from '../api-error.ts'
import type { OperationId, Operations } from '../api-types.ts'
import type { ConnectionOptions } from '../connection.ts'
import type { Authorize } from '../exchange.ts'
import { OPERATIONS } from '../operations.ts'
import { repeatedly, Unanswered } from '../repeat.ts'
import { AGAIN } from './again.ts'

/** What one call may do otherwise than its client. */
export interface CallOptions {
  /** Ends the call. A change that was sent by then ends with an `OutcomeUnknownError`, whose `cause` is the reason. */
  signal?: AbortSignal | undefined
  /** How long one attempt may take. */
  timeoutMillis?: number | undefined
  /** How often the call is repeated. */
  retries?: number | undefined
  /** Your own name for the call, where its operation takes one. Without it one is made, and kept while the call is repeated. */
  idempotencyKey?: string | undefined
}

/** What an operation is called with, of what it takes. */
export type Input<Id extends OperationId> = {
  [Part in 'params' | 'query' | 'body' as undefined extends Operations[Id][Part] ? never : Part]: Operations[Id][Part]
}

/** Calls an operation of the main API by its `operationId`. */
export type Call = <Id extends OperationId>(
  operation: Id,
  input: Input<Id>,
  options?: CallOptions,
) => Promise<Operations[Id]['response']>

const RETRIES = 4
const MAX_WAIT_MILLIS = 60_000

export function createCall(connection: ConnectionOptions, who: Authorize): Call {
  return async function call(operation, input: Given, options = {}) {
    const { method, path, takesKey } = OPERATIONS[operation]
    const { params = {}, query = {}, body } = input
    const idempotencyKey = takesKey === true ? (options.idempotencyKey ?? randomUUID()) : null
    const request = {
      method,
      path: withParams(path, params) + searchOf(query),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(idempotencyKey === null ? {} : { headers: { 'idempotency-key': idempotencyKey } }),
    }
    const again = AGAIN[operation]
    const { retries = connection.retries ?? RETRIES } = options
    const rules = { retries, mayRepeatUnknown: again !== 'once', maxWaitMillis: MAX_WAIT_MILLIS }
    const asked = { ...connection, ...chosen(connection, options) }
    const outcome = await repeatedly(request, asked, who, { ...rules, whenLonger: 'throw' })
    if (!(outcome instanceof Unanswered)) return outcome.body as Operations[typeof operation]['response']
    const { error, mayHaveHappened, wasAborted } = outcome
    if (again !== 'read' && mayHaveHappened) {
      const reference = operation === 'chargeMandate' ? (textOf(body, 'reference') ?? null) : null
      throw new OutcomeUnknownError(error, { operation, reference, idempotencyKey })
    }
    if (wasAborted) asked.signal?.throwIfAborted()
    throw error
  }
}

interface Given {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/** A call ends with its own signal, and with the one of its client. */
function chosen({ signal }: ConnectionOptions, options: CallOptions): Partial<ConnectionOptions> {
  const { timeoutMillis } = options
  const signals = [signal, options.signal].filter((one) => one !== undefined)
  return {
    ...(timeoutMillis === undefined ? {} : { timeoutMillis }),
    ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
  }
}

function textOf(value: unknown, name: string): string | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === 'string' ? found : undefined
}

function withParams(path: string, params: Record<string, string>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    // A URL without it, or with dots, is the address of something else.
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} is not an id.`)
    return encodeURIComponent(value)
  })
}

function searchOf(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
