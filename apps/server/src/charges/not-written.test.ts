// Guarantee: a charge that cannot be written has a code of its own, leaves nothing behind, and is made once when it is sent again.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { linkedAgent, mandateOf } from '../../test/agents.ts'
import { atOnce, dbRow, expectError } from '../../test/flows.ts'
import { startWithOwner } from '../mandates/testing/standing.ts'
import { charge, chargeable, expectBalanced } from './testing/charge.ts'

const { service, merchant, owner, close } = await startWithOwner()
afterAll(close)
beforeAll(() =>
  service.pool.query(
    `create function refuse_charge() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`,
  ),
)
const mend = () => service.pool.query('drop trigger if exists refuse_charge on charges')
beforeEach(mend)
afterEach(mend)

const brake = () =>
  service.pool.query(
    'create trigger refuse_charge before insert on charges for each row execute function refuse_charge()',
  )
const chargesOf = async (id: string) =>
  (await dbRow(service, 'select count(*)::int as count from charges where standing_mandate_id = $1', [id])).count

describe('a charge that cannot be written', () => {
  test.each([
    ['within the mandate', '10.00'],
    ['above it, which is written as failed', '100.01'],
  ])('%s: nothing is left of it, and the next one is made once', async (_what, amount) => {
    const id = await chargeable(service, owner)
    await brake()
    for (const answer of await atOnce(4, () => charge(merchant, id, { amount, reference: 'r' }))) {
      expectError(answer, 500, 'MANDATE_CHARGE_DB_FAILED')
      expect(JSON.stringify(answer.body)).not.toContain('no room')
    }
    expect(await chargesOf(id)).toBe(0)
    expect(await expectBalanced(service, id)).toEqual({ spent: 0, count: 0 })
    await mend()
    const answers = await atOnce(4, () => charge(merchant, id, { amount: '10.00', reference: 'r' }))
    expect(new Set(answers.map(({ body }) => body.transactionId)).size).toBe(1)
    expect(await expectBalanced(service, id)).toEqual({ spent: 1_000, count: 1 })
  })

  test('of an agent', async () => {
    const agent = await linkedAgent(service)
    const mandateId = await mandateOf(service, agent)
    await brake()
    const send = () => agent.send('POST', `/v1/mandates/${mandateId}/charge`, { amount: '10.00', reference: 'r' })
    expectError(await send(), 500, 'MANDATE_CHARGE_DB_FAILED')
    await mend()
    expect((await send()).body).toMatchObject({ status: 'awaiting_result', deduplicated: false })
  })
})
