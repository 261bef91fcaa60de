import type { BrandedNames } from '@mintmark/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../db/errors.ts'
import { fieldErrors, internalError, notFound, PublicError, textOf, unavailable } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { turnedAway } from './door.ts'
import type { Envelope } from './envelope.ts'
import { agentsHeldSinceRestore, bodyTooLarge, closedSinceRestore, MAX_BODY_BYTES, notJson } from './errors.ts'

/** What a person reads instead of the envelope; null where the caller is a program. */
export type ErrorPage = (
  error: PublicError,
  request: FastifyRequest,
) => { body: string; headers: Record<string, string> } | null

/** What every error response of a host is made with. */
export interface ErrorResponderOptions {
  /** Given by a host that people visit. */
  errorPage?: ErrorPage
  envelope: Envelope
  brand: BrandedNames
  log: Log
}

/** Sends the error response for a thrown value. The one place where an error becomes HTTP. */
export type ErrorResponder = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

/** Said to every caller for as long as it takes: a line each would hide the others. */
const EXPECTED: ReadonlySet<PublicError> = new Set([turnedAway, closedSinceRestore, agentsHeldSinceRestore])

export function createErrorResponder({ envelope, errorPage, brand, log }: ErrorResponderOptions): ErrorResponder {
  return function respond(error, request, reply) {
    const shown = publicErrorFrom(error)
    if (shown.status >= 500 && !EXPECTED.has(shown) && !isAborted(request)) {
      log.failure('A request failed.', error, {
        response_id: request.id,
        method: request.method,
        route: request.routeOptions.url,
        status: shown.status,
      })
    }
    keepConnection(reply)
    const retryAfterSeconds = shown.retryAfterSeconds ?? (shown.status === 503 ? RETRY_SECONDS : undefined)
    if (retryAfterSeconds !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(retryAfterSeconds)))
    if (shown.status === 401) reply.header('www-authenticate', request.routeOptions.config.challenges)
    const page = errorPage?.(shown, request) ?? null
    if (page !== null) return reply.code(shown.status).headers(page.headers).send(page.body)
    reply
      .code(shown.status)
      .type('application/json; charset=utf-8')
      .send(envelope.error(shown, brand, request.id))
  }
}

/** Declared errors pass; everything else becomes one of a few, with nothing of the original in it. */
export function publicErrorFrom(error: unknown): PublicError {
  if (error instanceof PublicError) return error
  const code = textOf(error, 'code')
  if (code.startsWith('FST_ERR_')) return frameworkError(code, error)
  if (isDatabaseUnavailable(error)) return unavailable({ cause: error, retryAfterSeconds: RETRY_SECONDS })
  return internalError({ cause: error })
}

/** What every 503 says that does not know better. */
const RETRY_SECONDS = 2

/** What Fastify refuses by itself, before a row's handler is reached. */
function frameworkError(code: string, cause: unknown): PublicError {
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge({
        message: 'The request is not valid: the body is too large.',
        details: { body: `must have at most ${MAX_BODY_BYTES} bytes` },
      })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return notJson()
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return fieldErrors({ 'content-length': 'does not match the length of the body' })
    case 'FST_ERR_BAD_URL':
      return fieldErrors({ path: 'is not valid percent-encoding' })
    // No resource has so long an id.
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return notFound()
    default:
      return internalError({ cause })
  }
}

/** The client closed the connection: there is no one to respond to, and nothing of ours failed. */
function isAborted(request: FastifyRequest): boolean {
  return (request.raw.destroyed && !request.raw.complete) || request.place?.bounds.isGone === true
}

/**
 * The framework closes the connection after any body it did not accept. But the body has been read, or the server drains
 * it within the request's time; and closing with bytes unread would reset the connection, so that the caller might never
 * see the response. A `close` on the raw response is the server shutting down, and stays.
 */
function keepConnection(reply: FastifyReply): void {
  if (!reply.raw.hasHeader('connection')) reply.removeHeader('connection')
}
