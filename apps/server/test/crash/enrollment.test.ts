// Guarantee: wherever the service dies while a card is enrolled, the same request later leads to the one card and its
// one token, and an enrollment at the page is completed with its passkey and its event, or not at all and can be gone
// on with.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EVENTS } from '../events.ts'
import { type Caller, eventually, note } from '../processes/program.ts'
import { SESSIONS } from '../rows/sessions.ts'
import { countOfWork } from '../rows/work.ts'
import { openStage, SIDES, type Stage, type Staged, sweepKills, type Victim } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

const CARD = { card_number: '4242424242424242', expiry_month: '12', expiry_year: '2040' }

async function prepareRecord(merchant: Caller): Promise<string> {
  const { status, body } = await merchant.post('/v1/vault/records', CARD)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.vault_ref_id
}

/** One customer for each record; the sweep looks for 200. */
async function provision(merchant: Caller, vault_ref_id: string) {
  const body = { user_id: `user-${vault_ref_id}`, user_email: 'ann@example.com', vault_ref_id }
  const answer = await merchant.post('/v1/sessions/enroll-card', body)
  return answer.status === 201 ? { ...answer, status: 200 } : answer
}

/** All that there is of a customer's cards, here and at the network. */
async function cardsOf(userId: string) {
  const { rows } = await stage.database.pool.query(
    `select c.id as card_id, c.status, c.is_default,
       (select count(*)::int from vault_records v where v.merchant_id = c.merchant_id and v.id = c.vault_record_id) as records,
       (select t.state from simnet.tokens t where t.card_id = c.id) as token,
       c.network_token_ref = (select t.token_ref from simnet.tokens t where t.card_id = c.id) as same_token,
       ${countOfWork('c.id', 'card')} as work
     from cards c join customers u on u.merchant_id = c.merchant_id and u.id = c.customer_id
     where u.external_user_id = $1`,
    [userId],
  )
  return rows
}

test.each(SIDES)('killed %s every message of a card that is only provisioned', { timeout: 300_000 }, async (when) => {
  const settle = async ({ merchant }: Staged, { sessionId: record, answer }: Victim) => {
    const again = await eventually(async () => {
      const answer = await provision(merchant, record)
      return answer.status === 200 ? answer.body : undefined
    })
    const whole = { status: 'active', is_default: true, records: 1, token: 'active', same_token: true, work: 0 }
    expect(await cardsOf(`user-${record}`)).toEqual([{ card_id: again.card_id, ...whole }])
    // What was acknowledged is what is there.
    if (answer?.status === 200) expect(again).toEqual(answer.body)
  }
  const settled = await sweepKills(stage, { when, least: 8, prepare: prepareRecord, act: provision }, settle)
  note(`Provisioning alone, killed ${when} each of ${settled.length} messages`)
})

/** An enrollment whose card is accepted; its cardholder has only to make a passkey. */
async function prepareEnrollment(merchant: Caller, user_id: string): Promise<string> {
  const created = await merchant.post('/v1/sessions/enroll-card', {
    ...{ enrollment_mode: 'full_enrollment', user_id, user_email: 'ann@example.com' },
  })
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  const id: string = created.body.session_id
  const prepared = await merchant.post(`/v1/test_helpers/sessions/${id}/complete`, { stop_after: 'card' })
  expect(prepared.body).toMatchObject({ status: 'requires_action', next_step: 'passkey_registration' })
  return id
}

const finish = (merchant: Caller, id: string) => merchant.post(`/v1/test_helpers/sessions/${id}/complete`, {})

async function readEnrollment(sessionId: string) {
  const { rows } = await stage.database.pool.query(
    `select s.closed_at is null as open, e.status, e.passkey,
       (select count(*)::int from passkeys p where p.customer_id = s.customer_id) as passkeys,
       (select c.passkey_id is not null from cards c where c.id = s.proven_card_id) as given,
       array(select v.type from ${EVENTS} v where v.resource_type = 'card_enrollment' and v.resource_id = s.id) as events
     from ${SESSIONS} s join enrollments e on e.merchant_id = s.merchant_id and e.id = s.id where s.id = $1`,
    [sessionId],
  )
  expect(rows).toHaveLength(1)
  return rows[0]
}

const AT_REST = {
  requires_action: { open: true, status: 'open', passkey: null, passkeys: 0, given: false, events: [] },
  completed: {
    ...{ open: false, status: 'completed', passkey: 'registered', passkeys: 1, given: true },
    events: ['card_enrollment.completed'],
  },
} as const

test.each(SIDES)('killed %s every message of the passkey of an enrollment', { timeout: 300_000 }, async (when) => {
  const settle = async ({ merchant }: Staged, { sessionId, answer }: Victim) => {
    // A try whose process died counts as in hand for half a minute.
    const status = await statusOf(merchant, sessionId)
    expect(await readEnrollment(sessionId)).toEqual(AT_REST[status])
    if (answer?.body.status === 'completed') expect(status).toBe('completed')
    if (status !== 'completed') expect((await finish(merchant, sessionId)).body.status).toBe('completed')
    expect(await readEnrollment(sessionId)).toEqual(AT_REST.completed)
    return status
  }
  const prepare = (merchant: Caller, at: number) => prepareEnrollment(merchant, `enroll-${when}-${at}`)
  const settled = await sweepKills(stage, { when, least: 6, prepare, act: finish }, settle)
  const completed = settled.filter((status) => status === 'completed').length
  note(`Enrollment, killed ${when} each of ${settled.length} messages: ${completed} completed`)
  // The sweep met both sides of the decision. Before the last message there may be no other side: it may be the
  // decision.
  if (when === 'after') expect(completed).toBeGreaterThan(0)
  expect(settled.length - completed).toBeGreaterThan(0)
})

async function statusOf(merchant: Caller, sessionId: string): Promise<keyof typeof AT_REST> {
  const { body } = await merchant.get(`/v1/sessions/${sessionId}/status`)
  if (body.status !== 'processing') return body.status
  await merchant.post('/v1/test_helpers/clock/advance', { seconds: 31 })
  return (await merchant.get(`/v1/sessions/${sessionId}/status`)).body.status
}
