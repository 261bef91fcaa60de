const ANY_PORT = ':*'

/**
 * True when an origin is the registered one. A pattern that ends in `:*` leaves the port open; nothing else is a pattern.
 * Only a canonical http or https origin ever matches: not the `null` of sandboxed pages, no path, no default port, no
 * second colon that would move the host's end.
 */
export function originMatches(origin: string, pattern: string): boolean {
  const url = parseOrigin(origin)
  if (url === null) return false
  if (!pattern.endsWith(ANY_PORT)) return origin === pattern
  return `${url.protocol}//${url.hostname}` === pattern.slice(0, -ANY_PORT.length)
}

/** The parts of a canonical http or https origin; null for any other text. */
function parseOrigin(text: string): URL | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb && url.origin === text ? url : null
}
