// Guarantee: a charge is reported once, whoever asks how often; its amount comes back exactly when nothing was paid, and to the
// window it was taken from only.
import { afterAll, describe, expect, test } from 'vitest'
import { atOnce, CARDS, countBy, dbRow, eventBodies, expectError, expectInvalid } from '../../test/flows.ts'
import { newOwner, startWithOwner } from '../mandates/testing/standing.ts'
import { addSeconds } from '../platform/clock.ts'
import { charge, chargeable, expectBalanced, livingFor, outcomeOf, reportCharge } from './testing/charge.ts'

const DAY = 24 * 60 * 60
const { service, merchant, owner, close } = await startWithOwner({ isForCrowds: true })
afterAll(close)

const read = async (id: string) => (await merchant.get(`/v1/mandates/${id}`)).body
const typesOf = async (id: string) =>
  (await eventBodies(service, id))
    .map((body) => JSON.parse(body))
    .map((event) => `${event.resource.version} ${event.type}`)

async function charged(terms: Parameters<typeof chargeable>[2] = {}, body: Record<string, unknown> = {}) {
  const id = await chargeable(service, owner, terms)
  const { transactionId: txn, orderId } = (await charge(merchant, id, body)).body
  return { id, txn: txn as string, orderId }
}
const rowOf = (txn: string) => dbRow(service, 'select * from charges where id = $1', [txn])

describe('a report', () => {
  test('approved: answers with exactly what is to be known; a recurring mandate stays active', async () => {
    const { id, txn, orderId } = await charged({}, { reference: 'r' })
    const given = { authorization_code: '123456', response_code: '00', amount_paid: '24.00' }
    const answer = await reportCharge(merchant, id, txn, 'APPROVED', given)
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: {
        ...{ mandateId: id, transactionId: txn, orderId, status: 'completed', mandateStatus: 'active' },
        networkConfirmation: 'SUCCESS',
      },
    })
    expect(await rowOf(txn)).toMatchObject({
      ...{ status: 'completed', credential_sealed: null, credential_key_id: null, paid_minor: 2_400n },
      ...{ authorization_code: '123456', response_code: '00', reported_type: 'PURCHASE' },
    })
    expect(await typesOf(txn)).toEqual(['2 payment.credentials_ready', '3 payment.succeeded'])
    expect(await typesOf(id)).toEqual([])
    expect(await expectBalanced(service, id)).toEqual({ spent: 2_500, count: 1 })
  })

  test('declined: the amount is back, at the network as well', async () => {
    const { id, txn } = await charged()
    const before = await read(id)
    await service.clock.advance(1)
    expect((await reportCharge(merchant, id, txn, 'DECLINED')).body).toMatchObject({
      ...{ status: 'failed', mandateStatus: 'active', networkConfirmation: 'SUCCESS' },
    })
    const after = await read(id)
    expect(after).toMatchObject({ remaining: '100.00', chargeCount: 0, spent: '0.00' })
    // What remains is another amount: a caller that reads only what has changed since the last time must see it.
    expect(after.updatedAt > before.updatedAt).toBe(true)
    expect(await typesOf(txn)).toEqual(['2 payment.credentials_ready', '3 payment.failed'])
    expect(await expectBalanced(service, id)).toEqual({ spent: 0, count: 0 })
  })

  test('the payment of a one-time mandate ends it, with an event of its own', async () => {
    const { id, txn } = await charged({ frequency: 'one_time', maxCharges: 1 })
    expect((await reportCharge(merchant, id, txn)).body).toMatchObject({ mandateStatus: 'consumed' })
    expect(await typesOf(id)).toEqual(['1 mandate.consumed'])
    expect(await typesOf(txn)).toEqual(['2 payment.credentials_ready', '3 payment.succeeded'])
    expectError(await charge(merchant, id), 409, 'MANDATE_NOT_ACTIVE')
    expect((await reportCharge(merchant, id, txn)).body).toMatchObject({
      status: 'completed',
      mandateStatus: 'consumed',
    })
    expect(await typesOf(id)).toHaveLength(1)
  })

  test('the first one is tried again within seconds where the network does not answer, and not when its credential would lapse', async () => {
    const fragile = await newOwner(service, merchant, CARDS.confirmationFailsOnce)
    const id = await chargeable(service, fragile)
    const { transactionId: txn } = (await charge(merchant, id)).body
    expectError(await reportCharge(merchant, id, txn), 502, 'NETWORK_CONFIRMATION_FAILED')
    const { attempts, work_due_at: dueAt, lease_until } = await rowOf(txn)
    expect({ attempts, lease_until }).toEqual({ attempts: 1, lease_until: null })
    expect(Number(dueAt)).toBeLessThan(Number(addSeconds(service.clock.now(), 60)))
    expect((await reportCharge(merchant, id, txn)).body).toMatchObject({ status: 'completed' })
  })

  test('a declined one leaves a one-time mandate to be charged again', async () => {
    const { id, txn } = await charged({ frequency: 'one_time', maxCharges: 1 })
    expect((await reportCharge(merchant, id, txn, 'DECLINED')).body.mandateStatus).toBe('active')
    expect(outcomeOf(await charge(merchant, id))).toBe('awaiting_result')
  })

  test.each(['pause', 'cancel'])('a one-time mandate after %s: its payment is recorded', async (verb) => {
    const { id, txn } = await charged({ frequency: 'one_time', maxCharges: 1 })
    await merchant.post(`/v1/mandates/${id}/${verb}`)
    const { body } = await reportCharge(merchant, id, txn)
    expect(body).toMatchObject({ status: 'completed', mandateStatus: verb === 'pause' ? 'consumed' : 'cancelled' })
    expect(await typesOf(id)).toEqual(
      verb === 'pause' ? ['1 mandate.paused', '2 mandate.consumed'] : ['1 mandate.cancelled'],
    )
  })

  test('32 equal ones at once: one result, one telling of the network', async () => {
    const { id, txn } = await charged({}, { amount: '10.00' })
    const answers = await atOnce(32, () => reportCharge(merchant, id, txn, 'DECLINED'))
    expect(countBy(answers, ({ status, body }) => `${status} ${body.status}`)).toEqual({ '200 failed': 32 })
    expect(await expectBalanced(service, id)).toEqual({ spent: 0, count: 0 })
  })

  test('both outcomes at once: the first wins, the other is refused', async () => {
    const { id, txn } = await charged()
    const answers = await atOnce(16, (index) =>
      reportCharge(merchant, id, txn, index % 2 === 0 ? 'APPROVED' : 'DECLINED'),
    )
    expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 8, 409: 8 })
    expect(
      answers.filter(({ status }) => status === 409).every(({ body }) => body.error.code === 'CHARGE_NOT_REPORTABLE'),
    ).toBe(true)
    await expectBalanced(service, id)
  })

  test('is refused for what is not there or awaits none', async () => {
    const { id, txn } = await charged()
    expectError(await reportCharge(merchant, id, 'txn_none'), 404, 'CHARGE_NOT_FOUND')
    expectError(await reportCharge(merchant, 'mdt_none', txn), 404, 'MANDATE_NOT_FOUND')
    expectError(await reportCharge(merchant, await chargeable(service, owner), txn), 404, 'CHARGE_NOT_FOUND')
    expectError(await reportCharge(await service.addMerchant(), id, txn), 403, 'MANDATE_FORBIDDEN')
    expectError(await reportCharge(merchant, owner.mandateId, owner.chargeId), 404, 'CHARGE_NOT_FOUND')
    expectInvalid(await reportCharge(merchant, id, txn, 'APPROVED', { amount_paid: '25.01' }), 'amount_paid')
    expectInvalid(await merchant.post(`/v1/mandates/${id}/charges/${txn}/report`, {}), 'txn_status', 'txn_type')
    const failed = (await charge(merchant, id, { amount: '100.01' })).body.transactionId
    expectError(await reportCharge(merchant, id, failed), 409, 'CHARGE_NOT_REPORTABLE')
    await service.pool.query(`update charges set line_item_id = '' where id = $1`, [txn])
    expectError(await reportCharge(merchant, id, txn), 409, 'CHARGE_NO_TLI')
    await service.pool.query('update mandates set instruction_ref = null where id = $1', [id])
    expectError(await reportCharge(merchant, id, txn), 409, 'NO_INSTRUCTION')
  })
})

describe('a database that does not take a report', () => {
  /** While `work` runs, this change of the charge is an error, and one that does not say that the database is away. */
  async function refusing<T>(txn: string, change: string, work: () => Promise<T>): Promise<T> {
    await service.pool.query(`
      create function refuse_report() returns trigger language plpgsql as $$
      begin raise exception 'planted'; end $$;
      create trigger refuse_report before update on charges for each row
        when (new.id = '${txn}' and ${change}) execute function refuse_report();`)
    try {
      return await work()
    } finally {
      await service.pool.query('drop function refuse_report cascade')
    }
  }

  test.each([
    ['when it is taken', 'new.reported_outcome is not null', null],
    ['when the network has been told', `new.status = 'completed'`, 'APPROVED'],
  ])('%s: 500, and the same report again succeeds', async (_when, change, kept) => {
    const { id, txn } = await charged({ frequency: 'one_time', maxCharges: 1 })
    const answer = await refusing(txn, change, () => reportCharge(merchant, id, txn))
    expectError(answer, 500, 'MANDATE_CHARGE_REPORT_DB_FAILED')
    expect(JSON.stringify(answer.body)).not.toContain('planted')
    expect(await rowOf(txn)).toMatchObject({ status: 'awaiting_result', reported_outcome: kept })
    expect(await typesOf(txn)).toEqual(['2 payment.credentials_ready'])
    const told = await dbRow(service, 'select confirmed_outcome from simnet.mints where charge_id = $1', [txn])
    expect(told.confirmed_outcome).toBe(kept)
    expect((await reportCharge(merchant, id, txn)).body).toMatchObject({
      status: 'completed',
      mandateStatus: 'consumed',
    })
    expect(await typesOf(txn)).toEqual(['2 payment.credentials_ready', '3 payment.succeeded'])
    await expectBalanced(service, id)
  })
})

describe('a network that does not confirm', () => {
  test('502, and the same report finishes it', async () => {
    const fragile = await newOwner(service, merchant, CARDS.confirmationFailsOnce)
    const id = await chargeable(service, fragile)
    const { transactionId: txn } = (await charge(merchant, id)).body
    expectError(await reportCharge(merchant, id, txn, 'DECLINED'), 502, 'NETWORK_CONFIRMATION_FAILED')
    expect(await rowOf(txn)).toMatchObject({
      status: 'awaiting_result',
      reported_outcome: 'DECLINED',
      credential_sealed: null,
    })
    expectError(await reportCharge(merchant, id, txn, 'APPROVED'), 409, 'CHARGE_NOT_REPORTABLE')
    expect((await reportCharge(merchant, id, txn, 'DECLINED')).body).toMatchObject({ status: 'failed' })
    expect(await expectBalanced(service, id)).toEqual({ spent: 0, count: 0 })
  })

  test('a worker finishes it as well, and the payment ends a one-time mandate there too', async () => {
    const fragile = await newOwner(service, merchant, CARDS.confirmationFailsOnce)
    const id = await chargeable(service, fragile, { frequency: 'one_time', maxCharges: 1 })
    const { transactionId: txn } = (await charge(merchant, id)).body
    expectError(await reportCharge(merchant, id, txn), 502, 'NETWORK_CONFIRMATION_FAILED')
    await service.clock.advance(3)
    await service.runJobs()
    expect((await reportCharge(merchant, id, txn)).body).toMatchObject({
      status: 'completed',
      mandateStatus: 'consumed',
    })
    expect(await typesOf(id)).toEqual(['1 mandate.consumed'])
  })
})

test('a holder whose lease went away while the network was told acknowledges nothing before it is recorded', async () => {
  const { id, txn } = await charged({ frequency: 'one_time', maxCharges: 1 })
  const client = await service.pool.connect()
  try {
    // The network is told, and cannot answer while its row is held.
    await client.query('begin')
    await client.query('select 1 from simnet.instructions where mandate_id = $1 for update', [id])
    const reporting = reportCharge(merchant, id, txn)
    await expect.poll(async () => (await rowOf(txn)).reported_outcome).toBe('APPROVED')
    await service.pool.query('update charges set lease_until = null, lease_fence = lease_fence + 1 where id = $1', [
      txn,
    ])
    await client.query('rollback')
    expect((await reporting).body).toMatchObject({ status: 'completed', mandateStatus: 'consumed' })
  } finally {
    client.release()
  }
  expect(await rowOf(txn)).toMatchObject({ status: 'completed', network_confirmation: 'SUCCESS' })
})

describe('windows', () => {
  test('a new one begins with nothing spent, at the service and at the network', async () => {
    const id = await chargeable(service, owner, { frequency: 'weekly' })
    for (let week = 0; week < 3; week += 1) {
      expect(outcomeOf(await charge(merchant, id, { amount: '100.00' }))).toBe('awaiting_result')
      expect(outcomeOf(await charge(merchant, id, { amount: '0.01' }))).toBe('THRESHOLD_EXCEEDED')
      await service.clock.advance(7 * DAY)
    }
    expect(await read(id)).toMatchObject({ remaining: '100.00', spent: '0.00', chargeCount: 3 })
    const { windows } = await dbRow(
      service,
      'select count(distinct window_started_at)::int as windows from charges where standing_mandate_id = $1 and status <> $2',
      [id, 'failed'],
    )
    expect(windows).toBe(3)
  })

  test('what is given back of an old window is not added to the new one', async () => {
    const id = await chargeable(service, owner, { frequency: 'weekly' })
    const { transactionId: old } = (await charge(merchant, id, { amount: '60.00', ...livingFor(43_200) })).body
    await service.clock.advance(7 * DAY)
    expect(outcomeOf(await charge(merchant, id, { amount: '30.00' }))).toBe('awaiting_result')
    expect((await reportCharge(merchant, id, old, 'DECLINED')).status).toBe(200)
    expect(await read(id)).toMatchObject({ remaining: '70.00', chargeCount: 1 })
    await expectBalanced(service, id)
  })

  test('twelve monthly cycles from the 31st of a month', async () => {
    const now = service.clock.now()
    const next31 = [...Array(3).keys()]
      .map((ahead) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 31, 12)))
      .find((day) => day > now && day.getUTCDate() === 31)
    await service.clock.advance(Math.ceil(((next31?.getTime() ?? 0) - now.getTime()) / 1000))
    const id = await chargeable(service, owner, { validUntil: addSeconds(service.clock.now(), 2 * 366 * DAY) })
    for (let month = 0; month < 12; month += 1) {
      const paid = await charge(merchant, id, { amount: '100.00', reference: `month-${month}` })
      expect(outcomeOf(paid)).toBe('awaiting_result')
      expect((await reportCharge(merchant, id, paid.body.transactionId)).status).toBe(200)
      const { renewsAt, remaining } = await read(id)
      expect(remaining).toBe('0.00')
      await service.clock.advance(Math.ceil((Date.parse(renewsAt) - service.clock.now().getTime()) / 1000) + 1)
    }
    expect(await read(id)).toMatchObject({ chargeCount: 12, remaining: '100.00', status: 'active' })
  })
})
