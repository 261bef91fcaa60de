import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cardholder, cardholder, newAuthenticator } from '../../test/cardholder.ts'
import {
  atOnce,
  CARDS,
  countBy,
  createEnrollment,
  createSession,
  dbRow,
  expectError,
  newUser,
  revoke,
} from '../../test/flows.ts'
import { sendDuring, waiting } from '../../test/races.ts'
import { HOLD_CHALLENGE } from '../../test/rows/challenges.ts'
import { MANDATES } from '../../test/rows/mandates.ts'
import { OF_SESSION, SESSION_AND_CHARGE, setInEnrollment, setInSession } from '../../test/rows/sessions.ts'
import { type Answer, PATIENT, startTestService, type TestService } from '../../test/service.ts'
import { STEP_UP_CODE } from '../network/simulator/test-cards.ts'

// Guarantee: what a step read may be of the past when it writes, and then it writes nothing: an approval happens as a
// whole or not at all, a customer has one live passkey, and what a step returns is what a fresh look shows.

let service: TestService

beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
})
afterAll(() => service.close())

type Visit = Cardholder & { sessionId: string; authenticator: ReturnType<typeof newAuthenticator> }

async function visit(user: string, authenticator = newAuthenticator(service)): Promise<Visit> {
  const session = await createSession(service.merchant, { user_id: user })
  return {
    ...cardholder(service, session.session_token, authenticator),
    sessionId: session.session_id,
    authenticator,
  }
}

const frame = { embedded: false }

/** A visitor who has only to send the signature. */
async function readyToApprove(): Promise<Visit & { send(): Promise<Answer> }> {
  const visitor = await visit(newUser())
  await visitor.enterCard(CARDS.success)
  await visitor.registerPasskey()
  const { body } = await visitor.post('/api/approval-options', { frame })
  const response = visitor.authenticator.authenticate(body.options)
  return { ...visitor, send: () => visitor.post('/api/approvals', { response }) }
}

/** All that an approval writes, as it is now. */
async function written(sessionId: string) {
  return dbRow(
    service,
    `select s.closed_at is not null as closed, c.status as charge, p.sign_count, p.last_used_at,
       (select count(*)::int from approvals a where a.subject_id = s.id) as approvals,
       (select count(*)::int from ${MANDATES} m where m.customer_id = s.customer_id) as mandates,
       (c.work_due_at is not null)::int as work
     from ${SESSION_AND_CHARGE} join passkeys p on p.customer_id = s.customer_id and p.place = 0
     where s.id = $1`,
    [sessionId],
  )
}

// No row of a merchant is locked: the step waits for its challenge, and has read all else before.
const SUSPENDED = `with held as (${HOLD_CHALLENGE})
  update merchants set status = 'suspended' where id = ${OF_SESSION.merchant}`
const UNPROVEN = 'proven_card_id = null, proof = null'
/** The card is of another passkey of the customer, whose end is `retiredAt`. */
const ofAnother = (retiredAt: string) => `with proven as (${setInSession(UNPROVEN)} returning card_id), another as (
    insert into passkeys (merchant_id, id, customer_id, public_key, sign_count, transports, backup_eligible, backed_up, seal,
      place, created_at, retired_at)
    select merchant_id, 'another-' || id, customer_id, public_key, sign_count, transports, backup_eligible, backed_up, seal, 1,
      created_at, ${retiredAt} from passkeys where id = ${OF_SESSION.passkey}
    returning id
  )
  update cards set passkey_id = (select id from another) where id = (select card_id from proven)`
const letIn = () => service.app.merchants.updateMerchant(service.merchant.merchantId, { status: 'active' })

describe('an approval that finds changed what it had read', () => {
  test.each<[string, string]>([
    ['session was closed', setInSession('closed_at = created_at')],
    ['session chose another card', setInSession('card_id = null')],
    ['session ended in time', setInSession('expires_at = created_at')],
    [
      'charge was ended',
      `update charges set status = 'failed', failure_code = 'CANCELLED' where id = ${OF_SESSION.charge}`,
    ],
    ['charge is of another amount', `update charges set amount_minor = 1 where id = ${OF_SESSION.charge}`],
    ['passkey was flagged', `update passkeys set flagged_at = created_at where id = ${OF_SESSION.passkey}`],
    ['passkey was replaced', `update passkeys set retired_at = created_at where id = ${OF_SESSION.passkey}`],
    ['counter was passed', `update passkeys set sign_count = 1000000 where id = ${OF_SESSION.passkey}`],
    ['card has another token', `update cards set network_token_ref = 'ntk_other' where id = ${OF_SESSION.card}`],
    ['card shows other digits', `update cards set last4 = '0000' where id = ${OF_SESSION.card}`],
    ['card shows another brand', `update cards set brand = null where id = ${OF_SESSION.card}`],
    ['card has another seal', `update cards set seal = '\\x00' where id = ${OF_SESSION.card}`],
    ['card was deleted', `update cards set status = 'deleted' where id = ${OF_SESSION.card}`],
    [
      'card is for other sessions alone',
      `update cards set once_sessions = '{another}', is_default = false where id = ${OF_SESSION.card}`,
    ],
    [
      'card is neither proven here nor of the passkey',
      `with proven as (${setInSession(UNPROVEN)} returning card_id)
       update cards set passkey_id = null where id = (select card_id from proven)`,
    ],
    ['card is of a passkey that has ended', ofAnother('created_at')],
    ['merchant was suspended', SUSPENDED],
  ])('writes nothing when the %s', async (_name, change) => {
    const visitor = await readyToApprove()
    const before = await written(visitor.sessionId)
    const answer = await sendDuring(service, visitor, change)
    expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({ status: 400, code: 'INVALID_STATE' })
    const after = await written(visitor.sessionId)
    expect(after).toMatchObject({ approvals: 0, mandates: 0, work: 0, last_used_at: null })
    expect(after.closed).toBe(change.includes('set closed_at'))
    expect(after.charge).toBe(change.includes("'failed'") ? 'failed' : before.charge)
    await letIn()
  })

  test('is made when the card is of another passkey of the customer, which signs', async () => {
    const visitor = await readyToApprove()
    expect((await sendDuring(service, visitor, ofAnother('null::timestamptz'))).status).toBe(200)
    expect(await written(visitor.sessionId)).toMatchObject({ closed: true, approvals: 1 })
  })

  test('writes nothing when the session chose another card of the passkey than the one that was shown', async () => {
    const user = newUser()
    const first = await visit(user)
    await first.pay(CARDS.success)
    const second = await visit(user, first.authenticator)
    const { card_id } = (await second.get('/api/session')).body.cards[0]
    await second.enterCard('5555555555554444')
    const { body } = await second.post('/api/approval-options', { frame })
    expect(body.terms.card).toMatchObject({ last4: '4444' })
    expect((await second.post('/api/cards/select', { card_id })).body).toMatchObject({ step: 'approval' })
    const response = second.authenticator.authenticate(body.options)
    expectError(await second.post('/api/approvals', { response }), 400, 'INVALID_STATE')
    expect(await written(second.sessionId)).toMatchObject({ closed: false, charge: 'initiated', approvals: 0, work: 0 })
  })

  test('completes no enrollment when its card was not proven there', async () => {
    const user = newUser()
    const { authenticator, pay } = await visit(user)
    await pay(CARDS.success)
    const { session_id: sessionId, session_token } = await createEnrollment(service.merchant, { user_id: user })
    const visitor = cardholder(service, session_token, authenticator)
    await visitor.enterCard(CARDS.success)
    const { body } = await visitor.post('/api/approval-options', { frame })
    const response = authenticator.authenticate(body.options)
    const send = () => visitor.post('/api/approvals', { response })
    expectError(await sendDuring(service, { sessionId, send }, setInEnrollment(UNPROVEN)), 400, 'INVALID_STATE')
    expect(await dbRow(service, 'select status from enrollments where id = $1', [sessionId])).toEqual({
      status: 'open',
    })
  })

  test('is made when what moved does not matter to it', async () => {
    const visitor = await readyToApprove()
    const answer = await sendDuring(
      service,
      visitor,
      `update cards set exp_year = exp_year + 1 where id = ${OF_SESSION.card}`,
    )
    expect(answer.body).toMatchObject({ step: 'done', outcome: 'approved' })
    expect(await written(visitor.sessionId)).toMatchObject({ approvals: 1, mandates: 1, charge: 'awaiting_result' })
  })
})

test('of many approvals of one session at once one is made', async () => {
  const visitor = await readyToApprove()
  const options = await atOnce(16, () => visitor.post('/api/approval-options', { frame }))
  const responses = options.map(({ body }) => visitor.authenticator.authenticate(body.options))
  const answers = await Promise.all(responses.map((response) => visitor.post('/api/approvals', { response })))
  expect(countBy(answers, ({ status }) => status)).toMatchObject({ 200: 1 })
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  expect(await written(visitor.sessionId)).toMatchObject({ approvals: 1, mandates: 1, charge: 'awaiting_result' })
})

test('an approval and the end of its session at once: one of them happens, as a whole', async () => {
  const outcomes = await atOnce(12, async (index) => {
    const visitor = await readyToApprove()
    const end = index % 2 === 0 ? visitor.post('/api/cancel') : revoke(service.merchant, visitor.sessionId)
    const answers = await Promise.all([visitor.send(), end])
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    const { charge, approvals, mandates } = await written(visitor.sessionId)
    // A revoke may also end what was approved, while the network is asked.
    if (index % 2 === 0) expect(`${charge} ${approvals} ${mandates}`).toMatch(/^(?:failed 0 0|awaiting_result 1 1)$/)
    return approvals === mandates
  })
  expect(outcomes).not.toContain(false)
})

describe('one live passkey', () => {
  const live = (user: string) =>
    dbRow(
      service,
      `select count(*) filter (where retired_at is null)::int as live, count(*)::int as all from passkeys
       where customer_id = (select id from customers where external_user_id = $1)`,
      [user],
    )

  /** Sessions of one customer that each have proven their card, and an answer for a passkey of each. */
  async function answersOf(visits: readonly Visit[]) {
    return Promise.all(
      visits.map(async (each) => {
        const { body } = await each.post('/api/passkeys/registration-options', { frame })
        const response = newAuthenticator(service).register(body)
        return () => each.post('/api/passkeys/registrations', { response })
      }),
    )
  }

  test('is made by one of many sessions that each entered a card', async () => {
    const user = newUser()
    const visits = await atOnce(12, () => visit(user))
    for (const each of visits) await each.enterCard(CARDS.success)
    const answers = await Promise.all((await answersOf(visits)).map((answer) => answer()))
    expect(countBy(answers, ({ status, body }) => body.error?.code ?? status)).toEqual({ 200: 1, INVALID_STATE: 11 })
    expect(await live(user)).toEqual({ live: 1, all: 1 })
  })

  test('is replaced once, by one of many sessions that each proved a card of it', async () => {
    const user = newUser()
    await (await visit(user)).pay(CARDS.success)
    expect((await service.merchant.post(`/v1/customers/${user}/passkey-reset`)).status).toBe(201)
    const visits = await atOnce(12, () => visit(user))
    for (const each of visits) {
      const { cards } = (await each.get('/api/session')).body
      await each.post('/api/cards/select', { card_id: cards[0].card_id })
      await each.post('/api/cards', { cvv: '123' })
      expect((await each.post('/api/cards/verify', { code: STEP_UP_CODE })).body.step).toBe('passkey_registration')
    }
    const answers = await Promise.all((await answersOf(visits)).map((answer) => answer()))
    expect(countBy(answers, ({ status, body }) => body.error?.code ?? status)).toEqual({ 200: 1, INVALID_STATE: 11 })
    expect(await live(user)).toEqual({ live: 1, all: 2 })
  })

  test('is not replaced when what decided about it changed after the look', async () => {
    const user = newUser()
    await (await visit(user)).pay(CARDS.success)
    const second = await visit(user)
    await service.merchant.post(`/v1/customers/${user}/passkey-reset`)
    const { cards } = (await second.get('/api/session')).body
    await second.post('/api/cards/select', { card_id: cards[0].card_id })
    await second.post('/api/cards', { cvv: '123' })
    await second.post('/api/cards/verify', { code: STEP_UP_CODE })
    const [answer] = await answersOf([second])
    // Nothing of the session is locked in between: the statement that writes compares.
    const client = await service.pool.connect()
    try {
      await client.query('begin')
      await client.query(`select 1 from passkeys where customer_id = ${OF_SESSION.customer} for update`, [
        second.sessionId,
      ])
      const sent = answer?.()
      await expect.poll(async () => (await waiting(service)) > 0, { interval: 5 }).toBe(true)
      await client.query(`update passkeys set retired_at = created_at where customer_id = ${OF_SESSION.customer}`, [
        second.sessionId,
      ])
      await client.query('commit')
      expectError((await sent) as Answer, 400, 'INVALID_STATE')
    } finally {
      client.release()
    }
    expect(await live(user)).toEqual({ live: 0, all: 1 })
  })

  test('is not made when the merchant was suspended after the look', async () => {
    const user = newUser()
    const visitor = await visit(user)
    await visitor.enterCard(CARDS.success)
    const [answer] = await answersOf([visitor])
    const send = async () => (await answer?.()) as Answer
    expectError(await sendDuring(service, { sessionId: visitor.sessionId, send }, SUSPENDED), 400, 'INVALID_STATE')
    expect(await live(user)).toEqual({ live: 0, all: 0 })
    await letIn()
  })

  test('is what the schema allows', async () => {
    const user = newUser()
    await (await visit(user)).pay(CARDS.success)
    const second = service.pool.query(
      `insert into passkeys (merchant_id, id, customer_id, public_key, sign_count, transports, backup_eligible, backed_up, seal, created_at)
       select merchant_id, 'another', customer_id, public_key, 0, transports, backup_eligible, backed_up, seal, created_at from passkeys
       where customer_id = (select id from customers where external_user_id = $1)`,
      [user],
    )
    await expect(second).rejects.toMatchObject({ constraint: 'passkeys_live_customer_key' })
  })
})

describe('what a step returns is what a fresh look shows', () => {
  const expectFresh = async (visitor: Visit, answer: Answer) => {
    expect(answer.status).toBe(200)
    const { now: _, ...shown } = answer.body
    // What was signed is in the page that signed it.
    const { now: __, signed: ___, ...fresh } = (await visitor.get('/api/session')).body
    expect(shown).toEqual(fresh)
    return shown
  }

  test('after a passkey was made, and after the approval', async () => {
    const visitor = await visit(newUser())
    await visitor.enterCard(CARDS.success)
    expect(await expectFresh(visitor, await visitor.registerPasskey())).toMatchObject({ step: 'approval' })
    expect(await expectFresh(visitor, await visitor.approve())).toMatchObject({ step: 'done', outcome: 'approved' })
  })

  test('after a passkey was replaced by a card of it, where another card was saved too', async () => {
    const user = newUser()
    const owner = await visit(user)
    await owner.pay(CARDS.success)
    const again = await visit(user, owner.authenticator)
    await again.enterCard('5555555555554444')
    await again.approve()
    await service.merchant.post(`/v1/customers/${user}/passkey-reset`)
    const second = await visit(user)
    const { cards } = (await second.get('/api/session')).body
    expect(cards).toHaveLength(2)
    await second.post('/api/cards/select', { card_id: cards[0].card_id })
    await second.post('/api/cards', { cvv: '123' })
    await second.post('/api/cards/verify', { code: STEP_UP_CODE })
    const shown = await expectFresh(second, await second.registerPasskey())
    expect(shown).toMatchObject({ step: 'approval', passkey_made_at: expect.stringMatching(/Z$/) })
    expect(shown.cards).toHaveLength(1)
  })

  test.each([
    ['refused', CARDS.mintDeclined, { step: 'done', outcome: 'failed', failure: { code: 'CARD_DECLINED' } }],
    ['not heard of', CARDS.mintRequestLost, { step: 'processing', outcome: null }],
  ])('after an approval whose mint was %s', async (_name, number, expected) => {
    const visitor = await visit(newUser())
    await visitor.enterCard(number)
    await visitor.registerPasskey()
    expect(await expectFresh(visitor, await visitor.approve())).toMatchObject(expected)
  })
})
