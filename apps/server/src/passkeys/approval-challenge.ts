import { createHash, randomBytes } from 'node:crypto'

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/** Deeper than any statement; a cyclic value ends here with a message instead of a stack overflow. */
const MAX_DEPTH = 32

/**
 * RFC 8785 text of a value: no white space, names sorted by UTF-16 code units, so that equal statements have equal bytes
 * wherever they are made. Own code, because it is thirty lines for the part we allow: of numbers integers only (an amount
 * is a string, and the formatting of fractions is where implementations differ). Anything that would not come back the
 * same from `JSON.parse` is a TypeError, never dropped silently.
 */
export function canonicalJson(value: JsonValue, depth = 0): string {
  if (depth > MAX_DEPTH) throw new TypeError('A statement is nested too deeply.')
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return canonicalString(value)
  if (typeof value === 'number') return canonicalInteger(value)
  if (isList(value)) return `[${Array.from(value, (item) => canonicalJson(item, depth + 1)).join(',')}]`
  return `{${members(value, depth).join(',')}}`
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function members(value: { readonly [name: string]: JsonValue }, depth: number): string[] {
  // Also what is no JSON value at all ends here: undefined, bigint, symbol, function, Date, Map.
  const prototype: unknown = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('A statement holds JSON values only.')
  // The default order of sort() is by UTF-16 code units, as RFC 8785 asks.
  const names = Object.keys(value).sort()
  return names.map((name) => `${canonicalString(name)}:${canonicalJson(value[name] as JsonValue, depth + 1)}`)
}

function canonicalString(text: string): string {
  // A lone surrogate becomes U+FFFD in UTF-8: two different statements would have one hash.
  if (!text.isWellFormed()) throw new TypeError('A statement holds well-formed text only.')
  return JSON.stringify(text)
}

function canonicalInteger(number: number): string {
  if (!Number.isSafeInteger(number) || Object.is(number, -0)) {
    throw new TypeError('A statement holds safe integers only; write other numbers as strings.')
  }
  return String(number)
}

/** Fresh for every challenge, so that equal statements never share one. */
export function newNonce(): Buffer {
  return randomBytes(32)
}

/** base64url(SHA-256(nonce ‖ SHA-256(text))): whoever signs the challenge has signed the text. */
export function bindChallenge(nonce: Uint8Array, text: string): string {
  return createHash('sha256').update(nonce).update(sha256(text)).digest('base64url')
}

/** Hex SHA-256 of the canonical statement, as evidence and receipts name it. */
export function statementHash(statement: string): string {
  return sha256(statement).toString('hex')
}

/** What a registration's challenge is bound to: a challenge of another customer or session never fits. */
export function registrationText(scope: { merchantId: string; sessionId: string; customerId: string }): string {
  const { merchantId, sessionId, customerId } = scope
  return canonicalJson({ ceremony: 'registration', merchantId, sessionId, customerId })
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}
