// Guarantee: the deletion of a card ends what was minted with it, of whatever mandate: no caller is shown it from the answer on, and unless it
// was spent its charge has failed at once, with its event. What was spent waits for its report. An end before its time, by an owner's word or after
// a restore, is the same.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  approvedSession,
  authorization,
  CARDS,
  dbRow,
  eventBodies,
  expectError,
  newUser,
  paymentResult,
  report,
} from '../../test/flows.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { deleteCard, enrollCard } from '../cards/testing/enrolled.ts'
import { newOwner, type Owner } from '../mandates/testing/standing.ts'
import { numberOf } from '../network/simulator/testing/cards.ts'
import { charge, expectBalanced, livingFor, reportCharge, spend } from './testing/charge.ts'
import { BACK, LAPSED, lapsing, READY, TAKEN } from './testing/lapse.ts'

let service: TestService
let merchant: TestMerchant
let owner: Owner
let at: ReturnType<typeof lapsing>
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
  merchant = service.merchant
})
afterAll(() => service?.close())
beforeEach(async () => {
  owner = await newOwner(service)
  at = lapsing([service], merchant, owner)
})

const cardOf = async (id: string) => (await dbRow(service, 'select card_id from mandates where id = $1', [id])).card_id
const remove = async (id: string, from = owner) =>
  expect((await deleteCard(merchant, from.userId, await cardOf(id))).status).toBe(200)
const cancel = (id: string) => merchant.post(`/v1/mandates/${id}/cancel`)
const minted = async (id: string) =>
  (await dbRow(service, 'select * from simnet.mints where charge_id = $1', [id])).state

describe('of a standing mandate', () => {
  test.each(['active', 'paused', 'cancelled before'])(
    '%s: hidden with the answer, and failed with its event',
    async (status) => {
      const { id, made, txn } = await at.charged({ reference: 'r', ...livingFor(43_200) })
      if (status === 'paused') await merchant.post(`/v1/mandates/${id}/pause`)
      if (status === 'cancelled before') await cancel(id)
      await service.runJobs()
      await remove(id)
      const again = (await charge(merchant, id, { reference: 'r' })).body
      expect(again).toEqual({ ...made.body, credentials: null, deduplicated: true })
      expect((await at.rowOf(txn)).credential_sealed).toBeNull()
      await service.runJobs()
      expect(await at.rowOf(txn)).toMatchObject(LAPSED)
      expect(await at.typesOf(txn)).toEqual([READY, '3 payment.failed'])
      expect(await minted(txn)).toBe('released')
      expect(await expectBalanced(service, id)).toEqual(BACK)
      expect((await spend(service, merchant, made)).body).toMatchObject({ approved: false, response_code: '62' })
      expectError(await reportCharge(merchant, id, txn), 409, 'CHARGE_NOT_REPORTABLE')
    },
  )

  test('spent before, it waits for its report, and is told to be overdue a day after its own end', async () => {
    const { id, made, txn } = await at.charged(livingFor(2 * 1_440))
    await spend(service, merchant, made)
    await remove(id)
    await service.runJobs()
    expect(await at.rowOf(txn)).toMatchObject({ status: 'awaiting_result', credential_sealed: null })
    await at.lapse(txn)
    expect(await at.typesOf(txn)).toEqual([READY])
    await at.lapse(txn, 86_401)
    expect(await at.typesOf(txn)).toEqual([READY, '3 charge.report_overdue'])
    expect((await reportCharge(merchant, id, txn)).body).toMatchObject({ networkConfirmation: 'SUCCESS' })
    expect(await expectBalanced(service, id)).toEqual(TAKEN)
  })

  test('the card is enrolled anew before a worker looks: what was minted with the one that was deleted is ended', async () => {
    const { id, txn } = await at.charged()
    await remove(id)
    await enrollCard(service, merchant, owner.userId, CARDS.success)
    await service.runJobs()
    expect(await at.rowOf(txn)).toMatchObject(LAPSED)
  })

  test('a network that is silent is asked again, and the charge is open until then', async () => {
    const fragile = await newOwner(service, merchant, numberOf('release_fails_once'))
    const { id, txn } = await at.charged({}, {}, fragile)
    await remove(id, fragile)
    await service.runJobs()
    expect(await at.rowOf(txn)).toMatchObject({ status: 'awaiting_result', credential_sealed: null })
    await at.advance(60)
    await service.runJobs()
    expect(await at.rowOf(txn)).toMatchObject(LAPSED)
  })

  test('another card of its owner leaves it alone', async () => {
    const { txn } = await at.charged()
    const other = await enrollCard(service, merchant, owner.userId, CARDS.amex)
    await deleteCard(merchant, owner.userId, other)
    await service.runJobs()
    expect((await at.rowOf(txn)).credential_sealed).not.toBeNull()
  })

  test('minted before, and written down only after the card was deleted: it does not wait for its time to fail', async () => {
    const { id, txn } = await at.charged(livingFor(43_200))
    const { credential_sealed, credential_key_id, lapses_at } = await at.rowOf(txn)
    const setBack = (status: string, ...[sealed, key, lapsesAt, dueAt]: unknown[]) =>
      service.pool.query(
        `update charges set status = $2, credential_sealed = $3, credential_key_id = $4, lapses_at = $5, work_due_at = $6 where id = $1`,
        [txn, status, sealed, key, lapsesAt, dueAt],
      )
    await setBack('minting', null, null, null, lapses_at)
    await remove(id)
    await setBack('awaiting_result', credential_sealed, credential_key_id, lapses_at, lapses_at)
    for (let look = 0; look < 2; look += 1) {
      await service.runJobs()
      await at.advance(10)
    }
    await service.runJobs()
    expect(await at.rowOf(txn)).toMatchObject(LAPSED)
  })

  test('minted while the card is deleted: it does not wait for its time to fail', async () => {
    for (let round = 0; round < 4; round += 1) {
      owner = await newOwner(service)
      const { id } = await at.charged({ amount: '1.00' }, {}, owner)
      const [made] = await Promise.all([charge(merchant, id, { amount: '1.00', reference: 'late' }), remove(id)])
      for (let look = 0; look < 3; look += 1) {
        await service.runJobs()
        await at.advance(10)
      }
      const rows = await service.pool.query('select status from charges where standing_mandate_id = $1', [id])
      expect(
        rows.rows.filter(({ status }) => status !== 'failed'),
        made.body.status,
      ).toEqual([])
      expect(await expectBalanced(service, id)).toEqual(BACK)
    }
  })
})

describe('of a checkout', () => {
  async function waiting() {
    const user = newUser()
    const { id, item } = await approvedSession(merchant, CARDS.success, { user_id: user })
    const row = await dbRow(service, 'select id as txn, card_id, mandate_id from charges where opened_by = $1', [id])
    return { user, id, item, ...(row as { txn: string; card_id: string; mandate_id: string }) }
  }
  const buy = async (item: Record<string, string>) =>
    (await merchant.post('/v1/test_helpers/authorizations', authorization(item))).body.response_code

  test.each([false, true])(
    'hidden with the answer, and failed with its event; cancelled before: %s',
    async (isCancelled) => {
      const { user, id, item, txn, card_id, mandate_id } = await waiting()
      if (isCancelled) await cancel(mandate_id)
      await service.runJobs()
      await deleteCard(merchant, user, card_id)
      const [line] = (await paymentResult(merchant, id)).body.transactions[0].line_items
      expect(line).toMatchObject({ token: null, dynamic_cvv: null })
      await service.runJobs()
      const result = (await paymentResult(merchant, id)).body
      expect(result).toMatchObject({ status: 'failed', error: { code: 'CREDENTIAL_LAPSED' } })
      const events = (await eventBodies(service, txn)).map((body) => JSON.parse(body))
      expect(events.at(-1)).toMatchObject({ type: 'payment.failed', data: { error_code: 'CREDENTIAL_LAPSED' } })
      expect(await minted(txn)).toBe('released')
      expect(await buy(item)).toBe('62')
      expectError(
        await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' }),
        400,
        'INVALID_STATE',
      )
    },
  )

  test('spent before, it waits for its report as ever', async () => {
    const { user, id, item, card_id } = await waiting()
    expect(await buy(item)).toBe('00')
    await deleteCard(merchant, user, card_id)
    await service.runJobs()
    expect((await paymentResult(merchant, id)).body).toMatchObject({ status: 'awaiting_result' })
    const reported = await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
    expect(reported.body).toMatchObject({ network_confirmation: 'SUCCESS' })
    expect((await paymentResult(merchant, id)).body).toMatchObject({ status: 'completed' })
  })

  test('ended before its time: one that has been reported, or is over, stays as it is', async () => {
    const { id, txn } = await waiting()
    const end = () => service.app.charges.endCredential({ merchantId: merchant.merchantId, chargeId: txn })
    await end()
    const over = await at.rowOf(txn)
    expect(over).toMatchObject({ status: 'failed' })
    await at.advance(1)
    await end()
    expect(await at.rowOf(txn)).toEqual(over)
    expect((await paymentResult(merchant, id)).body).toMatchObject({ status: 'failed' })
    const { id: silent, item } = await approvedSession(merchant, CARDS.confirmationFailsOnce)
    await report(merchant, silent, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
    const { id: reported } = await dbRow(service, 'select id from charges where opened_by = $1', [silent])
    const before = await at.rowOf(reported)
    expect(before).toMatchObject({ status: 'awaiting_result', reported_outcome: 'APPROVED' })
    await service.app.charges.endCredential({ merchantId: merchant.merchantId, chargeId: reported })
    expect(await at.rowOf(reported)).toMatchObject({ lapses_at: before.lapses_at, updated_at: before.updated_at })
  })

  test('ended before its time: failed with its event by then, and not because of its mandate', async () => {
    const { id, txn } = await waiting()
    const { merchantId } = merchant
    expect(await service.app.charges.endCredential({ merchantId, chargeId: txn })).toBe('ended')
    const result = (await paymentResult(merchant, id)).body
    expect(result).toMatchObject({ status: 'failed', error: { code: 'CREDENTIAL_LAPSED' } })
    const events = (await eventBodies(service, txn)).map((body) => JSON.parse(body))
    expect(events.at(-1)).toMatchObject({ type: 'payment.failed', data: { error_code: 'CREDENTIAL_LAPSED' } })
  })
})
