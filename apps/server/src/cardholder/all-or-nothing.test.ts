import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, newAuthenticator } from '../../test/cardholder.ts'
import { CARDS, createEnrollment, createSession, dbRow, expectError, newUser } from '../../test/flows.ts'
import { sendDuring } from '../../test/races.ts'
import { MANDATES } from '../../test/rows/mandates.ts'
import { OF_SESSION, sessionRow } from '../../test/rows/sessions.ts'
import { OPEN_WORK } from '../../test/rows/work.ts'
import { PATIENT, startTestService, type TestService } from '../../test/service.ts'
import { type AddedShop, fromQuote, quoted, scriptedShops } from '../checkout/quotes/testing/scripted-shop.ts'

// Guarantee: whatever is approved, an approval that finds one of its rows changed keeps nothing of what its statement
// has written before it came there. The evidence without a passkey is what the database refuses, and that is no fault.

const shops = scriptedShops()
let service: TestService
let shop: AddedShop
beforeAll(async () => {
  service = await startTestService({ env: PATIENT, createCheckout: shops.createCheckout })
  shop = await shops.add(service)
})
afterAll(() => service?.close())

const SESSIONS: Record<string, (user_id: string) => Promise<{ session_id: string; session_token: string }>> = {
  payment: (user_id) => createSession(service.merchant, { user_id }),
  purchase: async (user_id) =>
    createSession(service.merchant, { user_id, ...fromQuote(await quoted(service.merchant, shop)) }),
  setup: (user_id) => createSession(service.merchant, { user_id, mandate_setup: { recurring_frequency: 'weekly' } }),
  enrollment: (user_id) => createEnrollment(service.merchant, { user_id }),
}

/** A cardholder who has paid before, with the same card, and has only to send the signature. */
async function readyToApprove(kind: string) {
  const user = newUser()
  const authenticator = newAuthenticator(service)
  const first = await createSession(service.merchant, { user_id: user })
  await cardholder(service, first.session_token, authenticator).pay(CARDS.success)
  const { session_id: sessionId, session_token } = (await SESSIONS[kind]?.(user)) ?? first
  const visitor = cardholder(service, session_token, authenticator)
  await visitor.enterCard(CARDS.success)
  const { body } = await visitor.post('/api/approval-options', { frame: { embedded: false } })
  const response = authenticator.authenticate(body.options)
  return { sessionId, send: () => visitor.post('/api/approvals', { response }) }
}

/** All that an approval of any kind writes, as it is now. */
async function written(sessionId: string) {
  const { customer_id, closed_at } = await sessionRow(service.pool, sessionId)
  const found = await dbRow(
    service,
    `select p.sign_count, p.last_used_at, (select count(*)::int from approvals where subject_id = $2) as approvals,
       (select jsonb_agg(jsonb_build_array(id, status, approval_hash)) from ${MANDATES} where customer_id = $1) as mandates,
       (select count(*)::int from ${OPEN_WORK} w where kind <> 'observation') as work,
       (select jsonb_agg(status) from enrollments where id = $2) as enrollments,
       (select jsonb_agg(jsonb_build_array(status, work_due_at, lease_fence)) from charges where opened_by = $2) as charges
     from passkeys p where p.customer_id = $1`,
    [customer_id, sessionId],
  )
  return { ...found, closed_at }
}

describe.each(Object.keys(SESSIONS))('of a %s', (kind) => {
  test.each<[string, string]>([
    ['passkey was flagged', `update passkeys set flagged_at = created_at where id = ${OF_SESSION.passkey}`],
    ['counter was passed', `update passkeys set sign_count = 1000000 where id = ${OF_SESSION.passkey}`],
    ['card has another seal', `update cards set seal = '\\x00' where id = ${OF_SESSION.card}`],
    ['card was deleted', `update cards set status = 'deleted' where id = ${OF_SESSION.card}`],
  ])('nothing is kept when the %s', async (_what, change) => {
    const { sessionId, send } = await readyToApprove(kind)
    const before = await written(sessionId)
    expectError(await sendDuring(service, { sessionId, send }, change), 400, 'INVALID_STATE')
    const { sign_count, ...after } = await written(sessionId)
    expect({ ...after, sign_count: change.includes('sign_count') ? before.sign_count : sign_count }).toEqual(before)
    expect(after).toMatchObject({ closed_at: null, approvals: 0 })
  })

  test('all is kept when nothing moved', async () => {
    const { sessionId, send } = await readyToApprove(kind)
    expect((await send()).status).toBe(200)
    const after = await written(sessionId)
    expect(after).toMatchObject({ closed_at: expect.any(Date), approvals: 1 })
  })
})

test('a session that has evidence already, which was opened again by hand, is approved no second time', async () => {
  const { sessionId, send } = await readyToApprove('payment')
  await service.pool.query(
    `insert into approvals select merchant_id, subject_type, $1, passkey_id, terms, nonce, client_data_json,
       authenticator_data, signature, approved_at from approvals limit 1`,
    [sessionId],
  )
  const before = await written(sessionId)
  expectError(await send(), 400, 'INVALID_STATE')
  expect(await written(sessionId)).toEqual(before)
})
