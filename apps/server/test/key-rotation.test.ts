// Guarantee: a key-encryption key is exchanged while the service runs; no read fails meanwhile, on no node, and a key goes only
// when it wraps nothing any more.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreateCheckout } from '../src/checkout/shops/service.ts'
import { fileOfKey } from '../src/keys/key-files.ts'
import { type Secret, secret } from '../src/platform/secret.ts'
import { endpointForSending } from '../src/webhooks/send.ts'
import { createEndpoint, keyed } from '../src/webhooks/testing/endpoints.ts'
import { cardholder } from './cardholder.ts'
import {
  approvedSession,
  atOnce,
  authorization,
  createSession,
  dbRow,
  newUser,
  paymentResult,
  vaultRecord,
} from './flows.ts'
import { PATIENT, startTestService, type TestService } from './service.ts'

let service: TestService
/** Another node on the same database, which is told nothing. */
let other: TestService
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mintmark-rotation-'))
  const createCheckout: CreateCheckout = (_, { key }) => ({ key }) as unknown as ReturnType<CreateCheckout>
  service = await startTestService({ keys: folder, env: PATIENT, createCheckout })
  other = await startTestService({ keys: folder, env: PATIENT, database: service.database })
})
afterAll(async () => {
  await other?.close()
  await service?.close()
  await rm(folder, { recursive: true })
})

const SHOP = {
  name: 'Tea House',
  url: 'https://tea.example',
  country: 'US',
  adapter: 'native',
  baseUrl: 'https://tea.example/api',
} as const

/** How many values each key wraps. */
async function wrapped(table?: string, column?: string): Promise<Record<string, number>> {
  const used =
    table === undefined
      ? `select number_key_id as id from vault_records union all select webhook_secret_key_id from merchants
         union all select credential_key_id from charges union all select secret_key_id from webhook_endpoints
         union all select former_secret_key_id from webhook_endpoints union all select key_key_id from shops`
      : `select ${column} as id from ${table}`
  const { rows } = await service.pool.query<{ id: string; count: number }>(
    `select id, count(*)::int as count from (${used}) used where id is not null group by id`,
  )
  return Object.fromEntries(rows.map(({ id, count }) => [id, count]))
}

async function rewrapAll(on = service) {
  const total = { rewrapped: 0, broken: 0 }
  for (const keyId of await on.app.keys.listFormerKeys()) {
    for (const place of on.app.sealedPlaces) {
      const count = await on.app.rewrap(place, keyId, () => undefined)
      total.rewrapped += count.rewrapped
      total.broken += count.broken
    }
  }
  return total
}

/** The stored number is opened and goes to the network, and the minted credential buys. */
async function payWithStored(on: TestService, recordId: string): Promise<void> {
  const { merchant } = service
  const { session_id: id, session_token } = await createSession(merchant, {
    user_id: newUser(),
    card: { vault_ref_id: recordId },
  })
  const visitor = cardholder(on, session_token)
  expect((await visitor.post('/api/cards', { cvv: '123' })).body).toMatchObject({ step: 'card_verification' })
  await visitor.post('/api/cards/verify', { code: '123456' })
  await visitor.registerPasskey()
  expect((await visitor.approve()).body).toMatchObject({ outcome: 'approved' })
  const [item] = (await paymentResult(merchant, id)).body.transactions[0].line_items
  const bought = await merchant.post('/v1/test_helpers/authorizations', authorization(item))
  expect(bought.body).toMatchObject({ approved: true })
}

test('a key is added, made current, takes over everything, and the old one goes', async () => {
  const { merchant, app } = service
  const sessions = await atOnce(6, () => approvedSession(merchant))
  const recordId = await vaultRecord(merchant)
  await payWithStored(service, recordId)
  const shop = await app.shops.add(SHOP, secret('key-of-the-shop'))
  const webhookSecret = (await app.merchants.getWebhookSecret(merchant.merchantId)).reveal()
  const endpoint = await createEndpoint(merchant)
  const signing = [(await keyed(merchant, `${endpoint.path}/rotate-secret`)).body.signing_secret, endpoint.secret]
  expect(Object.keys(await wrapped())).toEqual(['local:1'])

  const { id } = await app.keys.addKey('local')
  await app.keys.rotateKey(id)
  // The other node was told of nothing and wraps with the old key; what the new one wrapped it opens all the same.
  const late = await approvedSession(merchant)
  expect((await other.merchant.get('/health')).status).toBe(200)
  await expect(app.keys.retireKey('local:1', app.sealedPlaces)).rejects.toThrow(/still wraps vault_records\.number/)

  // Payments and reads go on while everything is wrapped anew.
  const reading = atOnce(3, async () => {
    for (let round = 0; round < 3; round += 1) {
      for (const { id: sessionId, item } of [...sessions, late]) {
        const { status, body } = await paymentResult(merchant, sessionId)
        expect({ status, token: body.transactions[0].line_items[0].token }).toEqual({ status: 200, token: item.token })
      }
      await payWithStored(round % 2 === 0 ? other : service, recordId)
    }
  })
  const { rewrapped, broken } = await rewrapAll()
  expect(broken).toBe(0)
  expect(rewrapped).toBeGreaterThan(12)
  await reading
  // What the other node wrapped with the old key meanwhile.
  await rewrapAll()
  expect(Object.keys(await wrapped())).toEqual([id])
  expect(await app.keys.retireKey('local:1', app.sealedPlaces)).toEqual({ retired: true })

  for (const node of [service, other]) await payWithStored(node, recordId)
  expect((await app.merchants.getWebhookSecret(merchant.merchantId)).reveal()).toBe(webhookSecret)
  const asked = await app.shops.checkoutOf((await app.shops.find(shop.id)) ?? shop)
  expect((asked as unknown as { key: Secret }).key.reveal()).toBe('key-of-the-shop')
  const ref = { merchantId: merchant.merchantId, endpointId: endpoint.id }
  const { parts, merchants } = other.app
  const sendable = await endpointForSending({ ...parts.common, seals: parts.seals, vault: parts.vault, merchants }, ref)
  expect(sendable?.secrets.map((one) => one.reveal())).toEqual(signing)
  expect((await app.keys.describeKeys(app.sealedPlaces)).keys).toEqual([
    {
      id,
      state: 'current',
      wraps: {
        'vault_records.number': (await wrapped('vault_records', 'number_key_id'))[id],
        'merchants.webhook_secret': 2,
        'webhook_endpoints.secret': 1,
        'webhook_endpoints.former_secret': 1,
        'shops.key': 1,
        'purchases.credential': 0,
        'charges.credential': (await wrapped('charges', 'credential_key_id'))[id],
      },
    },
  ])
})

test('a process that slept through a retirement cannot store what the retired key wraps', async () => {
  const refused = service.pool.query(`update vault_records set number_key_id = 'local:1'`)
  await expect(refused).rejects.toThrow('vault_records_number_key_id_fkey')
})

test('a value that does not open is counted, stays as it is, and keeps its key', async () => {
  const { app } = service
  const before = (await app.keys.describeKeys([])).keys[0]?.id ?? ''
  const edited = await dbRow(
    service,
    `update vault_records set number_sealed = set_byte(number_sealed, 20, 255 - get_byte(number_sealed, 20))
     where id = (select id from vault_records order by id limit 1) returning id, number_sealed`,
  )
  const { id } = await app.keys.addKey('local')
  await app.keys.rotateKey(id)
  expect(await rewrapAll()).toMatchObject({ broken: 1 })
  await expect(app.keys.retireKey(before, app.sealedPlaces)).rejects.toThrow('still wraps vault_records.number')
  const kept = await dbRow(service, 'select number_sealed from vault_records where id = $1', [edited.id])
  expect(kept.number_sealed).toEqual(edited.number_sealed)
})

test('two rotations at the same moment leave one current key', async () => {
  const { keys } = service.app
  const added = [(await keys.addKey('local')).id, (await keys.addKey('local')).id]
  await Promise.allSettled([keys.rotateKey(added[0] ?? ''), other.app.keys.rotateKey(added[1] ?? '')])
  const current = (await keys.describeKeys([])).keys.filter(({ state }) => state === 'current')
  expect(current).toHaveLength(1)
  expect(added).toContain(current[0]?.id)
  for (const node of [service, other]) await payWithStored(node, await vaultRecord(service.merchant))
})

test('rows that are put back as they were under a key that is gone open for nobody', async () => {
  const { app } = service
  const merchant = await service.addMerchant()
  const { id, item } = await approvedSession(merchant)
  const recordId = await vaultRecord(merchant)
  const tables = ['charges', 'merchants', 'vault_records']
  await service.pool.query('create schema old')
  for (const table of tables) await service.pool.query(`create table old.${table} as select * from ${table}`)
  const before = (await app.keys.describeKeys([])).keys.find(({ state }) => state === 'current')?.id ?? ''
  const { id: next } = await app.keys.addKey('local')
  await app.keys.rotateKey(next)
  await rewrapAll()
  expect(await app.keys.retireKey(before, app.sealedPlaces)).toEqual({ retired: true })
  await rm(fileOfKey(join(folder, 'root.key'), before))
  const client = await service.pool.connect()
  await client.query('begin; set local session_replication_role = replica')
  for (const table of tables) {
    const whose = `${table === 'merchants' ? 'id' : 'merchant_id'} = '${merchant.merchantId}'`
    await client.query(
      `delete from ${table} where ${whose}; insert into ${table} select * from old.${table} where ${whose}`,
    )
  }
  await client.query('commit')
  client.release(true)
  // A process that has the key in its memory still opens them; one that starts has not.
  const late = await startTestService({ keys: folder, env: PATIENT, database: service.database })
  try {
    await expect(late.app.merchants.getWebhookSecret(merchant.merchantId)).rejects.toThrow()
    const { session_token } = await createSession(merchant, { card: { vault_ref_id: recordId } })
    expect((await cardholder(late, session_token).post('/api/cards', { cvv: '123' })).status).toBe(500)
    // A credential is asked for anew at the network, which knows it.
    const of = (path: string) =>
      fetch(late.apiUrl + path, { headers: { authorization: `Bearer ${merchant.secretKey}` } })
    const result = await (await of(`/v1/sessions/${id}/payment-result`)).json()
    expect(result.transactions[0].line_items[0].token).toBe(item.token)
  } finally {
    await late.close()
  }
})

test('every sealed column of the schema is wrapped anew by a rotation', async () => {
  const { rows } = await service.pool.query<{ place: string; has_key: boolean }>(
    `select table_name || '.' || replace(column_name, '_sealed', '') as place, exists (
       select 1 from information_schema.columns k where k.table_schema = c.table_schema and k.table_name = c.table_name
         and k.column_name = replace(c.column_name, '_sealed', '_key_id')) as has_key
     from information_schema.columns c where table_schema = 'public' and column_name like '%\\_sealed'`,
  )
  // Credentials of purchases are in the column of all charges; the places tell apart who may open them.
  const columns = service.app.sealedPlaces.map(({ name }) => name.replace('purchases.', 'charges.'))
  expect(rows.map(({ place }) => place).sort()).toEqual([...new Set(columns)].sort())
  expect(rows.filter(({ has_key }) => !has_key)).toEqual([])
})

test('no key is in the database', async () => {
  const { keys } = await service.app.keys.describeKeys([])
  const file = await readFile(fileOfKey(join(folder, 'root.key'), keys[0]?.id ?? ''))
  const { rows } = await service.pool.query<{ text: string }>('select k::text as text from key_encryption_keys k')
  expect(file).toHaveLength(32)
  expect(rows.some(({ text }) => text.includes(file.toString('hex')))).toBe(false)
})
