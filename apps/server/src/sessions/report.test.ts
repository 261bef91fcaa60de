// Guarantee: the first of all reports about a payment decides; the network is told once, whatever is repeated, lost or
// sent at the same time (faults C5, C6, C7).
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  approvedSession,
  authorization,
  CARDS,
  createSession,
  custom,
  dbRow,
  expectError,
  expectInvalid,
  expectRefusesStrangers,
  paymentResult,
  report,
  revoke,
  waitingSession,
  withProducts,
} from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { startWakes } from '../jobs/wake.ts'
import { createLog } from '../platform/log.ts'

let service: TestService
let merchant: TestMerchant
const { log, entries } = keepLog('error')
const SILENT = createLog({ level: 'silent' })
beforeAll(async () => {
  service = await startTestService({ env: PATIENT, log })
  merchant = service.merchant
})
afterAll(() => service?.close())

const waiting = (card?: string, changes?: Record<string, unknown>) => waitingSession(merchant, card, changes)

const charge = (id: string) => dbRow(service, 'select * from charges where opened_by = $1', [id])
const atNetwork = (id: string) =>
  dbRow(service, 'select m.* from simnet.mints m join charges c on c.id = m.charge_id where c.opened_by = $1', [id])
const statusOf = async (id: string) => (await paymentResult(merchant, id)).body.status

describe('success', () => {
  test('approved: completed, the network told, with what the merchant knows', async () => {
    const { id, approved } = await waiting()
    const answer = await report(merchant, id, {
      ...approved,
      txn_type: 'PURCHASE',
      authorization_code: 'a'.repeat(128),
      response_code: '00',
      amount_paid: '39.5',
    })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      status: 'confirmed',
      txn_ref_id: approved.txn_ref_id,
      txn_status: 'APPROVED',
      network_confirmation: 'SUCCESS',
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await statusOf(id)).toBe('completed')
    expect(await charge(id)).toMatchObject({ reported_type: 'PURCHASE', response_code: '00', paid_minor: 3950n })
    expect(await atNetwork(id)).toMatchObject({
      confirmed_outcome: 'APPROVED',
      confirmed_paid_minor: 3950n,
      confirmed_authorization_code: 'a'.repeat(128),
      confirmed_response_code: '00',
    })
  })

  test('declined: failed, and the credential is worth nothing afterwards', async () => {
    const { id, item, declined } = await waiting()
    const answer = await report(merchant, id, declined)
    expect(answer.body).toMatchObject({ txn_status: 'DECLINED', network_confirmation: 'SUCCESS' })
    await service.runJobs()
    const spent = await merchant.post('/v1/test_helpers/authorizations', authorization(item))
    expect(spent.body).toMatchObject({ approved: false, response_code: '62' })
    expect(await charge(id)).toMatchObject({ status: 'failed', failure_code: 'PAYMENT_DECLINED' })
  })

  test('an approved report closes an unspent credential too', async () => {
    const { id, item, approved } = await waiting()
    await report(merchant, id, approved)
    const spent = await merchant.post('/v1/test_helpers/authorizations', authorization(item))
    expect(spent.body).toMatchObject({ approved: false, response_code: '62' })
  })

  test('the network does not agree: recorded as reported, said to the merchant', async () => {
    const { id, approved } = await waiting(CARDS.confirmationRefused)
    for (let times = 0; times < 2; times += 1) {
      const answer = await report(merchant, id, approved)
      expect(answer.body).toMatchObject({ status: 'confirmed', network_confirmation: 'FAILURE' })
    }
    expect(await statusOf(id)).toBe('completed')
  })

  test('in a currency without minor unit', async () => {
    const changes = {
      currency: 'JPY',
      total_amount: '400',
      purchase_context: { custom: custom({}, { unit_price: '400' }) },
    }
    const { id, approved } = await waiting(undefined, changes)
    const statuses = [{ product_ref_id: 'x', status: 'FAILED', amount_paid: '1.5' }]
    const refused = await report(merchant, id, { ...approved, amount_paid: '400.50', product_statuses: statuses })
    expectInvalid(refused, 'amount_paid', 'product_statuses[0].amount_paid')
    expect((await report(merchant, id, { ...approved, amount_paid: '400.00' })).status).toBe(200)
  })
})

describe('a report and what the acquirer saw', () => {
  const spend = (item: Record<string, string>, changes: object = {}) =>
    merchant.post('/v1/test_helpers/authorizations', authorization(item, changes as Record<string, unknown>))
  const confirmation = async (id: string, body: object) =>
    (await report(merchant, id, body as Record<string, unknown>)).body.network_confirmation

  test('declined of what was approved: FAILURE', async () => {
    const { id, item, declined } = await waiting()
    expect((await spend(item)).body.response_code).toBe('00')
    expect(await confirmation(id, declined)).toBe('FAILURE')
    expect(await confirmation(id, declined)).toBe('FAILURE')
  })

  test('approved of what was refused: FAILURE, and nothing more is spent with it', async () => {
    const { id, item, approved } = await waiting('4000000000009995')
    expect((await spend(item)).body.response_code).toBe('51')
    expect(await confirmation(id, approved)).toBe('FAILURE')
    expect((await spend(item)).body.response_code).toBe('62')
  })

  test('more than was approved: FAILURE', async () => {
    const { id, item, approved } = await waiting()
    expect((await spend(item, { amount: '30.00' })).body.response_code).toBe('00')
    expect(await confirmation(id, { ...approved, amount_paid: '40.00' })).toBe('FAILURE')
  })

  test.each([
    ['approved and spent', true, 'approved'],
    ['approved, and spent elsewhere for all it knows', false, 'approved'],
    ['declined and never spent', false, 'declined'],
  ] as const)('%s: SUCCESS', async (_name, isSpent, outcome) => {
    const session = await waiting()
    if (isSpent) await spend(session.item)
    expect(await confirmation(session.id, session[outcome])).toBe('SUCCESS')
  })

  test('an amount above what was minted is not valid, and nothing is reported by it', async () => {
    const { id, approved } = await waiting()
    const above = await report(merchant, id, { ...approved, amount_paid: '40.01' })
    expectInvalid(above, 'amount_paid')
    expect(above.body.error.details.amount_paid).toContain('40.00')
    expect(await statusOf(id)).toBe('awaiting_result')
  })
})

describe('invalid input', () => {
  test.for([
    [{ txn_ref_id: undefined }, 'txn_ref_id'],
    [{ txn_ref_id: '' }, 'txn_ref_id'],
    [{ txn_ref_id: 7 }, 'txn_ref_id'],
    [{ txn_status: undefined }, 'txn_status'],
    [{ txn_status: 'approved' }, 'txn_status'],
    [{ txn_status: 'PENDING' }, 'txn_status'],
    [{ txn_type: 'REFUND' }, 'txn_type'],
    [{ authorization_code: 'a'.repeat(129) }, 'authorization_code'],
    [{ authorization_code: 'a\u0000' }, 'authorization_code'],
    [{ response_code: '000' }, 'response_code'],
    [{ response_code: 0 }, 'response_code'],
    [{ amount_paid: 40 }, 'amount_paid'],
    [{ amount_paid: '-1' }, 'amount_paid'],
    [{ amount_paid: '1.234' }, 'amount_paid'],
    [{ product_statuses: {} }, 'product_statuses'],
    [{ product_statuses: [{ product_id: 'a' }] }, 'product_statuses[0].status'],
    [{ product_statuses: [{ product_id: 'a', status: 'DONE' }] }, 'product_statuses[0].status'],
    [{ product_statuses: [{ status: 'FAILED' }] }, 'product_statuses[0]'],
    [{ product_statuses: [{ product_id: '', status: 'FAILED' }] }, 'product_statuses[0]'],
    [{ product_statuses: [{ product_ref_id: '', status: 'FAILED' }] }, 'product_statuses[0].product_ref_id'],
    [{ product_statuses: [{ product_id: 'a', status: 'FAILED', extra: 1 }] }, 'product_statuses[0].extra'],
    [{ product_id: 'a' }, 'product_id'],
  ] as [object, string][])('%j names %s', async ([changes, path]) => {
    const { session_id } = await createSession(merchant)
    const answer = await report(merchant, session_id, { txn_ref_id: 'tli_1', txn_status: 'APPROVED', ...changes })
    expectInvalid(answer, path)
  })
})

test('not authenticated', async () => {
  const { id } = await waiting()
  await expectRefusesStrangers(service, 'POST', `/v1/sessions/${id}/report-status`)
  expect(await statusOf(id)).toBe('awaiting_result')
})

describe('not found', () => {
  test("another merchant's session answers like one that never was", async () => {
    const { id, approved } = await waiting()
    const other = await service.addMerchant()
    const theirs = await report(other, id, approved)
    const nobodys = await report(other, 'sess_00000000000000000000000000', approved)
    expectError(theirs, 404, 'NOT_FOUND')
    expect(theirs.body).toEqual(nobodys.body)
    expect(await statusOf(id)).toBe('awaiting_result')
  })

  test('a transaction reference of nobody, and of another session', async () => {
    const [mine, another] = [await waiting(), await waiting()]
    for (const txn_ref_id of ['tli_00000000000000000000000000', another.approved.txn_ref_id, mine.id]) {
      expectError(await report(merchant, mine.id, { txn_ref_id, txn_status: 'APPROVED' }), 404, 'NOT_FOUND')
    }
    expect(await statusOf(mine.id)).toBe('awaiting_result')
    expect(await statusOf(another.id)).toBe('awaiting_result')
  })

  test('a product of another session: refused before anything is claimed', async () => {
    const { id, approved } = await waiting(undefined, withProducts)
    const { item } = await waiting(undefined, withProducts)
    for (const [product, field] of [
      [{ product_id: 'sku-none' }, 'product_id'],
      [{ product_ref_id: item.products[0].product_ref_id }, 'product_ref_id'],
    ] as const) {
      const product_statuses = [
        { product_id: 'sku-tea', status: 'FAILED' },
        { ...product, status: 'FAILED' },
      ]
      const answer = await report(merchant, id, { ...approved, product_statuses })
      expectError(answer, 400, 'PRODUCT_NOT_FOUND')
      expect(Object.keys(answer.body.error.details)).toEqual([`product_statuses[1].${field}`])
    }
    expect(await charge(id)).toMatchObject({ reported_outcome: null })
  })
})

describe('conflict', () => {
  test('nothing awaits a report: pending, processing, declined at mint, revoked, expired', async () => {
    const { session_id: pending } = await createSession(merchant)
    const { session_id: revoked } = await createSession(merchant)
    await revoke(merchant, revoked)
    const { session_id: expired } = await createSession(merchant)
    await service.clock.advance(901)
    const { session_id: fresh } = await createSession(merchant)
    const { id: processing } = await approvedSession(merchant, CARDS.mintRequestLost)
    const { id: refused } = await approvedSession(merchant, CARDS.mintDeclined)
    for (const id of [pending, fresh, revoked, expired, processing, refused]) {
      const { line_item_id: txn_ref_id } = await charge(id)
      expectError(await report(merchant, id, { txn_ref_id, txn_status: 'APPROVED' }), 400, 'INVALID_STATE')
    }
    expect(await statusOf(processing)).toBe('processing')
  })

  test('the approval has lapsed', async () => {
    const { id, approved } = await waiting()
    await service.clock.advance(901)
    for (let times = 0; times < 2; times += 1) expectError(await report(merchant, id, approved), 400, 'MANDATE_EXPIRED')
    expect(await atNetwork(id)).toMatchObject({ confirmed_outcome: null })
  })

  test('the other outcome, in both orders', async () => {
    for (const [first, second] of [
      ['APPROVED', 'DECLINED'],
      ['DECLINED', 'APPROVED'],
    ]) {
      const { id, approved } = await waiting()
      expect((await report(merchant, id, { ...approved, txn_status: first })).status).toBe(200)
      expectError(await report(merchant, id, { ...approved, txn_status: second }), 400, 'INVALID_STATE')
      expect(await atNetwork(id)).toMatchObject({ confirmed_outcome: first })
    }
  })
})

describe('replay', () => {
  test('the same report again answers the same, also long after, and changes nothing', async () => {
    const { id, approved } = await waiting()
    const first = await report(merchant, id, { ...approved, authorization_code: 'one', amount_paid: '40.00' })
    const before = await charge(id)
    await service.clock.advance(100_000)
    const second = await report(merchant, id, { ...approved, authorization_code: 'two', amount_paid: '1.00' })
    expect([second.status, second.body]).toEqual([200, first.body])
    expect(await charge(id)).toEqual(before)
  })

  test('a confirmation that breaks is 502; the same report finishes it; the other outcome stays refused', async () => {
    const { id, approved, declined } = await waiting(CARDS.confirmationFailsOnce)
    const broken = await report(merchant, id, { ...approved, authorization_code: 'one' })
    expectError(broken, 502, 'NETWORK_CONFIRMATION_FAILED')
    expectError(await report(merchant, id, declined), 400, 'INVALID_STATE')
    const again = await report(merchant, id, { ...approved, authorization_code: 'two' })
    expect(again.body).toMatchObject({ status: 'confirmed', network_confirmation: 'SUCCESS' })
    expect(await atNetwork(id)).toMatchObject({ confirmed_outcome: 'APPROVED', confirmed_authorization_code: 'one' })
    expect(await statusOf(id)).toBe('completed')
  })

  describe('in a hurry', () => {
    const workOf = (id: string) =>
      dbRow(
        service,
        'select work_due_at as due_at, attempts, lease_until, lease_fence from charges where opened_by = $1',
        [id],
      )
    /** So many tries so far, and half a minute until the next one: a busy machine must not come to it by itself. */
    const afterTries = async (id: string, tries: number) =>
      service.pool.query(
        `update charges set attempts = $2, work_due_at = work_due_at + interval '30 seconds' where opened_by = $1`,
        [id, tries],
      )
    /** The network is asked, and does not answer. */
    const unanswered = async (id: string, body: Record<string, unknown>) => {
      await service.pool.query('delete from simnet.scripted_failures')
      expectError(await report(merchant, id, body), 502, 'NETWORK_CONFIRMATION_FAILED')
      expect(await service.pool.query('select 1 from simnet.scripted_failures')).toMatchObject({ rowCount: 1 })
    }

    test('it asks the network each time, and leaves the next try and the count of tries as they are', async () => {
      const { id, approved } = await waiting(CARDS.confirmationFailsOnce)
      await unanswered(id, approved)
      expect(await workOf(id)).toMatchObject({ attempts: 1, lease_until: null })
      await afterTries(id, 1)
      const { due_at, attempts, lease_fence } = await workOf(id)
      for (const times of [1n, 2n, 3n]) {
        await unanswered(id, approved)
        expect(await workOf(id)).toEqual({ due_at, attempts, lease_until: null, lease_fence: lease_fence + times })
      }
      // When it was to be asked again it is a try, however often it was asked in between.
      await service.clock.advance(32)
      await unanswered(id, approved)
      const later = await workOf(id)
      expect(later).toMatchObject({ attempts: 2, lease_until: null })
      expect(later.due_at.getTime()).toBeGreaterThan(due_at.getTime())
      expect((await report(merchant, id, approved)).body).toMatchObject({ network_confirmation: 'SUCCESS' })
      expect(await statusOf(id)).toBe('completed')
    })

    test('the first one is never early, however often the work on the charge was tried before', async () => {
      const { id, approved } = await waiting(CARDS.confirmationFailsOnce)
      await afterTries(id, 3)
      const { due_at: lapse } = await workOf(id)
      await unanswered(id, approved)
      const { due_at, attempts } = await workOf(id)
      expect(attempts).toBe(4)
      expect(due_at.getTime()).toBeLessThan(lapse.getTime())
    })

    test('it says nothing of how long the network has been silent', async () => {
      const { id, approved } = await waiting(CARDS.confirmationFailsOnce)
      await unanswered(id, approved)
      const { id: row_id } = await charge(id)
      const alarms = () => entries().filter((line) => line.row_id === row_id)
      await afterTries(id, 33)
      await unanswered(id, approved)
      expect(alarms()).toEqual([])
      await service.clock.advance(32)
      await unanswered(id, approved)
      expect(alarms()).toMatchObject([{ alarm: 'work_stuck', attempt: 34 }])
      for (let times = 0; times < 3; times += 1) await unanswered(id, approved)
      expect(alarms()).toHaveLength(1)
    })

    test('what falls due while it asks wakes the loop, which has looked while it was in hand', async () => {
      const { pool, clock, database } = service
      const wakes = startWakes({ pool, connection: database.connection, log: SILENT, refreshClock: clock.refresh })
      let woken = 0
      wakes.add('charges.reconcile', () => ++woken > 0)
      try {
        await expect.poll(() => woken, { message: 'the connection came' }).toBe(1)
        const { id, approved } = await waiting(CARDS.confirmationFailsOnce)
        await unanswered(id, approved)
        await afterTries(id, 1)
        const before = woken
        await unanswered(id, approved)
        await expect.poll(() => woken).toBeGreaterThan(before)
      } finally {
        await wakes.stop()
      }
    })
  })

  test('without another report the reconciler finishes it, even after the approval has lapsed', async () => {
    const { id, approved } = await waiting(CARDS.confirmationFailsOnce)
    expectError(await report(merchant, id, approved), 502, 'NETWORK_CONFIRMATION_FAILED')
    await service.clock.advance(2_000)
    expect(await statusOf(id)).toBe('awaiting_result')
    await service.runJobs()
    expect(await statusOf(id)).toBe('completed')
    expect((await report(merchant, id, approved)).body).toMatchObject({ network_confirmation: 'SUCCESS' })
  })
})

test("the network's brand enters the field's name and the code's, from one setting", async () => {
  const branded = await startTestService({ env: { ...PATIENT, NETWORK_BRAND: 'Acme' }, database: service.database })
  try {
    const { id, item } = await approvedSession(branded.merchant, CARDS.confirmationFailsOnce)
    const body = { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' }
    expectError(await report(branded.merchant, id, body), 502, 'ACME_CONFIRMATION_FAILED')
    const answer = await report(branded.merchant, id, body)
    expect(answer.body).toEqual({ status: 'confirmed', ...body, acme_confirmation: 'SUCCESS' })
    const document = await branded.merchant.get('/openapi.json')
    expect(JSON.stringify(document.body)).toContain('ACME_CONFIRMATION_FAILED')
    expect(JSON.stringify(document.body)).not.toMatch(/network_confirmation|NETWORK_CONFIRMATION_FAILED/)
  } finally {
    await branded.close()
  }
})
