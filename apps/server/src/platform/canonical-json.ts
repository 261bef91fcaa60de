export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/** Deeper than any document; a cyclic value ends here with a message instead of a stack overflow. */
const MAX_DEPTH = 32

/**
 * RFC 8785 text of a value: no white space, names sorted by UTF-16 code units, so that equal values have equal bytes
 * in every program. Own code, because it is thirty lines for the part we allow: numbers are integers only (an amount
 * is a string, and the formatting of fractions is where implementations differ). Anything that would not come back the
 * same from `JSON.parse` is a TypeError, never dropped silently.
 */
export function canonicalJson(value: JsonValue, depth = 0): string {
  if (depth > MAX_DEPTH) throw new TypeError('The value is nested too deeply.')
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
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError('Only JSON values have a canonical form.')
  // The default order of sort() is by UTF-16 code units, as RFC 8785 asks.
  const names = Object.keys(value).sort()
  return names.map((name) => `${canonicalString(name)}:${canonicalJson(value[name] as JsonValue, depth + 1)}`)
}

function canonicalString(text: string): string {
  // A lone surrogate becomes U+FFFD in UTF-8: two different values would have one hash.
  if (!text.isWellFormed()) throw new TypeError('Only well-formed text has a canonical form.')
  return JSON.stringify(text)
}

function canonicalInteger(number: number): string {
  if (!Number.isSafeInteger(number) || Object.is(number, -0)) {
    throw new TypeError('Only safe integers have a canonical form; write other numbers as strings.')
  }
  return String(number)
}
