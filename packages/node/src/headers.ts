import { WebhookVerificationError } from './verification-error.ts'

/** `request.headers` of node:http, a `Headers` object, or any object of names and values. */
export type WebhookHeaders =
  | { get(name: string): string | null; forEach?: unknown }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface SignedParts {
  id: string
  timestamp: string
  signatures: string[]
}

/** The three headers of a signature, however the framework holds headers. */
export function signedParts(headers: WebhookHeaders): SignedParts {
  if (typeof headers !== 'object' || headers === null) throw new WebhookVerificationError('HEADERS_INVALID')
  const [id, timestamp] = [single(headers, 'webhook-id'), single(headers, 'webhook-timestamp')]
  const signatures = valuesOf(headers, 'webhook-signature').flatMap(listed)
  if (signatures.length === 0) throw new WebhookVerificationError('HEADER_MISSING')
  return { id, timestamp, signatures }
}

/**
 * Several values are one list: a proxy may split it, and `Headers` joins what was split with a comma. Blanks are looked for one at a time:
 * any client can send a header, and a pattern for any number of them takes seconds for sixteen kilobytes.
 */
function listed(value: string): string[] {
  return value
    .split(' ')
    .flatMap((part) => part.split(/,(?=v\d+[a-z]*,|$)/))
    .filter((signature) => signature !== '')
}

function single(headers: WebhookHeaders, name: string): string {
  const [value, second] = valuesOf(headers, name)
  if (second !== undefined) throw new WebhookVerificationError('HEADER_REPEATED')
  if (value === undefined) throw new WebhookVerificationError('HEADER_MISSING')
  return value
}

function valuesOf(headers: WebhookHeaders, name: string): string[] {
  if (typeof headers.get === 'function') return [headers.get(name) ?? ''].filter((value) => value !== '')
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value)
    .filter((value): value is string => typeof value === 'string' && value !== '')
}
