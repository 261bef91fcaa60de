import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { complete, createSession, dbRow, expectError, newUser } from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { call, PATIENT, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { newOwner, type Owner, standingMandate } from '../mandates/testing/standing.ts'
import { charge, chargeable, outcomeOf, reportCharge } from './testing/charge.ts'

// Guarantee: a standing mandate is the user's who was asked for it, and a reference leads to the charge that was made with it. Rows
// that an editor of the database changed without the root key mint nothing for another user, and show no caller another credential.

let service: TestService
let merchant: TestMerchant
let owner: Owner
let thief: Owner
const { log, alarms, lines } = keepLog('warn')

beforeAll(async () => {
  service = await startTestService({ env: PATIENT, log })
  merchant = service.merchant
  owner = await newOwner(service)
  thief = await newOwner(service)
})
afterAll(() => service?.close())
afterEach(() => {
  lines.length = 0
})

const sql = (text: string, values: unknown[]) => service.pool.query(text, values)

/** Reads as a dashboard does, for one of its users. */
async function asUser(user: string, mandateId: string, agent?: string) {
  const { key } = await service.app.merchants.createKey(merchant.merchantId, 'secret', 'control_plane')
  const query = new URLSearchParams({ dashboard_user_id: user, ...(agent !== undefined && { agent_id: agent }) })
  const headers = { authorization: `Bearer ${key.reveal()}` }
  return call(`${service.apiUrl}/v1/mandates/${mandateId}?${query}`, { headers })
}

const give = (mandateId: string, to: Owner) =>
  sql('update mandates set customer_id = $2 where id = $1', [mandateId, to.customerId])

describe('a mandate that was given to another customer', () => {
  test('mints nothing, for them or for their merchant, which can still stop it', async () => {
    const id = await chargeable(service, owner)
    await give(id, thief)
    expectError(await asUser(thief.userId, id), 500, 'INTERNAL_ERROR')
    expect(outcomeOf(await charge(merchant, id))).toBe('PAYMENT_FAILED')
    expect(alarms()).toMatchObject([
      { table: 'mandates', row_id: id },
      { table: 'mandates', row_id: id },
    ])
    // As it was, it is the owner's again: nothing of it was used up.
    await give(id, owner)
    expect((await asUser(owner.userId, id)).status).toBe(200)
    await give(id, thief)
    expect((await merchant.post(`/v1/mandates/${id}/cancel`)).body).toMatchObject({ status: 'cancelled' })
  })

  test('is not shown as theirs, whoever asks', async () => {
    const taker = await newOwner(service)
    const id = await chargeable(service, owner)
    await give(id, taker)
    const own = await chargeable(service, taker)
    const list = `/v1/mandates?standing_only=true&customer_id=${taker.userId}`
    const listed = async (query = '') => {
      const { body } = await merchant.get(list + query)
      return [body.mandates.map((mandate: { id: string }) => mandate.id), body.next_cursor !== undefined]
    }
    expectError(await merchant.get(`/v1/mandates/${id}`), 500, 'INTERNAL_ERROR')
    // The list goes on without it, page by page, too.
    expect(await listed()).toEqual([[own], false])
    expect(await listed('&limit=1')).toEqual([[own], true])
    await give(own, owner)
    expect(await listed('&limit=1')).toEqual([[], false])
    await give(own, taker)
    expect(new Set(alarms().map(({ row_id }) => row_id))).toEqual(new Set([id]))
    await give(id, owner)
    expect(await listed()).toEqual([[own], false])
    expect((await merchant.get(`/v1/mandates/${id}`)).body).toMatchObject({ externalUserId: owner.userId })
  })

  test('by giving their name to its customer', async () => {
    const [from, to] = [await newOwner(service), await newOwner(service)]
    const id = await chargeable(service, from)
    const name = (customer: Owner, userId: string) =>
      sql('update customers set external_user_id = $2 where id = $1', [customer.customerId, userId])
    await name(to, 'nobody')
    await name(from, to.userId)
    expectError(await asUser(to.userId, id), 500, 'INTERNAL_ERROR')
    expect(alarms()).toMatchObject([{ table: 'mandates', row_id: id }])
    await name(from, from.userId)
    await name(to, to.userId)
    expect((await asUser(from.userId, id)).status).toBe(200)
  })

  test('or to another agent of its owner: mints nothing there', async () => {
    const id = await chargeable(service, owner, { agentId: 'aa_1' })
    await sql(`update mandates set agent_id = 'aa_2' where id = $1`, [id])
    expectError(await asUser(owner.userId, id, 'aa_2'), 500, 'INTERNAL_ERROR')
    expect(alarms()).toMatchObject([{ table: 'mandates', row_id: id }])
  })
})

test('a mandate that was set up as a merchant does is its user’s', async () => {
  const user_id = newUser()
  const created = await createSession(merchant, { user_id, mandate_setup: { recurring_frequency: 'monthly' } })
  expect((await complete(merchant, created.session_id)).status).toBe(200)
  const { mandate_id: id } = created as typeof created & { mandate_id: string }
  expect((await asUser(user_id, id)).status).toBe(200)
  const { customer_id } = await dbRow(service, 'select customer_id from mandates where id = $1', [id])
  expect((await asUser(customer_id, id)).status).toBe(200)
  expect((await merchant.get(`/v1/mandates?standing_only=true&customer_id=${user_id}`)).body.mandates).toHaveLength(1)
  expect(alarms()).toEqual([])
})

test('the mandate of a customer who was erased is nobody’s, and no alarm', async () => {
  const forgotten = await newOwner(service)
  const id = await standingMandate(service, forgotten, { status: 'cancelled' })
  const { card_id } = await dbRow(service, 'select card_id from mandates where id = $1', [id])
  expect((await merchant.post('/v1/deleteCard', { customer_id: forgotten.userId, card_id })).status).toBe(200)
  await service.runJobs()
  await service.app.customers.erase(merchant.merchantId, forgotten.userId)
  expect((await merchant.get(`/v1/mandates/${id}`)).body).toMatchObject({ status: 'cancelled' })
  expect(alarms()).toEqual([])
  await sql(`update mandates set status = 'active' where id = $1`, [id])
  expectError(await merchant.get(`/v1/mandates/${id}`), 500, 'INTERNAL_ERROR')
})

describe('a reference that was made to lead to another charge', () => {
  test.each<[string, string, string]>([
    ['with all its columns', 'theirs', `mandate_id = $2, standing_mandate_id = $2, reference = 'mine'`],
    ['that keeps its own mandate', 'theirs', `standing_mandate_id = $2, reference = 'mine'`],
    ['that has the same one, and keeps its own mandate', 'mine', 'standing_mandate_id = $2'],
  ])('%s: nobody is shown its credential', async (_how, reference, edit) => {
    const [own, others] = [await chargeable(service, thief), await chargeable(service, owner)]
    const mine = (await charge(merchant, own, { reference: 'mine' })).body.transactionId
    const theirs = (await charge(merchant, others, { reference })).body.transactionId
    await sql(`update charges set reference = 'none' where id = $1`, [mine])
    await sql(`update charges set ${edit} where id = $1`, [theirs, own])
    expectError(await charge(merchant, own, { reference: 'mine' }), 500, 'INTERNAL_ERROR')
    expectError(await charge(merchant, own, { reference: 'mine' }, '?dry_run=true'), 500, 'INTERNAL_ERROR')
    expect(alarms().map(({ table, row_id }) => [table, row_id])).toEqual([
      ['charges', theirs],
      ['charges', theirs],
    ])
  })

  test('of the same mandate, which was paid: nobody is told that they have paid', async () => {
    const id = await chargeable(service, owner)
    const { transactionId } = (await charge(merchant, id, { reference: 'paid' })).body
    await reportCharge(merchant, id, transactionId)
    const lead = (reference: string) =>
      sql('update charges set reference = $2 where id = $1', [transactionId, reference])
    await lead('new')
    expectError(await charge(merchant, id, { reference: 'new' }), 500, 'INTERNAL_ERROR')
    expect(alarms()).toMatchObject([{ table: 'charges', row_id: transactionId }])
    await lead('paid')
    expect((await charge(merchant, id, { reference: 'paid' })).body).toMatchObject({ status: 'completed' })
  })

  test('of a checkout', async () => {
    const id = await chargeable(service, owner)
    await sql('update charges set standing_mandate_id = $2, reference = $3 where id = $1', [owner.chargeId, id, 'new'])
    expectError(await charge(merchant, id, { reference: 'new' }), 500, 'INTERNAL_ERROR')
    expect(alarms()).toMatchObject([{ table: 'charges', row_id: owner.chargeId }])
  })
})

test('a mandate whose customer is gone is shown to nobody, and its merchant stops it', async () => {
  const gone = await newOwner(service)
  const id = await chargeable(service, gone)
  const row = await dbRow(service, 'delete from customers where id = $1 returning row_to_json(customers) as row', [
    gone.customerId,
  ])
  expectError(await merchant.get(`/v1/mandates/${id}`), 500, 'INTERNAL_ERROR')
  const { mandates } = (await merchant.get('/v1/mandates?standing_only=true')).body
  expect(mandates.map((mandate: { id: string }) => mandate.id)).not.toContain(id)
  expect((await merchant.post(`/v1/mandates/${id}/cancel`)).body).toMatchObject({ status: 'cancelled' })
  expect(outcomeOf(await charge(merchant, id))).toBe('MANDATE_NOT_ACTIVE')
  await sql('insert into customers select * from json_populate_record(null::customers, $1)', [row.row])
})

test('a mandate whose card is gone charges nothing, and nothing is begun', async () => {
  const id = await chargeable(service, owner)
  const { card_id } = await dbRow(service, 'select card_id from mandates where id = $1', [id])
  for (const set of [`card_id = 'card_nowhere'`, 'card_id = null']) {
    await sql(`update mandates set ${set} where id = $1`, [id])
    expect(outcomeOf(await charge(merchant, id))).toBe('MANDATE_NOT_ACTIVE')
  }
  await sql('update mandates set card_id = $2 where id = $1', [id, card_id])
  const begun = `select window_spent_minor::int as spent, charge_count as count, (
      select count(*)::int from charges where standing_mandate_id = mandates.id) as charges from mandates where id = $1`
  expect(await dbRow(service, begun, [id])).toEqual({ spent: 0, count: 0, charges: 0 })
  expect((await charge(merchant, id)).body).toMatchObject({ status: 'awaiting_result' })
})

test('counts that were emptied by hand are not less than nothing when a charge gives back what it took', async () => {
  const id = await chargeable(service, owner, { approvedMinor: 3_000n })
  const { transactionId } = (await charge(merchant, id, { amount: '10.00' })).body
  await sql('update mandates set window_spent_minor = 0, charge_count = 0 where id = $1', [id])
  await reportCharge(merchant, id, transactionId, 'DECLINED')
  const counted = 'select window_spent_minor::int as spent, charge_count as count, version from mandates where id = $1'
  expect(await dbRow(service, counted, [id])).toMatchObject({ spent: 0, count: 0 })
  // And what is below zero by hand lets through no more than the network does.
  await sql('update mandates set window_spent_minor = -100000, charge_count = -10 where id = $1', [id])
  const codes: string[] = []
  for (let times = 0; times < 4; times += 1) codes.push(outcomeOf(await charge(merchant, id, { amount: '10.00' })))
  expect(codes).toEqual([...Array(3).fill('awaiting_result'), 'THRESHOLD_EXCEEDED'])
  await sql('update mandates set window_spent_minor = 3000, charge_count = 3 where id = $1', [id])
})
