import { randomBytes, randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import type { CustomerRef } from '../customers/ref.ts'
import type { CardNetwork, MintedCredential, ProvisionRequest } from '../network/port.ts'
import { createLocalKeyProvider } from '../platform/key-provider.ts'
import { secret } from '../platform/secret.ts'
import { fingerprintOf } from './fingerprint.ts'
import { createVault, parseCard, SealBroken, type Vault } from './service.ts'

const NOW = new Date('2026-11-21T12:00:00.000Z')
const NUMBER = '4242424242424242'
const MERCHANTS = ['ma_one', 'ma_two'] as const
const TOKEN = '4895370012345678'
const fingerprintKey = secret(randomBytes(32))

let database: TestDatabase
let vault: Vault
let provision: CardNetwork['provision']
let verifyCard: CardNetwork['verifyCard']
const asked: ProvisionRequest[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  vault = createVault({
    keys: createLocalKeyProvider(secret(randomBytes(32))),
    fingerprintKey,
    network: { provision: (request) => provision(request), verifyCard: (request) => verifyCard(request) },
    pool: database.pool,
  })
  for (const id of MERCHANTS) {
    await database.pool.query(
      `insert into merchants (id, name, status, allowed_origins, webhook_secret_sealed, webhook_secret_key_id, created_at)
       values ($1, $1, 'active', '{}', '', 'local:1', $2)`,
      [id, NOW],
    )
  }
})
afterAll(() => database.close())

beforeEach(async () => {
  await database.pool.query('delete from vault_records')
  asked.length = 0
  provision = async (request) => {
    asked.push(request)
    return { outcome: 'ok', value: { state: 'provisioned', design: null, tokenRef: 'ref' } }
  }
})

const credential: MintedCredential = {
  token: secret(TOKEN),
  dynamicCvv: secret('973'),
  expiryMonth: '12',
  expiryYear: '2027',
  validUntil: NOW,
}

function entered(card_number = NUMBER) {
  return parseCard({ card_number, expiry_month: '12', expiry_year: '2030' }, NOW)
}

async function stored(merchantId: string, number = NUMBER): Promise<string> {
  const sealed = await vault.sealCard(merchantId, entered(number))
  const { id: vaultRecordId, number: cell, last4, brand, expMonth, expYear } = sealed
  await database.pool.query(
    `insert into vault_records (merchant_id, id, number_sealed, number_key_id, last4, brand, exp_month,
       exp_year, added_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 'cardholder', $9)`,
    [merchantId, vaultRecordId, cell.sealed, cell.keyId, last4, brand, expMonth, expYear, NOW],
  )
  return vaultRecordId
}

function provisioning(merchantId: string, recordId: string) {
  return vault.provision({
    merchantId,
    recordId,
    networkCardId: 'card_1',
    entryId: randomUUID(),
    cvv: secret('123'),
    stepUp: 'if_needed',
    judge: async () => null,
  })
}

describe('records', () => {
  test('a stored card is found by its metadata, and its number reaches the network', async () => {
    const recordId = await stored('ma_one')
    const { number, ...shown } = (await vault.openCard('ma_one', recordId)) ?? entered('5555555555554444')
    expect(shown).toEqual({ last4: '4242', brand: 'visa', expMonth: 12, expYear: 2030 })
    expect(number.reveal()).toBe(NUMBER)
    expect(await provisioning('ma_one', recordId)).toEqual({
      outcome: 'ok',
      value: { state: 'provisioned', design: null, tokenRef: 'ref' },
    })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ cardId: 'card_1', expiryMonth: 12, expiryYear: 2030 })
    expect([asked[0]?.cardNumber.reveal(), asked[0]?.cvv?.reveal()]).toEqual([NUMBER, '123'])
  })

  test('another merchant finds nothing', async () => {
    const recordId = await stored('ma_one')
    expect(await vault.openCard('ma_two', recordId)).toBeUndefined()
    await expect(provisioning('ma_two', recordId)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(asked).toEqual([])
  })
})

describe('fingerprints', () => {
  const ANN = { merchantId: 'ma_one', customerId: 'cus_one' }

  test('are equal for one number of one customer, and unrelated otherwise', () => {
    const fingerprint = (customer: CustomerRef, number: string) =>
      fingerprintOf(fingerprintKey, customer, secret(number)).toString('hex')
    expect(fingerprint(ANN, NUMBER)).toBe(fingerprint(ANN, NUMBER))
    expect(fingerprint(ANN, NUMBER)).not.toBe(fingerprint({ ...ANN, merchantId: 'ma_two' }, NUMBER))
    expect(fingerprint(ANN, NUMBER)).not.toBe(fingerprint({ ...ANN, customerId: 'cus_two' }, NUMBER))
    expect(fingerprint(ANN, NUMBER)).not.toBe(fingerprint(ANN, '5555555555554444'))
  })

  test('depend on the key', async () => {
    const other = fingerprintOf(secret(randomBytes(32)), ANN, secret(NUMBER))
    expect(other).not.toEqual(fingerprintOf(fingerprintKey, ANN, secret(NUMBER)))
    expect(vault.fingerprint(ANN, entered())).not.toEqual(other)
    expect(vault.fingerprint(ANN, entered())).toEqual(fingerprintOf(fingerprintKey, ANN, secret(NUMBER)))
  })
})

/** Guarantee (faults J4): a row edited in the database does not open, and the network is never asked. */
describe('tampering with rows', () => {
  beforeAll(async () => {
    // The database refuses a key that it does not know.
    await database.pool.query(
      `insert into key_encryption_keys (id, state, probe, seal, moved_at) values ('local:2', 'added', '', '', now())`,
    )
  })

  const edits: [string, string][] = [
    [
      'flip a bit',
      'set number_sealed = set_bit(number_sealed, length(number_sealed) * 8 - 1, 1 - get_bit(number_sealed, length(number_sealed) * 8 - 1))',
    ],
    ['truncate', 'set number_sealed = substring(number_sealed from 1 for length(number_sealed) - 1)'],
    ['empty', `set number_sealed = ''`],
    ['change the key id', `set number_key_id = 'local:2'`],
    ['swap with another row', `set number_sealed = (select number_sealed from vault_records where id = $3)`],
    ['swap with another tenant', `set number_sealed = (select number_sealed from vault_records where id = $4)`],
    ['swap with another field', `set number_sealed = $5`],
  ]

  test.each(edits)('%s', async (_name, edit) => {
    const recordId = await stored('ma_one')
    const otherRow = await stored('ma_one', '5555555555554444')
    const otherTenant = await stored('ma_two')
    const otherField = (await vault.sealCredential('ma_one', recordId, credential)).sealed
    await database.pool.query(
      `with ids as (select $3::uuid, $4::uuid, $5::bytea) update vault_records ${edit} where merchant_id = $1 and id = $2`,
      ['ma_one', recordId, otherRow, otherTenant, otherField],
    )
    const error = await provisioning('ma_one', recordId).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SealBroken)
    expect(inspect(error)).not.toContain('4242')
    expect(asked).toEqual([])
  })

  test('a whole row moved to another tenant or id does not open', async () => {
    const recordId = await stored('ma_one')
    const { rows } = await database.pool.query<{ id: string }>(
      `update vault_records set id = gen_random_uuid() where id = $1 returning id`,
      [recordId],
    )
    const moved = rows[0]?.id ?? ''
    await expect(provisioning('ma_one', moved)).rejects.toBeInstanceOf(SealBroken)
    await database.pool.query(`update vault_records set merchant_id = 'ma_two', id = $1`, [recordId])
    await expect(provisioning('ma_two', recordId)).rejects.toBeInstanceOf(SealBroken)
  })
})

describe('the network', () => {
  test.each([
    { outcome: 'declined', reason: 'CVV_MISMATCH' },
    { outcome: 'unknown', cause: 'timed out' },
  ] as const)('its answer $outcome comes back as it is', async (answer) => {
    provision = async () => answer
    expect(await provisioning('ma_one', await stored('ma_one'))).toEqual(answer)
  })

  test('an adapter that throws is an unknown outcome, and its error, which may quote the number, ends in the vault', async () => {
    provision = async (request) => {
      throw new Error(`No route for ${request.cardNumber.reveal()}`)
    }
    const answer = await provisioning('ma_one', await stored('ma_one'))
    expect(answer.outcome).toBe('unknown')
    expect(inspect(answer)).not.toContain('4242')
    verifyCard = provision as CardNetwork['verifyCard']
    const looked = await vault.verifyCard(entered(), secret('123'))
    expect(looked.outcome).toBe('unknown')
    expect(inspect(looked)).not.toContain('4242')
  })
})

describe('credentials and texts', () => {
  test('a credential opens for its own charge only', async () => {
    const field = await vault.sealCredential('ma_one', 'txn_1', credential)
    expect(await vault.unsealCredential('ma_one', 'txn_1', field)).toEqual({
      token: TOKEN,
      dynamic_cvv: '973',
      expiry_month: '12',
      expiry_year: '2027',
    })
    await expect(vault.unsealCredential('ma_one', 'txn_2', field)).rejects.toBeInstanceOf(SealBroken)
    await expect(vault.unsealCredential('ma_two', 'txn_1', field)).rejects.toBeInstanceOf(SealBroken)
  })

  test('a text opens in its own cell only', async () => {
    const cell = { table: 'merchants', merchantId: 'ma_one', id: 'ma_one', field: 'webhook_secret' }
    const field = await vault.sealText(cell, secret('whsec_été'))
    expect((await vault.unsealText(cell, field)).reveal()).toBe('whsec_été')
    await expect(vault.unsealText({ ...cell, field: 'other' }, field)).rejects.toBeInstanceOf(SealBroken)
  })
})

/** Guarantee: a leaked dump holds no card number, code or credential, in no column and in no encoding at hand. */
test('no column of the database shows a number, a code or a credential', async () => {
  const cvv = '9083741'
  const recordId = await stored('ma_one')
  await vault.provision({
    merchantId: 'ma_one',
    recordId,
    networkCardId: 'card_1',
    entryId: randomUUID(),
    cvv: secret(cvv),
    stepUp: 'if_needed',
    judge: async () => null,
  })
  const field = await vault.sealCredential('ma_one', 'txn_1', credential)
  // The sealed bytes of a credential as a row would hold them.
  await database.pool.query(
    `update merchants set webhook_secret_sealed = $1, webhook_secret_key_id = $2 where id = 'ma_one'`,
    [field.sealed, field.keyId],
  )
  const cells = await everyCell()
  expect(cells.some(({ bytes }) => bytes.includes('ma_one'))).toBe(true)
  const needles = [NUMBER, cvv, TOKEN, NUMBER.slice(0, 12)].flatMap((text) => {
    const bytes = Buffer.from(text)
    return [
      bytes,
      bytes.toString('hex'),
      bytes.toString('base64').replace(/=+$/, ''),
      Buffer.from(text, 'utf16le'),
      Buffer.from(text.padStart(20, '0'), 'hex'),
    ]
  })
  const shown = cells.filter(({ bytes }) => needles.some((needle) => bytes.includes(needle)))
  expect(shown.map(({ column }) => column)).toEqual([])
})

/** Every value of every table as bytes: bytea as it is, all else as its text. */
async function everyCell(): Promise<{ column: string; bytes: Buffer }[]> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `select format('%I', table_name) as name from information_schema.tables where table_schema = 'public'`,
  )
  const cells = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await database.pool.query<Record<string, unknown>>(`select * from ${name}`)
      return rows.flatMap((row) =>
        Object.entries(row).map(([column, value]) => ({
          column: `${name}.${column}`,
          bytes: Buffer.isBuffer(value) ? value : Buffer.from(inspect(value, { depth: null })),
        })),
      )
    }),
  )
  return cells.flat()
}
