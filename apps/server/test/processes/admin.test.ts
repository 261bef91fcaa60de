// Guarantee: the operator's verbs work on the same data whether the service runs or not, and take effect immediately.
import { existsSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { startEmbedded } from '@mintmark/embedded-postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectionUrl, withAdmin } from '../database.ts'
import { OPERATOR, sessionBody } from '../service.ts'
import {
  callerOf,
  databaseProcesses,
  eventually,
  freePorts,
  type Program,
  runProgram,
  startProgram,
  temporaryHome,
} from './program.ts'
import { runVerb } from './verb.ts'

let home: string
let service: Program
beforeAll(async () => {
  home = await temporaryHome()
})
afterAll(() => service?.stop())

async function admin(...words: string[]) {
  const { code, output } = await runVerb(words, { home })
  expect({ code, output }).toMatchObject({ code: 0 })
  return JSON.parse(output)
}

/** The answer of a verb, which the lines of the log stand beside. */
const withoutLog = (output: string) =>
  output
    .split('\n')
    .filter((line) => !line.startsWith('{"level"'))
    .join('\n')

test('a verb where no service ever was makes none, and does not answer for one', async () => {
  const nowhere = await temporaryHome()
  const keyFile = join(dirname(nowhere), 'root.key')
  await writeFile(keyFile, Buffer.alloc(32, 3), { mode: 0o600 })
  for (const words of [
    ['ledger', 'verify'],
    ['events', 'restored'],
    ['merchant', 'create', '--name', 'Nobody'],
    ['backup', '--to', join(dirname(nowhere), 'nothing.backup')],
  ]) {
    const { code, output } = await runVerb(words, { home: nowhere, env: { ROOT_KEY_FILE: keyFile } })
    expect({ words, code, output }).toEqual({
      ...{ words, code: 1 },
      output: expect.stringMatching(
        /^mintmark: There is no database in MINTMARK_HOME .+ its DATABASE_URL\. Nothing was changed\.\n$/,
      ),
    })
    expect(existsSync(nowhere)).toBe(false)
  }
})

test('migrate makes the schema of a home that was never used', async () => {
  for (const _ of ['first', 'again']) {
    const { code, output } = await runProgram(['migrate'], { home })
    expect({ code, output }).toEqual({ code: 0, output: 'The schema is up to date.\n' })
    expect(await databaseProcesses(home)).toEqual([])
  }
})

test('a merchant and its keys, made before and while the service runs', async () => {
  const before = await admin('merchant', 'create', '--name', 'Early', '--origin', 'https://early.example')
  service = startProgram(['all'], { home, port: await freePorts() })
  await service.ready()
  const accepts = async (key: string) =>
    (await callerOf(service.apiUrl, key).post('/v1/sessions', sessionBody())).status === 201
  expect(await accepts(before.secret_key)).toBe(true)

  const during = await admin('merchant', 'create', '--name', 'Late')
  expect(await accepts(during.secret_key)).toBe(true)
  const extra = await admin('key', 'create', during.merchant_id, '--kind', 'secret')
  expect(await accepts(extra.key)).toBe(true)
  const listed = JSON.stringify(await admin('key', 'list', during.merchant_id))
  expect(listed).toContain(extra.key_id)
  expect(listed).not.toContain(extra.key)
  const dashboard = await admin('key', 'create', during.merchant_id, '--role', 'control-plane')
  expect(dashboard.key).toMatch(/^sk_test_/)
  expect(await accepts(dashboard.key)).toBe(false)
  const shown = await callerOf(service.apiUrl, dashboard.key).get('/v1/mandates?dashboard_user_id=ann')
  expect(shown).toMatchObject({ status: 200, body: { mandates: [] } })
  await admin('key', 'revoke', extra.key_id)
  await eventually(async () => ((await accepts(extra.key)) ? undefined : true))
  expect(await accepts(during.secret_key)).toBe(true)

  await service.stop()
  await admin('merchant', 'update', during.merchant_id, '--status', 'suspended')
  const names = (await admin('merchant', 'list')).map((merchant: { name: string }) => merchant.name)
  expect(names).toEqual(expect.arrayContaining(['Early', 'Late', 'Demo Shop']))
  expect(await databaseProcesses(home)).toEqual([])
  // The verbs below use its database, and need not start one each.
  service = startProgram(['all'], { home, port: await freePorts() })
  await service.ready()
})

test('a verb in production leaves the schema to the services and to `migrate`', async () => {
  // The server of the tests would forget in a crash: production does not take it.
  const server = await startEmbedded({ home: join(dirname(home), 'production') })
  const rootKeyFile = join(dirname(home), 'production.key')
  await writeFile(rootKeyFile, Buffer.alloc(32, 3), { mode: 0o600 })
  const env = {
    ...{ MINTMARK_ENVIRONMENT: 'production', NETWORK_ADAPTER: 'simulator', ROOT_KEY_FILE: rootKeyFile },
    ...{ API_URL: 'https://api.pay.example', SURFACE_URL: 'https://pay.example' },
    ...OPERATOR,
    DATABASE_URL: connectionUrl(server.connection),
  }
  const words = /^mintmark: The database has no schema yet: .+ Run "mintmark migrate", .+ Nothing was changed\.\n$/
  const { code, output } = await runVerb(['merchant', 'list'], { home, env })
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(words) })
  const made = await withAdmin(server.connection, (client) =>
    client.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`),
  )
  expect(made.rows).toEqual([])
  await server.stop()
})

test('what an operator changes is in the log, with the verb and the id of what it was done to, and nothing else', async () => {
  const audited = async (...words: string[]) => {
    const { code, output } = await runProgram(words, { home })
    expect({ code, output }).toMatchObject({ code: 0 })
    const lines = output.split('\n').filter((line) => line.startsWith('{"level"'))
    return lines.map((line) => JSON.parse(line)).map(({ audit, actor, row_id }) => ({ audit, actor, row_id }))
  }
  const actor = 'operator'
  const { merchant_id } = await admin('merchant', 'create', '--name', 'Traced')
  const line = (audit: string, row_id: unknown = merchant_id) => [{ audit, actor, row_id }]
  expect(await audited('merchant', 'create', '--name', 'Made')).toEqual(
    line('merchant_create', expect.stringMatching(/^ma_[0-9a-z]{10}$/)),
  )
  expect(await audited('merchant', 'update', merchant_id, '--status', 'suspended')).toEqual(line('merchant_update'))
  const { key_id } = await admin('key', 'create', merchant_id, '--kind', 'secret')
  expect(await audited('key', 'create', merchant_id, '--kind', 'wallet')).toEqual(
    line('key_create', expect.stringMatching(/^[0-9a-z]{16}$/)),
  )
  expect(await audited('key', 'revoke', key_id)).toEqual(line('key_revoke', key_id))
  const contact = ['--email', 'ann@shop.example'] as const
  expect(await audited('merchant', 'contacts', 'add', merchant_id, ...contact)).toEqual(line('merchant_contacts_add'))
  expect(await audited('merchant', 'contacts', 'remove', merchant_id, ...contact)).toEqual(
    line('merchant_contacts_remove'),
  )
  expect(await audited('key', 'list', merchant_id)).toEqual([])
})

test('a key is revoked by its id, by its label, and by all of it, which is in no log', async () => {
  const { merchant_id, publishable_key } = await admin('merchant', 'create', '--name', 'Leaky')
  const { key_id, key } = await admin('key', 'create', merchant_id, '--kind', 'secret')
  const { output } = await runProgram(['key', 'revoke', key], { home })
  expect(output).toContain(`"row_id":"${key_id}"`)
  expect(output).not.toContain(key)
  const listed = () =>
    admin('key', 'list', merchant_id) as Promise<{ id: string; label: string; revokedAt: string | null }[]>
  const another = (await listed()).find(({ label }) => publishable_key.startsWith(label))
  expect((await admin('key', 'revoke', another?.label ?? '')).id).toBe(another?.id)
  const open = (await listed()).filter(({ revokedAt }) => revokedAt === null).map(({ id }) => id)
  expect(open).toHaveLength(2)
  expect(open).not.toEqual(expect.arrayContaining([key_id]))
  expect(open).not.toEqual(expect.arrayContaining([another?.id]))
})

test('the webhook URL of an account is its first endpoint', async () => {
  const url = 'https://shop.example/hooks'
  const { merchant_id } = await admin('merchant', 'create', '--name', 'Told', '--webhook-url', url)
  expect(await admin('merchant', 'update', merchant_id)).toMatchObject({ id: merchant_id, webhookUrl: url })
  const moved = await admin('merchant', 'update', merchant_id, '--webhook-url', `${url}/2`)
  expect(moved).toMatchObject({ name: 'Told', webhookUrl: `${url}/2` })
  for (const [words, message] of [
    [
      ['merchant', 'update', merchant_id, '--name', 'x', '--webhook-url', 'https://10.0.0.1/'],
      'url must not be a private',
    ],
    [['merchant', 'create', '--name', 'x', '--webhook-url', 'http://shop.example/'], 'url must begin with https://'],
    [['merchant', 'update', 'ma_none', '--webhook-url', url], 'Check ID.'],
  ] as const) {
    const { code, output } = await runVerb([...words], { home })
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(message) })
  }
  expect(await admin('merchant', 'update', merchant_id, '--no-webhook-url')).toMatchObject({
    name: 'Told',
    webhookUrl: null,
  })
})

test('which cards a merchant accepts, by a table that is imported with its progress', async () => {
  const file = join(home, 'bins.csv')
  const ranges = Array.from({ length: 40_000 }, (_, index) => `${42_000_000 + index},US,First Bank`)
  await writeFile(file, ['bin,country,issuer', ...ranges].join('\n'))
  const { merchant_id } = await admin('merchant', 'create', '--name', 'Picky')
  const looks = ['--accent', '#0b6b55', '--radius', '8', '--scheme', 'auto']
  expect(await admin('merchant', 'brand', merchant_id, ...looks)).toEqual({
    accent: '#0b6b55',
    radius: 8,
    scheme: 'auto',
  })
  expect(await admin('merchant', 'brand', merchant_id, '--no-accent', '--no-radius')).toEqual({ scheme: 'auto' })
  expect(await admin('merchant', 'brand', merchant_id)).toEqual({ scheme: 'auto' })
  const limited = await admin(
    'merchant',
    'cards',
    merchant_id,
    '--country',
    'US',
    '--country',
    'CA',
    '--issuer',
    'First Bank',
  )
  expect(limited).toMatchObject({ cardCountries: ['US', 'CA'], cardIssuers: ['First Bank'] })
  // Lines of progress come beside the answer.
  const imported = await runProgram(['bins', 'import', file], { home })
  expect(imported).toMatchObject({ code: 0, output: expect.stringContaining('"ranges": 40000') })
  expect(await admin('merchant', 'cards', merchant_id, '--any')).toMatchObject({
    cardCountries: null,
    cardIssuers: null,
  })
  for (const [words, message] of [
    [['merchant', 'cards', merchant_id, '--country', 'Germany'], 'must be countries of ISO 3166-1'],
    [['merchant', 'cards', 'ma_none', '--any'], 'Check ID.'],
    [['merchant', 'cards', merchant_id], '--country, --issuer or --any is missing'],
    [['merchant', 'cards', merchant_id, '--any', '--country', 'US'], '--any goes with no other option'],
    [['bins', 'import', join(home, 'none.csv')], `${join(home, 'none.csv')} cannot be read: ENOENT`],
    [['bins', 'import', home], `${home} cannot be read: EISDIR`],
    [['bins', 'import'], 'FILE is missing'],
  ] as const) {
    const { code, output } = await runVerb([...words], { home })
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(message) })
  }
})

test('what a merchant of the wallet API sells is imported, and what is wrong is said by its line', async () => {
  const { merchant_id } = await admin('merchant', 'create', '--name', 'Integrator')
  const file = join(home, 'catalog.jsonl')
  const store = { type: 'merchant', id: 'tea', name: 'Tea House', category: 'food', currency: 'USD' }
  const product = { type: 'product', merchant: 'tea', id: 'green', name: 'Green tea', category: 'food', price: '9.50' }
  await writeFile(file, [store, product].map((line) => JSON.stringify(line)).join('\n'))
  const words = ['store', 'import', '--merchant', merchant_id, file] as const
  expect(await admin(...words)).toEqual({ merchants: 1, products: 1, withdrawn: 0 })
  await writeFile(
    file,
    [store, { ...product, price: 9.5, colour: 'green' }].map((line) => JSON.stringify(line)).join('\n'),
  )
  // The names of fields are the file's.
  const forged = { ...store, '\u001b]0;x\u0007\u009b2J\nmintmark: all is well': 1 }
  await writeFile(join(home, 'forged.jsonl'), JSON.stringify(forged))
  const { output } = await runProgram([...words.slice(0, -1), join(home, 'forged.jsonl')], { home })
  expect(output).toBe(
    'mintmark: line 1: \\u001b]0;x\\u0007\\u009b2J\\u000amintmark: all is well is not a known field\n',
  )
  for (const [given, message] of [
    [words, 'line 2: price must be a decimal string such as "12.50"; line 2: colour is not a known field'],
    [['store', 'import', '--merchant', 'ma_none', file], 'line 2: price'],
    [['store', 'import', '--merchant', merchant_id, join(home, 'none.jsonl')], 'cannot be read'],
    [['store', 'import', file], '--merchant is missing'],
  ] as const) {
    const { code, output } = await runVerb([...given], { home })
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(message) })
  }
})

test('shops are added, changed and disabled, and their keys are in no output', async () => {
  const key = 'key-of-the-tea-house'
  const keyFile = join(home, 'shop.key')
  await writeFile(keyFile, `${key}\n`)
  const words = ['--name', 'Tea House', '--url', 'https://tea.example', '--country', 'US']
  const native = ['--adapter', 'native', '--base-url', 'https://tea.example/api']
  const added = await runProgram(['shop', 'add', ...words, ...native, '--key-file', keyFile], { home })
  expect(added.code, added.output).toBe(0)
  const shop = JSON.parse(withoutLog(added.output))
  expect(shop).toMatchObject({ name: 'Tea House', adapter: 'native', status: 'active', hasKey: true })
  expect(await admin('shop', 'update', shop.id, '--name', 'Tea & Co.')).toMatchObject({
    name: 'Tea & Co.',
    hasKey: true,
  })
  expect(await admin('shop', 'disable', shop.id)).toMatchObject({ status: 'disabled' })
  const listed = await runVerb(['shop', 'list'], { home })
  expect(JSON.parse(listed.output)).toContainEqual(
    expect.objectContaining({ id: shop.id, name: 'Tea & Co.', status: 'disabled' }),
  )
  expect(added.output + listed.output).not.toContain(key)
  expect(await admin('shop', 'update', shop.id, '--no-key', '--status', 'active')).toMatchObject({ hasKey: false })
  for (const [wrong, message] of [
    [
      ['shop', 'add', ...words, '--adapter', 'native', '--base-url', 'http://tea.example/api'],
      'base-url must begin with https://',
    ],
    [['shop', 'add', ...words, '--adapter', 'fax'], '--adapter must be native or acp'],
    [['shop', 'add', ...words, '--adapter', 'acp'], '--base-url is missing'],
    [['shop', 'update', shop.id, '--country', 'Germany'], '--country must be a country of ISO 3166-1'],
    [['shop', 'update', shop.id, '--key-file', join(home, 'none')], 'cannot be read'],
    [['shop', 'disable', 'shop_none'], 'Check ID.'],
  ] as const) {
    const { code, output } = await runVerb([...wrong], { home })
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(message) })
  }
})

test('a passkey is released and its flag lifted by an operator, on record', async () => {
  for (const [verb, message] of [
    ['reset', 'There is nothing of this name. Check MERCHANT and USER_ID.'],
    ['unflag', 'The customer has no flagged passkey.'],
  ] as const) {
    const { code, output } = await runVerb(['passkey', verb, 'ma_none', 'ann'], { home })
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(message) })
  }
})

test('a database that does not answer is said at once', async () => {
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }
  const { code, output } = await runVerb(['merchant', 'list'], { home, env })
  expect(code).toBe(1)
  expect(output).toMatch(/^mintmark: The database does not answer \(.*ECONNREFUSED.*\)\. Is DATABASE_URL right, .+\n$/)
})

test('a home that cannot be used is reported with the variables that help', async () => {
  const file = await temporaryHome()
  await writeFile(file, '')
  const { code, output } = await runVerb(['merchant', 'list'], { home: join(file, 'home') })
  expect(code).toBe(1)
  expect(output).toMatch(
    /^mintmark: Cannot run PostgreSQL in .+ENOTDIR.+: .+\. MINTMARK_HOME names the home, DATABASE_URL your own PostgreSQL\.\n$/,
  )
})

test('verbs that are off say what is missing', async () => {
  for (const [words, message] of [
    [['merchant', 'create'], '--name is missing'],
    [['merchant', 'sell'], 'there is no command "merchant sell"'],
    [['merchant', 'update', '--status', 'active'], 'ID is missing'],
    [['merchant', 'create', '--name', 'x', '--allowance', 'some'], '--allowance must be a whole number or unlimited'],
    [['key', 'create', 'ma_x', '--kind', 'gold'], '--kind must be secret, publishable or wallet'],
    [['merchant', 'create', '--shape', 'round'], "Unknown option '--shape'"],
    [['key', 'revoke', 'nobody'], 'There is nothing of this name. Check KEY.'],
    [['key', 'list', 'ma_x'], 'There is nothing of this name. Check MERCHANT.'],
    [['merchant', 'contacts', 'list', 'ma_x'], 'There is nothing of this name. Check ID.'],
    [['keys', 'retire', 'local:x'], 'There is no key local:x. It is retired, or never was: look at keys list.'],
    [['passkey', 'reset', 'ma_x'], 'USER_ID is missing'],
  ] as const) {
    const { code, output } = await runVerb([...words], { home })
    expect(code).toBe(1)
    expect(output).toContain(`mintmark: ${message}`)
  }
})

test('a key that cannot be used is named, with what is in the way', async () => {
  // A service that runs would have to say first that it has the new key.
  await service.stop()
  const keyFile = join(home, 'keys', `kek-${(await admin('keys', 'add', 'local')).id.slice('local:'.length)}.key`)
  const id = `local:${/kek-(\w+)\.key$/.exec(keyFile)?.[1]}`
  await admin('keys', 'rotate', id)
  await rename(keyFile, `${keyFile}.away`)
  const { code, output } = await runVerb(['merchant', 'create', '--name', 'Keyless'], { home })
  await rename(`${keyFile}.away`, keyFile)
  expect({ code, output }).toEqual({
    code: 1,
    output: `mintmark: A key-encryption key cannot be used. The key file ${keyFile} is missing. Copy it from a machine that has it, or from its backup.\n`,
  })
  await admin('merchant', 'create', '--name', 'Keyed')
})
