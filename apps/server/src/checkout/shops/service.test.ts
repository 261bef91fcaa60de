import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dbRow } from '../../../test/flows.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { type Secret, secret } from '../../platform/secret.ts'
import type { CreateCheckout } from './service.ts'

// Guarantee: a shop is what its operator says; its key opens in its own row alone and shows in no list; a key-encryption key that
// wraps one is exchanged like any other.

type Asked = { adapter: string; baseUrl: string; key: Secret | null }
let asked: Asked[]
const createCheckout: CreateCheckout = (adapter, shop) => {
  asked.push({ adapter, ...shop })
  return {} as ReturnType<CreateCheckout>
}

let service: TestService
beforeAll(async () => {
  asked = []
  service = await startTestService({ createCheckout, env: { CHECKOUT_ALLOW_LOOPBACK: 'on' } })
})
afterAll(() => service?.close())

const SETTINGS = {
  name: 'Tea House',
  url: 'https://tea.example',
  country: 'US',
  adapter: 'native',
  baseUrl: 'http://127.0.0.1:4999/api',
} as const
const KEY = 'shopkey-of-the-tea-house'
const add = (changes: object = {}, key: Secret | null = secret(KEY)) =>
  service.app.shops.add({ ...SETTINGS, ...changes }, key)

test('a shop is found as it was added, and asked with its key', async () => {
  const { shops } = service.app
  const { id } = await add()
  const shop = await shops.find(id)
  expect(shop).toMatchObject({ ...SETTINGS, id, status: 'active' })
  if (shop === undefined) throw new Error('There is no shop.')
  await shops.checkoutOf(shop)
  const last = asked.at(-1)
  expect(last).toMatchObject({ adapter: 'native', baseUrl: SETTINGS.baseUrl })
  expect(last?.key?.reveal()).toBe(KEY)
  const row = await dbRow(service, 'select * from shops where id = $1', [id])
  expect(JSON.stringify(row, (_, value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value))).not.toContain(
    KEY,
  )
})

test('a shop that asks for no key has none', async () => {
  const shop = await add({ adapter: 'acp' }, null)
  expect(shop.key).toBeNull()
  await service.app.shops.checkoutOf(shop)
  expect(asked.at(-1)).toMatchObject({ adapter: 'acp', key: null })
})

test('a change changes what it names', async () => {
  const { shops } = service.app
  const { id, key } = await add()
  const renamed = await shops.update(id, { name: 'Tea & Co.' })
  expect(renamed).toMatchObject({ ...SETTINGS, name: 'Tea & Co.', key })
  const replaced = await shops.update(id, { key: secret('another-key') })
  await shops.checkoutOf(replaced)
  expect(asked.at(-1)?.key?.reveal()).toBe('another-key')
  expect((await shops.update(id, { key: null })).key).toBeNull()
  expect(await shops.update(id, { status: 'disabled' })).toMatchObject({ name: 'Tea & Co.', status: 'disabled' })
  expect((await shops.listActive()).map((shop) => shop.id)).not.toContain(id)
  expect((await shops.list()).map((shop) => shop.id)).toContain(id)
  await expect(shops.update('shop_none', { name: 'X' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

describe('settings that cannot be', () => {
  test.each([
    ['name', { name: ' ' }],
    ['name', { name: '\u3164\u2800' }],
    ['name', { name: 'a\u202eb' }],
    ['name', { name: 'x'.repeat(101) }],
    ['url', { url: 'http://tea.example' }],
    ['url', { url: 'https://ann:secret@tea.example' }],
    ['url', { url: 'tea.example' }],
    ['country', { country: 'XX' }],
    ['base-url', { baseUrl: 'http://10.0.0.1/api' }],
    ['base-url', { baseUrl: 'https://ann@tea.example/api' }],
    ['base-url', { baseUrl: 'https://tea.example/api/' }],
    ['base-url', { baseUrl: 'https://tea.example/api?key=1' }],
    ['base-url', { baseUrl: 'ftp://tea.example' }],
  ])('%s: %o', async (field, changes) => {
    await expect(add(changes)).rejects.toMatchObject({ code: 'VAL_2001', details: { [field]: expect.any(String) } })
  })
})

test('a sealed key opens in its own row alone', async () => {
  const { shops } = service.app
  const [mine, other] = [await add(), await add({}, secret('key-of-another'))]
  await expect(shops.checkoutOf({ ...mine, key: other.key })).rejects.toThrow('failed authentication')
})

test('the shop of the sandbox is one shop, at its newest address', async () => {
  const { shops } = service.app
  const first = await shops.ensureSandboxShop({ ...SETTINGS, name: 'Sandbox Shop' }, secret('first'))
  await shops.update(first.id, { name: 'Renamed', status: 'disabled' })
  const moved = { ...SETTINGS, name: 'Sandbox Shop', baseUrl: 'http://127.0.0.1:5001/api' }
  const second = await shops.ensureSandboxShop(moved, secret('second'))
  expect(second).toMatchObject({ id: first.id, baseUrl: moved.baseUrl, name: 'Renamed', status: 'disabled' })
  await shops.checkoutOf(second)
  expect(asked.at(-1)?.key?.reveal()).toBe('second')
  // What was edited of it in the database is as it should be after the next start.
  await service.pool.query(`update shops set name = 'Evil', country = 'CA' where id = $1`, [first.id])
  const third = await shops.ensureSandboxShop(moved, secret('third'))
  expect(third).toMatchObject({ name: 'Sandbox Shop', country: 'US' })
  await shops.checkoutOf(third)
})

test('what a key-encryption key wraps of shops is counted, listed and wrapped anew', async () => {
  const { shops, sealedPlaces, rewrap } = service.app
  const { id } = await add()
  const place = sealedPlaces.find(({ name }) => name === 'shops.key')
  if (place === undefined) throw new Error('The keys of shops are no sealed place.')
  const { sealed, key_id } = await dbRow(
    service,
    'select key_sealed as sealed, key_key_id as key_id from shops where id = $1',
    [id],
  )
  expect(await place.count(key_id)).toBeGreaterThan(0)
  await rewrap(place, key_id, () => {})
  const after = await shops.find(id)
  if (after === undefined || after.key === null) throw new Error('The shop is gone.')
  await shops.checkoutOf(after)
  expect(asked.at(-1)?.key?.reveal()).toBe(KEY)
  expect(after.key.sealed.equals(sealed)).toBe(false)
})
