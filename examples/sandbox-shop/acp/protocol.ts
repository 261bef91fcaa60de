import type { IncomingMessage } from 'node:http'
import { Refused } from '../buying/refused.ts'
import type { Reply } from '../http/listen.ts'

/** The Agentic Commerce Protocol, in its newest dated version: github.com/agentic-commerce-protocol/agentic-commerce-protocol. */
export const VERSION = '2026-04-17'

type ErrorType = 'invalid_request' | 'processing_error' | 'service_unavailable'

/** A request that gets no session as its answer. Flat on the wire: type, code, message, param. */
export class AcpError extends Error {
  override name = 'AcpError'
  status: number
  code: string
  /** JSONPath of what is wrong. */
  param: string | undefined

  constructor(status: number, code: string, message: string, param?: string) {
    super(message)
    this.status = status
    this.code = code
    this.param = param
  }
}

export function toReply(error: unknown): Reply {
  if (error instanceof AcpError) return errorReply(error)
  if (error instanceof Refused) return errorReply(new AcpError(error.status, error.code, error.message))
  console.error(error)
  return errorReply(new AcpError(500, 'internal', 'The shop has a problem of its own.'))
}

function errorReply({ status, code, message, param }: AcpError): Reply {
  const isOfVersion = code === 'missing_api_version' || code === 'unsupported_api_version'
  return {
    status,
    // A request that is under way takes a moment.
    ...(status === 409 && code === 'idempotency_in_flight' ? { headers: { 'retry-after': '1' } } : {}),
    body: {
      type: typeOf(status),
      code,
      message,
      ...(param === undefined ? {} : { param }),
      ...(isOfVersion ? { supported_versions: [VERSION] } : {}),
    },
  }
}

function typeOf(status: number): ErrorType {
  if (status === 503) return 'service_unavailable'
  return status >= 500 ? 'processing_error' : 'invalid_request'
}

export function checkVersion({ headers }: IncomingMessage): void {
  const version = headers['api-version']
  if (version === undefined || version === '')
    throw new AcpError(400, 'missing_api_version', 'The header API-Version is required.')
  if (version !== VERSION) throw new AcpError(400, 'unsupported_api_version', `The shop speaks ${VERSION}.`)
}

const MAX_KEY_LENGTH = 255

export function keyOf({ headers }: IncomingMessage): string {
  const key = headers['idempotency-key']
  if (typeof key !== 'string' || key === '') {
    throw new AcpError(400, 'idempotency_key_required', 'Idempotency-Key header is required on all POST requests')
  }
  if (key.length > MAX_KEY_LENGTH)
    throw new AcpError(400, 'invalid', `Idempotency-Key has at most ${MAX_KEY_LENGTH} characters.`)
  return key
}
