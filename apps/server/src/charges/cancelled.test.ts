// Guarantee: cancelling a mandate stops every later charge at once and leaves earlier ones alone: their credentials are shown, spent and
// reported until they end by themselves. Only then is the instruction cancelled at the network, and at the latest when the last one lapses.
import { afterAll, describe, expect, test } from 'vitest'
import { atOnce, dbRow, expectError } from '../../test/flows.ts'
import { newOwner, startWithOwner } from '../mandates/testing/standing.ts'
import { numberOf } from '../network/simulator/testing/cards.ts'
import { addSeconds } from '../platform/clock.ts'
import { charge, expectBalanced, livingFor, reportCharge, spend } from './testing/charge.ts'
import { BACK, LAPSED, lapsing, READY, TAKEN } from './testing/lapse.ts'

const { service, merchant, owner, close } = await startWithOwner()
afterAll(close)
const at = lapsing([service], merchant, owner)

const cancel = async (id: string) => expect((await merchant.post(`/v1/mandates/${id}/cancel`)).status).toBe(200)
const read = async (id: string) => (await merchant.get(`/v1/mandates/${id}`)).body
const instruction = async (id: string) =>
  (await dbRow(service, 'select state from simnet.instructions where mandate_id = $1', [id])).state
const workOf = async (id: string) =>
  (await service.pool.query("select due_at from open_work where kind = 'mandate' and id = $1", [id])).rows

test('a credential that was minted before is replayed as it was, spent and reported; nothing is charged behind it', async () => {
  const { id, made, txn } = await at.charged({ reference: 'r' })
  await cancel(id)
  await service.runJobs()
  expect((await charge(merchant, id, { reference: 'r' })).body).toEqual({ ...made.body, deduplicated: true })
  expectError(await charge(merchant, id, { reference: 'other' }), 409, 'MANDATE_NOT_ACTIVE')
  expect(await instruction(id)).toBe('active')
  expect((await spend(service, merchant, made)).body).toMatchObject({ approved: true, response_code: '00' })
  const reported = (await reportCharge(merchant, id, txn)).body
  expect(reported).toMatchObject({ status: 'completed', mandateStatus: 'cancelled', networkConfirmation: 'SUCCESS' })
  expect(await at.typesOf(txn)).toEqual([READY, '3 payment.succeeded'])
  expect(await expectBalanced(service, id)).toEqual(TAKEN)
  await service.runJobs()
  expect(await instruction(id)).toBe('cancelled')
  expect(await workOf(id)).toEqual([])
})

test('reported as declined, its amount goes back, and nothing can be charged with it', async () => {
  const { id, txn } = await at.charged({ reference: 'r' })
  await cancel(id)
  expect((await reportCharge(merchant, id, txn, 'DECLINED')).body).toMatchObject({ mandateStatus: 'cancelled' })
  expect(await expectBalanced(service, id)).toEqual(BACK)
  expectError(await charge(merchant, id, { reference: 'r' }), 409, 'MANDATE_NOT_ACTIVE')
  await service.runJobs()
  expect(await instruction(id)).toBe('cancelled')
})

test('neither spent nor reported, it lapses at its own time, with its event; then the network is told', async () => {
  const { id, made, txn } = await at.charged(livingFor(43_200))
  await cancel(id)
  await service.runJobs()
  const [waiting] = await workOf(id)
  expect(waiting.due_at).toEqual((await at.rowOf(txn)).lapses_at)
  await at.advance(29 * 86_400)
  await service.runJobs()
  expect(await instruction(id)).toBe('active')
  expect(await at.typesOf(txn)).toEqual([READY])
  await at.lapse(txn)
  expect(await at.rowOf(txn)).toMatchObject(LAPSED)
  expect(await at.typesOf(txn)).toEqual([READY, '3 payment.failed'])
  await at.advance(10)
  await service.runJobs()
  expect(await instruction(id)).toBe('cancelled')
  expect((await spend(service, merchant, made)).body).toMatchObject({ approved: false })
  expect(await expectBalanced(service, id)).toEqual(BACK)
})

test('while somebody has its charge in hand, who may have read it before it was cancelled, it is looked at again soon', async () => {
  const { id, txn } = await at.charged(livingFor(43_200))
  await cancel(id)
  const now = service.clock.now()
  await service.pool.query('update charges set lease_until = $2 where id = $1', [txn, addSeconds(now, 30)])
  await service.runJobs()
  const [soon] = await workOf(id)
  expect(Number(soon.due_at)).toBeLessThan(Number(addSeconds(now, 30)))
  await service.pool.query('update charges set lease_until = null where id = $1', [txn])
  await at.advance(10)
  await service.runJobs()
  expect(await workOf(id)).toEqual([{ due_at: (await at.rowOf(txn)).lapses_at }])
})

test('of several the last one decides, whichever it is', async () => {
  const { id, txn } = await at.charged({ amount: '10.00' })
  const other = await charge(merchant, id, { amount: '10.00', ...livingFor(43_200) })
  await cancel(id)
  await service.runJobs()
  await reportCharge(merchant, id, other.body.transactionId)
  await service.runJobs()
  expect(await instruction(id)).toBe('active')
  await at.lapse(txn)
  await at.advance(10)
  await service.runJobs()
  expect(await instruction(id)).toBe('cancelled')
})

test('used and never reported: the network is told when it has lapsed, and the report is taken for 30 days as ever', async () => {
  const { id, made, txn } = await at.charged()
  await spend(service, merchant, made)
  await cancel(id)
  await at.lapse(txn)
  await at.advance(10)
  await service.runJobs()
  expect(await instruction(id)).toBe('cancelled')
  expect((await reportCharge(merchant, id, txn)).body).toMatchObject({ networkConfirmation: 'SUCCESS' })
  expect(await read(id)).toMatchObject({ status: 'cancelled', chargeCount: 1 })
})

test('a report that the network has not confirmed is confirmed before the instruction ends', async () => {
  const { id, txn } = await at.charged({}, {}, await newOwner(service, merchant, numberOf('confirmation_fails_once')))
  await cancel(id)
  await reportCharge(merchant, id, txn)
  await service.runJobs()
  await at.advance(60)
  await service.runJobs()
  expect(await at.rowOf(txn)).toMatchObject({ status: 'completed', network_confirmation: 'SUCCESS' })
  await at.advance(60)
  await service.runJobs()
  expect(await instruction(id)).toBe('cancelled')
})

describe('with many callers', () => {
  test('of 24 charges and a cancel each is whole: shown, spendable and reportable, or refused', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id } = await at.charged({ amount: '1.00' })
      const asking = atOnce(24, (index) => charge(merchant, id, { amount: '1.00', reference: `r-${index}` }))
      await cancel(id)
      const answers = await asking
      await service.runJobs()
      for (const made of answers) {
        if (made.status === 409) expectError(made, 409, 'MANDATE_NOT_ACTIVE')
        else if (made.body.status === 'awaiting_result') {
          expect((await spend(service, merchant, made)).body).toMatchObject({ approved: true })
          expect((await reportCharge(merchant, id, made.body.transactionId)).status).toBe(200)
        } else expect(made.body).toMatchObject({ status: 'failed', errorCode: 'PAYMENT_FAILED' })
      }
      await expectBalanced(service, id)
    }
  })

  test('of reports beside the cancel none leaves the instruction behind for longer than a moment', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id, txn } = await at.charged()
      await Promise.all([reportCharge(merchant, id, txn), cancel(id), service.runJobs()])
      await service.runJobs()
      await at.advance(10)
      await service.runJobs()
      expect(await instruction(id)).toBe('cancelled')
    }
  })
})
