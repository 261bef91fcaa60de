import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newId } from '../../platform/ids.ts'
import type { ConfirmRequest } from '../port.ts'
import { cardOf, okValue, purchase, startTestNetwork, type TestNetwork } from './testing/test-network.ts'

// Guarantee: every demo and every measurement waits for this network, so what is not scripted costs it few questions; and
// what is done in one statement holds against everything that happens at the same time.

let fixture: TestNetwork
beforeAll(async () => {
  fixture = await startTestNetwork()
})
afterAll(() => fixture.close())

/** How many messages the database is sent meanwhile, BEGIN and COMMIT among them. */
async function messages(work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(Client.prototype, 'query')
  try {
    await work()
    // A connection that is opened meanwhile asks a question of its own.
    return query.mock.calls.filter(([sent]) => !String(sent).startsWith('select pg_is_in_recovery')).length
  } finally {
    query.mockRestore()
  }
}

const reportOf = (chargeId: string, outcome: ConfirmRequest['outcome']): ConfirmRequest => ({
  chargeId,
  outcome,
  currency: 'USD',
  amountPaid: null,
  authorizationCode: null,
  responseCode: null,
})

test('a payment costs five: one for the card, one for the instruction, two for the mint, one for the report', async () => {
  const { network } = fixture
  // The first question of all opens the connection.
  await fixture.provision()
  expect(await messages(() => network.provision(cardOf('success')))).toBe(1)
  const { tokenRef } = await fixture.provision()
  expect(await messages(() => fixture.register(tokenRef))).toBe(1)
  const charge = await fixture.charge()
  expect(await messages(async () => okValue(await network.mint(charge)))).toBe(2)
  expect(await messages(async () => okValue(await network.confirm(reportOf(charge.chargeId, 'APPROVED'))))).toBe(1)
})

test('of mints and reports together, cap and count are never passed and all is given back', async () => {
  const { network, database } = fixture
  const charge = await fixture.charge('success', { maxCharges: 3, cap: { minor: 10_000n, currency: 'USD' } })
  const mints = Array.from({ length: 12 }, () => ({ ...charge, chargeId: newId('charge') }))
  const answers = await Promise.all(mints.map((each) => network.mint(each)))
  const minted = mints.filter((_, place) => answers[place]?.outcome === 'ok')
  // Two of 40.00 each go into 100.00.
  expect(minted).toHaveLength(2)
  expect(new Set(answers.map((answer) => (answer.outcome === 'declined' ? answer.reason : 'ok')))).toEqual(
    new Set(['ok', 'THRESHOLD_EXCEEDED']),
  )
  const reports = minted.flatMap(({ chargeId }) => Array.from({ length: 4 }, () => reportOf(chargeId, 'DECLINED')))
  for (const answer of await Promise.all(reports.map((each) => network.confirm(each)))) okValue(answer)
  const { rows } = await database.pool.query(
    `select i.charge_count, w.spent_minor from simnet.instructions i join simnet.windows w using (mandate_id)
     where i.mandate_id = $1`,
    [charge.mandateId],
  )
  expect(rows).toEqual([{ charge_count: 0, spent_minor: 0n }])
})

test('a credential is never both spent and reported as declined, also of both together', async () => {
  const { network, database } = fixture
  for (let round = 0; round < 30; round += 1) {
    const charge = await fixture.charge()
    const credential = okValue(await network.mint(charge))
    await Promise.all([network.authorize(purchase(credential)), network.confirm(reportOf(charge.chargeId, 'DECLINED'))])
  }
  const { rows } = await database.pool.query(
    `select m.charge_id from simnet.mints m join simnet.authorizations a using (charge_id)
     where m.confirmed_outcome = 'DECLINED' and a.response_code = '00'`,
  )
  expect(rows).toEqual([])
})

test('a mint that is asked again at the same time with another number takes its allowance once', async () => {
  const { network, database } = fixture
  for (let round = 0; round < 10; round += 1) {
    const charge = await fixture.charge()
    await Promise.all(Array.from({ length: 4 }, () => network.mint(charge)))
    const { rows } = await database.pool.query(
      `select i.charge_count, w.spent_minor from simnet.instructions i join simnet.windows w using (mandate_id)
       where i.mandate_id = $1`,
      [charge.mandateId],
    )
    expect(rows).toEqual([{ charge_count: 1, spent_minor: 4_000n }])
  }
})
