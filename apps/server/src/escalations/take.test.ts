// Guarantee: what an owner has allowed is used by the charge that they allowed, once and in time; no charge that they were asked about is
// made without it; and what is told of it agrees.
import { afterAll, expect, test } from 'vitest'
import { linkedAgent, mandateOf } from '../../test/agents.ts'
import { dbRow } from '../../test/flows.ts'
import { startTestService } from '../../test/service.ts'
import { undone } from '../../test/undone.ts'
import { isAsked, take } from './asking.ts'

const service = await startTestService()
afterAll(service.close)
const agent = await linkedAgent(service, {
  limits: {
    ...{ currency: 'USD', charge: '10.00', day: null, month: null, open: null },
    ...{ merchants: null, hours: null, ask_above: null },
  },
})
const mandateId = await mandateOf(service, agent)
const refused = await agent.send('POST', `/v1/mandates/${mandateId}/charge`, { amount: '20.00', reference: 'order-1' })
const id: string = refused.body.escalation.id
const { merchant_id: merchantId } = await dbRow(service, 'select merchant_id from escalations where id = $1', [id])

const at = service.clock.now()
const AT = `timestamptz '${at.toISOString()}'`
const CHARGE = { merchantId, mandateId, reference: 'order-1' as string | null }
const decided = (status: string) => `status = '${status}', decided_at = ${AT}`
const allowed = (status: string, until: string) =>
  `${decided(status)}, allowed_seal = '', good_until = ${AT} + interval '${until}'`
const ALLOWED = allowed('allowed', '1 ms')

test.each([
  // How the question stands, whether a charge is made by it and without it, and how it stands then.
  ['pending', `status = 'pending'`, false, false, 'pending'],
  ['allowed', ALLOWED, true, false, 'used'],
  ['allowed until now', allowed('allowed', '0 ms'), false, false, 'allowed'],
  ['used', allowed('used', '1 day'), false, true, 'used'],
  ['denied', decided('denied'), false, false, 'denied'],
])('%s', async (_what, edit, isMadeByIt, isMadeWithout, then) => {
  for (const [allowedId, isMade] of [
    [id, isMadeByIt],
    [null, isMadeWithout],
  ] as const) {
    await undone(service, async (tx) => {
      await tx.query(`update escalations set ${edit} where id = $1`, [id])
      const charge = { ...CHARGE, allowedId }
      expect(await isAsked(tx, charge, at)).toBe(!isMade)
      expect(await take({ tx, at }, charge)).toBe(isMade)
      const { rows } = await tx.query('select status from escalations where id = $1', [id])
      if (allowedId !== null) expect(rows).toEqual([{ status: then }])
      // Once.
      if (allowedId !== null) expect(await take({ tx, at }, charge)).toBe(false)
    })
  }
})

test.each([
  ['another reference', { reference: 'order-2' }],
  ['no reference', { reference: null }],
  ['another mandate', { mandateId: 'mdt_other' }],
  ['another account', { merchantId: 'mrc_other' }],
])('%s is not what was allowed, and was not asked about', async (_what, other) => {
  await undone(service, async (tx) => {
    await tx.query(`update escalations set ${ALLOWED} where id = $1`, [id])
    expect(await take({ tx, at }, { ...CHARGE, ...other, allowedId: id })).toBe(false)
    expect(await take({ tx, at }, { ...CHARGE, ...other, allowedId: null })).toBe(true)
    expect(await isAsked(tx, { ...CHARGE, ...other, allowedId: null }, at)).toBe(false)
  })
})

test('another question is not the one that was allowed', async () => {
  await undone(service, async (tx) => {
    await tx.query(`update escalations set ${ALLOWED} where id = $1`, [id])
    const charge = { ...CHARGE, allowedId: 'esc_other' }
    expect(await isAsked(tx, charge, at)).toBe(true)
    expect(await take({ tx, at }, charge)).toBe(false)
  })
})
