interface Failure {
  status: number | null
  code: string | null
  details?: Record<string, string>
  responseId: string | null
  retryAfterSeconds?: number | null
  cause?: unknown
}

/** The service refused a call, or did not answer it in all attempts. */
export class MintmarkApiError extends Error {
  override readonly name: string = 'MintmarkApiError'
  /** Null: there was no answer. */
  readonly status: number | null
  /** The code of the error envelope, for example `AUTH_1001`; null without one. */
  readonly code: string | null
  /** What is wrong with each field that was refused: `{ cursor: 'must be 0, or …' }`; empty without any. */
  readonly details: Readonly<Record<string, string>>
  /** `X-Response-ID`: name it when you ask the operator. */
  readonly responseId: string | null
  /** How long the service wants to be left alone; null where it did not say. */
  readonly retryAfterSeconds: number | null

  constructor(message: string, { status, code, details = {}, responseId, retryAfterSeconds = null, cause }: Failure) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.code = code
    this.details = details
    this.responseId = responseId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

interface Unknown {
  operation: string
  reference: string | null
  idempotencyKey: string | null
}

/**
 * A change was sent, and what became of it is not known: the answer was lost, or said too little. It may have happened. Ask again with the
 * same `reference` or `idempotencyKey`, or read how it stands; never take it for a failure.
 */
export class OutcomeUnknownError extends MintmarkApiError {
  override readonly name: string = 'OutcomeUnknownError'
  /** The `operationId`. */
  readonly operation: string
  /** The reference of a charge, also where the package made it. */
  readonly reference: string | null
  /** The key of an operation that takes one, also where the package made it. */
  readonly idempotencyKey: string | null

  constructor(last: MintmarkApiError, { operation, reference, idempotencyKey }: Unknown) {
    const { status, code, details, responseId, retryAfterSeconds, message } = last
    const name = reference ?? idempotencyKey
    const again = name === null ? 'Read how it stands' : `Send the same again with ${JSON.stringify(name)}`
    super(`It is not known whether ${operation} took effect. ${again}. ${message}`, {
      ...{ status, code, details: { ...details }, responseId, retryAfterSeconds, cause: last },
    })
    this.operation = operation
    this.reference = reference
    this.idempotencyKey = idempotencyKey
  }
}
