import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, newAuthenticator } from '../../test/cardholder.ts'
import {
  blocked,
  CARDS,
  complete,
  createSession,
  dbRow,
  expectError,
  newUser,
  revoke,
  vaultRecord,
} from '../../test/flows.ts'
import { type Answer, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import {
  begin,
  createOptions,
  eventsOf,
  expectEnded,
  final,
  NOTHING,
  PROVISIONED,
  retryable,
  statusOf,
} from './testing/enrollments.ts'

// Guarantee: the status of an enrollment says at every moment how far the card is and what stands against it, in every combination
// that there is, and never what is no longer true; what is over stays as it is, with one event.

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ isForCrowds: true, env: { RATE_LIMIT_ENROLLMENT: '100000' } })
  merchant = service.merchant
})
afterAll(() => service?.close())

describe('every combination', () => {
  test('requires_action, not_started', async () => {
    const { id } = await begin(service)
    expect(await statusOf(merchant, id)).toEqual({ ...NOTHING, session_id: id, consent_status: 'not_provided' })
    await complete(merchant, id, { card_number: CARDS.stepUp, stop_after: 'card' })
    expect(await statusOf(merchant, id)).toMatchObject(NOTHING)
  })

  test('processing, not_started: while the network is asked; then a retryable failure, and the retry', async () => {
    const { id, visitor } = await begin(service)
    // The network does not come to an end before the status was read, however long that takes.
    const client = await service.pool.connect()
    let entering: Promise<Answer> | undefined
    try {
      await client.query('begin')
      await client.query('lock table simnet.tokens in exclusive mode')
      entering = visitor.enterCard(CARDS.provisionAnswerLost)
      await expect.poll(() => statusOf(merchant, id)).toMatchObject({ ...NOTHING, status: 'processing' })
    } finally {
      await client.query('rollback')
      client.release()
    }
    expectError(await entering, 503, 'NETWORK_UNAVAILABLE')
    expect(await statusOf(merchant, id)).toMatchObject({ ...NOTHING, error: retryable('NETWORK_UNAVAILABLE') })
    await visitor.enterCard(CARDS.provisionAnswerLost)
    expect(await statusOf(merchant, id)).toMatchObject(PROVISIONED)
  })

  test('a device binding that fails once: the error is there until the next try, of the same card', async () => {
    const { id, visitor } = await begin(service)
    expectError(await visitor.enterCard(CARDS.deviceBindingFailsOnce), 400, 'CARD_REFUSED')
    expect(await statusOf(merchant, id)).toMatchObject({ ...NOTHING, error: retryable('DEVICE_BINDING_FAILED') })
    const { card_id } = await dbRow(
      service,
      `select id as card_id from cards where customer_id = (select customer_id from sessions where id = $1)`,
      [id],
    )
    await visitor.enterCard(CARDS.deviceBindingFailsOnce)
    expect(await statusOf(merchant, id)).toMatchObject({ ...PROVISIONED, card_id })
    expect((await visitor.registerPasskey()).body).toMatchObject({ step: 'done', outcome: 'approved' })
    expect(await statusOf(merchant, id)).toMatchObject({ status: 'completed', card_id, error: null })
  })

  test.each([
    ['CVV_MISMATCH', CARDS.cvvMismatch],
    ['CARD_DECLINED', CARDS.refused],
  ])('requires_action with %s: another card may be entered', async (code, number) => {
    const { id, visitor } = await begin(service)
    expectError(await visitor.enterCard(number), 400, 'CARD_REFUSED')
    expect(await statusOf(merchant, id)).toMatchObject({ ...NOTHING, error: retryable(code) })
    // What is malformed was no try, and says nothing of the card.
    expectError(await visitor.post('/api/cards', { cvv: 'x' }), 400, 'VAL_2001')
    await visitor.enterCard(CARDS.success)
    await visitor.registerPasskey()
    expect(await statusOf(merchant, id)).toMatchObject({ status: 'completed', error: null })
  })

  test('requires_action, card_provisioned, with a wrong code and a wrong passkey before', async () => {
    const { id, visitor } = await begin(service)
    await visitor.enterCard(CARDS.stepUp)
    expectError(await visitor.post('/api/cards/verify', { code: '000000' }), 400, 'STEP_UP_INVALID')
    expect(await statusOf(merchant, id)).toMatchObject({ ...NOTHING, error: retryable('STEP_UP_INVALID') })
    await visitor.post('/api/cards/verify', { code: '123456' })
    expect(await statusOf(merchant, id)).toMatchObject(PROVISIONED)
    const stranger = newAuthenticator(service).register((await createOptions(visitor)).body)
    const response = {
      ...stranger,
      response: { ...(stranger as { response: object }).response, attestationObject: 'AAAA' },
    }
    expectError(await visitor.post('/api/passkeys/registrations', { response }), 400, 'PASSKEY_FAILED')
    expect(await statusOf(merchant, id)).toMatchObject({ ...PROVISIONED, error: retryable('PASSKEY_FAILED') })
    await visitor.registerPasskey()
    expect(await statusOf(merchant, id)).toMatchObject({
      status: 'completed',
      outcome: 'fully_enrolled',
      passkey: 'registered',
      error: null,
    })
  })

  /** Does a step that waits for a row, and reads the status meanwhile. */
  async function expectInHand(id: string, row: string, step: () => Promise<Answer>) {
    const client = await service.pool.connect()
    try {
      await client.query('begin')
      await client.query(`${row} = (select customer_id from sessions where id = $1) for update`, [id])
      const doing = step()
      await expect.poll(() => blocked(service)).toBe(1)
      expect(await statusOf(merchant, id)).toMatchObject({ ...PROVISIONED, status: 'processing' })
      await client.query('commit')
      expect((await doing).body).toMatchObject({ step: 'done', outcome: 'approved' })
    } finally {
      await client.query('rollback')
      client.release()
    }
    expect(await statusOf(merchant, id)).toMatchObject({ status: 'completed' })
  }

  test('processing, card_provisioned: while the passkey is verified, a new one and one that is there', async () => {
    const user_id = newUser()
    const authenticator = newAuthenticator(service)
    const enter = async () => {
      const { id, session_token } = await begin(service, { user_id })
      const visitor = cardholder(service, session_token, authenticator)
      await visitor.enterCard(CARDS.success)
      return { id, visitor }
    }
    const first = await enter()
    await expectInHand(first.id, 'select 1 from cards where customer_id', () => first.visitor.registerPasskey())
    const next = await enter()
    await expectInHand(next.id, 'select 1 from passkeys where customer_id', () => next.visitor.approve())
  })

  test('requires_action, card_provisioned, where the browser does not say who frames the page', async () => {
    const { id, visitor } = await begin(service)
    await visitor.enterCard(CARDS.success)
    const { body } = await visitor.post('/api/passkeys/registration-options', { frame: { embedded: true } })
    const response = newAuthenticator(service).register(body)
    expectError(await visitor.post('/api/passkeys/registrations', { response }), 400, 'PASSKEY_FRAME_REFUSED')
    expect(await statusOf(merchant, id)).toMatchObject({ ...PROVISIONED, error: retryable('PASSKEY_FAILED') })
  })

  test('a try whose process died counts as in hand for half a minute', async () => {
    const { id } = await begin(service)
    await service.pool.query(
      `update enrollments set busy_until = $2::timestamptz + interval '30 seconds' where session_id = $1`,
      [id, service.clock.now()],
    )
    expect(await statusOf(merchant, id)).toMatchObject({ ...NOTHING, status: 'processing' })
    await service.clock.advance(31)
    expect(await statusOf(merchant, id)).toMatchObject(NOTHING)
  })

  test('completed, fully_enrolled: with a new passkey, and then with the one that is there', async () => {
    const user_id = newUser()
    const first = await begin(service, { user_id, consent_id: 'c' })
    expect((await complete(merchant, first.id)).body).toMatchObject({
      status: 'completed',
      next_step: 'done',
      outcome: 'approved',
    })
    const events = await expectEnded(service, first.id, 'completed', 'fully_enrolled')
    const { card_id } = await statusOf(merchant, first.id)
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        type: 'card_enrollment.completed',
        schema_version: expect.any(String),
        occurred_at: expect.any(String),
        environment: 'sandbox',
        account_id: merchant.merchantId,
        resource: { type: 'card_enrollment', id: first.id, version: 1 },
        data: {
          session_id: first.id,
          status: 'completed',
          outcome: 'fully_enrolled',
          card_id,
          passkey: 'registered',
          consent_status: 'provided',
          card: { last4: '4242', brand: 'visa', exp_month: 12, exp_year: expect.any(Number) },
          failure_category: null,
        },
      },
    ])
    const second = await begin(service, { user_id })
    expect((await complete(merchant, second.id, { card_number: CARDS.amex })).body).toMatchObject({
      status: 'completed',
    })
    const [event] = await expectEnded(service, second.id, 'completed', 'fully_enrolled')
    expect(event.data).toMatchObject({ passkey: 'existing', card: { last4: '0005', brand: 'amex' } })
    expect(await statusOf(merchant, second.id)).toMatchObject({ passkey: 'existing' })
    const { count } = await dbRow(
      service,
      `select count(*)::int from approvals where subject_id = $1 and terms like '%card_enrollment%'`,
      [second.id],
    )
    expect(count).toBe(1)
    // Both cards are the passkey's now: either pays.
    const payment = await createSession(merchant, { user_id })
    const { body } = await complete(merchant, payment.session_id, {
      card_id: (await statusOf(merchant, second.id)).card_id,
    })
    expect(body).toMatchObject({ status: 'awaiting_result' })
  })

  test.each([
    ['BIN_COUNTRY_NOT_ALLOWED', CARDS.binCountryRefused],
    ['BIN_ISSUER_NOT_ALLOWED', CARDS.binIssuerRefused],
  ])('failed, not_started: %s', async (code, number) => {
    const { id, visitor } = await begin(service)
    const refused = await visitor.enterCard(number)
    expectError(refused, 400, 'CARD_REFUSED')
    // The page is not told which rule it was.
    expect(refused.body.error.details).toEqual({ reason: 'CARD_DECLINED' })
    expect((await visitor.get('/api/session')).body).toMatchObject({
      step: 'done',
      outcome: 'failed',
      failure: { code: 'CARD_DECLINED' },
    })
    const [event] = await expectEnded(service, id, 'failed', 'not_started', final(code))
    expect(event).toMatchObject({
      type: 'card_enrollment.failed',
      data: { card: null, failure_category: 'refused', status: 'failed' },
    })
  })

  test('failed, not_started: the card that the merchant named is declined', async () => {
    const { id } = await begin(service, { vault_ref_id: await vaultRecord(merchant, { card_number: CARDS.refused }) })
    expectError(await complete(merchant, id), 400, 'CARD_REFUSED')
    const [event] = await expectEnded(service, id, 'failed', 'not_started', final('CARD_DECLINED'))
    expect(event.data.failure_category).toBe('card_declined')
  })

  test('failed, not_started: the card that the merchant named has expired since it was put in the vault', async () => {
    const now = service.clock.now()
    const expiry = { expiry_month: String(now.getUTCMonth() + 1), expiry_year: String(now.getUTCFullYear()) }
    const record = await vaultRecord(merchant, expiry)
    await service.clock.advance(32 * 24 * 3600)
    const { id } = await begin(service, { vault_ref_id: record })
    expectError(await complete(merchant, id), 400, 'CARD_REFUSED')
    // Its expiry is not the cardholder's to enter, so no other try could end otherwise.
    const [event] = await expectEnded(service, id, 'failed', 'not_started', final('CARD_EXPIRED'))
    expect(event.data.failure_category).toBe('card_declined')
  })

  test('failed, card_provisioned: the customer’s passkey was copied', async () => {
    const user_id = newUser()
    await complete(merchant, (await begin(service, { user_id })).id)
    await service.pool.query(
      `update passkeys set sign_count = 1000 where customer_id = (select id from customers where external_user_id = $1)`,
      [user_id],
    )
    const { id } = await begin(service, { user_id })
    expect((await complete(merchant, id)).status).toBe(400)
    const [event] = await expectEnded(service, id, 'failed', 'card_provisioned', final('PASSKEY_BLOCKED'))
    expect(event).toMatchObject({
      type: 'card_enrollment.failed',
      data: { outcome: 'card_provisioned', card: { last4: '4242' } },
    })
  })

  test('failed: revoked by the merchant, which is told by session.revoked alone', async () => {
    const { id } = await begin(service)
    expect((await revoke(merchant, id)).body).toEqual({ success: true })
    expect(await expectEnded(service, id, 'failed', 'not_started', final('SESSION_REVOKED'))).toEqual([])
    expect((await eventsOf(service, id)).map(({ type }) => type)).toEqual(['session.revoked'])
    const later = await begin(service)
    await complete(merchant, later.id, { stop_after: 'card' })
    await revoke(merchant, later.id)
    await expectEnded(service, later.id, 'failed', 'card_provisioned', final('SESSION_REVOKED'))
    expectError(await createOptions(later.visitor), 401, 'AUTH_1004')
  })

  test('cancelled, not_started and card_provisioned, without the error of the last try', async () => {
    const first = await begin(service)
    await first.visitor.enterCard(CARDS.cvvMismatch)
    await first.visitor.post('/api/cancel')
    const [event] = await expectEnded(service, first.id, 'cancelled', 'not_started')
    expect(event).toMatchObject({
      type: 'card_enrollment.cancelled',
      data: { status: 'cancelled', card: null, failure_category: 'cancelled' },
    })
    const second = await begin(service)
    await second.visitor.enterCard(CARDS.success)
    await second.visitor.post('/api/cancel')
    const [later] = await expectEnded(service, second.id, 'cancelled', 'card_provisioned')
    expect(later.data).toMatchObject({ card_id: expect.any(String), passkey: null, card: { last4: '4242' } })
  })

  test('expired, not_started and card_provisioned: by a read, and by the sweep; what was completed stays so', async () => {
    const [read, swept, done] = [await begin(service), await begin(service), await begin(service)]
    await swept.visitor.enterCard(CARDS.success)
    await read.visitor.enterCard(CARDS.cvvMismatch)
    await complete(merchant, done.id)
    await service.clock.advance(16 * 60)
    expect(await statusOf(merchant, read.id)).toMatchObject({ ...NOTHING, status: 'expired' })
    await service.runJobs()
    const { status } = await dbRow(service, 'select status from enrollments where session_id = $1', [swept.id])
    expect(status).toBe('expired')
    const [event] = await expectEnded(service, swept.id, 'expired', 'card_provisioned')
    expect(event).toMatchObject({
      type: 'card_enrollment.expired',
      data: { status: 'expired', failure_category: 'expired' },
    })
    await expectEnded(service, read.id, 'expired', 'not_started')
    await expectEnded(service, done.id, 'completed', 'fully_enrolled')
  })
})

describe('a card that the network accepts after the end', () => {
  test.each(['cancelled', 'failed'] as const)(
    '%s, card_provisioned: it is saved, and the status says so',
    async (ended) => {
      const patient = await startTestService({ isForCrowds: true, database: service.database })
      const user_id = newUser()
      const { id, visitor } = await begin(patient, { user_id })
      // The network is slow: a caller that asks for a token waits.
      const client = await service.pool.connect()
      try {
        await client.query('begin')
        await client.query('lock table simnet.tokens in exclusive mode')
        const entering = visitor.enterCard(CARDS.success)
        await expect.poll(() => blocked(service), { interval: 5 }).toBe(1)
        if (ended === 'cancelled') await visitor.post('/api/cancel')
        else await revoke(patient.merchant, id)
        expect(await statusOf(patient.merchant, id)).toMatchObject({
          status: ended,
          outcome: 'not_started',
          card_id: null,
        })
        await client.query('commit')
        expect((await entering).status).toBeGreaterThanOrEqual(400)
        const { card_id } = await dbRow(
          service,
          'select c.id as card_id from cards c join sessions s on s.customer_id = c.customer_id where s.id = $1',
          [id],
        )
        const saved = { status: ended, outcome: 'card_provisioned', card_id, passkey: null }
        expect(await statusOf(patient.merchant, id)).toMatchObject(saved)
        const { body } = await patient.merchant.get(`/v1/listCards?customer_id=${user_id}`)
        expect(body.cards).toMatchObject([{ card_id, status: 'active' }])
        // It is over all the same: nothing more comes of it, and there is one event, of what was known then.
        expectError(await createOptions(visitor), 401, ended === 'cancelled' ? 'AUTH_1003' : 'AUTH_1004')
        expect((await eventsOf(service, id)).filter(({ type }) => type !== 'session.revoked')).toHaveLength(
          ended === 'cancelled' ? 1 : 0,
        )
      } finally {
        client.release()
        await patient.close()
      }
    },
  )
})
