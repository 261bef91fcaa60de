import { domainToASCII, domainToUnicode } from 'node:url'
import { COUNTRIES, type Environment, MERCHANT_STATUSES, type MerchantStatus } from '@mintmark/contract'
import { type ErrorDetails, fieldErrors } from '../platform/errors.ts'
import { showsName } from '../platform/text.ts'

/** What an operator may set on a merchant account. */
export interface MerchantSettings {
  name: string
  /** Origins that may embed the secure surface. */
  allowedOrigins: readonly string[]
  /** The network configuration payments run on; null until there is one. */
  networkProfile: string | null
  /** Sessions the merchant may still create; null is unlimited. */
  sessionAllowance: number | null
  status: MerchantStatus
}

/** A merchant account, without its secrets. */
export interface Merchant extends MerchantSettings {
  id: string
}

/** An account as an operator reads it. */
export interface MerchantAccount extends Merchant {
  /** Which cards it accepts, by the country and the name of their issuer; null: any. */
  cardCountries: readonly string[] | null
  cardIssuers: readonly string[] | null
}

const COUNTRY_CODES: ReadonlySet<string> = new Set(COUNTRIES)
const MAX_ORIGINS = 50
const MAX_NAME = 100
const CONTROL_CHARACTERS = /\p{C}/u
const NETWORK_PROFILE = /^[a-z0-9][a-z0-9_-]{0,63}$/

/**
 * The origins end up in a `frame-ancestors` header and in a comparison with the origin of a message. So the characters
 * are listed here instead of trusting the URL parser, which lets `;`, `,` and `*` into a host.
 */
const ORIGIN = /^(https?):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::([0-9]{1,5}|\*))?$/
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1'])

/** Why an origin is not acceptable, in words for the operator; null when it is. */
export function originProblem(origin: string, environment: Environment): string | null {
  const [, scheme, host = '', port] = ORIGIN.exec(origin) ?? []
  if (scheme === undefined) return 'must be an origin such as "https://shop.example": scheme, host, no path'
  const loopback = LOOPBACK_HOSTS.has(host)
  if (environment === 'production') {
    if (scheme !== 'https' || loopback) return NOT_PUBLIC
  } else if (scheme === 'http' && !loopback) {
    return 'must be https, except on localhost and 127.0.0.1 in the sandbox'
  }
  if (port === '*') {
    if (environment === 'production' || !loopback) return 'may leave the port open only on localhost in the sandbox'
    return null
  }
  // Browsers compare the canonical form: default port dropped, numeric hosts expanded. Anything else would never match.
  const canonical = URL.canParse(origin) ? new URL(origin).origin : undefined
  if (canonical === origin) return environment === 'production' && !isPublicHost(host) ? NOT_PUBLIC : null
  return canonical === undefined ? 'must have a valid host and port' : `must be written as "${canonical}"`
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

const NOT_PUBLIC = 'must be an https origin of a public host in production'

/** A name of two labels or more; no address, no empty label, no punycode that stands for nothing. */
function isPublicHost(host: string): boolean {
  const labels = host.split('.')
  const isName = labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
  return isName && labels.at(-1) !== 'localhost' && (!host.includes('xn--') || isPunycode(host))
}

/** What does not come back the same was not made from any name. */
function isPunycode(host: string): boolean {
  const name = domainToUnicode(host)
  return name !== '' && name !== host && domainToASCII(name) === host
}

/** What an account may have in its origins to allow this one; nothing for a text that is no canonical web origin. */
export function patternsFor(origin: string): string[] {
  const url = URL.canParse(origin) ? new URL(origin) : null
  if (url === null || url.origin !== origin || !/^https?:$/.test(url.protocol)) return []
  return [origin, `${url.protocol}//${url.hostname}:*`]
}

/** Throws `VAL_2001` with every setting that is not acceptable. */
export function checkSettings(settings: Partial<MerchantSettings>, environment: Environment): void {
  const details: ErrorDetails = {}
  const { name, allowedOrigins, networkProfile, sessionAllowance, status } = settings
  if (name !== undefined && (!showsName(name) || name.length > MAX_NAME || CONTROL_CHARACTERS.test(name))) {
    details.name = `must be 1 to ${MAX_NAME} printable characters, with a letter, a digit or a symbol`
  }
  if (allowedOrigins !== undefined) checkOrigins(allowedOrigins, environment, details)
  if (typeof networkProfile === 'string' && !NETWORK_PROFILE.test(networkProfile)) {
    details.network_profile = 'must be up to 64 of a-z, 0-9, "-" and "_"'
  }
  if (typeof sessionAllowance === 'number' && !(Number.isSafeInteger(sessionAllowance) && sessionAllowance >= 0)) {
    details.session_allowance = 'must be a whole number, zero or more'
  }
  if (status !== undefined && !MERCHANT_STATUSES.includes(status)) {
    details.status = `must be one of ${MERCHANT_STATUSES.join(', ')}`
  }
  if (Object.keys(details).length > 0) throw fieldErrors(details)
}

/** Throws `VAL_2001` for rules that no card could be judged by. */
export function checkCardRules({
  countries,
  issuers,
}: Record<'countries' | 'issuers', readonly string[] | null>): void {
  const details: ErrorDetails = {}
  const strange = (countries ?? []).filter((country) => !COUNTRY_CODES.has(country))
  if (strange.length > 0)
    details.countries = `must be countries of ISO 3166-1, 2 uppercase letters: ${strange.join(', ')}`
  if ((issuers ?? []).some((name) => name.trim() === '' || name.length > 200 || CONTROL_CHARACTERS.test(name))) {
    details.issuers = 'must be names of up to 200 printable characters'
  }
  if (Object.keys(details).length > 0) throw fieldErrors(details)
}

function checkOrigins(origins: readonly string[], environment: Environment, details: ErrorDetails): void {
  if (origins.length > MAX_ORIGINS) details.allowed_origins = `must be at most ${MAX_ORIGINS} origins`
  for (const [index, origin] of origins.entries()) {
    const problem = originProblem(origin, environment)
    if (problem !== null) details[`allowed_origins[${index}]`] = problem
  }
}
