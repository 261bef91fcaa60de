import type { DestinationRefusal } from '@mintmark/contract'
import { parseAddress } from './addresses.ts'
import type { EgressPolicy } from './policy.ts'

export type CheckedDestination = { kind: 'allowed'; url: string } | { kind: 'refused'; reason: DestinationRefusal }

/** What is wrong with a URL, to be read after its name. */
export const DESTINATION_PROBLEMS: Readonly<Record<DestinationRefusal, string>> = {
  malformed: 'must be a URL, in the one spelling that all programs read alike',
  too_long: 'must have at most 2048 characters',
  scheme: 'must begin with https://',
  credentials: 'must not contain a user name or password',
  fragment: 'must not contain a fragment (#)',
  port: 'must be on port 443',
  host: 'must name a public host, such as shop.example',
  forbidden_address: 'must not be a private or reserved address',
}

/** Longer ones are refused, before and after they are normalised. */
export const MAX_URL_LENGTH = 2048

/** Scheme, then everything up to the path, as it was written. */
const WRITTEN = /^(https?):\/\/([^/?#]*)(?:[/?#]|$)/i
/** Blanks and control characters, which a URL parser removes; backslashes, which it takes for slashes; half characters. */
const AMBIGUOUS = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\]/u

/**
 * Judges a URL by what is written in it; no name is resolved. Where it is called later, the addresses are checked as well. What
 * it allows is normalised: the same spelling for every reader.
 */
export function checkDestination(url: string, policy: EgressPolicy): CheckedDestination {
  if (url.length > MAX_URL_LENGTH) return refused('too_long')
  if (AMBIGUOUS.test(url) || !URL.canParse(url)) return refused('malformed')
  const parsed = new URL(url)
  const reason = refusalOf(url, parsed, policy)
  if (reason !== undefined) return refused(reason)
  if (parsed.href.length > MAX_URL_LENGTH) return refused('too_long')
  return { kind: 'allowed', url: parsed.href }
}

const refused = (reason: DestinationRefusal): CheckedDestination => ({ kind: 'refused', reason })

function refusalOf(url: string, parsed: URL, policy: EgressPolicy): DestinationRefusal | undefined {
  const isHttps = parsed.protocol === 'https:'
  if (!isHttps && (parsed.protocol !== 'http:' || policy.inTheClear === null)) return 'scheme'
  const [, , authority = ''] = WRITTEN.exec(url) ?? []
  if (authority.includes('@')) return 'credentials'
  if (authority === '' || authority.includes('%')) return 'malformed'
  if (url.includes('#')) return 'fragment'
  // A name of another machine is not called in the clear, wherever it leads: it is refused as it is written, not with the first event.
  if (!isHttps && policy.namesInTheClear === 'localhost' && !isOfThisMachine(hostOf(parsed))) return 'scheme'
  if (policy.ports === 'standard' && parsed.port !== '') return 'port'
  if (parsed.port === '0') return 'port'
  return hostRefusal(writtenHost(authority), hostOf(parsed), isHttps ? policy.overTls : policy.inTheClear, policy)
}

/** A host without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

function writtenHost(authority: string): string {
  return authority.replace(/:\d*$/, '').toLowerCase()
}

function hostRefusal(
  written: string,
  host: string,
  allows: EgressPolicy['inTheClear'],
  policy: EgressPolicy,
): DestinationRefusal | undefined {
  const address = parseAddress(host)
  if (address === undefined) return isPublicName(host, policy) ? undefined : 'host'
  if (allows?.(address) !== true) return 'forbidden_address'
  // Octal, hexadecimal, one number, full-width digits: the parser understands them, other programs read another address.
  return address.version === 4 && written !== host ? 'malformed' : undefined
}

/** A name under `localhost` (RFC 6761), or an address, which is judged by itself. */
function isOfThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || parseAddress(host) !== undefined
}

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

/**
 * Names of no public host, whatever a name server says of them. They belong to one network or machine alone (RFC 6761, 6762, 7686, 9476;
 * `internal` by ICANN), where clouds keep what machines are told of themselves, or to the network itself: addresses turned around, and what
 * hosts find their routers and resolvers by (`arpa`, RFC 3172, 8375, 8880, 9462).
 */
const RESERVED_NAME = /(?:^|\.)(?:local|internal|onion|alt|invalid|arpa)$/

/** At least two labels, and the last one not a number; also the names of this machine where it may be called. */
function isPublicName(host: string, policy: EgressPolicy): boolean {
  if (host.length > 253) return false
  const labels = host.split('.')
  if (!labels.every((label) => LABEL.test(label))) return false
  if (policy.namesInTheClear === 'any') return true
  if (RESERVED_NAME.test(host)) return false
  const isLocal = labels.at(-1) === 'localhost'
  if (policy.inTheClear !== null) return true
  return labels.length > 1 && !isLocal
}
