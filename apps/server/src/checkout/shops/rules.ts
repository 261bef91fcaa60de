import { COUNTRIES, type Country, type ShopAdapter } from '@mintmark/contract'
import { checkDestination, DESTINATION_PROBLEMS } from '../../platform/egress/destination.ts'
import type { EgressPolicy } from '../../platform/egress/policy.ts'
import type { ErrorDetails } from '../../platform/errors.ts'
import { showsName } from '../../platform/text.ts'

/** A shop as its operator describes it. */
export interface ShopSettings {
  name: string
  /** Where its customers find it. */
  url: string
  country: Country
  adapter: ShopAdapter
  /** Where it is asked. */
  baseUrl: string
}

const COUNTRY_CODES: ReadonlySet<string> = new Set(COUNTRIES)
const MAX_NAME = 100
const UNCLEAN = /\p{C}/u
/** A path, but no query, fragment or end in `/`: what is asked is appended. */
const BASE = /^https?:\/\/[^\s?#@\\]+[^\s?#@\\/]$/

/** What is wrong with settings, by the option that gave them. */
export function shopProblems(settings: Partial<ShopSettings>, policy: EgressPolicy): ErrorDetails {
  const problems: ErrorDetails = {}
  const { name, url, country, baseUrl } = settings
  if (name !== undefined && (!showsName(name) || name.length > MAX_NAME || UNCLEAN.test(name))) {
    problems.name = `must be 1 to ${MAX_NAME} characters, with a letter, a digit or a symbol, and without control characters`
  }
  if (url !== undefined && !isHttps(url)) problems.url = 'must be a URL that starts with https://'
  if (country !== undefined && !COUNTRY_CODES.has(country)) {
    problems.country = 'must be a country of ISO 3166-1, 2 uppercase letters'
  }
  const problem = baseUrl === undefined ? null : baseUrlProblem(baseUrl, policy)
  if (problem !== null) problems['base-url'] = problem
  return problems
}

function isHttps(url: string): boolean {
  if (url.length > 2048 || /[\s\\]/.test(url) || !/^https:\/\/[^/?#@]+/.test(url) || !URL.canParse(url)) return false
  const { username, password } = new URL(url)
  return username === '' && password === ''
}

/** Judged as it is when it is asked: what is refused there is refused here. */
function baseUrlProblem(baseUrl: string, policy: EgressPolicy): string | null {
  if (!BASE.test(baseUrl))
    return 'must be a URL such as "https://shop.example/v1", without a query and without / at its end'
  const checked = checkDestination(baseUrl, policy)
  return checked.kind === 'refused' ? DESTINATION_PROBLEMS[checked.reason] : null
}
