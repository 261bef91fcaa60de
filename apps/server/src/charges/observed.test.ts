// Guarantee: what the network tells of a payment completes a charge that no merchant reports, and what was captured is
// what its mandate has spent, at the service and at the network.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkedAgent, mandateOf } from '../../test/agents.ts'
import {
  authorization,
  countBy,
  dbRow,
  eventBodies,
  expectError,
  paymentResult,
  report,
  waitingSession,
} from '../../test/flows.ts'
import { purchaseRow } from '../../test/rows/charges.ts'
import { mandateOfPurchase } from '../../test/rows/mandates.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { newOwner, type Owner } from '../mandates/testing/standing.ts'
import type { CapableNetwork } from '../network/capabilities.ts'
import { createLog } from '../platform/log.ts'
import { BACK, DAY, LAPSED, lapsing, READY, TAKEN } from './testing/lapse.ts'
import { paidAt, settling } from './testing/observed.ts'
import { charge, expectBalanced, reportCharge, tally } from './testing/standing.ts'

const lines: string[] = []
let service: TestService
let merchant: TestMerchant
let owner: Owner
let at: ReturnType<typeof lapsing>
beforeAll(async () => {
  const log = createLog({ level: 'error', destination: { write: (line: string) => void lines.push(line) } })
  service = await startTestService({ env: PATIENT, log, createNetwork: capturingLater })
  merchant = service.merchant
  owner = await newOwner(service)
  at = lapsing([service], merchant, owner)
})
afterAll(() => service?.close())

/** As real networks do: what is authorized is captured days later. */
const capturingLater = (simulated: CapableNetwork): CapableNetwork => ({
  ...simulated,
  capabilities: { ...simulated.capabilities, capturesLater: true },
})
const read = async (id: string) => (await merchant.get(`/v1/mandates/${id}`)).body
const alarmsOf = (txn: string) =>
  lines.filter((line) => line.includes(txn)).flatMap((line) => /"alarm":"(\w+)"/.exec(line)?.[1] ?? [])
/** A charge of 25.00 that was paid with. */
async function paid(terms: Parameters<typeof at.charged>[1] = {}, body: Record<string, unknown> = {}) {
  const made = await at.charged(body, terms)
  return { ...made, settle: await paidAt(service, merchant, made.made) }
}
const lastEvent = async (txn: string, type: string) =>
  (await eventBodies(service, txn)).map((body) => JSON.parse(body)).findLast((event) => event.type === type)

describe('a charge that no merchant reports', () => {
  test('is completed when it is captured; the same report is answered, the other one refused', async () => {
    const { id, txn, settle } = await paid()
    await service.runJobs()
    expect((await at.rowOf(txn)).status).toBe('awaiting_result')
    expect((await settle('captured')).body).toMatchObject({ type: 'captured', amount: '25.00' })
    await service.runJobs()
    expect(await at.rowOf(txn)).toMatchObject({
      ...{ status: 'completed', reported_outcome: 'APPROVED', network_confirmation: 'SUCCESS', paid_minor: 2_500n },
      ...{ credential_sealed: null, work_due_at: null, reported_at: null },
    })
    expect(await at.typesOf(txn)).toEqual([READY, '3 payment.captured', '4 payment.succeeded'])
    expect((await lastEvent(txn, 'payment.succeeded')).data).toMatchObject({
      ...{ outcome_source: 'network_observed', status: 'completed', error_code: null },
    })
    expect((await reportCharge(merchant, id, txn)).body).toMatchObject({
      ...{ status: 'completed', networkConfirmation: 'SUCCESS' },
    })
    expectError(await reportCharge(merchant, id, txn, 'DECLINED'), 409, 'CHARGE_NOT_REPORTABLE')
    expect(await at.typesOf(txn)).toHaveLength(3)
    expect(await expectBalanced(service, id)).toEqual(TAKEN)
  })

  test('stays open after a declined authorization, until it lapses', async () => {
    const { id, made, txn } = await at.charged()
    const { token, dynamicCvv: dynamic_cvv, expiryMonth: expiry_month, expiryYear: expiry_year } = made.body.credentials
    const item = {
      token,
      dynamic_cvv,
      expiry_month,
      expiry_year,
      total_amount: '26.00',
      merchant_url: 'https://shop.example',
    }
    const tried = await merchant.post('/v1/test_helpers/authorizations', authorization(item))
    expect(tried.body).toMatchObject({ approved: false })
    await at.advance(120)
    await service.runJobs()
    expect(await dbRow(service, 'select kind from network_facts where charge_id = $1', [txn])).toEqual({
      kind: 'declined',
    })
    expect((await at.rowOf(txn)).status).toBe('awaiting_result')
    await at.lapse(txn)
    expect(await at.rowOf(txn)).toMatchObject(LAPSED)
    expect(await expectBalanced(service, id)).toEqual(BACK)
  })

  test('the one payment of a mandate ends it, with an event of its own', async () => {
    const { id, txn, settle } = await paid({ frequency: 'one_time', maxCharges: 1 })
    await settle('captured', '20.00')
    await service.runJobs()
    expect(await read(id)).toMatchObject({ status: 'consumed', spent: '20.00' })
    expect(await at.typesOf(id)).toEqual(['1 mandate.consumed'])
    expect(await at.typesOf(txn)).toEqual([
      ...[READY, '3 payment.captured', '4 payment.reversed', '5 payment.succeeded'],
    ])
  })

  test('of 16 reports and the capture at once there is one end', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id, txn, settle } = await paid()
      const [, ...answers] = await Promise.all([
        settle('captured').then(() => service.runJobs()),
        ...Array.from({ length: 16 }, () => reportCharge(merchant, id, txn)),
      ])
      // A report that was in hand came first: the network is asked again a moment later.
      await at.advance(3)
      await service.runJobs()
      expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 16 })
      const types = (await at.typesOf(txn)).map((type) => type.slice(2)).toSorted()
      expect(types).toEqual(['payment.captured', 'payment.credentials_ready', 'payment.succeeded'])
      expect(await expectBalanced(service, id)).toEqual(TAKEN)
    }
  })
})

describe('what a mandate has spent', () => {
  test('follows a capture of a part: the rest is back when no more is to be expected', async () => {
    const { id, txn, settle } = await paid()
    await settle('captured', '10.00', true)
    await service.runJobs()
    expect(await read(id)).toMatchObject({ remaining: '75.00', spent: '25.00' })
    await settle('captured', '4.50')
    await service.runJobs()
    expect(await read(id)).toMatchObject({ remaining: '85.50', spent: '14.50', chargeCount: 1 })
    expect(await tally(service, id)).toMatchObject({ network: { spent: 1_450, count: 1 } })
    expect((await lastEvent(txn, 'payment.reversed')).data).toMatchObject({
      network: { amount: '10.50', captured: '14.50', counted: '14.50' },
    })
  })

  test.each(['reversed', 'expired'] as const)('%s: all of it is back, and the charge lapses unused', async (type) => {
    const { id, txn, settle } = await paid()
    await settle(type)
    await service.runJobs()
    expect(await read(id)).toMatchObject({ remaining: '100.00', chargeCount: 1 })
    expect(await at.typesOf(txn)).toEqual([READY, '3 payment.reversed'])
    await at.lapse(txn)
    expect(await at.rowOf(txn)).toMatchObject(LAPSED)
    expect(await read(id)).toMatchObject({ remaining: '100.00', chargeCount: 0 })
    expect(await expectBalanced(service, id)).toEqual(BACK)
  })

  test('a refund and a dispute are shown, and give nothing back', async () => {
    const { id, txn, settle } = await paid()
    for (const [type, amount] of [['captured'], ['refunded', '5.00'], ['disputed', '25.00']] as const) {
      await settle(type, amount)
      await service.runJobs()
    }
    expect(await read(id)).toMatchObject({ remaining: '75.00', spent: '25.00' })
    expect((await at.typesOf(txn)).slice(1)).toEqual([
      ...['3 payment.captured', '4 payment.succeeded', '5 payment.refunded', '6 payment.disputed'],
    ])
    expect((await lastEvent(txn, 'payment.refunded')).data).toMatchObject({
      network: { amount: '5.00', refunded: '5.00', counted: '25.00' },
    })
    expect(await expectBalanced(service, id)).toEqual(TAKEN)
  })

  test('a capture above the authorization counts whole, above the cap too, and is an alarm', async () => {
    const { id, txn, settle } = await paid({}, { amount: '100.00' })
    await settle('captured', '120.00')
    await service.runJobs()
    expect(await read(id)).toMatchObject({ remaining: '0.00', spent: '120.00' })
    expect(await tally(service, id)).toMatchObject({ network: { spent: 12_000, count: 1 } })
    expect(alarmsOf(txn)).toEqual(['captured_above_authorization'])
    expect((await charge(merchant, id, { amount: '0.01' })).body).toMatchObject({ errorCode: 'THRESHOLD_EXCEEDED' })
  })

  test('what is captured of a charge that had failed counts, and is an alarm', async () => {
    const { id, txn, settle } = await paid()
    await settle('expired')
    await service.runJobs()
    await at.lapse(txn)
    await settle('captured', '25.00')
    await service.runJobs()
    expect(await read(id)).toMatchObject({ remaining: '75.00' })
    expect(alarmsOf(txn)).toContain('captured_after_end')
    expect((await lastEvent(txn, 'payment.captured')).data).toMatchObject({
      ...{ status: 'failed', error_code: 'CREDENTIAL_LAPSED', network: { counted: '25.00' } },
    })
  })

  test('a reported charge follows its capture as well', async () => {
    const { id, txn, settle } = await paid()
    expect((await reportCharge(merchant, id, txn)).status).toBe(200)
    await settle('captured', '24.00')
    await service.runJobs()
    expect(await read(id)).toMatchObject({ remaining: '76.00' })
    expect((await at.typesOf(txn)).slice(1)).toEqual([
      '3 payment.succeeded',
      '4 payment.captured',
      '5 payment.reversed',
    ])
  })

  test("an agent's limits follow, and the charge is open no more", async () => {
    const agent = await linkedAgent(service)
    const mandateId = await mandateOf(service, agent)
    const made = await agent.send('POST', `/v1/mandates/${mandateId}/charge`, { amount: '10.00' })
    const { transactionId: txn } = made.body
    const network = service.app.parts.network
    const taken = () =>
      dbRow(service, 'select open_count, day_minor::int from agent_spending where agent_id = $1', [agent.agentId])
    expect(await taken()).toEqual({ open_count: 1, day_minor: 1_000 })
    const inquired = await network.inquire({ chargeId: txn })
    if (inquired.outcome !== 'ok' || inquired.value.state !== 'minted') throw new Error('It was not minted.')
    const { payee_url: merchantUrl } = await at.rowOf(txn)
    const amount = { minor: 1_000n, currency: 'USD' } as const
    const { authorizationId } = await network.authorize({ ...inquired.value.credential, amount, merchantUrl })
    await settling(merchant, authorizationId)('captured', '7.00')
    await service.runJobs()
    expect(await taken()).toEqual({ open_count: 0, day_minor: 700 })
    expect((await at.rowOf(txn)).status).toBe('completed')
  })
})

describe('a purchase', () => {
  /** A session that was approved, and paid with. */
  async function bought() {
    const { id, item, approved } = await waitingSession(merchant)
    const { body } = await merchant.post('/v1/test_helpers/authorizations', authorization(item))
    expect(body.approved).toBe(true)
    return { id, approved, settle: settling(merchant, body.authorization_id) }
  }
  const statusOf = async (id: string) => (await paymentResult(merchant, id)).body.status

  test('that was authorized waits for its capture beyond the life of its credential, which is erased', async () => {
    const { id, settle } = await bought()
    await at.advance(1_000)
    await service.runJobs()
    expect(await statusOf(id)).toBe('awaiting_result')
    expect(await purchaseRow(service.pool, id)).toMatchObject({ credential_sealed: null, status: 'awaiting_result' })
    await at.advance(2 * DAY)
    await settle('captured')
    await service.runJobs()
    expect(await statusOf(id)).toBe('completed')
    expect((await mandateOfPurchase(service.pool, id)).status).toBe('consumed')
  })

  test('that was read after its time, before a worker came, is not ended either', async () => {
    const { id, settle } = await bought()
    await at.advance(1_000)
    expect(await statusOf(id)).toBe('awaiting_result')
    await settle('captured')
    await service.runJobs()
    expect(await statusOf(id)).toBe('completed')
  })

  test('whose authorization is reversed ends when its time is over', async () => {
    const { id, settle } = await bought()
    await settle('reversed')
    await at.advance(1_000)
    await service.runJobs()
    expect(await statusOf(id)).toBe('failed')
  })

  test('may be reported meanwhile', async () => {
    const { id, approved } = await bought()
    await at.advance(1_000)
    await service.runJobs()
    expect((await report(merchant, id, approved)).status).toBe(200)
    expect(await statusOf(id)).toBe('completed')
  })
})
