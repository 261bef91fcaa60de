import { hash } from 'node:crypto'
import { idempotencyConflict, invalidFields, PublicError, unavailable } from '../platform/errors.ts'
import { openText, sealText } from '../platform/sealed-text.ts'
import type { Secret } from '../platform/secret.ts'
import {
  type CommandContext,
  type CommandDeps,
  commandOnce,
  type Declaration,
  type IdempotencyKey,
  outcomeOf,
} from './command.ts'
import type { Queryable } from './statement.ts'

/** A response as it is sent: once written, it stays the same bytes. */
export interface WrittenResponse {
  status: number
  responseId: string
  body: string
}

/** What a handler returns of a request that takes effect once: the response of the first one. */
export class StoredResponse implements WrittenResponse {
  readonly status: number
  readonly responseId: string
  readonly body: string
  /** Whether an earlier request with the key had the effect. */
  readonly isReplay: boolean

  constructor({ status, responseId, body }: WrittenResponse, isReplay: boolean) {
    this.status = status
    this.responseId = responseId
    this.body = body
    this.isReplay = isReplay
  }
}

/** One request under a caller's key: what it asks, and how its responses are written. */
export interface KeyedRequest<Result> {
  key: string
  /** Whether the caller has named it. If not, no other caller has this key, and nothing is asked for by it again. */
  isNamed: boolean
  /** Method, path and body: all that makes it this request. */
  input: string
  success(result: Result): WrittenResponse
  refusal(error: PublicError): WrittenResponse
}

/** The same request for a use case that knows its own result, and not how the wire shows it. */
export function shownBy<Result, Shown>(request: KeyedRequest<Shown>, show: (result: Result) => Shown) {
  return { ...request, success: (result: Result) => request.success(show(result)) } satisfies KeyedRequest<Result>
}

export interface RespondDeps extends CommandDeps, SealedResponses {
  /** Throws the declared error for a merchant that may change nothing now. Asked in the transaction of each change. */
  admit(on: Queryable, merchantId: string): Promise<void>
}

/**
 * A command that takes effect once a key, and whose response is stored in the transaction of the effect: the same request again
 * gets the same bytes. The key belongs to the merchant, whatever the operation: method and path are part of what is compared.
 *
 * What the work refuses (it throws a declared error of the caller's making) is stored as well, without its effect: a caller who lost
 * the response is told what was decided, and asks anew with another key. What fails on our side is not stored: nothing was decided.
 * Nor is the refusal of a merchant who is not admitted: it is about the account, and the request is good again with it.
 */
export async function respondOnce<Result>(
  deps: RespondDeps,
  declaration: Declaration<never>,
  { merchantId, request }: { merchantId: string; request: KeyedRequest<Result> },
  work: (context: CommandContext<never>) => Promise<Result>,
): Promise<StoredResponse> {
  const key: IdempotencyKey = { merchantId, operation: ANY_OPERATION, key: request.key, input: request.input }
  let refused: unknown
  const admit = (on: Queryable) =>
    deps.admit(on, merchantId).catch((error: unknown) => {
      refused = error
      throw error
    })
  try {
    return await stored(deps, declaration, key, async (context) => {
      await admit(context.tx)
      return request.success(await work(context))
    })
  } catch (error) {
    if (error === refused || !isDecision(error)) throw error
    // Where an equal request did not fail meanwhile, its response is what counts.
    return await stored(deps, REFUSAL, key, async () => request.refusal(error))
  }
}

/** No operation of `commandOnce` is called so. */
const ANY_OPERATION = '*'
const REFUSAL = { name: 'responses.store_refusal', silent: 'idempotency' } as const

/**
 * Refused for a reason of the request, and not only for the moment. What is not valid is never stored, wherever it is found. Nor is a
 * conflict: it is about another request, which has the key; without it, as when that is forgotten this moment, the key is free.
 */
const UNDECIDED: ReadonlySet<string> = new Set([invalidFields.code, idempotencyConflict.code])

function isDecision(error: unknown): error is PublicError {
  if (!(error instanceof PublicError) || UNDECIDED.has(error.code)) return false
  return error.status < 500 && error.retryAfterSeconds === undefined
}

/** Stores what is responded with its effect, or finds what was responded before. */
export async function stored(
  deps: SealedResponses & CommandDeps,
  declaration: Declaration<never>,
  key: IdempotencyKey,
  respond: (context: CommandContext<never>) => Promise<WrittenResponse>,
): Promise<StoredResponse> {
  const keyed = await commandOnce(deps, declaration, key, async (context) =>
    sealedResponse(deps, key, await respond(context)),
  )
  const done = outcomeOf(keyed)
  if (done === null) throw unavailable()
  return openedResponse(deps, key, done.outcome, done.replayed)
}

export interface SealedResponses {
  /** Seals stored responses: they may name people, and open a session. */
  storedResponsesKey: Secret<Buffer>
}

/** To its request, too: a row that was edited by hand tells no caller of another one's response, or of another status. */
function placeOf(key: IdempotencyKey, { status, responseId }: Pick<WrittenResponse, 'status' | 'responseId'>) {
  const { merchantId, operation } = key
  const of = operation === ANY_OPERATION ? [] : [operation]
  return ['idempotency_keys', merchantId, ...of, key.key, hash('sha256', key.input), String(status), responseId]
}

export function sealedResponse(deps: SealedResponses, key: IdempotencyKey, response: WrittenResponse) {
  const { status, responseId, body } = response
  return { status, responseId, body: sealText(deps.storedResponsesKey, placeOf(key, response), body) }
}

export function openedResponse(
  deps: SealedResponses,
  key: IdempotencyKey,
  { status, responseId, body }: WrittenResponse,
  isReplay: boolean,
): StoredResponse {
  const text = openText(deps.storedResponsesKey, placeOf(key, { status, responseId }), body)
  return new StoredResponse({ status, responseId, body: text }, isReplay)
}
