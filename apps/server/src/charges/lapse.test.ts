// Guarantee: a credential lives as long as its charge asks for. When it lapses the network says whether it was used: unused, the charge comes
// to nothing and gives back what it took; used, it waits for its report. No caller is shown it from that moment on (faults C11).
import { afterAll, describe, expect, test } from 'vitest'
import { CARDS, dbRow, eventBodies, expectError, expectInvalid } from '../../test/flows.ts'
import { newOwner, startWithOwner } from '../mandates/testing/standing.ts'
import { numberOf } from '../network/simulator/testing/cards.ts'
import { addSeconds } from '../platform/clock.ts'
import type { ChargeDeps } from './deps.ts'
import { runOut } from './lapse.ts'
import type { ChargeWork } from './store.ts'
import { charge, chargeable, expectBalanced, livingFor, reportCharge, spend, tally } from './testing/charge.ts'
import { BACK, DAY, LAPSED, lapsing, READY, TAKEN } from './testing/lapse.ts'

const { service, merchant, owner, close } = await startWithOwner()
afterAll(close)
const at = lapsing([service], merchant, owner)

const read = async (id: string) => (await merchant.get(`/v1/mandates/${id}`)).body

describe('how long a credential lives', () => {
  test.each([
    [undefined, 1_440],
    [1, 1],
    [43_200, 43_200],
  ])(
    'asked for %s: %s minutes from the mint, here and at the network, and its printed month covers that',
    async (asked, minutes) => {
      const { made, txn } = await at.charged(asked === undefined ? {} : livingFor(asked))
      const { expiresAt, credentials } = made.body
      const { lapses_at, created_at } = await at.rowOf(txn)
      expect(expiresAt).toBe(lapses_at.toISOString())
      expect(Math.abs(lapses_at.getTime() - created_at.getTime() - minutes * 60_000)).toBeLessThan(20_000)
      const network = await dbRow(service, 'select valid_until from simnet.mints where charge_id = $1', [txn])
      expect(Math.abs(network.valid_until.getTime() - lapses_at.getTime())).toBeLessThan(20_000)
      expect(Date.UTC(Number(credentials.expiryYear), Number(credentials.expiryMonth), 1)).toBeGreaterThan(
        lapses_at.getTime(),
      )
    },
  )

  test.each([0, -1, 43_201, 527_040, 1.5, '60', null])('%s minutes are refused', async (minutes) => {
    const id = await chargeable(service, owner)
    expectInvalid(
      await charge(merchant, id, livingFor(minutes as number)),
      'purchase_context[0].effective_until_minutes',
    )
  })

  test('ends with the mandate, where that ends before', async () => {
    const validUntil = addSeconds(service.clock.now(), 3_600)
    const { id, made, txn } = await at.charged({ reference: 'r' }, { validUntil, frequency: 'one_time', maxCharges: 1 })
    expect(made.body.expiresAt).toBe(validUntil.toISOString())
    await at.passLapse(txn)
    expect((await charge(merchant, id, { reference: 'r' })).body).toMatchObject({
      deduplicated: true,
      credentials: null,
    })
    await service.runJobs()
    expect(await at.rowOf(txn)).toMatchObject(LAPSED)
    expect(await read(id)).toMatchObject({ status: 'expired', chargeCount: 0 })
    expect(await expectBalanced(service, id)).toEqual(BACK)
  })

  test('is in each answer about the charge, and null where nothing was minted', async () => {
    const { id, made } = await at.charged({ reference: 'r' })
    const again = await charge(merchant, id, { reference: 'r' })
    expect(again.body).toEqual({ ...made.body, deduplicated: true })
    expect((await charge(merchant, id, {}, '?dry_run=true')).body).toMatchObject({ expiresAt: null })
    expect((await charge(merchant, id, { amount: '99.00' })).body).toMatchObject({ status: 'failed', expiresAt: null })
  })
})

test('a lapsed credential is shown to nobody, before anybody has ended it', async () => {
  const { id, made, txn } = await at.charged({ reference: 'r', ...livingFor(1) })
  const { lapses_at } = await at.rowOf(txn)
  await at.passLapse(txn, 0)
  expect(service.clock.now() >= lapses_at).toBe(true)
  expect((await charge(merchant, id, { reference: 'r' })).body).toMatchObject({
    ...{ transactionId: txn, deduplicated: true, status: 'awaiting_result', credentials: null },
    expiresAt: made.body.expiresAt,
  })
  expect((await at.rowOf(txn)).credential_sealed).not.toBeNull()
  expect((await spend(service, merchant, made)).body).toMatchObject({ approved: false, response_code: '54' })
})

describe('a credential that was not used', () => {
  test('ends at the network: the charge has failed, its amount is back and its reference free', async () => {
    const { id, made, txn } = await at.charged({ reference: 'r' })
    await at.lapse(txn)
    expect(await at.rowOf(txn)).toMatchObject(LAPSED)
    expect(await at.typesOf(txn)).toEqual([READY, '3 payment.failed'])
    const [, failed] = (await eventBodies(service, txn)).map((body) => JSON.parse(body))
    expect(failed.data).toMatchObject({
      ...{ status: 'failed', error_code: 'CREDENTIAL_LAPSED', failure_category: 'expired' },
      outcome_source: 'service_issued',
    })
    expect(await expectBalanced(service, id)).toEqual(BACK)
    expect(await read(id)).toMatchObject({ remaining: '100.00', charges: [{ transactionId: txn, status: 'failed' }] })
    expect((await spend(service, merchant, made)).body).toMatchObject({ approved: false, response_code: '62' })
    expectError(await reportCharge(merchant, id, txn), 409, 'CHARGE_NOT_REPORTABLE')
    const again = (await charge(merchant, id, { reference: 'r' })).body
    expect(again).toMatchObject({ deduplicated: false, status: 'awaiting_result' })
    expect(again.transactionId).not.toBe(txn)
  })

  test.each(['release_fails_once', 'release_answer_lost'] as const)(
    '%s: is given back once, when the network has said so',
    async (script) => {
      const fragile = await newOwner(service, merchant, numberOf(script))
      const { id, txn } = await at.charged({}, {}, fragile)
      await at.passLapse(txn)
      const job = service.job('charges.reconcile')
      await job.run()
      await job.settled?.()
      expect(await at.rowOf(txn)).toMatchObject({ status: 'awaiting_result' })
      expectError(await reportCharge(merchant, id, txn, 'DECLINED', {}), 409, 'CHARGE_NOT_REPORTABLE')
    },
  )

  test('a report that comes while the network says nothing is not kept: 503, and again', async () => {
    const { id, txn } = await at.charged({}, {}, await newOwner(service, merchant, numberOf('release_fails_once')))
    await at.passLapse(txn)
    expectError(await reportCharge(merchant, id, txn), 503, 'SERVICE_UNAVAILABLE')
    expect(await at.rowOf(txn)).toMatchObject({ status: 'awaiting_result', reported_outcome: null })
    await at.advance(2)
    expectError(await reportCharge(merchant, id, txn), 409, 'CHARGE_NOT_REPORTABLE')
    expect(await at.rowOf(txn)).toMatchObject(LAPSED)
    expect(await expectBalanced(service, id)).toEqual(BACK)
  })
})

describe('a credential that was used', () => {
  async function used(body: Record<string, unknown> = {}, from = owner) {
    const made = await at.charged(body, {}, from)
    expect((await spend(service, merchant, made.made)).body).toMatchObject({ approved: true })
    return made
  }

  test('is erased, and its charge waits for its report; a day later it is told that there is none', async () => {
    const { id, txn } = await used({ reference: 'r' })
    await at.lapse(txn)
    expect(await at.rowOf(txn)).toMatchObject({
      status: 'awaiting_result',
      credential_sealed: null,
      credential_key_id: null,
    })
    expect(await at.typesOf(txn)).toEqual([READY])
    expect(await expectBalanced(service, id)).toEqual(TAKEN)
    await at.advance(DAY - 10)
    await service.runJobs()
    expect(await at.typesOf(txn)).toEqual([READY])
    await at.advance(10)
    await service.runJobs()
    expect(await at.typesOf(txn)).toEqual([READY, '3 charge.report_overdue'])
    await service.runJobs()
    expect(await at.typesOf(txn)).toHaveLength(2)
    expect((await charge(merchant, id, { reference: 'r' })).body).toMatchObject({
      ...{ transactionId: txn, deduplicated: true, status: 'awaiting_result', credentials: null },
    })
    await at.advance(28 * DAY)
    await service.runJobs()
    expect((await reportCharge(merchant, id, txn)).body).toMatchObject({ status: 'completed' })
    expect(await at.typesOf(txn)).toEqual([READY, '3 charge.report_overdue', '4 payment.succeeded'])
  })

  test('takes its report after the lapse, before anybody has asked the network', async () => {
    const { id, txn } = await used()
    await at.passLapse(txn)
    expect((await reportCharge(merchant, id, txn)).body).toMatchObject({
      status: 'completed',
      networkConfirmation: 'SUCCESS',
    })
    expect(await at.typesOf(txn)).toEqual([READY, '3 payment.succeeded'])
    expect(await expectBalanced(service, id)).toEqual(TAKEN)
  })

  test('fails 30 days later, and only then gives its amount back; the network goes on counting it', async () => {
    const { id, txn } = await used({ reference: 'r' })
    await at.lapse(txn)
    await at.advance(DAY)
    await service.runJobs()
    expect(await read(id)).toMatchObject({ remaining: '75.00', chargeCount: 1 })
    await at.advance(29 * DAY)
    expectError(await reportCharge(merchant, id, txn), 409, 'CHARGE_NOT_REPORTABLE')
    await service.runJobs()
    expect(await at.rowOf(txn)).toMatchObject({ status: 'failed', failure_code: 'REPORT_TIMEOUT' })
    expect(await read(id)).toMatchObject({ remaining: '100.00', chargeCount: 0 })
    expect((await at.typesOf(txn)).at(-1)).toBe('4 payment.failed')
    const { service: own, network } = await tally(service, id)
    expect({ own, network }).toEqual({ own: BACK, network: TAKEN })
    expect((await charge(merchant, id, { reference: 'r' })).body).toMatchObject({ deduplicated: false })
  })

  test('fails when the network knows of it too: an outage puts it off, and nothing is given back before', async () => {
    const { id, txn } = await used({}, await newOwner(service, merchant, CARDS.confirmationFailsOnce))
    await at.lapse(txn)
    await at.advance(DAY)
    await service.runJobs()
    await at.advance(29 * DAY)
    // One round: on a busy machine the next try may be due before all tasks have run.
    const ends = service.job('charges.reconcile')
    await ends.run()
    await ends.settled?.()
    expect(await at.rowOf(txn)).toMatchObject({ status: 'awaiting_result' })
    expect(await expectBalanced(service, id)).toEqual(TAKEN)
    await at.advance(2)
    await service.runJobs()
    expect(await at.rowOf(txn)).toMatchObject({ status: 'failed', failure_code: 'REPORT_TIMEOUT' })
  })

  test('a worker that had read the charge before its report asks and tells the network nothing', async () => {
    const { id, txn } = await used()
    const { credential_key_id: credentialKeyId } = await at.rowOf(txn)
    const lapsesAt = await at.passLapse(txn)
    const asked: unknown[] = []
    const ask = async (request: unknown) => asked.push(request)
    const deps = {
      pool: service.pool,
      clock: service.clock,
      network: { confirm: ask, release: ask },
    } as unknown as ChargeDeps
    const before = { merchantId: merchant.merchantId, id: txn, standingMandateId: id, lapsesAt, reportedOutcome: null }
    expect((await reportCharge(merchant, id, txn)).body).toMatchObject({ status: 'completed' })
    await at.advance(31 * DAY)
    const steps = [
      { credentialKeyId, overdueAt: null },
      { credentialKeyId: null, overdueAt: lapsesAt },
    ]
    for (const step of steps) {
      expect(await runOut(deps, { ...before, ...step } as ChargeWork)).toBeUndefined()
    }
    expect(asked).toEqual([])
  })

  test('also when no worker ran for all that time: both are told, in order', async () => {
    const { txn } = await used()
    await at.lapse(txn, 31 * DAY)
    expect(await at.typesOf(txn)).toEqual([READY, '3 charge.report_overdue', '4 payment.failed'])
  })
})
