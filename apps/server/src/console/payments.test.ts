// Guarantee: the console tells of each payment of the account, and of no other one, what became of its money and when
// what happened, with the events that told of it and where those went; a list costs what its page costs.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoAccount, signInToConsole, type TestPerson } from '../../test/console.ts'
import {
  approvedSession,
  CARDS,
  createSession,
  expectError,
  newUser,
  report,
  revoke,
  waitingSession,
  withProducts,
} from '../../test/flows.ts'
import { answers } from '../../test/receivers/behaviours.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { charge, chargeable } from '../charges/testing/standing.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { deliverAll } from '../webhooks/delivery/testing/journey.ts'
import { activeEndpoint, createEndpoint, ON_THIS_MACHINE, obeys } from '../webhooks/testing/endpoints.ts'

let service: TestService
let demo: TestMerchant
let person: TestPerson
beforeAll(async () => {
  service = await startTestService({ env: { ...ON_THIS_MACHINE, RATE_LIMIT_CONSOLE: '100000' } })
  demo = await demoAccount(service)
  person = await signInToConsole(service)
})
afterAll(() => service?.close())

const list = async (query = '') => (await person.get(`/api/payments${query}`)).body
const view = async (id: string) => (await person.get(`/api/payments/${id}`)).body
const home = async () => (await person.get('/api/home')).body
/** A receiver that is closed would fail in the tests after it. */
async function remove({ path, receiver }: Pick<Awaited<ReturnType<typeof activeEndpoint>>, 'path' | 'receiver'>) {
  await receiver.close()
  expect((await demo.send('DELETE', path)).status).toBe(200)
}
const stepsDone = async () =>
  (await home()).steps.filter(({ at }: { at: unknown }) => at !== null).map(({ step }: { step: string }) => step)

test('a first run: the four steps tick as they are done', async () => {
  expect(await home()).toMatchObject({ money: [], counted_all: true, failures: [], needs: [] })
  expect(await stepsDone()).toEqual([])
  expect(await list()).toEqual({ payments: [], next_before: null })
  const { session_id } = await createSession(demo)
  await revoke(demo, session_id)
  expect(await stepsDone()).toEqual(['key_used', 'session_made'])
  await approvedSession(demo)
  expect(await stepsDone()).toContain('approved')
  const endpoint = await activeEndpoint(demo, { events: ['session.revoked'] })
  await revoke(demo, (await createSession(demo)).session_id)
  await deliverAll(service, demo)
  await remove(endpoint)
  expect(await stepsDone()).toContain('event_received')
})

describe('a payment', () => {
  test('that was paid: its history in order, by whoever did it, with card, sentence and products', async () => {
    const endpoint = await activeEndpoint(demo, { events: ['payment.succeeded'] })
    const user_id = newUser()
    const { id, approved } = await waitingSession(demo, CARDS.success, {
      ...withProducts,
      user_id,
      total_amount: '50.00',
    })
    const held = await view(id)
    expect(held.payment).toMatchObject({
      origin: 'described',
      status: 'awaiting_result',
      money: 'held',
      customer: user_id,
    })
    await report(demo, id, { ...approved })
    await deliverAll(service, demo)
    await remove(endpoint)
    const { payment, history, card, sentence, products, open_until } = await view(id)
    expect(payment).toMatchObject({ money: 'charged', amount: '50.00', merchant: expect.any(String) })
    expect(await view(payment.charge_id)).toMatchObject({ payment })
    expect(history.map(({ lane, what }: Record<string, string>) => `${lane} ${what}`)).toEqual(
      expect.arrayContaining([
        'backend created',
        'cardholder approved',
        'network number_made',
        'backend reported',
        'network ended',
      ]),
    )
    const times = history.map(({ at }: { at: string }) => Date.parse(at))
    expect(times).toEqual(times.toSorted((one: number, other: number) => one - other))
    const told = history.find(({ event }: { event: { type: string } | null }) => event?.type === 'payment.succeeded')
    expect(told.deliveries).toEqual([
      { id: expect.stringMatching(/^whd_/), endpoint_id: endpoint.id, state: 'delivered', attempt_count: 1 },
    ])
    expect(card).toMatchObject({ last_four: CARDS.success.slice(-4) })
    expect(sentence).toMatchObject({ locale: 'en', text: expect.stringContaining('50.00') })
    expect(products).toHaveLength(2)
    expect(open_until).toBeNull()
  })

  test('that is open, was revoked, and was declined', async () => {
    const { session_id } = await createSession(demo)
    expect(await view(session_id)).toMatchObject({
      payment: { status: 'initiated', money: 'nothing_yet', code: null },
      open_until: expect.any(String),
      ...{ card: null, sentence: null, lapses_at: null },
    })
    await revoke(demo, session_id)
    expect((await view(session_id)).payment).toMatchObject({ money: 'not_charged', code: 'SESSION_REVOKED' })
    const { id, declined } = await waitingSession(demo)
    await report(demo, id, { ...declined })
    expect((await view(id)).payment).toMatchObject({ money: 'not_charged', code: 'PAYMENT_DECLINED' })
  })

  test('against a permission: of the permission’s customer, and without a session', async () => {
    const mandateId = await chargeable(service, await newOwner(service, demo))
    const made = await charge(demo, mandateId, { amount: '5.00', reference: 'r-console' })
    expect(made.status).toBe(200)
    const { payment, reference } = await view(made.body.transactionId)
    expect(payment).toMatchObject({ origin: 'permission', session_id: null, mandate_id: mandateId, money: 'held' })
    expect([payment.customer, reference]).toEqual([expect.any(String), 'r-console'])
  })

  test('of another account is no payment, in the list, by its id, and for the finder', async () => {
    const other = await service.addMerchant()
    const { session_id } = await createSession(other)
    const none = await person.get('/api/payments/sess_none')
    const theirs = await person.get(`/api/payments/${session_id}`)
    expectError(theirs, 404, 'NOT_FOUND')
    expect(theirs.body.error.message).toBe(none.body.error.message)
    expect((await person.get(`/api/find?q=${session_id}`)).body).toEqual({ found: [] })
    expect(JSON.stringify(await list())).not.toContain(session_id)
  })

  test('of a network that lost the number is not known, and never looks as if nothing was charged', async () => {
    const { session_id } = await createSession(demo)
    await revoke(demo, session_id)
    await service.pool.query('update charges set counted_minor = amount_minor where opened_by = $1', [session_id])
    expect((await view(session_id)).payment).toMatchObject({ status: 'failed', money: 'not_known' })
    await service.pool.query('update charges set counted_minor = null where opened_by = $1', [session_id])
  })
})

test('the list: the newest first, page by page, each once, and by how they stand', async () => {
  for (let made = 0; made < 60; made += 1) await createSession(demo)
  const seen: string[] = []
  let next: string | null = ''
  while (next !== null) {
    const page: { payments: { charge_id: string }[]; next_before: string | null } = await list(
      next && `?before=${next}`,
    )
    seen.push(...page.payments.map(({ charge_id }) => charge_id))
    next = page.next_before
  }
  const { rows } = await service.pool.query('select id from charges where merchant_id = $1 order by id desc', [
    demo.merchantId,
  ])
  expect(seen).toEqual(rows.map(({ id }) => id))
  const held = await list('?status=awaiting_result')
  expect(held.payments.length).toBeGreaterThan(0)
  expect(new Set(held.payments.map(({ money }: { money: string }) => money))).toEqual(new Set(['held']))
  expect((await person.get('/api/payments?status=other')).status).toBe(400)
  expect((await person.get('/api/payments?before=%27')).status).toBe(400)
})

test('home says of the day what became of the money, and why payments failed', async () => {
  const { money, failures } = await home()
  const [{ currency, by_state }] = money
  expect(currency).toBe('USD')
  const states = by_state.map(({ money: state }: { money: string }) => state)
  expect(states).toEqual(expect.arrayContaining(['charged', 'held', 'not_charged', 'nothing_yet']))
  expect(new Set(states).size).toBe(states.length)
  const { rows } = await service.pool.query('select count(*)::int from charges where merchant_id = $1', [
    demo.merchantId,
  ])
  const counted = by_state.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
  expect(counted).toBe(rows[0].count)
  expect(failures.map(({ code }: { code: string }) => code)).toEqual(
    expect.arrayContaining(['SESSION_REVOKED', 'PAYMENT_DECLINED']),
  )
})

test('home says what waits for a person for longer than the day that is counted', async () => {
  const before = await home()
  expect(before.needs).toEqual([])
  const [{ id: reported }, { session_id: asked }] = [await waitingSession(demo), await createSession(demo)]
  const edit = (set: string, sessionId: string) =>
    service.pool.query(`update charges set ${set} where merchant_id = $1 and opened_by = $2`, [
      demo.merchantId,
      sessionId,
    ])
  await edit(`created_at = created_at - interval '3 days', overdue_at = now()`, reported)
  await edit(`created_at = created_at - interval '2 days', status = 'minting'`, asked)
  const { needs, money } = await home()
  expect(needs).toEqual([
    { need: 'report_overdue', count: 1, id: null },
    { need: 'outcome_unknown', count: 1, id: null },
  ])
  expect(money).toEqual(before.money)
  await edit(`overdue_at = null`, reported)
  await edit(`status = 'initiated'`, asked)
  expect((await home()).needs).toEqual([])
})

describe('what did not arrive', () => {
  test('is seen at its payment, and is sent again by one press, once', async () => {
    const { id, path, receiver } = await activeEndpoint(demo, { events: ['session.revoked'] })
    receiver.behave(answers(500))
    const { session_id } = await createSession(demo)
    await revoke(demo, session_id)
    await deliverAll(service, demo)
    const { deliveries } = (await view(session_id)).history.find((one: { event: unknown }) => one.event !== null)
    const [failing] = deliveries.filter((one: { endpoint_id: string }) => one.endpoint_id === id)
    expect(failing).toMatchObject({ state: 'queued' })
    expect((await person.get(`/api/deliveries/${failing.id}`)).body).toMatchObject({
      last_attempt: { http_status: 500 },
    })
    receiver.behave(obeys())
    const press = () => person.post(`/api/deliveries/${failing.id}/resend`, { key: 'one-press-of-the-button' })
    const pressed = await Promise.all([press(), press(), press()])
    expect(pressed.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(pressed.map(({ body }) => body.id)).size).toBe(1)
    await service.clock.advance(3600)
    await deliverAll(service, demo)
    const again = pressed[0]?.body.id
    expect((await person.get(`/api/deliveries/${again}`)).body).toMatchObject({
      state: 'delivered',
      replay_of: failing.id,
    })
    const { data } = (await person.get(`/api/webhooks/${id}/deliveries`)).body
    expect(data.map((one: { id: string }) => one.id)).toEqual(expect.arrayContaining([again, failing.id]))
    expect((await person.get('/api/webhooks')).body.endpoints.map((one: { id: string }) => one.id)).toContain(id)
    await remove({ path, receiver })
  })

  const needOf = async (need: string) => (await home()).needs.find((one: { need: string }) => one.need === need)

  test('by an endpoint that fails again and again is an incident on the first screen, until it ends', async () => {
    const { id, path, receiver } = await activeEndpoint(demo, { events: ['session.revoked'] })
    expect(await needOf('endpoint_paused')).toBeUndefined()
    receiver.behave(answers(500))
    for (let made = 0; made < 12; made += 1) await revoke(demo, (await createSession(demo)).session_id)
    await deliverAll(service, demo)
    expect(await needOf('endpoint_paused')).toEqual({ need: 'endpoint_paused', count: 1, id })
    await remove({ path, receiver })
    expect(await needOf('endpoint_paused')).toBeUndefined()
  })

  test('because the endpoint is not verified stands on the first screen', async () => {
    expect(await needOf('endpoint_unverified')).toBeUndefined()
    const { id } = await createEndpoint(demo)
    expect(await needOf('endpoint_unverified')).toEqual({ need: 'endpoint_unverified', count: 1, id })
  })
})

test('events: the newest first, page by page; one with its body and where it went; the finder knows each kind', async () => {
  for (let made = 0; made < 60; made += 1) await revoke(demo, (await createSession(demo)).session_id)
  await service.runJobs()
  const first = (await person.get('/api/events')).body
  expect(first.events).toHaveLength(50)
  const second = (await person.get(`/api/events?before=${first.next_before}`)).body
  const ids = [...first.events, ...second.events].map(({ id }: { id: string }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const [newest] = first.events
  const read = (await person.get(`/api/events/${newest.id}`)).body
  expect(read.event).toMatchObject({ id: newest.id, type: newest.type, account_id: demo.merchantId })
  expectError(await person.get('/api/events/evt_none'), 404, 'NOT_FOUND')
  const { endpoints } = (await person.get('/api/webhooks')).body
  const [payment] = (await list()).payments
  for (const [id, kind] of [
    [newest.id, 'event'],
    [endpoints[0].id, 'endpoint'],
    [payment.charge_id, 'payment'],
    [payment.session_id, 'payment'],
  ]) {
    expect((await person.get(`/api/find?q=${id}`)).body).toEqual({ found: [{ kind, id }] })
  }
  for (const nothing of ['evt_none', 'whd_none', 'txn_none', 'nothing', 'we_none']) {
    expect((await person.get(`/api/find?q=${nothing}`)).body).toEqual({ found: [] })
  }
})
