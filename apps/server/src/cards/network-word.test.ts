import { afterAll, beforeAll, expect, test } from 'vitest'
import { cardholder } from '../../test/cardholder.ts'
import { CARDS, createSession, dbRow, expectError, newUser } from '../../test/flows.ts'
import { PATIENT, startTestService, type TestService } from '../../test/service.ts'

// Guarantee: what the network says of a card reaches the cardholder and the vault, whatever fails beside it.

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
})
afterAll(() => service?.close())

async function visit(user: string) {
  const { session_token } = await createSession(service.merchant, { user_id: user })
  const { post } = cardholder(service, session_token)
  const card = { expiry_month: '12', cvv: '123' }
  return (card_number: string, expiry_year: string) => post('/api/cards', { ...card, card_number, expiry_year })
}

const RECORD_OF = `select v.exp_year, c.exp_year as card_exp_year from vault_records v
  join cards c on c.vault_record_id = v.id join customers u on u.id = c.customer_id where u.external_user_id = $1`

test('a refusal is told also when the refused card cannot be ended', async () => {
  const user = newUser()
  const { pool } = service
  await pool.query(`create function refuse_end() returns trigger language plpgsql as $$
    begin raise exception 'no' using errcode = '57014'; end $$`)
  await pool.query(`create trigger refuse_end before update on cards for each row
    when (new.status = 'deleted') execute function refuse_end()`)
  const enter = await visit(user)
  expectError(await enter(CARDS.refused, '2040'), 400, 'CARD_REFUSED')
  await pool.query('drop function refuse_end cascade')
  expect(await dbRow(service, RECORD_OF, [user])).toBeDefined()
  await service.clock.advance(25 * 3600)
  await service.runJobs()
  const { rows } = await pool.query(RECORD_OF, [user])
  expect(rows).toEqual([])
})

test('the vault has the expiry that was accepted, whatever was entered before', async () => {
  const user = newUser()
  const enter = await visit(user)
  expectError(await enter(CARDS.provisionAnswerLost, '2040'), 503, 'NETWORK_UNAVAILABLE')
  for (const year of [2043, 2044]) {
    expect((await enter(CARDS.provisionAnswerLost, String(year))).status).toBe(200)
    expect(await dbRow(service, RECORD_OF, [user])).toEqual({ exp_year: year, card_exp_year: year })
  }
})
