// Guarantee: wherever the service dies between the cardholder's approval of a standing permission and its activation,
// there is one active mandate that the network knows, or none and it can be approved again; never half of one, never
// stuck.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EVENTS } from '../events.ts'
import { countBy } from '../flows.ts'
import { type Caller, note } from '../processes/program.ts'
import { MANDATES } from '../rows/mandates.ts'
import { SESSIONS } from '../rows/sessions.ts'
import { OPEN_WORK } from '../rows/work.ts'
import { sessionBody } from '../service.ts'
import { expectNoStrays } from './ledger.ts'
import { approve, openStage, outcomeOf, SIDES, type Stage, type Staged, sweepKills, type Victim } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

/** A setup whose cardholder has only to approve. */
async function prepareSetup(merchant: Caller, user: string): Promise<string> {
  const mandate_setup = { recurring_frequency: 'monthly', max_charges: 3 }
  const created = await merchant.post('/v1/sessions', sessionBody({ user_id: user, mandate_setup }))
  const id: string = created.body.session_id
  const prepared = await merchant.post(`/v1/test_helpers/sessions/${id}/complete`, { stop_after: 'passkey' })
  expect(prepared.body).toMatchObject({ status: 'pending', next_step: 'approval' })
  return id
}

/** The setup with all that hangs on it, here and at the network. */
async function readSetup(sessionId: string) {
  const { rows } = await stage.database.pool.query(
    `select s.closed_at is null as open, m.status as mandate, m.seal is not null as sealed, m.instruction_ref is not null as registered,
       (select count(*)::int from approvals a where a.subject_id = s.id) as approvals,
       array(select e.type from ${EVENTS} e where e.resource_type = 'mandate_setup' and e.resource_id = s.id) as events,
       (select i.state from simnet.instructions i where i.mandate_id = m.id) as instruction,
       (select w.due_at = m.valid_until and w.lease_until is null from ${OPEN_WORK} w where w.kind = 'mandate' and w.id = m.id) as ends
     from ${SESSIONS} s join ${MANDATES} m on m.merchant_id = s.merchant_id and m.id = s.mandate_id where s.id = $1`,
    [sessionId],
  )
  expect(rows).toHaveLength(1)
  return rows[0]
}

const AT_REST = {
  pending: {
    ...{ open: true, mandate: 'pending', sealed: false, registered: false, approvals: 0, events: [] },
    ...{ instruction: null, ends: null },
  },
  completed: {
    ...{ open: false, mandate: 'active', sealed: true, registered: true, approvals: 1, events: ['mandate.created'] },
    ...{ instruction: 'active', ends: true },
  },
} as const

test.each(SIDES)('killed %s every message of the approval of a setup', { timeout: 300_000 }, async (when) => {
  const prepare = (merchant: Caller, at: number) => prepareSetup(merchant, `setup-${when}-${at}`)
  const found = await sweepKills(stage, { when, least: 8, prepare, act: approve }, expectOneOrNone)
  await expectNoStrays(stage.database.pool)
  const outcomes = countBy(found, (status) => status)
  note(`Setup, killed ${when} each of ${found.length} messages: ${JSON.stringify(outcomes)}`)
  // The sweep met both sides of the decision.
  expect(outcomes.pending).toBeGreaterThan(0)
  expect(outcomes.completed).toBeGreaterThan(0)
})

/** Settled, and all tables agree; an approval that left no trace can be given again. */
async function expectOneOrNone({ merchant }: Staged, { sessionId, answer }: Victim) {
  const { status } = (await outcomeOf(merchant, sessionId)) as { status: 'pending' | 'completed' }
  expect(await readSetup(sessionId)).toEqual(AT_REST[status])
  if (answer?.body.status === 'completed') expect(status).toBe('completed')
  if (status === 'pending') expect((await approve(merchant, sessionId)).body.status).toBe('completed')
  expect(await readSetup(sessionId)).toEqual(AT_REST.completed)
  return status
}
