import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Cardholder, cardholder, newAuthenticator } from '../../test/cardholder.ts'
import { CARDS, createSession, dbRow, expectError, newUser, paymentResult } from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'

// Guarantee: what is entered of a card is about this card. An attacker who can write to the database, without the root key, and enters
// a card of their own, does not come to another card of the network by that, or prove one: an alarm and an error.

let service: TestService
let merchant: TestMerchant
const { log, alarms, lines } = keepLog('warn')

beforeAll(async () => {
  service = await startTestService({ log })
  merchant = service.merchant
})
afterAll(() => service?.close())
beforeEach(() => {
  lines.length = 0
})

const OWN_NUMBER = '5555555555554444'
const sql = (text: string, values: unknown[]) => service.pool.query(text, values)

interface Visit {
  id: string
  visitor: Cardholder
}
async function visit(user_id: string, at = merchant): Promise<Visit> {
  const { session_id: id, session_token } = await createSession(at, { user_id })
  return { id, visitor: cardholder(service, session_token, newAuthenticator(service)) }
}

const cardOf = ({ id }: Visit) =>
  dbRow(
    service,
    'select c.* from cards c join sessions s on s.card_id = c.id and s.merchant_id = c.merchant_id where s.id = $1',
    [id],
  )

/** A customer with a card, and no passkey. */
async function newVictim() {
  const user = newUser()
  const own = await visit(user)
  await own.visitor.enterCard(CARDS.success)
  return { user, card: await cardOf(own) }
}

test('the number of one card does not prove another one of its customer', async () => {
  const victim = await newVictim()
  // The thief has a link of the same customer.
  const first = await visit(victim.user)
  await first.visitor.enterCard(OWN_NUMBER)
  const { id: own, fingerprint } = await cardOf(first)
  await sql(`update cards set fingerprint = '\\x00' where id = $1`, [own])
  await sql('update cards set fingerprint = $2 where id = $1', [victim.card.id, fingerprint])
  const { id, visitor } = await visit(victim.user)
  expectError(await visitor.enterCard(OWN_NUMBER), 500, 'INTERNAL_ERROR')
  expect(alarms()).toMatchObject([{ table: 'cards', row_id: victim.card.id }])
  expect(await dbRow(service, 'select proven_card_id from sessions where id = $1', [id])).toEqual({
    proven_card_id: null,
  })
})

test('nor does the code that is sent for the number of another record', async () => {
  const user = newUser()
  const { card } = await newVictim()
  const before = await visit(user)
  await before.visitor.pay(CARDS.success)
  const own = await cardOf(before)
  await sql('update cards set passkey_id = null, passkey_seal = null, vault_record_id = $2 where id = $1', [
    own.id,
    card.vault_record_id,
  ])
  const { id, visitor } = await visit(user)
  await sql('update sessions set card_id = $2 where id = $1', [id, own.id])
  expectError(await visitor.post('/api/cards', { cvv: '123' }), 500, 'INTERNAL_ERROR')
  expect(alarms()).toMatchObject([{ table: 'cards', row_id: own.id }])
})

/** The row of a card that waits for its code takes the name of another card at the network. */
async function renamed(from: string, to: string, { merchantId }: TestMerchant) {
  await sql('update sessions set card_id = null where card_id = $1 and merchant_id = $2', [from, merchantId])
  await sql('update cards set id = $2 where id = $1 and merchant_id = $3', [from, to, merchantId])
}

test('nor does a card of another merchant become the entered one by its id: entered again', async () => {
  const victim = await newVictim()
  const other = await service.addMerchant()
  const user = newUser()
  const first = await visit(user, other)
  await first.visitor.enterCard(CARDS.stepUp)
  await renamed((await cardOf(first)).id, victim.card.id, other)
  const { id, visitor } = await visit(user, other)
  expectError(await visitor.enterCard(CARDS.stepUp), 500, 'INTERNAL_ERROR')
  expect(alarms()).toMatchObject([{ table: 'cards', row_id: victim.card.id, merchant_id: other.merchantId }])
  expect((await paymentResult(other, id)).body.status).toBe('pending')
})

test('by its id: with the code of its own', async () => {
  const victim = await newVictim()
  const other = await service.addMerchant()
  const user = newUser()
  const first = await visit(user, other)
  await first.visitor.enterCard(CARDS.stepUp)
  await renamed((await cardOf(first)).id, victim.card.id, other)
  await sql('update sessions set card_id = $2 where id = $1', [first.id, victim.card.id])
  expectError(await first.visitor.post('/api/cards/verify', { code: '123456' }), 500, 'INTERNAL_ERROR')
  expect(alarms()).toMatchObject([{ table: 'cards', row_id: victim.card.id, merchant_id: other.merchantId }])
  const rows = await service.pool.query('select merchant_id from cards where network_token_ref = $1', [
    victim.card.network_token_ref,
  ])
  expect(rows.rows).toEqual([{ merchant_id: merchant.merchantId }])
})
