import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { WrittenDevFile } from './dev-file.ts'
import { hasHome } from './home.ts'
import type { Role } from './run.ts'

interface Welcome {
  config: Config
  role: Role
  dev: WrittenDevFile | null
  /** The address of the sandbox's shop, where there is one. */
  shopUrl: string | null
  server: string
  /** How mails leave. */
  mail: string
  millis: number
}

const NO_KEYS_FOUND =
  'the file was lost, unreadable or of another database, or its secret key was revoked. The earlier keys go on working, if they were not revoked: revoke them with key revoke.'

/** What runs, where, and what to do next. Secrets stay in `dev.json`: other people read a terminal's output. */
export function printWelcome({ config, role, dev, shopUrl, server, mail, millis }: Welcome): void {
  const lines = [
    '',
    `  Mintmark ${config.environment}, ready in ${(millis / 1000).toFixed(1)} s`,
    '',
    ...(role === 'worker'
      ? ['  Worker         the background work']
      : [
          `  Main API       ${config.apiUrl}`,
          `  Wallet API     ${config.walletApiUrl}`,
          ...(config.apiReference === 'on'
            ? [`  API reference  ${config.apiUrl}/docs`, `                 ${config.walletApiUrl}/docs`]
            : []),
          `  Secure surface ${config.surfaceUrl}`,
          ...(config.ownerUrl === null ? [] : [`  Owners         ${config.ownerUrl}`]),
        ]),
    ...(shopUrl === null ? [] : [`  Sandbox shop   ${shopUrl}`]),
    `  Database       ${server}`,
    `  Mail           ${mail}`,
    ...(config.metricsPort === null
      ? []
      : [`  Metrics        http://${config.metricsHost}:${config.metricsPort}/metrics`]),
    ...(hasHome(config) ? [`  Home           ${config.home}`] : []),
    `  Root key       ${config.rootKeyFile === null ? 'in the home' : 'set'}`,
  ]
  if (config.webhookAllowLoopback) lines.push('  Webhooks       may go to this machine (WEBHOOK_ALLOW_LOOPBACK)')
  if (dev !== null && role !== 'worker') lines.push(...nextSteps(config, dev))
  // The console is the libraries', and taken into the log.
  process.stdout.write(`${lines.join('\n')}\n\n`)
}

function nextSteps(config: Config, { addedKeys }: WrittenDevFile): string[] {
  const devFile = join(config.home, 'dev.json')
  return [
    `  Demo keys      ${devFile}`,
    ...(addedKeys ? [`                 added: ${NO_KEYS_FOUND}`] : []),
    '',
    '  Next: create a session,',
    '',
    `    KEY=$(node -p 'require("${devFile}").secret_key')`,
    `    curl -s ${config.apiUrl}/v1/sessions -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{`,
    '      "user_id": "u1", "user_email": "ann@example.com", "total_amount": "40.00", "currency": "USD",',
    '      "purchase_context": { "custom": {',
    '        "merchant_details": { "name": "Tea House", "url": "https://tea.example", "country_code_iso2": "US" },',
    '        "product_details": [{ "description": "Tea", "unit_price": "40.00" }] } } }\'',
    '',
    '  open its iframe_url in a browser, and pay with the test card 4242 4242 4242 4242, any future date, any CVV.',
    `  Or see it in a shop: npm run storefront. Stop with Ctrl-C.`,
  ]
}
