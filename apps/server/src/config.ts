import { resolve } from 'node:path'
import type { Limit, LimitName } from './http/rate-limit.ts'
import type { LogLevel } from './platform/log.ts'

export interface Config {
  readonly environment: 'sandbox' | 'production'
  readonly home: string
  readonly databaseUrl: string | null
  readonly databasePoolSize: number
  readonly host: string
  readonly port: number
  readonly apiUrl: string
  readonly walletApiUrl: string
  readonly surfaceUrl: string
  readonly consoleUrl: string
  readonly ownerUrl: string
  readonly rootKeyFile: string | null
  readonly networkAdapter: 'simulator'
  readonly networkBrand: string
  readonly networkTimeoutMillis: number
  readonly sessionLifetimeSeconds: number
  readonly leaseSeconds: number
  readonly logLevel: LogLevel
  readonly trustProxy: string[] | false
  readonly limits: Readonly<Record<LimitName, Limit>>
}

/** Everything wrong with the environment, at once: whoever starts the service mends it in one go. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

type Env = Readonly<Record<string, string | undefined>>

const LIMITS: Record<LimitName, Limit> = {
  merchant: { points: 30_000, windowSeconds: 60 },
  launch: { points: 600, windowSeconds: 60 },
  surface: { points: 600, windowSeconds: 60 },
  surface_secret_entry: { points: 20, windowSeconds: 900 },
  document: { points: 600, windowSeconds: 60 },
  failed_authentication: { points: 300, windowSeconds: 60 },
}
/** A sandbox guards nothing worth guessing, and test suites are refused often on purpose. */
const SANDBOX_LIMITS = { ...LIMITS, failed_authentication: { points: 5000, windowSeconds: 60 } }

/** Reads the environment once. No other file does. Throws `ConfigError` with one line a problem. */
export function readConfig(env: Env): Config {
  const text = readerOfTexts(env)
  const problems: string[] = []
  const read = reader(text, problems)
  const environment = read.oneOf('MINTMARK_ENVIRONMENT', ['sandbox', 'production'], 'sandbox')
  const production = environment === 'production'
  const port = read.integer('PORT', 4000, 1, 65_531)
  const local = (offset: number) => `http://localhost:${port + offset}`
  const config: Config = {
    environment,
    home: resolve(text('MINTMARK_HOME') ?? '.mintmark'),
    databaseUrl: read.databaseUrl('DATABASE_URL'),
    databasePoolSize: read.integer('DATABASE_POOL_SIZE', 16, 2, 500),
    host: text('HOST') ?? '127.0.0.1',
    port,
    apiUrl: read.origin('API_URL', local(0), production),
    walletApiUrl: read.origin('WALLET_API_URL', local(1), production, false),
    surfaceUrl: read.origin('SURFACE_URL', local(2), production),
    consoleUrl: read.origin('CONSOLE_URL', local(3), production, false),
    ownerUrl: read.origin('OWNER_URL', local(4), production, false),
    rootKeyFile: text('ROOT_KEY_FILE') ?? null,
    networkAdapter: read.oneOf('NETWORK_ADAPTER', ['simulator'], production ? null : 'simulator'),
    networkBrand: read.matching('NETWORK_BRAND', 'network', /^[a-z][a-z0-9]{0,30}$/i, 'a word of letters and digits'),
    networkTimeoutMillis: read.integer('NETWORK_TIMEOUT_MS', 5000, 10, 10_000),
    sessionLifetimeSeconds: read.integer('SESSION_LIFETIME_SECONDS', 900, 10, 86_400),
    leaseSeconds: read.integer('LEASE_SECONDS', 40, 5, 60),
    logLevel: read.oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    trustProxy:
      text('TRUST_PROXY')
        ?.split(',')
        .map((part) => part.trim()) ?? false,
    limits: read.limits(production ? LIMITS : SANDBOX_LIMITS),
  }
  if (production && config.databaseUrl === null) problems.push('DATABASE_URL is required in production')
  if (production && config.rootKeyFile === null) problems.push('ROOT_KEY_FILE is required in production')
  if (config.leaseSeconds * 1000 < config.networkTimeoutMillis * 4) {
    problems.push('LEASE_SECONDS must be at least four times NETWORK_TIMEOUT_MS: a charge makes up to three calls')
  }
  if (problems.length > 0) throw new ConfigError(`The configuration is not usable:\n  ${problems.join('\n  ')}`)
  return Object.freeze(config)
}

/** `NAME=` in an env file means the same as no line at all, for every name. */
function readerOfTexts(env: Env): (name: string) => string | undefined {
  return (name) => {
    const text = env[name]
    return text?.trim() === '' ? undefined : text
  }
}

/** Typed readers that note a problem and go on. What they return after a problem is never used. */
function reader(textOf: (name: string) => string | undefined, problems: string[]) {
  const read = {
    integer(name: string, fallback: number, min: number, max: number): number {
      const text = textOf(name)
      if (text === undefined) return fallback
      const value = Number(text)
      if (Number.isInteger(value) && value >= min && value <= max) return value
      problems.push(`${name} must be a whole number from ${min} to ${max}`)
      return fallback
    },
    oneOf<const T extends string>(name: string, values: readonly [T, ...T[]], fallback: T | null): T {
      const text = textOf(name) ?? fallback
      const found = values.find((value) => value === text)
      if (found !== undefined) return found
      problems.push(`${name} must be ${values.join(' or ')}`)
      return values[0]
    },
    matching(name: string, fallback: string, pattern: RegExp, what: string): string {
      const text = textOf(name) ?? fallback
      if (!pattern.test(text)) problems.push(`${name} must be ${what}`)
      return text
    },
    databaseUrl(name: string): string | null {
      const text = textOf(name)
      if (text === undefined) return null
      if (!/^postgres(ql)?:\/\//.test(text)) problems.push(`${name} must start with postgres:// or postgresql://`)
      return text
    },
    origin(name: string, fallback: string, production: boolean, required = true): string {
      const text = textOf(name)
      if (text === undefined) {
        if (production && required) problems.push(`${name} is required in production`)
        return fallback
      }
      const url = URL.canParse(text) ? new URL(text) : null
      if (url === null || url.origin === 'null' || url.href !== `${url.origin}/`) {
        problems.push(`${name} must be an origin such as https://pay.example.com, without a path`)
      } else if (production && url.protocol !== 'https:') {
        problems.push(`${name} must start with https:// in production`)
      }
      return url?.origin ?? fallback
    },
    limits(defaults: Record<LimitName, Limit>): Record<LimitName, Limit> {
      const names = Object.keys(defaults) as LimitName[]
      const entries = names.map((name) => {
        const { points, windowSeconds } = defaults[name]
        const limit = read.integer(`RATE_LIMIT_${name.toUpperCase()}`, points, 1, 100_000_000)
        return [name, { points: limit, windowSeconds }] as const
      })
      return Object.fromEntries(entries) as Record<LimitName, Limit>
    },
  }
  return read
}
