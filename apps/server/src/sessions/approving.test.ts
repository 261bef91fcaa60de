// Guarantee: an approval of every kind happens as a whole or not at all, and what was refused can be approved again.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { blockedBy } from '../../test/blocked.ts'
import { cardholder, newAuthenticator } from '../../test/cardholder.ts'
import { CARDS, createEnrollment, createSession, dbRow, expectCreated, expectError, newUser } from '../../test/flows.ts'
import { sessionBody, startTestService, type TestService } from '../../test/service.ts'
import { type AddedShop, fromQuote, quoted, scriptedShops } from '../checkout/quotes/testing/scripted-shop.ts'

const shops = scriptedShops()
let service: TestService
let shop: AddedShop
beforeAll(async () => {
  service = await startTestService({ createCheckout: shops.createCheckout })
  shop = await shops.add(service)
})
afterAll(() => service?.close())
afterEach(() => vi.restoreAllMocks())

async function quotedSession(user_id: string) {
  const quote = await quoted(service.merchant, shop)
  const created = await service.merchant.post('/v1/sessions', sessionBody({ user_id, ...fromQuote(quote) }))
  expectCreated(created)
  return created.body
}

const KINDS = {
  payment: (user_id: string) => createSession(service.merchant, { user_id }),
  quoted: quotedSession,
  setup: (user_id: string) =>
    createSession(service.merchant, { user_id, mandate_setup: { recurring_frequency: 'weekly' } }),
  enrollment: (user_id: string) => createEnrollment(service.merchant, { user_id }),
}
type Kind = keyof typeof KINDS

/** A customer with a passkey and a card who is asked by a session of this kind, and has only to sign. */
async function ready(kind: Kind) {
  const user = newUser()
  const authenticator = newAuthenticator(service)
  const before = await createSession(service.merchant, { user_id: user })
  const first = cardholder(service, before.session_token, authenticator)
  await first.enterCard(CARDS.success)
  await first.registerPasskey()
  const { session_id: sessionId, session_token } = await KINDS[kind](user)
  const visitor = cardholder(service, session_token, authenticator)
  await visitor.enterCard(CARDS.success)
  const approve = async () => {
    const { body } = await visitor.post('/api/approval-options', { frame: { embedded: false } })
    return visitor.post('/api/approvals', { response: authenticator.authenticate(body.options) })
  }
  return { sessionId, approve }
}

/** All that an approval writes, of any kind. */
const written = (sessionId: string) =>
  dbRow(
    service,
    `select s.closed_at, c.status as charge, m.approval_hash, e.status as enrollment, p.last_used_at,
       (select count(*)::int from approvals where subject_id = s.id) as approvals,
       (select count(*)::int from purchases where charge_id = c.id) as purchases,
       (select count(*)::int from mandates where charge_id = c.id) as mandates,
       (select count(*)::int from open_work where kind in ('mandate', 'purchase') and id in (c.id, m.id))
         + (c.attempts is not null)::int as work
     from sessions s join passkeys p on p.customer_id = s.customer_id left join charges c on c.id = s.charge_id
       left join mandates m on m.id = s.mandate_id left join enrollments e on e.session_id = s.id where s.id = $1`,
    [sessionId],
  )

const all = Object.keys(KINDS) as Kind[]
const OF_SESSION = '(select charge_id from sessions where id = $1)'
const ENDED: Record<Kind, string> = {
  payment: `update charges set status = 'failed', failure_code = 'CANCELLED' where id = ${OF_SESSION}`,
  quoted: `update charges set status = 'failed', failure_code = 'CANCELLED' where id = ${OF_SESSION}`,
  setup: "update mandates set status = 'cancelled', ended_at = created_at where session_id = $1",
  enrollment: "update enrollments set status = 'cancelled' where session_id = $1",
}
const FAILED = { charge: 'failed', enrollment: null }
const ENDS = {
  payment: FAILED,
  quoted: FAILED,
  setup: { charge: null, enrollment: null },
  enrollment: { charge: null, enrollment: 'cancelled' },
}
const USED =
  'update passkeys set sign_count = 1000000 where customer_id = (select customer_id from sessions where id = $1)'

describe.each(all)('of a %s', (kind) => {
  test.each([
    ['what it was for has ended', ENDED[kind]],
    ['the counter of its passkey was passed', USED],
    [
      'its card was deleted',
      "update cards set status = 'deleted' where id = (select card_id from sessions where id = $1)",
    ],
  ])('writes nothing where %s meanwhile', async (_, change) => {
    const { sessionId, approve } = await ready(kind)
    const before = await written(sessionId)
    expectError(await blockedBy(service, [change, [sessionId]], approve), 400, 'INVALID_STATE')
    const nothing = { closed_at: null, approvals: 0, approval_hash: null, purchases: 0, mandates: 0, work: 0 }
    const { charge, enrollment, ...after } = await written(sessionId)
    expect(after).toMatchObject({ ...nothing, last_used_at: null })
    const isEnded = change === ENDED[kind]
    expect({ charge, enrollment }).toEqual(
      isEnded ? ENDS[kind] : { charge: before.charge, enrollment: before.enrollment },
    )
  })

  test('writes nothing where there is evidence already', async () => {
    const { sessionId, approve } = await ready(kind)
    await service.pool.query(
      `insert into approvals select merchant_id, 'session', id, 'passkey', '{}', '', '', '', '', created_at from sessions where id = $1`,
      [sessionId],
    )
    expectError(await approve(), 400, 'INVALID_STATE')
    expect(await written(sessionId)).toMatchObject({ closed_at: null, last_used_at: null, work: 0 })
  })
})

test.each([
  ['quoted', 'purchase', 'charge_id'],
  ['setup', 'mandate', 'mandate_id'],
] as const)('of a %s takes over work that was left there', async (kind, of, column) => {
  const { sessionId, approve } = await ready(kind)
  await service.pool.query(
    `insert into open_work (merchant_id, kind, id, due_at, attempts, lease_until, lease_fence)
     select merchant_id, '${of}', ${column}, created_at, 3, created_at, 1 from sessions where id = $1`,
    [sessionId],
  )
  expect((await approve()).status).toBe(200)
  expect(await written(sessionId)).toMatchObject({ approvals: 1 })
})

test.each([
  ['payment', 'checkoutMandate'],
  ['quoted', 'checkoutMandate'],
  ['setup', 'allowedMandate'],
] as const)('of a %s writes nothing where its values cannot be made, and is made afterwards', async (kind, maker) => {
  const { sessionId, approve } = await ready(kind)
  vi.spyOn(service.app.mandates, maker).mockImplementationOnce(() => {
    throw new Error('No values.')
  })
  expect((await approve()).status).toBe(500)
  expect(await written(sessionId)).toMatchObject({
    closed_at: null,
    approvals: 0,
    last_used_at: null,
    mandates: 0,
    work: 0,
  })
  expect((await approve()).status).toBe(200)
  expect(await written(sessionId)).toMatchObject({ approvals: 1 })
})
