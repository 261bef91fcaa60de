import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import type { Environment } from '@mintmark/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { NO_EVENTS } from '../db/testing/no-events.ts'
import { PATIENT_LIMITS } from '../db/testing/patient-limits.ts'
import { createLocalKeyProvider } from '../platform/key-provider.ts'
import { secret } from '../platform/secret.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { testSeals } from '../platform/testing/row-seals.ts'
import { createVault } from '../vault/service.ts'
import { createMerchantService, type MerchantService, type NewMerchant } from './service.ts'

let database: TestDatabase
let merchants: MerchantService
const clock = new ManualClock()
const apiKeysKey = secret(randomBytes(32))
const vaultKeys = createLocalKeyProvider(secret(randomBytes(32)))

function service(environment: Environment = 'sandbox', key = apiKeysKey) {
  const { pool } = database
  const unused = async () => ({ outcome: 'unknown', cause: 'not used' }) as const
  const network = { provision: unused, verifyCard: unused }
  const vault = createVault({ keys: vaultKeys, fingerprintKey: secret(randomBytes(32)), network, pool })
  return createMerchantService({
    ...{ pool, clock, apiKeysKey: key, seals: testSeals(), environment, vault, events: NO_EVENTS },
  })
}

beforeAll(async () => {
  database = await createTestDatabase({ limits: PATIENT_LIMITS })
  merchants = service()
})
afterAll(() => database.close())

const ANY_CARD = { cardCountries: null, cardIssuers: null }
const SETTINGS: NewMerchant = {
  name: 'Shop',
  allowedOrigins: ['https://shop.example'],
  networkProfile: 'simulator',
  sessionAllowance: null,
}

describe('createMerchant', () => {
  test('makes an account with one key of each kind', async () => {
    const made = await merchants.createMerchant(SETTINGS)
    expect(made.merchantId).toMatch(/^ma_[0-9a-z]{10}$/)
    expect(made.secretKey.reveal()).toMatch(/^sk_test_/)
    expect(made.publishableKey.reveal()).toMatch(/^pk_test_/)
    expect(made.walletApiKey.reveal()).toMatch(/^wk_test_/)
    expect(made.webhookSecret.reveal()).toMatch(/^whsec_/)
    const found = await merchants.findMerchant(made.merchantId)
    expect(found).toEqual({ id: made.merchantId, status: 'active', ...SETTINGS, ...ANY_CARD })
    expect((await merchants.listKeys(made.merchantId)).map(({ kind }) => kind).sort()).toEqual([
      'publishable',
      'secret',
      'wallet',
    ])
  })

  test('keeps the webhook secret readable, sealed, for its own account only', async () => {
    const [one, two] = [await merchants.createMerchant(SETTINGS), await merchants.createMerchant(SETTINGS)]
    expect((await merchants.getWebhookSecret(one.merchantId)).reveal()).toBe(one.webhookSecret.reveal())
    await database.pool.query(
      `update merchants set webhook_secret_sealed = (select webhook_secret_sealed from merchants where id = $2)
       where id = $1`,
      [one.merchantId, two.merchantId],
    )
    await expect(merchants.getWebhookSecret(one.merchantId)).rejects.toThrow('failed authentication')
  })

  test('refuses bad settings and makes nothing', async () => {
    const before = (await merchants.listMerchants()).length
    const attempt = merchants.createMerchant({ ...SETTINGS, name: '', allowedOrigins: ['*'] })
    await expect(attempt).rejects.toMatchObject({ code: 'VAL_2001', details: { name: expect.any(String) } })
    expect(await merchants.listMerchants()).toHaveLength(before)
  })

  test('production makes live keys, and takes no origin on localhost', async () => {
    const production = service('production')
    expect((await production.createMerchant(SETTINGS)).secretKey.reveal()).toMatch(/^sk_live_/)
    const local = production.createMerchant({ ...SETTINGS, allowedOrigins: ['http://localhost:*'] })
    await expect(local).rejects.toMatchObject({ details: { 'allowed_origins[0]': expect.any(String) } })
  })
})

describe('secrets', () => {
  test('no listing and no row shows a key or a webhook secret', async () => {
    const made = await merchants.createMerchant(SETTINGS)
    const { rows: accounts } = await database.pool.query('select * from merchants')
    const { rows: keys } = await database.pool.query('select * from api_keys')
    const listings = [await merchants.listMerchants(), await merchants.listKeys(made.merchantId), made]
    const bytes = [...accounts, ...keys].flatMap((row) => Object.values(row).filter((value) => Buffer.isBuffer(value)))
    const shown = inspect([accounts, keys, listings], { depth: null }) + Buffer.concat(bytes).toString('latin1')
    for (const one of [made.secretKey, made.publishableKey, made.walletApiKey, made.webhookSecret]) {
      const text = one.reveal()
      expect(shown).not.toContain(text)
      expect(shown).not.toContain(text.slice(24))
    }
  })

  test('a list names a key by its public beginning', async () => {
    const made = await merchants.createMerchant(SETTINGS)
    const labels = (await merchants.listKeys(made.merchantId)).map(({ label }) => label)
    expect(labels).toContain(made.secretKey.reveal().slice(0, 24))
  })
})

describe('setCardRules', () => {
  test('says which cards are accepted, in place of the rules before, and changes nothing else', async () => {
    const { merchantId } = await merchants.createMerchant(SETTINGS)
    const base = await merchants.findMerchant(merchantId)
    const rules = { countries: ['US', 'DE'], issuers: ['First Bank'] }
    const limited = { cardCountries: rules.countries, cardIssuers: rules.issuers }
    expect(await merchants.setCardRules(merchantId, rules)).toEqual({ ...base, ...limited })
    const other = { countries: ['FR'], issuers: null }
    expect(await merchants.setCardRules(merchantId, other)).toEqual({ ...base, cardCountries: ['FR'] })
    expect(await merchants.setCardRules(merchantId, { countries: null, issuers: null })).toEqual(base)
  })
})

describe('updateMerchant', () => {
  test('changes what is given and nothing else; null is a value', async () => {
    const { merchantId } = await merchants.createMerchant({ ...SETTINGS, sessionAllowance: 5 })
    const base = { id: merchantId, status: 'active', ...SETTINGS, ...ANY_CARD, sessionAllowance: 5 }
    expect(await merchants.updateMerchant(merchantId, {})).toEqual(base)
    expect(await merchants.updateMerchant(merchantId, { status: 'suspended' })).toEqual({
      ...base,
      status: 'suspended',
    })
    const changes = { status: 'active', allowedOrigins: [], networkProfile: null, sessionAllowance: null } as const
    expect(await merchants.updateMerchant(merchantId, changes)).toEqual({ ...base, ...changes })
    expect(await merchants.updateMerchant(merchantId, { name: 'Other', sessionAllowance: 0 })).toEqual({
      ...base,
      ...changes,
      name: 'Other',
      sessionAllowance: 0,
    })
  })

  test('refuses bad settings, and an unknown account', async () => {
    const { merchantId } = await merchants.createMerchant(SETTINGS)
    const bad = merchants.updateMerchant(merchantId, { allowedOrigins: ['https://*.example'] })
    await expect(bad).rejects.toMatchObject({ code: 'VAL_2001' })
    await expect(merchants.updateMerchant('ma_none', {})).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('keys', () => {
  test('a second key works beside the first, until one is revoked', async () => {
    const made = await merchants.createMerchant(SETTINGS)
    const second = await merchants.createKey(made.merchantId, 'secret')
    const revoked = await merchants.revokeKey(second.keyId)
    expect(revoked).toMatchObject({ id: second.keyId, kind: 'secret', revokedAt: clock.now() })
    await expect(merchants.resolveKey(second.key.reveal(), 'secret')).rejects.toMatchObject({ code: 'AUTH_1001' })
    expect(await merchants.resolveKey(made.secretKey.reveal(), 'secret')).toMatchObject({ merchantId: made.merchantId })
  })

  test('revoking again keeps the first time', async () => {
    const { merchantId } = await merchants.createMerchant(SETTINGS)
    const { keyId } = await merchants.createKey(merchantId, 'wallet')
    const first = await merchants.revokeKey(keyId)
    clock.advance(60)
    expect(await merchants.revokeKey(keyId)).toEqual(first)
  })

  test('an unknown merchant, key or kind', async () => {
    const { merchantId } = await merchants.createMerchant(SETTINGS)
    await expect(merchants.createKey('ma_none', 'secret')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(merchants.createKey(merchantId, 'root' as 'secret')).rejects.toMatchObject({ code: 'VAL_2001' })
    await expect(merchants.revokeKey('none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(merchants.addKeys('ma_none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('a further set of keys ends no other, and keeps the webhook secret', async () => {
    const [made, other] = [await merchants.createMerchant(SETTINGS), await merchants.createMerchant(SETTINGS)]
    const added = await merchants.addKeys(made.merchantId)
    expect(added.webhookSecret.reveal()).toBe(made.webhookSecret.reveal())
    expect(added.secretKey.reveal()).not.toBe(made.secretKey.reveal())
    for (const { secretKey, merchantId } of [made, added, other]) {
      expect(await merchants.resolveKey(secretKey.reveal(), 'secret')).toMatchObject({ merchantId })
    }
  })
})

test('pages of a suspended account may not call, on an origin that no other account names', async () => {
  const [own, shared] = ['https://alone.example', 'https://shared.example']
  const { merchantId } = await merchants.createMerchant({ ...SETTINGS, allowedOrigins: [own, shared] })
  await merchants.createMerchant({ ...SETTINGS, allowedOrigins: [shared] })
  // Another node each time: one remembers its answers for a moment.
  const known = () => Promise.all([own, shared].map((origin) => service().isKnownOrigin(origin)))
  expect(await known()).toEqual([true, true])
  await merchants.updateMerchant(merchantId, { status: 'suspended' })
  expect(await known()).toEqual([false, true])
  await merchants.updateMerchant(merchantId, { status: 'active' })
  expect(await known()).toEqual([true, true])
})

describe('the demo merchant', () => {
  test('of 32 first starts together one makes it and gets its secrets', async () => {
    const made = await Promise.all(Array.from({ length: 32 }, () => service().ensureDemoMerchant()))
    const secrets = made.filter((one) => one !== undefined)
    expect(secrets).toHaveLength(1)
    expect(secrets[0]?.merchantId).toBe(merchants.demoMerchantId)
    expect(await merchants.listKeys(merchants.demoMerchantId)).toHaveLength(3)
    expect(await merchants.findMerchant(merchants.demoMerchantId)).toMatchObject({
      allowedOrigins: ['http://localhost:*', 'http://127.0.0.1:*'],
      sessionAllowance: null,
    })
    expect(await merchants.ensureDemoMerchant()).toBeUndefined()
  })

  test('has an id like any other, which only this deployment knows', () => {
    expect(merchants.demoMerchantId).toMatch(/^ma_[0-9a-hjkmnp-tv-z]{10}$/)
    expect(service().demoMerchantId).toBe(merchants.demoMerchantId)
    expect(service('sandbox', secret(randomBytes(32))).demoMerchantId).not.toBe(merchants.demoMerchantId)
  })

  test('does not exist in production', async () => {
    await expect(service('production').ensureDemoMerchant()).rejects.toThrow('sandbox only')
  })
})
