// Guarantee: wherever the service dies while it charges a standing mandate, or takes the report of a charge, the same request
// later gets the one charge and the one result: minted once, counted once, given back once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  chargeable,
  charge as chargeMandate,
  expectBalanced,
  livingFor,
  reportCharge,
  spend,
} from '../../src/charges/testing/charge.ts'
import { type DatabaseClock, startDatabaseClock } from '../../src/db/clock.ts'
import { newOwner, type Owner } from '../../src/mandates/testing/standing.ts'
import { EVENTS } from '../events.ts'
import { type Caller, eventually, note } from '../processes/program.ts'
import type { TestMerchant, TestService } from '../service.ts'
import { openStage, SIDES, SIDES_OF_FEW, type Stage, type Staged } from './stage.ts'
import { commits, sweepKills, type Victim } from './sweep.ts'

let stage: Stage
let clock: DatabaseClock
let owner: Owner | undefined
beforeAll(async () => {
  stage = await openStage()
  clock = await startDatabaseClock(stage.database.pool)
})
afterAll(async () => {
  clock?.stop()
  await stage?.close()
})

/** What the fixtures of standing mandates need of a service. */
const service = () => ({ pool: stage.database.pool, clock }) as TestService

/** A standing mandate of one customer. */
async function prepareMandate(caller: Caller): Promise<string> {
  const { rows } = await stage.database.pool.query<{ id: string }>('select id from merchants')
  const merchant = { ...caller, merchantId: rows[0]?.id } as TestMerchant
  await clock.refresh()
  owner ??= await newOwner(service(), merchant)
  return chargeable(service(), owner)
}

const REFERENCE = { reference: 'once', amount: '25.00' }
const charge = (merchant: Caller, mandateId: string) => chargeMandate(merchant as TestMerchant, mandateId, REFERENCE)

async function eventsOf(txn: string): Promise<string[]> {
  const { rows } = await stage.database.pool.query<{ event: string }>(
    `select resource_version || ' ' || type as event from ${EVENTS} events where resource_id = $1 order by resource_version`,
    [txn],
  )
  return rows.map(({ event }) => event)
}

async function expectNothingOpen(mandateId: string): Promise<void> {
  const { rows } = await stage.database.pool.query(
    `select c.id from charges c where c.standing_mandate_id = $1 and (c.status = 'minting'
       or (c.status = 'awaiting_result') <> (c.attempts is not null))`,
    [mandateId],
  )
  expect(rows).toEqual([])
}

test.each(SIDES)('killed %s every message of a charge', async (when) => {
  const settle = async ({ merchant }: Staged, { sessionId: mandateId, answer }: Victim) => {
    const again = await eventually(async () => {
      const answer = await charge(merchant, mandateId)
      return answer.status === 200 ? answer.body : undefined
    })
    expect(again).toMatchObject({
      status: 'awaiting_result',
      amount: '25.00',
      credentials: { token: expect.any(String) },
    })
    // What was acknowledged is there.
    if (answer?.status === 200) expect(again).toEqual({ ...answer.body, deduplicated: true })
    expect(await expectBalanced(service(), mandateId)).toEqual({ spent: 2_500, count: 1 })
    expect(await eventsOf(again.transactionId)).toEqual(['2 payment.credentials_ready'])
    await expectNothingOpen(mandateId)
  }
  const stops = [
    commits('charges.insert_opened'),
    commits('simnet.insert_minted'),
    commits('charges.update_standing_minted'),
  ]
  const settled = await sweepKills(stage, { when, least: 4, stops, prepare: prepareMandate, act: charge }, settle)
  note(`Charge, killed ${when} each of ${settled.length} messages`)
})

const REPORTS = {
  DECLINED: { other: 'APPROVED', left: { spent: 0, count: 0 }, event: '3 payment.failed' },
  APPROVED: { other: 'DECLINED', left: { spent: 2_500, count: 1 }, event: '3 payment.succeeded' },
} as const
const OUTCOMES = ['DECLINED', 'APPROVED'] as const

test.each(SIDES_OF_FEW)('killed %s every message of a report', async (when) => {
  const charges = new Map<string, string>()
  const report = (caller: Caller, mandateId: string, outcome: 'APPROVED' | 'DECLINED') =>
    reportCharge(caller as TestMerchant, mandateId, charges.get(mandateId) ?? '', outcome)
  const sweep = {
    when,
    least: 4,
    stops: [commits('charges.claim_report'), commits('charges.update_standing_failed', 'charges.update_standing_paid')],
    variants: OUTCOMES,
    async prepare(merchant: Caller) {
      const mandateId = await prepareMandate(merchant)
      charges.set(mandateId, (await charge(merchant, mandateId)).body.transactionId)
      return mandateId
    },
    act: report,
  }
  const settled = await sweepKills(
    stage,
    sweep,
    async ({ merchant }, { variant: outcome, sessionId: mandateId, answer }) => {
      const { other, left, event } = REPORTS[outcome]
      const again = await report(merchant, mandateId, outcome)
      expect(again).toMatchObject({ status: 200, body: { mandateStatus: 'active', networkConfirmation: 'SUCCESS' } })
      if (answer?.status === 200) expect(again.body).toEqual(answer.body)
      expect((await report(merchant, mandateId, other)).body.error.code).toBe('CHARGE_NOT_REPORTABLE')
      expect(await expectBalanced(service(), mandateId)).toEqual(left)
      expect(await eventsOf(charges.get(mandateId) ?? '')).toEqual(['2 payment.credentials_ready', event])
      await expectNothingOpen(mandateId)
    },
  )
  note(`Report of a charge, killed ${when} each of ${settled.length} messages`)
})

const LAPSES = {
  used: { status: 200, outcome: 'APPROVED', left: { spent: 2_500, count: 1 }, event: '3 payment.succeeded' },
  unused: { status: 409, outcome: 'DECLINED', left: { spent: 0, count: 0 }, event: '3 payment.failed' },
} as const
type Use = keyof typeof LAPSES

test.each(SIDES_OF_FEW)('killed %s every message of a lapse', async (when) => {
  const charges = new Map<string, string>()
  const txnOf = (mandateId: string) => charges.get(mandateId) ?? ''
  // A report that comes after the lapse asks the network whether the credential was used, as a worker does.
  const report = (caller: Caller, mandateId: string, use: Use) =>
    reportCharge(caller as TestMerchant, mandateId, txnOf(mandateId), LAPSES[use].outcome)
  const sweep = {
    when,
    least: 4,
    stops: [
      commits('charges.claim_one'),
      commits('simnet.insert_tombstone'),
      commits('charges.update_used', 'charges.update_standing_failed'),
    ],
    variants: ['used', 'unused'] as const,
    async prepare(caller: Caller, _at: number, use: Use) {
      const merchant = caller as TestMerchant
      const mandateId = await prepareMandate(merchant)
      const made = await chargeMandate(merchant, mandateId, { ...REFERENCE, ...livingFor(1) })
      charges.set(mandateId, made.body.transactionId)
      if (use === 'used') expect((await spend(service(), merchant, made)).body.approved).toBe(true)
      await merchant.post('/v1/test_helpers/clock/advance', { seconds: 61 })
      return mandateId
    },
    act: report,
  }
  const settled = await sweepKills(
    stage,
    sweep,
    async ({ merchant }, { variant: use, sessionId: mandateId, answer }) => {
      const { status, left, event } = LAPSES[use]
      // No caller acts: a worker carries out what the dead service left.
      await eventually(async () => {
        const { rows } = await stage.database.pool.query(
          `select 1 from charges where id = $1 and status = 'awaiting_result'
           and (credential_key_id is not null or reported_outcome is not null)`,
          [txnOf(mandateId)],
        )
        return rows.length === 0 ? true : undefined
      })
      if (answer !== null) expect(answer.status).toBe(status)
      expect((await report(merchant, mandateId, use)).status).toBe(status)
      expect(await expectBalanced(service(), mandateId)).toEqual(left)
      expect(await eventsOf(txnOf(mandateId))).toEqual(['2 payment.credentials_ready', event])
      await expectNothingOpen(mandateId)
    },
  )
  note(`Lapse of a charge, killed ${when} each of ${settled.length} messages`)
})
