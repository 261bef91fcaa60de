// Guarantee: whatever the network, the database's editors, other merchants or other callers do, an approved setup ends
// in one active mandate, or in none of which the network knows nothing; unknown is asked again and never failed by
// time.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, newAuthenticator } from '../../../../test/cardholder.ts'
import { EVENTS } from '../../../../test/events.ts'
import {
  atOnce,
  CARDS,
  complete,
  createSession,
  dbRow,
  eventBodies,
  expectCreated,
  expectError,
  paymentResult,
  revoke,
} from '../../../../test/flows.ts'
import { editMandate, MANDATES, mandateRow } from '../../../../test/rows/mandates.ts'
import { OPEN_WORK } from '../../../../test/rows/work.ts'
import { sessionBody, startTestService, type TestMerchant, type TestService } from '../../../../test/service.ts'
import { windowAt } from '../../../network/windows.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ env: { NETWORK_TIMEOUT_MS: '300' } })
  merchant = service.merchant
})
afterAll(() => service?.close())

const setup = (of = merchant, changes: object = {}) =>
  createSession(of, { mandate_setup: { recurring_frequency: 'weekly', ...changes } }) as Promise<
    Awaited<ReturnType<typeof createSession>> & { mandate_id: string }
  >
const rowOf = (id: string) =>
  dbRow(
    service,
    `select m.status, m.failure_code, w.due_at, w.lease_until, w.attempts, i.state as instruction, (select count(*)::int from ${EVENTS} events
       where resource_type = 'mandate_setup' and resource_id = m.session_id) as events
     from ${MANDATES} m left join ${OPEN_WORK} w on w.merchant_id = m.merchant_id and w.kind = 'mandate' and w.id = m.id
     left join simnet.instructions i on i.mandate_id = m.id where m.id = $1`,
    [id],
  )
const last = async (id: string) => (await eventBodies(service, id)).map((body) => JSON.parse(body)).at(-1)

/** A cardholder who has only to approve. */
async function ready() {
  const session = await setup()
  const authenticator = newAuthenticator(service)
  const visitor = cardholder(service, session.session_token, authenticator)
  await visitor.enterCard(CARDS.success)
  await visitor.registerPasskey()
  const { body } = await visitor.post('/api/approval-options', { frame: { embedded: false } })
  const approve = () => visitor.post('/api/approvals', { response: authenticator.authenticate(body.options) })
  return { session, visitor, approve }
}

describe('the network', () => {
  test('refuses: the mandate is cancelled, and nothing of it is left there', async () => {
    const { session_id, mandate_id } = await setup()
    const done = await complete(merchant, session_id, { card_number: CARDS.instructionRefused })
    expect(done.body).toMatchObject({ status: 'failed', outcome: 'failed' })
    expect((await paymentResult(merchant, session_id)).body).toMatchObject({
      status: 'failed',
      authorizeOnly: true,
      transactions: [],
      error: { code: 'CARD_DECLINED' },
    })
    expect(await last(session_id)).toMatchObject({
      type: 'mandate.creation_failed',
      data: { status: 'failed', terms: { recurring_frequency: 'weekly' }, failure_category: 'card_declined' },
    })
    await service.runJobs()
    expect(await rowOf(mandate_id)).toMatchObject({
      status: 'cancelled',
      failure_code: 'CARD_DECLINED',
      due_at: null,
      instruction: 'cancelled',
      events: 1,
    })
  })

  test('says nothing: pending for as long as it takes, then active once', async () => {
    const { session_id, mandate_id } = await setup()
    const done = await complete(merchant, session_id, { card_number: CARDS.instructionAnswerLost })
    expect(done.body).toMatchObject({ status: 'processing', next_step: 'processing', outcome: null })
    expect(await rowOf(mandate_id)).toMatchObject({ status: 'pending', attempts: 1, lease_until: null, events: 0 })
    // Its windows are the network's: they begin when it registered, not when it was heard of.
    const registered = await dbRow(service, 'select registered_at from simnet.instructions where mandate_id = $1', [
      mandate_id,
    ])
    // No time ends it.
    await service.clock.advance(30 * 24 * 3600)
    expect((await paymentResult(merchant, session_id)).body.status).toBe('processing')
    await service.runJobs()
    expect((await paymentResult(merchant, session_id)).body.status).toBe('completed')
    expect(await rowOf(mandate_id)).toMatchObject({ status: 'active', instruction: 'active', events: 1 })
    expect(await last(session_id)).toMatchObject({ type: 'mandate.created' })
    const active = await mandateRow(service.pool, mandate_id)
    expect(active.activated_at).toEqual(registered.registered_at)
    const window = windowAt('weekly', registered.registered_at, service.clock.now())
    expect([active.window_started_at, active.window_ends_at]).toEqual([window.startsAt, window.endsAt])
    expect(window.startsAt.getTime()).toBeGreaterThan(registered.registered_at.getTime())
  })

  test('says so late: the page that waited is told, although it was registered long ago', async () => {
    const session = await setup()
    const visitor = cardholder(service, session.session_token)
    await visitor.pay(CARDS.instructionAnswerLost)
    await service.clock.advance(20 * 60)
    await service.runJobs()
    expect((await visitor.get('/api/session')).body).toMatchObject({ step: 'done', outcome: 'approved' })
    await service.clock.advance(16 * 60)
    expectError(await visitor.get('/api/session'), 401, 'AUTH_1003')
  })

  test('says nothing, and the merchant revokes: it ends there as well', async () => {
    const { session_id, mandate_id } = await setup()
    await complete(merchant, session_id, { card_number: CARDS.instructionAnswerLost })
    expect((await rowOf(mandate_id)).instruction).toBe('active')
    expect((await revoke(merchant, session_id)).status).toBe(200)
    expect((await paymentResult(merchant, session_id)).body.error.code).toBe('SESSION_REVOKED')
    await service.runJobs()
    expect(await rowOf(mandate_id)).toMatchObject({ status: 'cancelled', instruction: 'cancelled', due_at: null })
  })
})

describe('many callers', () => {
  test('a revoke and an approval at the same time: one of them decides, and the network agrees', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { session, approve } = await ready()
      const [revoked] = await Promise.all([revoke(merchant, session.session_id), approve()])
      await service.runJobs()
      const row = await rowOf(session.mandate_id)
      const status = revoked.status === 200 ? 'cancelled' : 'active'
      expect(row.status).toBe(status)
      expect([null, status]).toContain(row.instruction)
    }
  })

  test('8 headless cardholders: one approval, one instruction, one event', async () => {
    const { session_id, mandate_id } = await setup()
    const answers = await atOnce(8, () => complete(merchant, session_id))
    for (const answer of answers) if (answer.status !== 200) expectError(answer, 400, 'INVALID_STATE')
    expect(await rowOf(mandate_id)).toMatchObject({ status: 'active', instruction: 'active', events: 1 })
  })
})

describe('an editor of the database', () => {
  test.each([
    ['approved_minor = 999999', 'a higher cap'],
    [`valid_until = valid_until + interval '1 year'`, 'a later end'],
    [`payee_url = 'https://evil.example'`, 'another payee'],
    [`merchant_scope = 'any'`, 'any merchant'],
    ['max_charges = 1000', 'more charges'],
  ])('who sets %s after the terms were shown approves nothing', async (change) => {
    const { session, approve } = await ready()
    await editMandate(service.pool, session.mandate_id, change)
    expect((await approve()).status).toBe(500)
    expect(await rowOf(session.mandate_id)).toMatchObject({ status: 'pending', instruction: null, events: 0 })
  })

  test('who edits it between its approval and its registration gets no instruction', async () => {
    const { session_id, mandate_id } = await setup()
    await complete(merchant, session_id, { card_number: CARDS.instructionAnswerLost })
    await editMandate(service.pool, mandate_id, 'approved_minor = 999999')
    await service.clock.advance(60)
    await service.runJobs()
    await service.runJobs()
    expect(await rowOf(mandate_id)).toMatchObject({ status: 'cancelled', failure_code: 'PAYMENT_FAILED', events: 1 })
    expect((await rowOf(mandate_id)).instruction).toBe('cancelled')
  })
})

describe('merchants', () => {
  test('a suspended one sets up nothing: not begun, not approved, not registered', async () => {
    const other = await service.addMerchant()
    const begun = await setup(other)
    const open = await setup(other)
    await complete(other, open.session_id, { card_number: CARDS.instructionAnswerLost })
    await complete(other, begun.session_id, { stop_after: 'passkey' })
    const suspend = (status: string) =>
      service.pool.query('update merchants set status = $2 where id = $1', [other.merchantId, status])
    await suspend('suspended')
    expect((await complete(other, begun.session_id)).status).not.toBe(200)
    expect((await rowOf(begun.mandate_id)).status).toBe('pending')
    await service.clock.advance(60)
    await service.runJobs()
    expect(await rowOf(open.mandate_id)).toMatchObject({ status: 'cancelled', failure_code: 'PAYMENT_FAILED' })
    await suspend('active')
  })

  test("another one's setup does not exist, and its mandate is forbidden", async () => {
    const other = await service.addMerchant()
    const { session_id, mandate_id } = await setup()
    expectError(await paymentResult(other, session_id), 404, 'NOT_FOUND')
    expectError(await revoke(other, session_id), 404, 'NOT_FOUND')
    expectError(await complete(other, session_id), 404, 'NOT_FOUND')
    expectError(await other.get(`/v1/mandates/${mandate_id}`), 403, 'MANDATE_FORBIDDEN')
    expect((await complete(merchant, session_id)).body.status).toBe('completed')
  })
})

test('an operator may forbid that a mandate that renews is good anywhere', async () => {
  const strict = await startTestService({ env: { RECURRING_MANDATES: 'listed' } })
  try {
    const create = (mandate_setup: object) => strict.merchant.post('/v1/sessions', sessionBody({ mandate_setup }))
    expectCreated(await create({ recurring_frequency: 'monthly' }))
    expectCreated(await create({ recurring_frequency: 'one_time', merchant_scope: 'any' }))
    const anywhere = await create({ recurring_frequency: 'monthly', merchant_scope: 'any' })
    expectError(anywhere, 400, 'MANDATE_RECURRING_MUST_BE_SCOPED')
  } finally {
    await strict.close()
  }
})
