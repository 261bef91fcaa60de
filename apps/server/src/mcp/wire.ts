import { AGENT_SCOPES, type AgentScope } from '@mintmark/contract/agents'
import { foldWhiteSpace, showsName } from '../platform/text.ts'

/** Paths of the authorization server. */
export const OAUTH_ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const MAX_CHARACTERS = 100

/** Those of a list that there are, in our order. */
export function scopesIn(scope: string): AgentScope[] {
  const asked = new Set(scope.split(' '))
  return AGENT_SCOPES.filter((each) => asked.has(each))
}

/** Where an answer goes, as an owner reads it: a host, or the scheme of a program. Undefined for an address in the clear. */
export function redirectHostOf(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined
  const { protocol, hostname, host } = new URL(uri)
  if (protocol === 'https:') return host
  if (protocol === 'http:') return LOOPBACK.has(hostname) ? hostname : undefined
  return protocol
}

/** Neither another program of the owner's machine nor a server without TLS. */
export function isOfWebOrLoopback(uri: string): boolean {
  return URL.canParse(uri) && ['https:', 'http:'].includes(new URL(uri).protocol) && redirectHostOf(uri) !== undefined
}

/** What a client calls itself, on one line, without what would write over the page; undefined where it shows nothing. */
export function nameOf(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined
  const plain = foldWhiteSpace(given.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, ' '))
  return !showsName(plain) ? undefined : Array.from(plain).slice(0, MAX_CHARACTERS).join('')
}
