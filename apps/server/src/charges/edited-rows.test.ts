import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { complete, createSession, expectError, newUser } from '../../test/flows.ts'
import { editMandate, giveMandate, MANDATE_TABLE, mandateRow } from '../../test/rows/mandates.ts'
import { call, PATIENT, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { newOwner, type Owner, standingMandate } from '../mandates/testing/standing.ts'
import { createLog } from '../platform/log.ts'
import { charge, chargeable, outcomeOf, reportCharge } from './testing/standing.ts'

// Guarantee: a standing mandate is the user's who was asked for it, and a reference leads to the charge that was made
// with it. Rows that an editor changed in the database, without the root key, mint nothing for another user, and show
// no one another credential.

let service: TestService
let merchant: TestMerchant
let owner: Owner
let thief: Owner
let lines: string[] = []

beforeAll(async () => {
  const log = createLog({ level: 'warn', destination: { write: (line) => lines.push(line) } })
  service = await startTestService({ env: PATIENT, log })
  merchant = service.merchant
  owner = await newOwner(service)
  thief = await newOwner(service)
})
afterAll(() => service?.close())
afterEach(() => {
  lines = []
})

const sql = (text: string, values: unknown[]) => service.pool.query(text, values)
const alarms = () => lines.map((line) => JSON.parse(line)).filter(({ alarm }) => alarm === 'row_tampered')

/** Reads as a dashboard does, for one of its users. */
async function asUser(user: string, mandateId: string, agent?: string) {
  const { key } = await service.app.merchants.createKey(merchant.merchantId, 'secret', 'control_plane')
  const query = new URLSearchParams({ dashboard_user_id: user, ...(agent !== undefined && { agent_id: agent }) })
  const headers = { authorization: `Bearer ${key.reveal()}` }
  return call(`${service.apiUrl}/v1/mandates/${mandateId}?${query}`, { headers })
}

const give = (mandateId: string, to: Owner) => giveMandate(service.pool, mandateId, to.customerId)

describe('a mandate that was given to another customer', () => {
  test('mints nothing, for them or for their merchant, which can still stop it', async () => {
    const id = await chargeable(service, owner)
    await give(id, thief)
    expectError(await asUser(thief.userId, id), 500, 'INTERNAL_ERROR')
    expect(outcomeOf(await charge(merchant, id))).toBe('PAYMENT_FAILED')
    expect(alarms()).toMatchObject([
      { table: MANDATE_TABLE, row_id: id },
      { table: MANDATE_TABLE, row_id: id },
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
    expect(alarms()).toMatchObject([{ table: MANDATE_TABLE, row_id: id }])
    await name(from, from.userId)
    await name(to, to.userId)
    expect((await asUser(from.userId, id)).status).toBe(200)
  })

  test('or to another agent of its owner: mints nothing there', async () => {
    const id = await chargeable(service, owner, { agentId: 'aa_1' })
    await editMandate(service.pool, id, `agent_id = 'aa_2'`)
    expectError(await asUser(owner.userId, id, 'aa_2'), 500, 'INTERNAL_ERROR')
    expect(alarms()).toMatchObject([{ table: MANDATE_TABLE, row_id: id }])
  })
})

test('a mandate that was set up as a merchant does is its user’s', async () => {
  const user_id = newUser()
  const created = await createSession(merchant, { user_id, mandate_setup: { recurring_frequency: 'monthly' } })
  expect((await complete(merchant, created.session_id)).status).toBe(200)
  const { mandate_id: id } = created as typeof created & { mandate_id: string }
  expect((await asUser(user_id, id)).status).toBe(200)
  const { customer_id } = await mandateRow(service.pool, id)
  expect((await asUser(customer_id, id)).status).toBe(200)
  expect((await merchant.get(`/v1/mandates?standing_only=true&customer_id=${user_id}`)).body.mandates).toHaveLength(1)
  expect(alarms()).toEqual([])
})

test('the mandate of a customer who was erased has no owner, and raises no alarm', async () => {
  const forgotten = await newOwner(service)
  const id = await standingMandate(service, forgotten, { status: 'cancelled' })
  const { card_id } = await mandateRow(service.pool, id)
  expect((await merchant.post('/v1/deleteCard', { customer_id: forgotten.userId, card_id })).status).toBe(200)
  await service.runJobs()
  await service.app.customers.erase(merchant.merchantId, forgotten.userId)
  expect((await merchant.get(`/v1/mandates/${id}`)).body).toMatchObject({ status: 'cancelled' })
  expect(alarms()).toEqual([])
  await editMandate(service.pool, id, `status = 'active'`)
  expectError(await merchant.get(`/v1/mandates/${id}`), 500, 'INTERNAL_ERROR')
})

describe('a reference that was made to lead to another charge', () => {
  const lead = (mandateId: string, reference: string, chargeId: string) =>
    sql(
      `update charges set holds_reference = true, standing_mandate_id = $2, reference = $3 where merchant_id = $1 and id = $4`,
      [merchant.merchantId, mandateId, reference, chargeId],
    )

  test.each<[string, string]>([
    ['as its mandate', 'standing_mandate_id = named.mandate_id, reference = named.reference'],
    ['wholly', 'mandate_id = named.mandate_id, standing_mandate_id = named.mandate_id, reference = named.reference'],
  ])('%s: no caller is shown its credential', async (_how, set) => {
    const [own, others] = [await chargeable(service, thief), await chargeable(service, owner)]
    const mine = (await charge(merchant, own, { reference: 'mine' })).body.transactionId
    const theirs = (await charge(merchant, others, { reference: 'theirs' })).body.transactionId
    await sql('update charges set holds_reference = false where id = $1', [mine])
    await sql(`update charges set ${set} from charges named where named.id = $1 and charges.id = $2`, [mine, theirs])
    expectError(await charge(merchant, own, { reference: 'mine' }), 500, 'INTERNAL_ERROR')
    expectError(await charge(merchant, own, { reference: 'mine' }, '?dry_run=true'), 500, 'INTERNAL_ERROR')
    expect(alarms().map(({ table, row_id }) => [table, row_id])).toEqual([
      ['charges', theirs],
      ['charges', theirs],
    ])
  })

  test('of the same mandate, which was paid: no caller is told that they have paid', async () => {
    const id = await chargeable(service, owner)
    const { transactionId } = (await charge(merchant, id, { reference: 'paid' })).body
    await reportCharge(merchant, id, transactionId)
    await lead(id, 'new', transactionId)
    expectError(await charge(merchant, id, { reference: 'new' }), 500, 'INTERNAL_ERROR')
    expect(alarms()).toMatchObject([{ table: 'charges', row_id: transactionId }])
    await lead(id, 'paid', transactionId)
    expect((await charge(merchant, id, { reference: 'paid' })).body).toMatchObject({ status: 'completed' })
  })

  test('of a checkout', async () => {
    const id = await chargeable(service, owner)
    await lead(id, 'new', owner.chargeId)
    expectError(await charge(merchant, id, { reference: 'new' }), 500, 'INTERNAL_ERROR')
    expect(alarms()).toMatchObject([{ table: 'charges', row_id: owner.chargeId }])
  })
})
