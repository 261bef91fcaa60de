import { ERROR_CODES, type ErrorCode, WALLET_ERROR_CODES, type WalletErrorCode } from '@mintmark/contract'

/** A code of one of the two APIs. */
export type AnyErrorCode = ErrorCode | WalletErrorCode

/** Failing field's path → what is wrong with it, in words for the caller. */
export type ErrorDetails = Record<string, string>

/** Enough for any form; keeps the response to a hostile body small. */
export const MAX_DETAILS = 50

/** An error the caller may see: its code, status and public text were declared, never written at the throw site. */
export class PublicError extends Error {
  override readonly name = 'PublicError'
  readonly code: AnyErrorCode
  readonly status: number
  readonly details: ErrorDetails | undefined
  /** Seconds after which trying again makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: AnyErrorCode,
    message: string,
    options: { status: number; details?: ErrorDetails; cause?: unknown; retryAfterSeconds?: number },
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.status = options.status
    this.details = options.details && firstOf(options.details)
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

function firstOf(details: ErrorDetails): ErrorDetails {
  const fields = Object.entries(details)
  return fields.length <= MAX_DETAILS ? details : Object.fromEntries(fields.slice(0, MAX_DETAILS))
}

export interface ErrorOptions {
  message?: string
  details?: ErrorDetails
  cause?: unknown
  retryAfterSeconds?: number
}

export interface DeclaredError {
  (options?: ErrorOptions): PublicError
  code: AnyErrorCode
  status: number
  /** The public text, unless a throw sharpens it. */
  text: string
}

/**
 * Declares an error of a feature: code (status comes with it, unless HTTP has a better one) and public text. The result
 * makes an error to throw; a call may sharpen the public text and name fields, and may keep a cause that never leaves the
 * server.
 */
export function declareError(code: ErrorCode, text: string, status: number = ERROR_CODES[code].status): DeclaredError {
  return declare(code, text, status)
}

/** The same for an error of the wallet API, which has codes of its own. */
export function declareWalletError(code: WalletErrorCode, text: string): DeclaredError {
  return declare(code, text, WALLET_ERROR_CODES[code].status)
}

function declare(code: AnyErrorCode, text: string, status: number): DeclaredError {
  const make = (options: ErrorOptions = {}) => new PublicError(code, options.message ?? text, { ...options, status })
  return Object.assign(make, { code, status, text })
}

export const notFound = declareError('NOT_FOUND', 'No such resource.')
/** Most often a call to the wrong one of the hosts, each of which has an address of its own. */
export const noSuchRoute = declareError('NOT_FOUND', 'This address has no such method and path.')
export const invalidState = declareError('INVALID_STATE', 'The operation is not allowed in the current state.')
export const invalidFields = declareError('VAL_2001', 'The request is not valid.')
export const missingFields = declareError('INVALID_REQUEST', 'A required field is missing.')
export const unavailable = declareError(
  'SERVICE_UNAVAILABLE',
  'The service cannot answer right now. Try again shortly.',
)
export const internalError = declareError('INTERNAL_ERROR', 'Something went wrong on our side.')

/** About a caller's key for one operation (`commandOnce`). */
export const idempotencyConflict = declareError(
  'IDEMPOTENCY_CONFLICT',
  'This idempotency key was used with another request. Take a new key for each new request.',
)
export const idempotencyInProgress = declareError(
  'IDEMPOTENCY_IN_PROGRESS',
  'The first request with this idempotency key is still being worked on. Send it again with the same key.',
)

/** So many digits in a row, as people group them, may be a card number or a part of one that is no field's name. */
const LONG_NUMBER = /\d(?:[ .-]?\d){7,}/g

/**
 * A `VAL_2001` from one or more failing fields. The name of an unknown field is the caller's own text, and many callers log what they are
 * told: a long number in it is left out.
 */
export function fieldErrors(details: ErrorDetails): PublicError {
  const entries = Object.entries(details).map(([path, problem]) => [path.replace(LONG_NUMBER, '[number]'), problem])
  const named: ErrorDetails = Object.fromEntries(entries)
  const paths = Object.keys(firstOf(named))
  return invalidFields({ message: `The request is not valid: ${paths.join(', ')}.`, details: named })
}

/** A property of an unknown error that is a text; empty when there is none. */
export function textOf(error: unknown, property: string): string {
  if (typeof error !== 'object' || error === null) return ''
  const value: unknown = Reflect.get(error, property)
  return typeof value === 'string' ? value : ''
}
