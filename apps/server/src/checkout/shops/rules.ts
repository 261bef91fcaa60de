import { COUNTRIES, type Country, type Environment, type ShopAdapter } from '@mintmark/contract'
import type { ErrorDetails } from '../../platform/errors.ts'

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
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])

/** What is wrong with settings, by the option that gave them. */
export function shopProblems(settings: Partial<ShopSettings>, environment: Environment): ErrorDetails {
  const problems: ErrorDetails = {}
  const { name, url, country, baseUrl } = settings
  if (name !== undefined && (name.trim() === '' || name.length > MAX_NAME || UNCLEAN.test(name))) {
    problems.name = `must be 1 to ${MAX_NAME} characters, without control characters`
  }
  if (url !== undefined && !isHttps(url)) problems.url = 'must be a URL that starts with https://'
  if (country !== undefined && !COUNTRY_CODES.has(country)) {
    problems.country = 'must be a country of ISO 3166-1, 2 uppercase letters'
  }
  const problem = baseUrl === undefined ? null : baseUrlProblem(baseUrl, environment)
  if (problem !== null) problems['base-url'] = problem
  return problems
}

function isHttps(url: string): boolean {
  if (url.length > 2048 || /[\s\\]/.test(url) || !/^https:\/\/[^/?#@]+/.test(url) || !URL.canParse(url)) return false
  const { username, password } = new URL(url)
  return username === '' && password === ''
}

/** Card data goes there: in the clear only inside this machine, and only in the sandbox. */
function baseUrlProblem(baseUrl: string, environment: Environment): string | null {
  if (baseUrl.length > 2048 || !BASE.test(baseUrl) || !URL.canParse(baseUrl)) {
    return 'must be a URL such as "https://shop.example/api", without a query and without / at its end'
  }
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol === 'https:') return null
  if (environment === 'production') return 'must start with https://'
  return LOOPBACK_HOSTS.has(hostname) ? null : 'must start with https://, except on this machine in the sandbox'
}
