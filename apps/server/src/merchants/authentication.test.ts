import { randomBytes } from 'node:crypto'
import type { ApiKeyKind, Environment } from '@mintmark/contract'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { NO_EVENTS } from '../db/testing/no-events.ts'
import { PATIENT_LIMITS } from '../db/testing/patient-limits.ts'
import { createLocalKeyProvider } from '../platform/key-provider.ts'
import { secret } from '../platform/secret.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { testSeals } from '../platform/testing/row-seals.ts'
import { createVault } from '../vault/service.ts'
import { newKey } from './api-keys.ts'
import { createMerchantService, type MerchantSecrets, type MerchantService } from './service.ts'

const timingSafeEqual = vi.hoisted(() => vi.fn())
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>()
  timingSafeEqual.mockImplementation(crypto.timingSafeEqual)
  return { ...crypto, timingSafeEqual }
})

let database: TestDatabase
let merchants: MerchantService
let shop: MerchantSecrets

const apiKeysKey = secret(randomBytes(32))
const vaultKeys = createLocalKeyProvider(secret(randomBytes(32)))

/** One node: its own memory, the shared database. */
function node(options: { pool?: Pool; monotonicMillis?: () => number; environment?: Environment } = {}) {
  const { pool = database.pool, environment = 'sandbox', ...rest } = options
  const unused = async () => ({ outcome: 'unknown', cause: 'not used' }) as const
  const network = { provision: unused, verifyCard: unused }
  const vault = createVault({ keys: vaultKeys, fingerprintKey: secret(randomBytes(32)), network, pool })
  return createMerchantService({
    pool,
    clock: new ManualClock(),
    apiKeysKey,
    seals: testSeals(),
    environment,
    vault,
    events: NO_EVENTS,
    ...rest,
  })
}

/** A pool that counts the queries that pass it. */
function countingPool() {
  const counted = { queries: 0 }
  const pool = new Proxy(database.pool, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (name === 'query') counted.queries += 1
      return member.bind(target)
    },
  })
  return { pool, counted }
}

beforeAll(async () => {
  database = await createTestDatabase({ limits: PATIENT_LIMITS })
  merchants = node()
  shop = await merchants.createMerchant({
    name: 'Shop',
    allowedOrigins: [],
    networkProfile: null,
    sessionAllowance: null,
  })
})
afterAll(() => database.close())

const bearer = (key: { reveal(): string }) => `Bearer ${key.reveal()}`

describe('success', () => {
  test.each<[ApiKeyKind, keyof MerchantSecrets]>([
    ['secret', 'secretKey'],
    ['publishable', 'publishableKey'],
    ['wallet', 'walletApiKey'],
  ])('a %s key names its merchant', async (kind, field) => {
    const key = shop[field]
    if (typeof key === 'string') throw new Error('Not a key.')
    const caller = await merchants.authenticateKey(bearer(key), kind)
    expect(caller).toEqual({ merchantId: shop.merchantId, keyId: key.reveal().slice(8, 24), role: 'merchant' })
    expect(await merchants.resolveKey(key.reveal(), kind)).toEqual(caller)
  })

  test("a dashboard's key is let in where its role is named, and nowhere else", async () => {
    const { key, keyId } = await merchants.createKey(shop.merchantId, 'secret', 'control_plane')
    const caller = { merchantId: shop.merchantId, keyId, role: 'control_plane' }
    const header = bearer(key)
    expect(await merchants.authenticateKey(header, 'secret', ['merchant', 'control_plane'])).toEqual(caller)
    expect(await merchants.resolveKey(key.reveal(), 'secret', ['control_plane'])).toEqual(caller)
    for (const attempt of [
      merchants.authenticateKey(header, 'secret'),
      merchants.resolveKey(key.reveal(), 'secret'),
      merchants.authenticateKey(bearer(shop.secretKey), 'secret', ['control_plane']),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'AUTH_1001' })
    }
  })

  test.each(['bearer', 'BEARER', 'Bearer  '])('the scheme may be written %j', async (scheme) => {
    const header = `${scheme} ${shop.secretKey.reveal()}`
    expect(await merchants.authenticateKey(header, 'secret')).toMatchObject({ merchantId: shop.merchantId })
  })

  test('a suspended merchant is still known: what it may do is decided where it does it', async () => {
    const other = await merchants.createMerchant({
      name: 'S',
      allowedOrigins: [],
      networkProfile: null,
      sessionAllowance: null,
    })
    await merchants.updateMerchant(other.merchantId, { status: 'suspended' })
    expect(await node().authenticateKey(bearer(other.secretKey), 'secret')).toMatchObject({
      merchantId: other.merchantId,
    })
  })
})

describe('AUTH_1002: the header', () => {
  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['blank', '   '],
    ['the scheme alone', 'Bearer'],
    ['the scheme and a space', 'Bearer '],
    ['no scheme', 'sk_test_0123'],
    ['another scheme', 'Basic c2tfdGVzdF8='],
    ['two tokens', 'Bearer a b'],
    ['two headers in one', 'Bearer a, Bearer b'],
  ])('%s', async (_name, header) => {
    await expect(merchants.authenticateKey(header, 'secret')).rejects.toMatchObject({ code: 'AUTH_1002', status: 401 })
  })
})

describe('AUTH_1001: the key', () => {
  const unknown = 'The API key is not valid.'

  test('a text that is not a key', async () => {
    for (const text of ['x', 'eyJhbGciOiJIUzI1NiJ9.e30.x', 'sk_test_', 'x'.repeat(10_000)]) {
      const attempt = merchants.authenticateKey(`Bearer ${text}`, 'secret')
      await expect(attempt).rejects.toMatchObject({ code: 'AUTH_1001', status: 401, message: unknown })
    }
  })

  test('an unknown key, a right id with a wrong secret, and a revoked key are refused alike', async () => {
    const { key, keyId } = await merchants.createKey(shop.merchantId, 'secret')
    const text = key.reveal()
    const wrong = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
    await merchants.revokeKey(keyId)
    for (const header of [bearer(newKey('secret', 'sandbox').text), `Bearer ${wrong}`, bearer(key)]) {
      const attempt = merchants.authenticateKey(header, 'secret')
      await expect(attempt).rejects.toMatchObject({ code: 'AUTH_1001', status: 401, message: unknown })
    }
  })

  test('a wrong secret never finds the remembered answer to the right one', async () => {
    const text = shop.secretKey.reveal()
    await merchants.authenticateKey(`Bearer ${text}`, 'secret')
    const wrong = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
    await expect(merchants.authenticateKey(`Bearer ${wrong}`, 'secret')).rejects.toMatchObject({ code: 'AUTH_1001' })
  })

  test.each<[keyof MerchantSecrets, ApiKeyKind, string]>([
    ['publishableKey', 'secret', 'This is a publishable key; the call needs a secret key.'],
    ['walletApiKey', 'secret', 'This is a wallet API key; the call needs a secret key.'],
    ['secretKey', 'publishable', 'This is a secret key; the call needs a publishable key.'],
    ['secretKey', 'wallet', 'This is a secret key; the call needs a wallet API key.'],
  ])('%s where a %s key is needed', async (field, kind, message) => {
    const attempt = merchants.authenticateKey(`Bearer ${(shop[field] as { reveal(): string }).reveal()}`, kind)
    await expect(attempt).rejects.toMatchObject({ code: 'AUTH_1001', status: 401, message })
  })

  test('a key with another kind or environment written over its prefix', async () => {
    const asSecret = shop.publishableKey.reveal().replace('pk_', 'sk_')
    const asLive = shop.secretKey.reveal().replace('_test_', '_live_')
    await expect(merchants.resolveKey(asSecret, 'secret')).rejects.toMatchObject({ message: unknown })
    await expect(node({ environment: 'production' }).resolveKey(asLive, 'secret')).rejects.toMatchObject({
      message: unknown,
    })
  })

  test('a key of the other environment', async () => {
    const live = newKey('secret', 'production').text
    const message = 'This key is for production; this is sandbox.'
    await expect(merchants.authenticateKey(bearer(live), 'secret')).rejects.toMatchObject({
      code: 'AUTH_1001',
      message,
    })
    const elsewhere = node({ environment: 'production' }).authenticateKey(bearer(shop.secretKey), 'secret')
    await expect(elsewhere).rejects.toMatchObject({ message: 'This key is for sandbox; this is production.' })
  })

  test('a row whose hash was shortened in the database', async () => {
    const { key, keyId } = await merchants.createKey(shop.merchantId, 'secret')
    await database.pool.query(`update api_keys set key_hash = '' where id = $1`, [keyId])
    await expect(merchants.resolveKey(key.reveal(), 'secret')).rejects.toMatchObject({ code: 'AUTH_1001' })
  })
})

/** Guarantee (faults G4): a revoked key is refused within a second, on every node. */
describe('revocation', () => {
  test('is seen immediately where it was made, and within a second on other nodes', async () => {
    let now = 0
    const elsewhere = () => node({ monotonicMillis: () => now })
    const nodes = [node(), elsewhere(), elsewhere(), node()] as const
    const { key, keyId } = await merchants.createKey(shop.merchantId, 'secret')
    for (const one of nodes) await one.resolveKey(key.reveal(), 'secret')
    await nodes[0].revokeKey(keyId)
    await expect(nodes[0].resolveKey(key.reveal(), 'secret')).rejects.toMatchObject({ code: 'AUTH_1001' })
    now = 999
    for (const one of nodes.slice(1, 3)) {
      await expect(one.resolveKey(key.reveal(), 'secret')).rejects.toMatchObject({ code: 'AUTH_1001' })
    }
    // By the real clock it is also seen.
    const byRealClock = () =>
      nodes[3].resolveKey(key.reveal(), 'secret').then(
        () => 'resolved',
        () => 'refused',
      )
    await expect.poll(byRealClock).toBe('refused')
  })

  test('does not wait for traffic to pause: a busy key is looked up again', async () => {
    let now = 0
    const other = node({ monotonicMillis: () => now })
    const { key, keyId } = await merchants.createKey(shop.merchantId, 'secret')
    await other.resolveKey(key.reveal(), 'secret')
    await merchants.revokeKey(keyId)
    let accepted = 0
    for (now = 10; now <= 1_000; now += 10) {
      const refused = await other.resolveKey(key.reveal(), 'secret').then(
        () => false,
        () => true,
      )
      if (!refused) accepted = now
    }
    expect(accepted).toBeLessThan(1_000)
  })

  test('a key made after it was first refused works within a second', async () => {
    let now = 0
    const other = node({ monotonicMillis: () => now })
    const { key, keyId } = await merchants.createKey(shop.merchantId, 'secret')
    await database.pool.query('update api_keys set revoked_at = $2 where id = $1', [keyId, new Date(0)])
    await expect(other.resolveKey(key.reveal(), 'secret')).rejects.toMatchObject({ code: 'AUTH_1001' })
    await database.pool.query('update api_keys set revoked_at = null where id = $1', [keyId])
    now = 1_000
    expect(await other.resolveKey(key.reveal(), 'secret')).toMatchObject({ keyId })
  })
})

describe('load', () => {
  test('a thousand requests together with one key make one query', async () => {
    const { pool, counted } = countingPool()
    const busy = node({ pool, monotonicMillis: () => 0 })
    const callers = await Promise.all(
      Array.from({ length: 1_000 }, () => busy.authenticateKey(bearer(shop.secretKey), 'secret')),
    )
    expect(new Set(callers.map(({ merchantId }) => merchantId))).toEqual(new Set([shop.merchantId]))
    expect(counted.queries).toBe(1)
  })

  test('a thousand requests together with one wrong key make one query', async () => {
    const { pool, counted } = countingPool()
    const busy = node({ pool, monotonicMillis: () => 0 })
    const wrong = bearer(newKey('secret', 'sandbox').text)
    const results = await Promise.allSettled(Array.from({ length: 1_000 }, () => busy.authenticateKey(wrong, 'secret')))
    expect(results.every(({ status }) => status === 'rejected')).toBe(true)
    expect(counted.queries).toBe(1)
  })

  test('what cannot be a key of this deployment never reaches the database', async () => {
    const { pool, counted } = countingPool()
    const busy = node({ pool })
    const texts = ['x', newKey('publishable', 'sandbox').text.reveal(), newKey('secret', 'production').text.reveal()]
    for (const text of texts) await expect(busy.resolveKey(text, 'secret')).rejects.toThrow()
    expect(counted.queries).toBe(0)
  })
})

/** Guarantee (faults J7): hit, wrong secret and miss compare alike: once, in constant time, 32 bytes with 32. */
test.each(['right key', 'wrong secret', 'unknown id', 'revoked key'])('timing: %s', async (which) => {
  const { key, keyId } = await merchants.createKey(shop.merchantId, 'secret')
  if (which === 'revoked key') await merchants.revokeKey(keyId)
  const text = key.reveal()
  const wrong = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
  const asked =
    which === 'wrong secret' ? wrong : which === 'unknown id' ? newKey('secret', 'sandbox').text.reveal() : text
  timingSafeEqual.mockClear()
  const accepted = await merchants.resolveKey(asked, 'secret').then(
    () => true,
    () => false,
  )
  expect(accepted).toBe(which === 'right key')
  // Where the key is good, the seal of its row is compared as well.
  const compared = which === 'right key' ? 2 : 1
  expect(timingSafeEqual.mock.calls.map((buffers) => buffers.map((buffer) => buffer.length))).toEqual(
    Array.from({ length: compared }, () => [32, 32]),
  )
})
