import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import type { CustomerRef } from '../customers/ref.ts'
import { NO_EVENTS } from '../db/testing/no-events.ts'
import { transaction } from '../db/transaction.ts'
import { createSimulatedNetwork, type SimulatedNetwork } from '../network/simulator/simulator.ts'
import { STEP_UP_CODE } from '../network/simulator/test-cards.ts'
import { numberOf } from '../network/simulator/testing/cards.ts'
import { createLocalKeyProvider } from '../platform/key-provider.ts'
import { createLog } from '../platform/log.ts'
import { secret } from '../platform/secret.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { testSeals } from '../platform/testing/row-seals.ts'
import { entryWrites } from '../sessions/entry-writes.ts'
import { createVault, parseCard, type Vault } from '../vault/service.ts'
import { type Card, type CardService, createCardService, type EnteredResult } from './service.ts'
import { updateDeleted } from './store.ts'

// Guarantee: a number is one live card of a customer; it is shredded when the network does not accept it, and a number
// that the merchant put in the vault never is.

const DAY_SECONDS = 24 * 60 * 60
const CUSTOMER: CustomerRef = { merchantId: 'ma_one', customerId: 'cus_one' }
const OTHER: CustomerRef = { merchantId: 'ma_one', customerId: 'cus_two' }

let database: TestDatabase
let network: SimulatedNetwork
let vault: Vault
let cards: TestCards
let clock: ManualClock

beforeAll(async () => {
  database = await createTestDatabase()
  const { pool } = database
  await pool.query(
    `insert into merchants (id, name, status, allowed_origins, webhook_secret_sealed, webhook_secret_key_id, created_at)
     values ('ma_one', 'Shop', 'active', '{}', '', 'local:1', now())`,
  )
  for (const { merchantId, customerId } of [CUSTOMER, OTHER]) {
    await pool.query(
      `insert into customers (merchant_id, id, external_user_id, email, created_at, updated_at)
       values ($1, $2, $2, 'a@b.example', now(), now())`,
      [merchantId, customerId],
    )
    await openSession({ merchantId, customerId })
  }
})

/** What is entered is entered in a session: here one for each customer, under the customer's name. */
async function openSession({ merchantId, customerId: id }: CustomerRef): Promise<void> {
  const row = { merchant_id: merchantId, id, order_id: id, version: 1, attempts: 0, lease_fence: 0, created_at: 'now' }
  const payee = {
    payee_name: 'Shop',
    payee_network_name: 'SHOP',
    payee_url: 'https://shop.example',
    payee_country: 'US',
  }
  const price = { amount_minor: 1, currency: 'USD', products: [], simulated: false, reference_freed: false }
  const charge = { line_item_id: id, status: 'initiated', attempts: null, ...price, ...payee }
  const session = {
    customer_id: id,
    kind: 'payment',
    charge_id: id,
    integration_type: 'embedding',
    launch_hash: '',
    entry_once: false,
  }
  const lifetime = { effective_minutes: 1, expires_at: '2100-01-01' }
  // Columns that a table does not have are left out.
  const insert = (table: string, values: object) =>
    database.pool.query(`insert into ${table} select * from jsonb_populate_record(null::${table}, $1)`, [values])
  await insert('charges', { ...row, ...charge, updated_at: 'now' })
  await insert('sessions', { ...row, ...session, ...lifetime })
}
afterAll(() => database.close())

beforeEach(async () => {
  const { pool } = database
  await forgetChoices()
  await pool.query('delete from cards')
  await pool.query('delete from vault_records')
  clock = new ManualClock()
  network = createSimulatedNetwork({ pool, clock, key: secret(randomBytes(32)), timeoutMillis: 120_000 })
  const keys = createLocalKeyProvider(secret(randomBytes(32)))
  vault = createVault({ keys, fingerprintKey: secret(randomBytes(32)), network, pool })
  cards = withVault(vault.provision)
})

async function forgetChoices(): Promise<void> {
  await database.pool.query(
    'update sessions set card_id = null, entry_id = null, proven_card_id = null, proof = null, closed_at = null',
  )
}

type TestCards = ReturnType<typeof withVault>

/** The service, with another way from the vault to the network, for entries in the customer's session. */
function withVault(provision: Vault['provision']) {
  const service: CardService = createCardService({
    ...{
      seals: testSeals(),
      pool: database.pool,
      clock,
      network,
      events: NO_EVENTS,
      ...{ log: createLog({ level: 'silent' }), leaseSeconds: 40 },
      ...{ mandates: { cancelOfCard: async () => [] }, charges: { endOfCard: async () => undefined } },
      ...{ bins: { judge: async () => null }, findUse: async () => ({ until: null }) },
    },
    vault: { ...vault, provision },
  })
  const inSession = ({ merchantId, customerId: sessionId }: CustomerRef) => ({
    ...entryWrites({ seals: testSeals() }, { merchantId, sessionId }),
    look: async () => undefined,
  })
  const enterRaw = (customer: CustomerRef, card: ReturnType<typeof input> | { cvv: string }) =>
    service.enroll(customer, inSession(customer), card)
  const enter = async (...args: Parameters<typeof enterRaw>) => entered(await enterRaw(...args))
  const enterRecord = async (customer: CustomerRef, recordId: string, cvv: string) =>
    entered(await service.enrollRecord(customer, inSession(customer), recordId, cvv))
  return {
    ...service,
    enterRaw,
    enter,
    enroll: async (...args: Parameters<typeof enter>) => (await enter(...args)).card,
    enrollRecord: async (...args: Parameters<typeof enterRecord>) => (await enterRecord(...args)).card,
    prove: async (card: Card, cvv: string) => entered(await service.prove(card, inSession(card), { cvv, once: false })),
    verify: (customer: CustomerRef, entry: { cardId: string; entryId: string }, code: string) =>
      service.verify(customer, entry, inSession(customer), code),
  }
}

/** An entry that was made, in a session that has its card now. */
function entered(result: EnteredResult | null) {
  if (result === null) throw new Error('The session is not open.')
  const { isChosen, ...card } = result.card
  expect(isChosen).toBe(true)
  return { ...result, card }
}

const SUCCESS = numberOf('success')

function input(card_number = SUCCESS, expiry_year = '2030') {
  return { card_number, expiry_month: '12', expiry_year, cvv: '123' }
}

async function recordIds(): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>('select id from vault_records order by id')
  return rows.map(({ id }) => id)
}

/** A number that the merchant puts in the vault. */
async function preselected(): Promise<string> {
  const sealed = await vault.sealCard('ma_one', parseCard(input(), clock.now()))
  const added = await transaction(database.pool, (tx) => vault.insertRecord(tx, 'ma_one', sealed, clock.now()))
  return added?.id ?? ''
}

describe('enroll', () => {
  test('a good card is active, the first one the default, and nothing is due', async () => {
    const first = await cards.enroll(CUSTOMER, input())
    expect(first).toMatchObject({ ...CUSTOMER, status: 'active', last4: SUCCESS.slice(-4), stepUpPending: false })
    clock.advance(1)
    const second = await cards.enroll(CUSTOMER, input('5555555555554444'))
    expect(second.status).toBe('active')
    const { rows } = await database.pool.query('select id from cards where is_default')
    expect(rows).toEqual([{ id: first.id }])
    clock.advance(DAY_SECONDS)
    expect((await cards.shredAbandoned(50)).taken).toBe(0)
  })

  test('the same number again is the same card with its new expiry, also of 16 tabs together', async () => {
    const all = await Promise.all(Array.from({ length: 16 }, () => cards.enroll(CUSTOMER, input())))
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect(await recordIds()).toHaveLength(1)
    const renewed = await cards.enroll(CUSTOMER, input(SUCCESS, '2033'))
    expect(renewed).toMatchObject({ id: all[0]?.id, status: 'active', expYear: 2033 })
    expect((await cards.enroll(OTHER, input())).id).not.toBe(renewed.id)
  })

  test('a refused card leaves no number behind, and can be entered again', async () => {
    const refused = cards.enroll(CUSTOMER, input(numberOf('card_declined')))
    await expect(refused).rejects.toMatchObject({ code: 'CARD_REFUSED', details: { reason: 'CARD_DECLINED' } })
    expect(await recordIds()).toEqual([])
    const { rows } = await database.pool.query('select status, vault_record_id from cards')
    expect(rows).toEqual([{ status: 'deleted', vault_record_id: null }])
  })

  test('an active card entered again, even refused then, stays as it was', async () => {
    const card = await cards.enroll(CUSTOMER, input())
    expect(await cards.enroll(CUSTOMER, input())).toEqual(card)
    const refusing = withVault(async () => ({ outcome: 'declined', reason: 'CVV_MISMATCH' }))
    await expect(refusing.enroll(CUSTOMER, input())).rejects.toMatchObject({ code: 'CARD_REFUSED' })
    expect(await cards.find(CUSTOMER, card.id)).toEqual(card)
    expect(await recordIds()).toEqual([card.vaultRecordId])
  })

  test('of a number that is live already no second one is stored, sealed or not', async () => {
    const card = await cards.enroll(CUSTOMER, input())
    await Promise.all(Array.from({ length: 8 }, () => cards.enroll(CUSTOMER, input())))
    expect(await recordIds()).toEqual([card.vaultRecordId])
    const { rows } = await database.pool.query('select id from cards')
    expect(rows).toEqual([{ id: card.id }])
  })

  test.each([
    ['is closed', 'closed_at = now()'],
    ['is over', `expires_at = '2000-01-01'`],
    ['is another customer’s', `customer_id = 'cus_two'`],
  ])('a session that %s stores no number, and the network is not asked', async (_, change) => {
    const { pool } = database
    await pool.query(`update sessions set ${change} where id = 'cus_one'`)
    const service = withVault(() => {
      throw new Error('The network was asked.')
    })
    await expect(service.enroll(CUSTOMER, input())).rejects.toThrow('The session is not open.')
    await pool.query(`update sessions set closed_at = null, expires_at = '2100-01-01', customer_id = id`)
    await pool.query(`update merchants set status = 'suspended'`)
    await expect(service.enroll(CUSTOMER, input())).rejects.toThrow('The session is not open.')
    await pool.query(`update merchants set status = 'active'`)
    expect(await recordIds()).toEqual([])
  })

  test('a session that ended while the network was asked gets no card; the card is active for another one', async () => {
    const closing = withVault(async (request) => {
      const answer = await vault.provision(request)
      await database.pool.query('update sessions set closed_at = now()')
      return answer
    })
    const result = await closing.enterRaw(CUSTOMER, input())
    expect(result?.card).toMatchObject({ status: 'active', isChosen: false })
    const { rows } = await database.pool.query(`select card_id, proof from sessions where id = 'cus_one'`)
    expect(rows).toEqual([{ card_id: null, proof: null }])
  })

  test('a card that was shredded while the network was asked is not revived', async () => {
    const shredding = withVault(async (request) => {
      const answer = await vault.provision(request)
      clock.advance(DAY_SECONDS)
      expect((await cards.shredAbandoned(50)).taken).toBe(1)
      return answer
    })
    await expect(shredding.enroll(CUSTOMER, input())).rejects.toMatchObject({ code: 'CARD_INACTIVE' })
    expect(await recordIds()).toEqual([])
  })

  test('a failure that asks for the same card once more keeps it', async () => {
    const number = numberOf('device_binding_fails_once')
    await expect(cards.enroll(CUSTOMER, input(number))).rejects.toMatchObject({ code: 'CARD_REFUSED' })
    expect(await recordIds()).toHaveLength(1)
    expect(await cards.enroll(CUSTOMER, input(number))).toMatchObject({ status: 'active' })
  })

  test('missing fields are named', async () => {
    await expect(cards.enroll(CUSTOMER, { cvv: '123' })).rejects.toMatchObject({
      code: 'VAL_2001',
      details: { card_number: 'is required', expiry_month: 'is required', expiry_year: 'is required' },
    })
  })
})

describe('step-up', () => {
  const waitingEntry = async () => {
    const { card, entryId } = await cards.enter(CUSTOMER, input(numberOf('step_up')))
    return { card, entry: { cardId: card.id, entryId: entryId ?? '' } }
  }

  test('the code activates the card, once', async () => {
    const { card: waiting, entry } = await waitingEntry()
    expect(waiting).toMatchObject({ status: 'provisioning', stepUpPending: true })
    const here = { sessionId: CUSTOMER.customerId, provenCardId: waiting.id }
    await expect(cards.getUsable(CUSTOMER, waiting.id, here)).rejects.toMatchObject({ code: 'CARD_INACTIVE' })
    await expect(cards.verify(CUSTOMER, entry, '999999')).rejects.toMatchObject({ code: 'STEP_UP_INVALID' })
    await expect(cards.verify(OTHER, entry, STEP_UP_CODE)).rejects.toMatchObject({ code: 'CARD_NOT_FOUND' })
    const all = await Promise.all(Array.from({ length: 8 }, () => cards.verify(CUSTOMER, entry, STEP_UP_CODE)))
    for (const card of all) expect(card).toMatchObject({ id: waiting.id, status: 'active', stepUpPending: false })
  })

  test('the code of an entry that another one followed proves nothing in the session', async () => {
    const [{ entry: first }, { entry: second }] = [await waitingEntry(), await waitingEntry()]
    expect(await cards.verify(CUSTOMER, first, STEP_UP_CODE)).toMatchObject({ id: second.cardId, isChosen: false })
    expect(await cards.verify(CUSTOMER, second, STEP_UP_CODE)).toMatchObject({ id: first.cardId, isChosen: true })
  })

  test('wrong codes to the end shred the number', async () => {
    const { entry } = await waitingEntry()
    for (let tries = 0; tries < 2; tries += 1) await cards.verify(CUSTOMER, entry, '999999').catch(() => undefined)
    await expect(cards.verify(CUSTOMER, entry, '999999')).rejects.toMatchObject({ code: 'CARD_REFUSED' })
    expect(await recordIds()).toEqual([])
    await expect(cards.verify(CUSTOMER, entry, STEP_UP_CODE)).rejects.toMatchObject({ code: 'CARD_INACTIVE' })
  })
})

describe('an active card that is entered again', () => {
  test('with a wrong CVV is refused, and keeps its expiry in card and vault', async () => {
    const card = await cards.enroll(CUSTOMER, input())
    const wrong = { ...input(SUCCESS, '2026'), cvv: '000' }
    await expect(cards.enroll(CUSTOMER, wrong)).rejects.toMatchObject({ code: 'CARD_REFUSED' })
    expect(await cards.find(CUSTOMER, card.id)).toEqual(card)
    const { rows } = await database.pool.query('select exp_year from vault_records')
    expect(rows).toEqual([{ exp_year: 2030 }])
  })

  test('by its CVV alone is proven by a code of its own, whatever was proven before', async () => {
    const card = await cards.enroll(CUSTOMER, input())
    await expect(cards.prove(card, '000')).rejects.toMatchObject({ code: 'CARD_REFUSED' })
    const entry = { cardId: card.id, entryId: (await cards.prove(card, '123')).entryId ?? '' }
    await expect(cards.verify(CUSTOMER, entry, '999999')).rejects.toMatchObject({ code: 'STEP_UP_INVALID' })
    expect(await cards.verify(CUSTOMER, entry, STEP_UP_CODE)).toMatchObject({ status: 'active' })
  })
})

describe('entries of one number together', () => {
  test('30 of a refused number are all refused by the network, and leave nothing', async () => {
    const entries = Array.from({ length: 30 }, () => cards.enroll(CUSTOMER, input(numberOf('card_declined'))))
    const codes = (await Promise.allSettled(entries)).map((entry) =>
      entry.status === 'rejected' ? entry.reason.code : entry.status,
    )
    expect(new Set(codes)).toEqual(new Set(['CARD_REFUSED']))
    expect(await recordIds()).toEqual([])
  })
})

describe('a record that the merchant put in the vault', () => {
  test('becomes a card by its CVV and the code of the network', async () => {
    const recordId = await preselected()
    const card = await cards.enrollRecord(CUSTOMER, recordId, '123')
    expect(card).toMatchObject({ status: 'provisioning', stepUpPending: true })
    // A record of its own: the merchant's does not tell whose cards were made of it.
    expect(card.vaultRecordId).not.toBe(recordId)
    expect(await recordIds()).toEqual([recordId, card.vaultRecordId].sort())
    const entry = { cardId: card.id, entryId: randomUUID() }
    expect(await cards.verify(CUSTOMER, entry, STEP_UP_CODE)).toMatchObject({ id: card.id, status: 'active' })
    expect((await cards.enrollRecord(CUSTOMER, recordId, '123')).id).toBe(card.id)
  })

  test('stays when its card is refused', async () => {
    const recordId = await preselected()
    await expect(cards.enrollRecord(CUSTOMER, recordId, '000')).rejects.toMatchObject({ code: 'CARD_REFUSED' })
    expect(await recordIds()).toEqual([recordId])
  })

  test('of another merchant is not found', async () => {
    const attempt = cards.enrollRecord({ ...CUSTOMER, merchantId: 'ma_two' }, await preselected(), '123')
    await expect(attempt).rejects.toMatchObject({ code: 'CARD_NOT_FOUND' })
  })
})

test('a shredded number is gone, once, and by its own merchant alone', async () => {
  const { card } = await cards.enter(CUSTOMER, input(numberOf('step_up')))
  const { id: cardId, vaultRecordId: recordId, enrolment } = card
  if (recordId === null) throw new Error('There is no number.')
  const ended = { cardId, networkCardId: cardId, enrolment }
  const remove = (merchantId: string) =>
    transaction(database.pool, (tx) => updateDeleted(tx, { ...ended, merchantId, at: clock.now() }))
  expect(await remove('ma_two')).toBeUndefined()
  expect(await recordIds()).toEqual([recordId])
  expect(await remove('ma_one')).toEqual({ id: cardId })
  expect(await remove('ma_one')).toBeUndefined()
  const entry = { entryId: randomUUID(), cvv: secret('123'), stepUp: 'if_needed' as const, judge: async () => null }
  const provisioning = vault.provision({ merchantId: 'ma_one', recordId, networkCardId: cardId, ...entry })
  await expect(provisioning).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

describe('shredAbandoned', () => {
  test('ends a card a day after it was last entered, with its number', async () => {
    const { id } = await cards.enroll(CUSTOMER, input(numberOf('step_up')))
    clock.advance(DAY_SECONDS - 1)
    expect((await cards.shredAbandoned(50)).taken).toBe(0)
    await cards.enroll(CUSTOMER, input(numberOf('step_up')))
    clock.advance(DAY_SECONDS - 1)
    expect((await cards.shredAbandoned(50)).taken).toBe(0)
    clock.advance(1)
    expect((await cards.shredAbandoned(50)).taken).toBe(1)
    expect(await cards.find(CUSTOMER, id)).toMatchObject({ status: 'deleted', vaultRecordId: null })
    expect(await recordIds()).toEqual([])
    expect((await cards.shredAbandoned(50)).taken).toBe(0)
  })

  test('leaves active cards and the records of merchants alone', async () => {
    const recordId = await preselected()
    const active = await cards.enroll(CUSTOMER, input('5555555555554444'))
    const silent = withVault(async () => ({ outcome: 'unknown', cause: 'silent' }))
    await expect(silent.enrollRecord(CUSTOMER, recordId, '123')).rejects.toMatchObject({ code: 'NETWORK_UNAVAILABLE' })
    clock.advance(2 * DAY_SECONDS)
    expect((await cards.shredAbandoned(50)).taken).toBe(1)
    expect(await recordIds()).toContain(recordId)
    expect(await cards.find(CUSTOMER, active.id)).toEqual(active)
  })

  test('of 8 sweepers one shreds a card, and one call takes no more than it was told', async () => {
    await cards.enroll(CUSTOMER, input(numberOf('step_up')))
    await cards.enroll(OTHER, input(numberOf('step_up')))
    clock.advance(DAY_SECONDS)
    expect((await cards.shredAbandoned(1)).taken).toBe(1)
    const counts = await Promise.all(Array.from({ length: 8 }, () => cards.shredAbandoned(50)))
    expect(counts.reduce((sum, { taken }) => sum + taken, 0)).toBe(1)
  })
})
