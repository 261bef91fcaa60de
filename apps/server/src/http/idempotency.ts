import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { IS_REQUIRED } from './validation-words.ts'

/** The header with a caller's key for one operation: sent again with the same key, a request takes effect once. */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key'
/** As the details of an error name it. */
const FIELD = IDEMPOTENCY_HEADER.toLowerCase()

/** Which keys a row takes. */
export interface KeyFormat {
  pattern: RegExp
  /** What a key must be: completes "Idempotency-Key must …". */
  rule: string
  example: string
  /** Upper and lower case are one key, and one id in the path. */
  isCaseless: boolean
  /** A request without a key is a request of its own: sent again it takes effect again. */
  isOptional: boolean
}

export const IDEMPOTENCY_KEY: KeyFormat = Object.freeze({
  pattern: /^[A-Za-z0-9_-]{8,120}$/,
  rule: 'be 8 to 120 of A-Z, a-z, 0-9, "_" and "-"',
  example: 'order-1001_endpoint',
  isCaseless: false,
  isOptional: false,
})

export const OPTIONAL_IDEMPOTENCY_KEY: KeyFormat = Object.freeze({ ...IDEMPOTENCY_KEY, isOptional: true })

/** For what is created: callers name it as they name their own orders. */
export const CREATION_KEY: KeyFormat = Object.freeze({
  pattern: /^[!-~](?:[ -~]{0,253}[!-~])?$/,
  rule: 'be 1 to 255 printable characters of ASCII',
  example: 'order-1001',
  isCaseless: false,
  isOptional: true,
})

/**
 * Where every change has a key, it is a UUID, which is the same in upper and lower case (RFC 9562): a library between the sender and
 * us that writes it the other way at a retry must not have the money moved twice.
 */
export const UUID_KEY: KeyFormat = Object.freeze({
  pattern: /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/,
  rule: 'be a UUID',
  example: '7b7c8f52-5d0e-4d0c-9a9e-3f6f0a1b2c3d',
  isCaseless: true,
  isOptional: false,
})

/** What is wrong with the key of a request. Several headers of the name come joined by commas, which a key may contain. */
export function keyProblems(
  { headers, headersDistinct }: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
  format: KeyFormat,
): Record<string, string> {
  const { pattern, rule, isOptional } = format
  const given = headers[FIELD]
  if (given === undefined && isOptional) return {}
  if (given === undefined || given === '') return { [FIELD]: IS_REQUIRED }
  if (typeof given !== 'string' || !pattern.test(given)) return { [FIELD]: `must ${rule}` }
  return headersDistinct[FIELD]?.length === 1 ? {} : { [FIELD]: 'must be given once' }
}

/** Whether a caller has named the request. */
export const isKeyGiven = (headers: IncomingHttpHeaders): boolean => headers[FIELD] !== undefined

/** A key whose form was checked, in the one spelling that it is kept under; one that no other request has where none was given. */
export function keyOf(headers: IncomingHttpHeaders, { isCaseless }: KeyFormat): string {
  const key = String(headers[FIELD] ?? randomUUID())
  return isCaseless ? key.toLowerCase() : key
}
