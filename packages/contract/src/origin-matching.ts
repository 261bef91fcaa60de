const ANY_PORT = ':*'
const PORT_OR_NONE = /^(?::\d{1,5})?$/

/**
 * True when an origin is the registered one. A pattern that ends in `:*` leaves the port open; nothing else is a
 * pattern. Only a canonical http or https origin ever matches: not the `null` of sandboxed pages, no path, no default
 * port, no second colon that would move the host's end.
 */
export function originMatches(origin: string, pattern: string): boolean {
  return isWrittenAs(origin, pattern) && isCanonical(origin)
}

/**
 * Whether the texts agree, before anything is read in them: an origin comes from outside, and to read a host of
 * thousands of letters takes milliseconds, for each pattern that it is compared with.
 */
function isWrittenAs(origin: string, pattern: string): boolean {
  if (!pattern.endsWith(ANY_PORT)) return origin === pattern
  const host = pattern.slice(0, -ANY_PORT.length)
  return origin.startsWith(host) && PORT_OR_NONE.test(origin.slice(host.length))
}

function isCanonical(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, origin } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && origin === text
}
