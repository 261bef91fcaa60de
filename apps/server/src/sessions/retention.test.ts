// Guarantee: a session and the evidence of its approval go when what they were for has ended long ago, and not before; the work
// of it is bounded by a page, and whatever a merchant may still need of its money stays.
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  approvedSession,
  complete,
  createEnrollment,
  createSession,
  dbRow,
  expectError,
  inCustom,
  newUser,
  paymentResult,
  report,
} from '../../test/flows.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { approvedQuote, settle, startBuying } from '../checkout/purchases/testing/quoted.ts'
import type { SessionDeps } from './deps.ts'
import { deleteOldSessions, WALK_START } from './retention.ts'

const DAY = 24 * 60 * 60
const RETENTION_DAYS = 60
let service: TestService
let merchant: TestMerchant
beforeEach(async () => {
  service = await startTestService({ env: { RETENTION_DAYS: String(RETENTION_DAYS) } })
  merchant = service.merchant
})
afterEach(() => service?.close())

const afterDays = async (days: number) => {
  await service.clock.advance(days * DAY)
  await service.runJobs()
}
/** Sessions that are there, and pieces of evidence. */
const kept = async (ids: string[]) => {
  const { rows } = await service.pool.query<{ id: string; evidence: boolean }>(
    `select id, exists (select 1 from approvals where subject_id = sessions.id) as evidence from sessions where id = any($1)
     order by array_position($1, id)`,
    [ids],
  )
  return rows.map(({ id, evidence }) => [ids.indexOf(id), evidence])
}
const paid = async (as = merchant) => {
  const { id, item } = await approvedSession(as)
  await report(as, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
  return id
}
const setup = async () => {
  const session = await createSession(merchant, { mandate_setup: { recurring_frequency: 'monthly' } })
  await complete(merchant, session.session_id)
  return session as typeof session & { mandate_id: string }
}

test('what has ended goes after its time, and what it left in the books stays', async () => {
  const old = [await paid(), (await createSession(merchant)).session_id]
  await afterDays(1)
  await afterDays(RETENTION_DAYS - 3)
  const young = await paid()
  expect(await kept([...old, young])).toEqual([
    [0, true],
    [1, false],
    [2, true],
  ])
  await afterDays(4)
  expect(await kept([...old, young])).toEqual([[2, true]])
  expectError(await paymentResult(merchant, old[0] ?? ''), 404, 'NOT_FOUND')
  expect(await dbRow(service, 'select status from charges where opened_by = $1', [old[0]])).toEqual({
    status: 'completed',
  })
})

test('a mandate keeps the evidence of what its owner signed for as long as it can be charged, and its time beyond', async () => {
  const { session_id, mandate_id } = await setup()
  await afterDays(2 * RETENTION_DAYS)
  expect(await kept([session_id])).toEqual([[0, true]])
  expect((await merchant.post(`/v1/mandates/${mandate_id}/cancel`)).status).toBe(200)
  await afterDays(RETENTION_DAYS - 1)
  expect(await kept([session_id])).toEqual([[0, true]])
  await afterDays(2)
  expect(await kept([session_id])).toEqual([])
  expect((await merchant.get(`/v1/mandates/${mandate_id}`)).body.status).toBe('cancelled')
})

test('a card keeps the evidence that its owner enrolled it, for as long as it is active', async () => {
  const user_id = newUser()
  const enroll = async () => {
    const { session_id } = await createEnrollment(merchant, { user_id })
    expect((await complete(merchant, session_id)).status).toBe(200)
    return session_id
  }
  const sessions = [await enroll(), await enroll()]
  const { card_id } = await dbRow(service, 'select card_id from sessions where id = $1', [sessions[0]])
  await afterDays(RETENTION_DAYS + 1)
  // The second one was signed with the passkey of the first.
  expect(await kept(sessions)).toEqual([
    [0, false],
    [1, true],
  ])
  await merchant.post('/v1/deleteCard', { customer_id: user_id, card_id })
  await afterDays(1)
  expect(await kept(sessions)).toEqual([])
  const left = 'select count(*)::int as left from enrollments where session_id = any($1)'
  expect(await dbRow(service, left, [sessions])).toEqual({ left: 0 })
})

test('a payment that has not ended keeps its session, however old it is', async () => {
  const { id } = await approvedSession(merchant)
  await service.pool.query(
    `update charges set status = 'minting', credential_sealed = null, credential_key_id = null where opened_by = $1`,
    [id],
  )
  // No worker asks the network: as if it had been silent all the time.
  await service.pool.query(`update charges set work_due_at = '2200-01-01' where opened_by = $1`, [id])
  await afterDays(2 * RETENTION_DAYS)
  expect(await kept([id])).toEqual([[0, true]])
})

test('a payment that was reported late keeps its session for the time from then on', async () => {
  const { id, item } = await approvedSession(merchant, undefined, inCustom({}, {}, { effective_until_minutes: 527040 }))
  await afterDays(RETENTION_DAYS - 1)
  expect((await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })).status).toBe(200)
  await afterDays(RETENTION_DAYS - 1)
  expect(await kept([id])).toEqual([[0, true]])
  await afterDays(2)
  expect(await kept([id])).toEqual([])
})

test('page by page, merchant by merchant, past what stays', async () => {
  const other = await service.addMerchant()
  const stays = await setup()
  const gone: string[] = []
  for (const as of [merchant, other]) for (let made = 0; made < 5; made += 1) gone.push(await paid(as))
  await service.clock.advance((RETENTION_DAYS + 1) * DAY)
  const deps = { ...service, retentionDays: RETENTION_DAYS } as unknown as SessionDeps
  const pages: number[] = []
  for (let place = WALK_START; ; ) {
    const step = await deleteOldSessions(deps, place, 2)
    if (step === null) break
    pages.push(step.deleted)
    place = step.next
  }
  expect(pages.reduce((sum, deleted) => sum + deleted, 0)).toBe(10)
  expect(Math.max(...pages)).toBeLessThanOrEqual(2)
  expect(await kept([stays.session_id, ...gone])).toEqual([[0, true]])
})

test('what was bought goes with its session, unless its shop has still to be told', async () => {
  const buying = await startBuying({ env: { ...PATIENT, RETENTION_DAYS: String(RETENTION_DAYS) } })
  try {
    const [old, owed] = [await approvedQuote(buying), await approvedQuote(buying)]
    for (const { id } of [old, owed]) await settle(buying, id)
    const { pool, clock } = buying.service
    await pool.query('update purchases set release_owed = true where charge_id = $1', [owed.chargeId])
    const left = async () => {
      const { rows } = await pool.query(
        `select 'session' as what, id from sessions union all select 'quote', session_id from quotes
         union all select 'purchase', c.opened_by from purchases p join charges c on c.id = p.charge_id`,
      )
      return rows.map(({ what, id }) => `${what} ${id === old.id ? 'old' : 'owed'}`).sort()
    }
    const all = ['purchase old', 'purchase owed', 'quote old', 'quote owed', 'session old', 'session owed']
    await clock.advance((RETENTION_DAYS - 1) * DAY)
    await buying.service.runJobs()
    expect(await left()).toEqual(all)
    await clock.advance(2 * DAY)
    await buying.service.runJobs()
    expect(await left()).toEqual(all.filter((each) => each.endsWith('owed')))
    const { rows } = await pool.query('select status from charges where id = $1', [old.chargeId])
    expect(rows).toEqual([{ status: 'completed' }])
  } finally {
    await buying.service.close()
  }
})
