import { ENVIRONMENTS } from '@mintmark/contract'
import { LIMITS, limitVariable } from './hosts/limits.ts'
import {
  type Circumstances,
  type Env,
  integer,
  matching,
  networks,
  oneOf,
  optionalOrigin,
  origin,
  path,
  type Read,
  readSettings,
  sandboxSwitch,
  secretMatching,
  text,
} from './platform/settings.ts'
import { NAMING } from './platform/text.ts'

/** The default of a host's public origin: the address it listens on, so many ports above the main API's. */
const local =
  (offset: number) =>
  ({ port }: Circumstances) =>
    `http://localhost:${port + offset}`

/** Data keys and tokens go there. In the clear only to this machine, where an agent may listen. */
const SERVICE_ADDRESS = {
  pattern: /^(?:https:\/\/[^\s?#/]+|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?)(?:\/[^\s?#/]+)*$/,
  rule: 'be an address that begins with https://, or with http:// and a name of this machine, without / at its end',
}

/** The page links there. */
const PUBLIC_ADDRESS = {
  pattern: /^https:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?(?:\/[\w./~%-]*)?(?:\?[\w./~%&=-]*)?$/i,
  rule: 'be an address that begins with https://',
}

/** Every setting is one row. The reader, the type and docs/reference/configuration.md come from this table. */
export const SETTINGS = {
  environment: oneOf('MINTMARK_ENVIRONMENT', ENVIRONMENTS, {
    default: 'sandbox',
    meaning:
      'What this deployment is. Keys of the other environment are refused; test helpers exist in the sandbox only.',
  }),
  home: path('MINTMARK_HOME', {
    default: '.mintmark',
    meaning:
      'The directory of a sandbox: of the embedded database, the generated root key and `dev.json`. Production keeps nothing there.',
  }),
  databaseUrl: matching('DATABASE_URL', {
    // The driver takes several hosts for one name, and says after half a minute that there is no such host.
    pattern: /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^,/?#]*(?:[/?#]|$)/,
    rule: 'start with postgres:// or postgresql://, and name one host',
    default: null,
    production: 'required',
    meaning:
      'PostgreSQL 15 or newer, encoding UTF8. Absent: an embedded PostgreSQL 18 in the home. Of several servers a name or an address that leads to the primary. The URL must not carry `options`.',
  }),
  databasePoolSize: integer('DATABASE_POOL_SIZE', {
    default: 16,
    min: 2,
    max: 500,
    meaning: 'Most database connections of one process.',
  }),
  requestsPerConnection: integer('REQUESTS_PER_CONNECTION', {
    default: 4,
    min: 1,
    max: 1000,
    meaning:
      'How many requests one process has in hand at most, for each of its database connections. More wait, the creation of a session from half of them on: for three seconds in a burst, for 250 ms where it lasts, and what takes a session further for six seconds; then they are refused with 503 and `Retry-After`.',
  }),
  host: text('HOST', { default: '127.0.0.1', meaning: 'The address the HTTP hosts listen on.' }),
  port: integer('PORT', {
    default: 4000,
    min: 1,
    max: 65_530,
    meaning:
      'The port of the main API. The wallet API listens on the port above it, the secure surface two above it, the page of owners four above it, the shop of a sandbox five above it.',
  }),
  apiUrl: origin('API_URL', {
    default: local(0),
    production: 'required',
    meaning: 'The public origin of the main API.',
  }),
  walletApiUrl: origin('WALLET_API_URL', {
    default: local(1),
    meaning: 'The public origin of the wallet API, of customers, carts and wallets.',
  }),
  surfaceUrl: origin('SURFACE_URL', {
    default: local(2),
    production: 'required',
    meaning:
      "The public origin of the secure surface. Its host name is the passkeys' relying party id, unless `RP_ID` is set.",
  }),
  ownerUrl: optionalOrigin('OWNER_URL', {
    default: (circumstances) => (circumstances.production ? null : local(4)(circumstances)),
    meaning:
      'The public origin of the page where owners link their agents and answer what these ask. In production agents exist only where it is set.',
  }),
  operatorName: matching('OPERATOR_NAME', {
    pattern: new RegExp(`^(?=.*${NAMING})[^\\p{Cc}\\p{Cf}\\u2028\\u2029]{1,60}$`, 'u'),
    rule: 'be 1 to 60 printable characters, with a letter, a digit or a symbol',
    default: 'Mintmark',
    production: 'required',
    meaning:
      'Who keeps the cards: the name that is signed in every statement, that browsers show where they ask for the passkey, and that owners read on their page and in mails.',
  }),
  operatorLogo: path('OPERATOR_LOGO', {
    default: null,
    meaning: "A PNG of at most 128 KB and 1024 by 1024 pixels, which stands at the foot of the cardholder's page.",
  }),
  operatorPrivacyUrl: matching('OPERATOR_PRIVACY_URL', {
    ...PUBLIC_ADDRESS,
    default: null,
    production: 'required',
    meaning: 'Where the operator says what it does with the data of cardholders.',
  }),
  operatorTermsUrl: matching('OPERATOR_TERMS_URL', {
    ...PUBLIC_ADDRESS,
    default: null,
    production: 'required',
    meaning: "The operator's terms for cardholders.",
  }),
  operatorSupportUrl: matching('OPERATOR_SUPPORT_URL', {
    ...PUBLIC_ADDRESS,
    default: null,
    production: 'required',
    meaning: 'Where cardholders get help from the operator.',
  }),
  rpId: matching('RP_ID', {
    pattern: /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/,
    rule: 'be a domain in lower case',
    default: null,
    meaning:
      "The passkeys' relying party id, which the hosts of `SURFACE_URL` and `OWNER_URL` are, or are below: owners use one passkey at both. Absent: the host of `SURFACE_URL`. When it changes, no passkey works any more.",
  }),
  sandboxShop: oneOf('SANDBOX_SHOP', ['on', 'off'], {
    default: 'on',
    meaning:
      'Whether the role `all` of a sandbox starts a shop beside itself, where quotes come from and purchases are made. `off` also withdraws from the accounts what they sell of it. Production has none.',
  }),
  sandboxShopPort: integer('SANDBOX_SHOP_PORT', {
    default: ({ port }) => String(port + 5),
    min: 1,
    max: 65_535,
    meaning: 'The port of that shop, on 127.0.0.1 only. Its files are in `shop` of the home.',
  }),
  rootKeyFile: path('ROOT_KEY_FILE', {
    default: null,
    production: 'required',
    meaning:
      'A file of exactly 32 random bytes, mode 0600. Every other key comes from it. Absent: `keys/root.key` in the home, made on the first start.',
  }),
  keyProviderTimeoutMillis: integer('KEY_PROVIDER_TIMEOUT_MS', {
    default: 1500,
    min: 10,
    max: 5000,
    meaning: 'How long one call to a key management service may take, in milliseconds. Calls are tried three times.',
  }),
  awsKmsEndpoint: matching('AWS_KMS_ENDPOINT', {
    ...SERVICE_ADDRESS,
    default: null,
    meaning:
      "Where AWS KMS is, such as a VPC endpoint. Absent: the public endpoint of the key's region. Credentials are found as the AWS SDK does: environment, web identity, container or instance.",
  }),
  googleKmsEndpoint: matching('GOOGLE_KMS_ENDPOINT', {
    ...SERVICE_ADDRESS,
    default: 'https://cloudkms.googleapis.com',
    meaning: 'Where Google Cloud KMS is.',
  }),
  googleCredentialsFile: path('GOOGLE_APPLICATION_CREDENTIALS', {
    default: null,
    meaning: 'The key file of a service account, for Google Cloud KMS. Absent: the account of the machine.',
  }),
  googleMetadataHost: matching('GCE_METADATA_HOST', {
    pattern: /^[a-z0-9.-]+(:\d{1,5})?$/i,
    rule: 'be a host, and perhaps a port',
    default: 'metadata.google.internal',
    meaning: 'Where a machine of Google asks for its account.',
  }),
  vaultAddress: matching('VAULT_ADDR', {
    ...SERVICE_ADDRESS,
    default: null,
    meaning: 'Where HashiCorp Vault or OpenBao is, for keys of its transit engine.',
  }),
  vaultTokenFile: path('VAULT_TOKEN_FILE', {
    default: null,
    meaning: 'A file with the token for Vault, such as an agent keeps. It is read with every call.',
  }),
  vaultNamespace: matching('VAULT_NAMESPACE', {
    pattern: /^[\w/-]{1,200}$/,
    rule: 'be the path of a namespace',
    default: null,
    meaning: 'The namespace of Vault Enterprise.',
  }),
  webhookAllowLoopback: sandboxSwitch('WEBHOOK_ALLOW_LOOPBACK', {
    meaning:
      'Webhook endpoints may be on this machine (`localhost`, `127.0.0.1`), with `http://` too, and on other ports than 443. For developers. Everything else that is not public stays refused.',
  }),
  webhookDelivery: oneOf('WEBHOOK_DELIVERY', ['on', 'off'], {
    default: 'on',
    meaning:
      'Whether events are sent to webhook endpoints. `off`: nothing is sent, endpoints are not changed by their owners, and nothing is replayed (409 `WEBHOOKS_DISABLED`); reads and the feed go on.',
  }),
  webhookHeaderPrefix: matching('WEBHOOK_HEADER_PREFIX', {
    pattern: /^(?!webhook$)[a-z][a-z0-9-]{0,39}$/i,
    rule: 'be a word of letters, digits and "-", other than "webhook"',
    default: 'Mintmark',
    meaning:
      'What the older headers of webhooks begin with: `<prefix>-Signature`, `<prefix>-Event-Id`, `<prefix>-Delivery-Id`.',
  }),
  checkoutAllowLoopback: sandboxSwitch('CHECKOUT_ALLOW_LOOPBACK', {
    meaning:
      'Shops that the operator registers may be on this machine (`localhost`, `127.0.0.1`), with `http://` too, and on other ports than 443. Everything else that is not public stays refused.',
  }),
  clientDocumentAllowLoopback: sandboxSwitch('CLIENT_DOCUMENT_ALLOW_LOOPBACK', {
    meaning:
      'The documents by which clients of the tool protocol describe themselves may be on this machine, and on other ports than 443. Everything else that is not public stays refused.',
  }),
  apiReference: oneOf('API_REFERENCE', ['on', 'off'], {
    default: ({ production }) => (production ? 'off' : 'on'),
    meaning:
      'Whether the API hosts serve their description (`/openapi.json`) and the page that shows it (`/docs`), and the main API the guides (`/llms.txt`), to everyone and without a key. In production only where it is turned on.',
  }),
  networkBrand: matching('NETWORK_BRAND', {
    pattern: /^[a-z][a-z0-9]{0,30}$/i,
    rule: 'be a word of letters and digits',
    default: 'network',
    meaning: 'The word in `network_confirmation` and `NETWORK_CONFIRMATION_FAILED` on the wire.',
  }),
  networkTimeoutMillis: integer('NETWORK_TIMEOUT_MS', {
    default: 5000,
    min: 10,
    max: 10_000,
    meaning: 'How long one call to the card network may take, in milliseconds.',
  }),
  shopTimeoutMillis: integer('SHOP_TIMEOUT_MS', {
    default: 5000,
    min: 10,
    max: 8000,
    meaning: 'How long a search, a product or a quote waits for the shop that is asked, in milliseconds.',
  }),
  sessionLifetimeSeconds: integer('SESSION_LIFETIME_SECONDS', {
    default: 900,
    min: 10,
    max: 86_400,
    meaning: 'How long the cardholder has to approve.',
  }),
  recurringMandates: oneOf('RECURRING_MANDATES', ['any', 'listed'], {
    default: 'any',
    meaning:
      'Where mandates that renew may be good: at `any` merchant, if the merchant asks for that, or at the `listed` one only. `listed` refuses others with `MANDATE_RECURRING_MUST_BE_SCOPED`.',
  }),
  checkoutHumanHours: integer('CHECKOUT_HUMAN_HOURS', {
    default: 72,
    min: 1,
    max: 8760,
    meaning:
      'How many hours a purchase that needs a person waits for one. Then what its shop did not buy, and gives back, is `failed` with `MERCHANT_ACTION_REQUIRED`; what the shop cannot say stays with the operator, with an alarm each day.',
  }),
  leaseSeconds: integer('LEASE_SECONDS', {
    default: 3,
    min: 2,
    max: 60,
    meaning:
      'How long after a process died its open work is taken over by another. A living process extends what it holds.',
  }),
  retentionDays: integer('RETENTION_DAYS', {
    default: 540,
    min: 45,
    max: 36_500,
    meaning:
      'How many days a session, the evidence of its approval and what was bought for it are kept after its payment or mandate has ended, and carts after they were abandoned. Chargebacks may take 540.',
  }),
  cartDays: integer('CART_DAYS', {
    default: 30,
    min: 1,
    max: 3650,
    meaning: 'After how many days without a change an open cart of the wallet API is abandoned.',
  }),
  smtpUrl: secretMatching('SMTP_URL', {
    pattern: /^smtps?:\/\/(?:[^\s:@/?#]+:[^\s:@/?#]+@)?(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?\/?$/i,
    rule: 'be smtp:// or smtps://, perhaps user:password@ with both percent-encoded, a host, and perhaps a port',
    default: null,
    meaning:
      'The mail server. `smtps` speaks TLS from the start (port 465), `smtp` turns to it with STARTTLS (port 587); without TLS only to this machine. Absent: mails land as files in `mail` of the home in the sandbox, and wait in production.',
  }),
  mailFrom: matching('MAIL_FROM', {
    pattern: /^[^\s@<>",;:\p{Cc}]+@[^\s@<>",;:\p{Cc}]+$/u,
    rule: 'be an email address, without a name',
    default: null,
    meaning: 'The sender of mails. Absent: `mintmark` at the host of `SURFACE_URL`.',
  }),
  metricsPort: integer('METRICS_PORT', {
    default: null,
    min: 1,
    max: 65_535,
    meaning: 'The port of `/metrics`, for Prometheus. Each process has its own. Absent: nothing is counted.',
  }),
  metricsHost: text('METRICS_HOST', {
    default: '127.0.0.1',
    meaning: 'The address that `/metrics` listens on. Whoever reaches it reads it: keep it inside.',
  }),
  logLevel: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    meaning:
      'The least important log lines that are written. Those with `alarm` or `audit` always are, but for `silent`, which writes none.',
  }),
  trustProxy: networks('TRUST_PROXY', {
    default: false,
    meaning:
      'Addresses or networks of your reverse proxies, separated by commas. Each host of such a network may say which address its client has. Without it the client address is that of the proxy, and limits by address count all clients together.',
  }),
}

/** Checked, but without a value in `Config`. */
export const DECLARATIONS = {
  networkAdapter: oneOf('NETWORK_ADAPTER', ['simulator'], {
    default: 'simulator',
    production: 'required',
    meaning:
      'Which card network. Only the simulator exists, and production has to name it: it must not run there unnoticed.',
  }),
}

/** The points of each rate limit, by its name. */
export const LIMIT_SETTINGS = Object.fromEntries(
  LIMITS.map((limit) => [
    limit.name,
    integer(limitVariable(limit), {
      default: ({ production }) => String(production ? limit.points : (limit.sandboxPoints ?? limit.points)),
      min: 1,
      max: 100_000_000,
      meaning: limit.meaning,
    }),
  ]),
)

export type Config = Omit<Read<typeof SETTINGS>, 'rpId'> & { rpId: string; limits: Readonly<Record<string, number>> }

/** Lists all configuration problems together, so that the operator can fix them in one step. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Reads the environment once. No other file does. Throws `ConfigError` with one line per problem. */
export function readConfig(env: Env): Config {
  const circumstances = readCircumstances(env)
  const { values, problems } = readSettings(SETTINGS, env, circumstances)
  const declared = readSettings(DECLARATIONS, env, circumstances)
  const limits = readSettings(LIMIT_SETTINGS, env, circumstances)
  problems.push(...declared.problems, ...limits.problems)
  const rpId = values.rpId ?? hostOf(values.surfaceUrl)
  problems.push(...rpProblems(values, rpId))
  if (problems.length > 0) throw new ConfigError(`The configuration is not usable:\n  ${problems.join('\n  ')}`)
  return Object.freeze({ ...values, rpId, limits: limits.values })
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : url
}

/** A browser lets a page use the passkeys of its own host, and of a domain above it. What is no address is a problem of its own. */
function rpProblems({ surfaceUrl, ownerUrl }: { surfaceUrl: string; ownerUrl: string | null }, rpId: string): string[] {
  const pages = { SURFACE_URL: surfaceUrl, ...(ownerUrl !== null && { OWNER_URL: ownerUrl }) }
  return Object.entries(pages)
    .filter(([, url]) => URL.canParse(url) && hostOf(url) !== rpId && !hostOf(url).endsWith(`.${rpId}`))
    .map(
      ([name, url]) =>
        `${name} must be at ${rpId} or below it, and ${hostOf(url)} is not: set RP_ID to a domain above both`,
    )
}

/** Other settings depend on these two. Their problems are reported with all the others. */
function readCircumstances(env: Env): Circumstances {
  const { environment, port } = SETTINGS
  const { values } = readSettings({ environment, port }, env, { production: false, port: 0 })
  return { production: values.environment === 'production', port: values.port }
}
