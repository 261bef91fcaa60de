// Guarantee: a service with an unusable configuration does not start, and its message names all that has to be fixed.
import { describe, expect, test } from 'vitest'
import { OPERATOR } from '../test/service.ts'
import { ConfigError, DECLARATIONS, LIMIT_SETTINGS, readConfig, SETTINGS } from './config.ts'

const PRODUCTION = {
  MINTMARK_ENVIRONMENT: 'production',
  DATABASE_URL: 'postgres://mintmark@db.example/mintmark',
  ROOT_KEY_FILE: '/run/secrets/root-key',
  NETWORK_ADAPTER: 'simulator',
  API_URL: 'https://api.pay.example',
  WALLET_API_URL: 'https://wallet.pay.example',
  SURFACE_URL: 'https://pay.example',
  ...OPERATOR,
}

/** The lines of the refusal, each without its indentation. */
function problems(env: Record<string, string>): string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n  ').slice(1)
    throw error
  }
  return []
}

/** The variables the refusal names. */
const named = (env: Record<string, string>) => problems(env).map((line) => line.split(' ', 1)[0])

describe('sandbox', () => {
  test('needs nothing', () => {
    expect(readConfig({})).toMatchObject({
      environment: 'sandbox',
      databaseUrl: null,
      host: '127.0.0.1',
      port: 4000,
      apiUrl: 'http://localhost:4000',
      walletApiUrl: 'http://localhost:4001',
      surfaceUrl: 'http://localhost:4002',
      networkBrand: 'network',
      sessionLifetimeSeconds: 900,
      recurringMandates: 'any',
      trustProxy: false,
    })
  })

  test('an empty variable is an absent one', () => {
    const names = ['PORT', 'DATABASE_URL', 'SURFACE_URL', 'TRUST_PROXY', 'LOG_LEVEL', 'MINTMARK_ENVIRONMENT']
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ' '])))).toEqual(readConfig({}))
  })

  test('the addresses follow the port', () => {
    expect(readConfig({ PORT: '5000' })).toMatchObject({ port: 5000, surfaceUrl: 'http://localhost:5002' })
  })

  test('cannot be changed afterwards', () => expect(Object.isFrozen(readConfig({}))).toBe(true))

  test('every row is read, and its default is a value that it accepts', () => {
    const rows = Object.values({ ...SETTINGS, ...DECLARATIONS, ...LIMIT_SETTINGS })
    const defaults = rows.map((row) => [row.variable, row.defaultText({ production: false, port: 4000 }) ?? ''])
    expect(new Set(defaults.map(([variable]) => variable)).size).toBe(rows.length)
    expect(readConfig(Object.fromEntries(defaults))).toEqual(readConfig({}))
  })

  test('the reader asks for the variables of the tables, and no other', () => {
    const asked = new Set<string>()
    const env = new Proxy<Record<string, string | undefined>>(
      {},
      {
        get: (_target, name) => {
          asked.add(String(name))
          return undefined
        },
      },
    )
    readConfig(env)
    const rows = Object.values({ ...SETTINGS, ...DECLARATIONS, ...LIMIT_SETTINGS })
    expect([...asked].sort()).toEqual(rows.map(({ variable }) => variable).sort())
  })

  test('limits', () => {
    expect(readConfig({ RATE_LIMIT_LAUNCH: '5' }).limits.launch).toBe(5)
    // The sandbox lets test suites be refused often; production does not.
    expect(readConfig({}).limits).toMatchObject({ merchant: 30_000, failed_authentication: 5_000 })
    expect(readConfig(PRODUCTION).limits).toMatchObject({ merchant: 30_000, failed_authentication: 300 })
    expect(named({ RATE_LIMIT_LAUNCH: '0', RATE_LIMIT_SURFACE: 'many' }).sort()).toEqual([
      'RATE_LIMIT_LAUNCH',
      'RATE_LIMIT_SURFACE',
    ])
  })

  // Data keys and tokens go there.
  test.each([
    'https://vault.example',
    'https://vault.example:8200/sub',
    'http://127.0.0.1:8200',
    'http://localhost',
    'http://[::1]:1',
  ])('a key management service at %s', (address) => {
    expect(readConfig({ VAULT_ADDR: address }).vaultAddress).toBe(address)
  })
  test.each([
    'http://vault.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'https://v.example/',
    'vault.example',
    'https://v.example/?a=b',
  ])('no key management service at %s', (address) => {
    expect(named({ VAULT_ADDR: address, AWS_KMS_ENDPOINT: address, GOOGLE_KMS_ENDPOINT: address }).sort()).toEqual([
      'AWS_KMS_ENDPOINT',
      'GOOGLE_KMS_ENDPOINT',
      'VAULT_ADDR',
    ])
  })

  // A proxy that is trusted too much names any client address, and passes the limits by address.
  test('proxies', () => {
    expect(readConfig({ TRUST_PROXY: '10.0.0.1, 10.0.0.2' }).trustProxy).toEqual(['10.0.0.1', '10.0.0.2'])
  })
  test.each(['10.0.0.0/8', '192.0.2.1/32', '::1', 'fd00::/8', '2001:db8::1/128', '::ffff:10.0.0.1'])(
    'a proxy at %s',
    (one) => {
      expect(readConfig({ TRUST_PROXY: one }).trustProxy).toEqual([one])
    },
  )
  test.each([
    '1',
    'true',
    'false',
    'garbage',
    'loopback',
    'proxy.example',
    '0.0.0.0/0',
    '::/0',
    '::ffff:0:0/96',
    '::ffff:1.2.3.4/96',
    '::/8',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/255.0.0.0',
    '10.1',
    'fe80::1%eth0',
    '10.0.0.1,',
    '10.0.0.1 10.0.0.2',
    '10.0.0.1, garbage',
  ])('no proxy at %s', (value) => {
    expect(problems({ TRUST_PROXY: value })).toEqual([
      'TRUST_PROXY must be IP addresses or networks such as 10.0.0.0/8, separated by commas',
    ])
  })

  test.each([
    ['MINTMARK_ENVIRONMENT', 'staging'],
    ['PORT', '0'],
    ['PORT', '65532'],
    ['PORT', '40.5'],
    ['PORT', 'http'],
    ['DATABASE_URL', 'mysql://db'],
    ['DATABASE_URL', 'postgres://mintmark:a@one.example,two.example/mintmark?target_session_attrs=read-write'],
    ['DATABASE_URL', 'postgres://one.example:5432,two.example:5432/mintmark'],
    ['DATABASE_POOL_SIZE', '1'],
    ['SURFACE_URL', 'pay.example'],
    ['SURFACE_URL', 'https://pay.example/path'],
    ['SURFACE_URL', 'https://user@pay.example'],
    ['SURFACE_URL', 'file:///tmp'],
    ['SURFACE_URL', 'https://pay.example/?a'],
    ['OPERATOR_NAME', '\u3164\u2800'],
    ['OPERATOR_NAME', '\u0301'],
    ['NETWORK_BRAND', 'Two Words'],
    ['NETWORK_BRAND', '1st'],
    ['WEBHOOK_HEADER_PREFIX', 'Two Words'],
    ['WEBHOOK_HEADER_PREFIX', 'Webhook'],
    ['WEBHOOK_DELIVERY', 'no'],
    ['NETWORK_ADAPTER', 'visa'],
    ['NETWORK_TIMEOUT_MS', '9'],
    ['SESSION_LIFETIME_SECONDS', '9'],
    ['LEASE_SECONDS', '1'],
    ['LEASE_SECONDS', '61'],
    ['LOG_LEVEL', 'verbose'],
    ['WEBHOOK_ALLOW_LOOPBACK', 'yes'],
  ])('%s=%s is refused by name', (name, value) => expect(named({ [name]: value })).toEqual([name]))

  test('a lease may be shorter than the calls it covers: its holder extends it', () => {
    expect(named({ NETWORK_TIMEOUT_MS: '10000', LEASE_SECONDS: '2' })).toEqual([])
  })

  test('all problems together, and no value of them in the message', () => {
    const env = { PORT: 'x', DATABASE_URL: 'secret-db', LOG_LEVEL: 'x', SURFACE_URL: 'x', NETWORK_BRAND: '7' }
    expect(named(env).sort()).toEqual(['DATABASE_URL', 'LOG_LEVEL', 'NETWORK_BRAND', 'PORT', 'SURFACE_URL'])
    expect(problems(env).join()).not.toContain('secret-db')
  })
})

describe('production', () => {
  test('with everything it needs', () => {
    expect(readConfig(PRODUCTION)).toMatchObject({ environment: 'production', surfaceUrl: 'https://pay.example' })
  })

  test('never sends webhooks to this machine', () => {
    expect(readConfig(PRODUCTION).webhookAllowLoopback).toBe(false)
    expect(named({ ...PRODUCTION, WEBHOOK_ALLOW_LOOPBACK: 'on' })).toEqual(['WEBHOOK_ALLOW_LOOPBACK'])
    expect(readConfig({ WEBHOOK_ALLOW_LOOPBACK: 'on' }).webhookAllowLoopback).toBe(true)
  })

  test('names everything it needs, together', () => {
    const required = [
      'API_URL',
      'DATABASE_URL',
      'NETWORK_ADAPTER',
      ...Object.keys(OPERATOR),
      'ROOT_KEY_FILE',
      'SURFACE_URL',
    ]
    expect(named({ MINTMARK_ENVIRONMENT: 'production' }).sort()).toEqual(required.toSorted())
    for (const name of required) expect(named({ ...PRODUCTION, [name]: '' })).toEqual([name])
  })

  test.each(Object.keys(PRODUCTION).filter((name) => name.endsWith('_URL') && name !== 'DATABASE_URL'))(
    '%s must be https',
    (name) => expect(named({ ...PRODUCTION, [name]: 'http://pay.example' })).toEqual([name]),
  )

  test('has a page of owners where OWNER_URL says, over https, below one relying party with the surface; and none without it', () => {
    expect(readConfig(PRODUCTION).ownerUrl).toBeNull()
    const owners = (OWNER_URL: string, env: Record<string, string> = {}) => named({ ...PRODUCTION, ...env, OWNER_URL })
    expect(owners('https://owners.pay.example')).toEqual([])
    expect(owners('http://owners.pay.example')).toEqual(['OWNER_URL'])
    expect(owners('https://owners.example')).toEqual(['OWNER_URL'])
    expect(owners('https://owners.example', { RP_ID: 'example' })).toEqual([])
  })
})
