/** Why a URL is refused before anything is sent there. */
const DESTINATION_REFUSALS = [
  // Not a URL, or one that two programs could read differently.
  'malformed',
  'too_long',
  'scheme',
  'credentials',
  'fragment',
  'port',
  // A host name that no public server has: one word, or a dot at its end.
  'host',
  // An address written out that is private, reserved or otherwise not of a public server.
  'forbidden_address',
] as const
export type DestinationRefusal = (typeof DESTINATION_REFUSALS)[number]

/**
 * Why a request to another party's server has no answer. A word says in which phase it ended, and nothing that the other side
 * chose; safe to show to whoever owns the destination.
 */
export const EGRESS_FAILURES = [
  // The URL is one that may not be called (any more): its scheme, port or form.
  'forbidden_url',
  // The host is, or its name leads to, at least one address that is private or reserved.
  'forbidden_address',
  // The name has no address, or its name servers do not say.
  'dns',
  // No connection: refused, or no way there.
  'connect',
  // Name, connection and TLS together took longer than they may.
  'connect_timeout',
  // The handshake failed: certificate, name, version, or no TLS at all.
  'tls',
  // Connected, but no head of an answer in time.
  'timeout',
  // The connection ended before the head of an answer.
  'reset',
  // What came was not an answer of HTTP/1.1 within the limits.
  'protocol',
  // We ended it ourselves: the process stops.
  'aborted',
] as const
export type EgressFailure = (typeof EGRESS_FAILURES)[number]
