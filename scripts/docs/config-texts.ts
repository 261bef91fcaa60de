import type { Config } from '../../apps/server/src/config.ts'
import type { LimitName } from '../../apps/server/src/http/rate-limit.ts'

interface Setting {
  readonly variable: string
  readonly meaning: string
}

/** Keyed by the configuration object, so a new setting does not compile until it is explained here. */
export const SETTINGS: Readonly<Record<Exclude<keyof Config, 'limits'>, Setting>> = {
  environment: {
    variable: 'MINTMARK_ENVIRONMENT',
    meaning:
      'What this deployment is. Keys of the other environment are refused; test helpers exist in the sandbox only.',
  },
  home: {
    variable: 'MINTMARK_HOME',
    meaning: 'The directory of the embedded database, the generated root key and `dev.json`.',
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    meaning:
      'PostgreSQL 15 or newer, encoding UTF8. Absent: an embedded PostgreSQL 18 in the home. The URL must not carry `options`.',
  },
  databasePoolSize: { variable: 'DATABASE_POOL_SIZE', meaning: 'Most database connections of one process.' },
  host: { variable: 'HOST', meaning: 'The address the HTTP hosts listen on.' },
  port: {
    variable: 'PORT',
    meaning: 'The port of the main API. The secure surface listens on the port two above it.',
  },
  apiUrl: { variable: 'API_URL', meaning: 'The public origin of the main API.' },
  walletApiUrl: {
    variable: 'WALLET_API_URL',
    meaning: 'The public origin of the secondary API. Nothing listens there yet.',
  },
  surfaceUrl: {
    variable: 'SURFACE_URL',
    meaning:
      "The public origin of the secure surface. Its host name is the passkeys' relying party id: when it changes, every passkey is worthless.",
  },
  consoleUrl: {
    variable: 'CONSOLE_URL',
    meaning: 'The public origin of the developer console. Nothing listens there yet.',
  },
  ownerUrl: { variable: 'OWNER_URL', meaning: 'The public origin of the owner wallet. Nothing listens there yet.' },
  rootKeyFile: {
    variable: 'ROOT_KEY_FILE',
    meaning:
      'A file of exactly 32 random bytes, mode 0600. Every other key comes from it. Absent: `keys/root.key` in the home, made on the first start.',
  },
  networkAdapter: { variable: 'NETWORK_ADAPTER', meaning: 'Which card network. Only the simulator exists.' },
  networkBrand: {
    variable: 'NETWORK_BRAND',
    meaning: 'The word in `network_confirmation` and `NETWORK_CONFIRMATION_FAILED` on the wire.',
  },
  networkTimeoutMillis: {
    variable: 'NETWORK_TIMEOUT_MS',
    meaning: 'How long one call to the card network may take, in milliseconds.',
  },
  sessionLifetimeSeconds: { variable: 'SESSION_LIFETIME_SECONDS', meaning: 'How long the cardholder has to approve.' },
  leaseSeconds: {
    variable: 'LEASE_SECONDS',
    meaning:
      'How long one process holds an open network call before another may take it over. At least four times the network time-out.',
  },
  logLevel: { variable: 'LOG_LEVEL', meaning: 'The least important log lines that are written.' },
  trustProxy: {
    variable: 'TRUST_PROXY',
    meaning:
      'Addresses or networks of your reverse proxies, separated by commas. Without it the client address is that of the proxy, and limits by address count everybody together.',
  },
}

interface LimitText {
  readonly counts: string
  readonly by: string
}

/** Keyed by the limits' names, for the same reason. */
export const LIMIT_TEXTS: Readonly<Record<LimitName, LimitText>> = {
  merchant: { counts: 'Calls to the main API.', by: 'merchant' },
  launch: {
    counts: 'Tries to trade a launch secret. Refused when the counter cannot be read.',
    by: 'client address',
  },
  surface: { counts: "Calls of the cardholder's page.", by: 'session' },
  surface_secret_entry: {
    counts: 'Card entries and verification codes. Refused when the counter cannot be read.',
    by: 'session',
  },
  document: { counts: "The API reference, its description, and loads of the cardholder's page.", by: 'client address' },
  failed_authentication: { counts: 'Refused credentials.', by: 'client address' },
}
