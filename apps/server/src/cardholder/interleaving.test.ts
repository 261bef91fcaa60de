import { AsyncResource } from 'node:async_hooks'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { blockedBy } from '../../test/blocked.ts'
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
import { type Answer, startTestService, type TestService } from '../../test/service.ts'
import { Together } from '../db/prepared.ts'
import { STEP_UP_CODE } from '../network/simulator/test-cards.ts'

// Guarantee: what a step read may be of the past when it writes, and then it writes nothing: an approval happens as a whole or
// not at all, and a customer has one live passkey.

let service: TestService

beforeAll(async () => {
  service = await startTestService({ isForCrowds: true })
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
       (select count(*)::int from mandates m where m.customer_id = s.customer_id) as mandates,
       (c.attempts is not null)::int as work
     from sessions s join charges c on c.id = s.charge_id join passkeys p on p.customer_id = s.customer_id
     where s.id = $1`,
    [sessionId],
  )
}

/** Holds a row that a step needs, changed, until the step waits for it; then commits. */
const sendDuring = (
  { sessionId, send }: Pick<Awaited<ReturnType<typeof readyToApprove>>, 'sessionId' | 'send'>,
  change: string,
): Promise<Answer> => blockedBy(service, [change, [sessionId]], send)

const OF_SESSION = {
  passkey: '(select p.id from passkeys p join sessions s using (customer_id) where s.id = $1)',
  card: '(select card_id from sessions where id = $1)',
  charge: '(select charge_id from sessions where id = $1)',
}

/** A merchant is suspended between what a step reads and the statement by which it writes. No row of a merchant is locked by either. */
async function sendAroundSuspension(send: () => Promise<Answer>, statement: string): Promise<Answer> {
  const { query } = Client.prototype
  // Not as the step, which holds a connection.
  const suspend = AsyncResource.bind(() =>
    service.app.merchants.updateMerchant(service.merchant.merchantId, { status: 'suspended' }),
  )
  let sent: Promise<unknown> | undefined
  const held = vi.spyOn(Client.prototype, 'query').mockImplementation(function hold(this: Client, ...given: unknown[]) {
    const [first] = given
    const together = first instanceof Together ? first : undefined
    const executions = together?.executions ?? [first as { name?: string }]
    if (executions.some(({ name }) => name === statement)) sent = suspend()
    // What goes behind it, too.
    else if (together?.isBehind !== true || sent === undefined) return Reflect.apply(query, this, given)
    sent = sent.then(() => Reflect.apply(query, this, given))
    // What is sent later answers by itself.
    return first
  })
  try {
    return await send()
  } finally {
    held.mockRestore()
    await letIn()
  }
}
const letIn = () => service.app.merchants.updateMerchant(service.merchant.merchantId, { status: 'active' })

describe('an approval that finds changed what it had read', () => {
  test.each<[string, string]>([
    ['session was closed', 'update sessions set closed_at = created_at where id = $1'],
    ['session chose another card', 'update sessions set card_id = null where id = $1'],
    ['session ended in time', 'update sessions set expires_at = created_at where id = $1'],
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
      `with proven as (update sessions set proven_card_id = null, proof = null where id = $1 returning card_id)
       update cards set passkey_id = null where id = (select card_id from proven)`,
    ],
  ])('writes nothing when the %s', async (_name, change) => {
    const visitor = await readyToApprove()
    const before = await written(visitor.sessionId)
    const answer = await sendDuring(visitor, change)
    expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({ status: 400, code: 'INVALID_STATE' })
    const after = await written(visitor.sessionId)
    expect(after).toMatchObject({ approvals: 0, mandates: 0, work: 0, last_used_at: null })
    expect(after.closed).toBe(change.includes('closed_at'))
    expect(after.charge).toBe(change.includes("'failed'") ? 'failed' : before.charge)
  })

  test('writes nothing when the merchant was suspended', async () => {
    const visitor = await readyToApprove()
    const answer = await sendAroundSuspension(visitor.send, 'sessions.approve_payment')
    expectError(answer, 400, 'INVALID_STATE')
    const nothing = { closed: false, charge: 'initiated', approvals: 0, mandates: 0, work: 0, last_used_at: null }
    expect(await written(visitor.sessionId)).toMatchObject(nothing)
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
    const unproven = 'update sessions set proven_card_id = null, proof = null where id = $1'
    expectError(await sendDuring({ sessionId, send }, unproven), 400, 'INVALID_STATE')
    expect(await dbRow(service, 'select status from enrollments where session_id = $1', [sessionId])).toEqual({
      status: 'open',
    })
  })

  test('is made when what moved does not matter to it', async () => {
    const visitor = await readyToApprove()
    const answer = await sendDuring(visitor, `update cards set exp_year = exp_year + 1 where id = ${OF_SESSION.card}`)
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

test('a card is not chosen at a merchant that is suspended meanwhile', async () => {
  const user = newUser()
  const owner = await visit(user)
  await owner.pay(CARDS.success)
  const again = await visit(user, owner.authenticator)
  const [{ card_id }] = (await again.get('/api/session')).body.cards
  const choose = () => again.post('/api/cards/select', { card_id })
  expectError(await sendAroundSuspension(choose, 'sessions.update_card'), 500, 'MERCHANT_LOOKUP_ERROR')
  expect((await choose()).body).toMatchObject({ step: 'approval', card: { card_id } })
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
        return () => each.post('/api/passkeys/registrations', { response, frame })
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
    const retires =
      'update passkeys set retired_at = created_at where customer_id = (select customer_id from sessions where id = $1)'
    expectError(
      (await blockedBy(service, [retires, [second.sessionId]], async () => answer?.())) as Answer,
      400,
      'INVALID_STATE',
    )
    expect(await live(user)).toEqual({ live: 0, all: 1 })
  })

  test('is not made when the merchant was suspended after the look', async () => {
    const user = newUser()
    const visitor = await visit(user)
    await visitor.enterCard(CARDS.success)
    const [answer] = await answersOf([visitor])
    const send = async () => (await answer?.()) as Answer
    expectError(await sendAroundSuspension(send, 'sessions.insert_passkey'), 400, 'INVALID_STATE')
    expect(await live(user)).toEqual({ live: 0, all: 0 })
  })

  test('is not made where what the approval is asked with cannot be kept with it', async () => {
    const user = newUser()
    const visitor = await visit(user)
    await visitor.enterCard(CARDS.success)
    const [answer] = await answersOf([visitor])
    await service.pool.query(
      `create function refuse_challenge() returns trigger language plpgsql as $$ begin raise 'no more room'; end $$;
       create trigger refuse_challenge before insert on passkey_challenges for each row
         when (new.subject_id = '${visitor.sessionId}') execute function refuse_challenge()`,
    )
    expect((await answer?.())?.status).toBe(500)
    expect(await live(user)).toEqual({ live: 0, all: 0 })
    await service.pool.query('drop trigger refuse_challenge on passkey_challenges; drop function refuse_challenge')
    expect((await visitor.registerPasskey()).body.step).toBe('approval')
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
