import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, newAuthenticator } from '../../../../test/cardholder.ts'
import {
  CARDS,
  complete,
  createEnrollment,
  createSession,
  dbRow,
  enroll,
  enrollmentStatus,
  expectCreated,
  expectError,
  expectInvalid,
  newUser,
  paymentResult,
  report,
  vaultRecord,
} from '../../../../test/flows.ts'
import { OF_SESSION } from '../../../../test/rows/sessions.ts'
import { startTestService, type TestMerchant, type TestService } from '../../../../test/service.ts'
import { eventsOf, NOTHING, PROVISIONED, retryable, start, statusOf } from '../../testing/enrollments.ts'

// Guarantee: the status of an enrollment has one shape, says at every moment how far the card is and what stands
// against it, and never what is no longer true; it completes only by a passkey over a card that was proven in the
// session.

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ env: { NETWORK_TIMEOUT_MS: '1000', RATE_LIMIT_ENROLLMENT: '100000' } })
  merchant = service.merchant
})
afterAll(() => service?.close())

describe('the creation', () => {
  test('201 with the artifacts of the session and nothing else', async () => {
    const answer = await enroll(merchant, { enrollment_mode: 'full_enrollment' })
    expectCreated(answer)
    expect(Object.keys(answer.body).sort()).toEqual(['expires_at', 'iframe_url', 'session_id', 'session_token'])
    const { session_id, iframe_url, expires_at, session_token } = answer.body
    expect(iframe_url).toContain(`/${session_id}#`)
    const claims = JSON.parse(Buffer.from(session_token.split('.')[1], 'base64url').toString())
    expect(claims).toMatchObject({
      sub: session_id,
      mid: merchant.merchantId,
      exp: Math.floor(Date.parse(expires_at) / 1000),
    })
    expect(claims).not.toHaveProperty('ord')
  })

  test('fields of no mode, an email that is needed, and a record that is not there', async () => {
    const full = { enrollment_mode: 'full_enrollment' }
    expectInvalid(await enroll(merchant, { ...full, order_id: 'x' }), 'order_id')
    expectInvalid(await enroll(merchant, { ...full, callback_url: 'http://shop.example' }), 'callback_url')
    expectInvalid(await enroll(merchant, { ...full, integration_type: 'popup' }), 'integration_type')
    expectInvalid(await enroll(merchant, { ...full, consent_id: '\u0007' }), 'consent_id')
    expectError(await enroll(merchant, { ...full, user_email: undefined }), 400, 'ENROLL_USER_EMAIL_REQUIRED')
    const vault_ref_id = '00000000-0000-4000-8000-000000000000'
    expectInvalid(await enroll(merchant, { ...full, vault_ref_id }), 'vault_ref_id')
    const bare = await service.addMerchant({ networkProfile: null })
    expectError(await enroll(bare, full), 500, 'CONFIG_ERROR')
  })

  test('only that there was a consent is kept', async () => {
    const consent_id = `consent-${newUser()}`
    const { id } = await start(service, { consent_id })
    expect(await statusOf(merchant, id)).toMatchObject({ consent_status: 'provided' })
    expect(await statusOf(merchant, (await start(service)).id)).toMatchObject({ consent_status: 'not_provided' })
    const { found } = await dbRow(
      service,
      `select count(*)::int as found from enrollments e where e::text like '%' || $1 || '%'`,
      [consent_id],
    )
    expect(found).toBe(0)
  })
})

describe('who may read the status', () => {
  test('a payment and a setup have none, and an enrollment has no payment result', async () => {
    expectError(
      await enrollmentStatus(merchant, (await createSession(merchant)).session_id),
      409,
      'SESSION_STATUS_UNSUPPORTED',
    )
    const setup = await createSession(merchant, { mandate_setup: { recurring_frequency: 'monthly' } })
    expectError(await enrollmentStatus(merchant, setup.session_id), 409, 'SESSION_STATUS_UNSUPPORTED')
    const { id } = await start(service)
    expectError(await paymentResult(merchant, id), 404, 'NOT_FOUND')
    expectError(await report(merchant, id, { txn_ref_id: 'tli_1', txn_status: 'APPROVED' }), 400, 'INVALID_STATE')
  })

  test('another merchant’s is not found, and one that contradicts its enrollment is told apart', async () => {
    const other = await service.addMerchant()
    const { id } = await start(service)
    expectError(await enrollmentStatus(other, id), 404, 'NOT_FOUND')
    expectError(await enrollmentStatus(merchant, 'sess_none'), 404, 'NOT_FOUND')
    await service.pool.query("update enrollments set status = 'cancelled' where id = $1", [id])
    expectError(await enrollmentStatus(merchant, id), 409, 'ENROLLMENT_ACTION_NOT_FOUND')
  })

  test('120 reads a minute for each session, and another one is not concerned', async () => {
    const node = await startTestService({ database: service.database })
    try {
      const { session_id } = await createEnrollment(node.merchant)
      const read = async () => (await enrollmentStatus(node.merchant, session_id)).status
      const statuses = await Promise.all(Array.from({ length: 121 }, read))
      expect(statuses.filter((status) => status === 429)).toHaveLength(1)
      const refused = await enrollmentStatus(node.merchant, session_id)
      expectError(refused, 429, 'RATE_LIMITED')
      expect(refused.headers.get('ratelimit-policy')).toBe('"enrollment_status";q=120;w=60')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      const another = await createEnrollment(node.merchant)
      expect((await enrollmentStatus(node.merchant, another.session_id)).status).toBe(200)
    } finally {
      await node.close()
    }
  })
})

test('reads of what is no id of a session are counted together', async () => {
  const node = await startTestService({ database: service.database })
  try {
    const read = async (_: unknown, index: number) => (await enrollmentStatus(node.merchant, `sess_${index}`)).status
    const statuses = await Promise.all(Array.from({ length: 121 }, read))
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
    expect(statuses.filter((status) => status === 404)).toHaveLength(120)
  } finally {
    await node.close()
  }
})

describe('the card', () => {
  test('of a vault record needs CVV and code, also one that is the passkey’s already', async () => {
    const user_id = newUser()
    await complete(merchant, (await start(service, { user_id })).id)
    const { id, visitor } = await start(service, { user_id, vault_ref_id: await vaultRecord(merchant) })
    expect((await visitor.get('/api/session')).body).toMatchObject({
      step: 'card_cvv',
      cards: [],
      card_on_file: { card_last4: '4242' },
    })
    expect((await visitor.post('/api/cards', { cvv: '123' })).body).toMatchObject({ step: 'card_verification' })
    expectError(await visitor.post('/api/approval-options', { frame: { embedded: false } }), 400, 'INVALID_STATE')
    expect(await statusOf(merchant, id)).toMatchObject(NOTHING)
    expect((await complete(merchant, id)).body).toMatchObject({ status: 'completed' })
    expect(await statusOf(merchant, id)).toMatchObject({ passkey: 'existing' })
  })

  test('that is saved already cannot be chosen: it is entered', async () => {
    const user_id = newUser()
    const first = await start(service, { user_id })
    await complete(merchant, first.id)
    const { card_id } = await statusOf(merchant, first.id)
    const { id, visitor } = await start(service, { user_id })
    expect((await visitor.get('/api/session')).body).toMatchObject({ step: 'card', cards: [], has_passkey: true })
    expectError(await visitor.post('/api/cards/select', { card_id }), 400, 'CARD_NOT_FOUND')
    await complete(merchant, id)
    expect(await statusOf(merchant, id)).toMatchObject({ card_id, passkey: 'existing' })
  })

  test('a passkey of another customer does not complete it', async () => {
    const user_id = newUser()
    await complete(merchant, (await start(service, { user_id })).id)
    const { id, visitor } = await start(service, { user_id })
    await visitor.enterCard(CARDS.success)
    const { body } = await visitor.post('/api/approval-options', { frame: { embedded: false } })
    expect(body.terms).toMatchObject({ type: 'card_enrollment', merchant_name: 'Test Shop', card: { last4: '4242' } })
    const response = newAuthenticator(service).authenticate({ ...body.options, allowCredentials: [] })
    expectError(await visitor.post('/api/approvals', { response }), 400, 'PASSKEY_FAILED')
    expect(await statusOf(merchant, id)).toMatchObject({ ...PROVISIONED, error: retryable('PASSKEY_FAILED') })
  })

  test('of two tabs that register at the same time one completes it, and there is one event', async () => {
    const { id, session_token, visitor } = await start(service)
    await visitor.enterCard(CARDS.success)
    const tabs = [visitor, cardholder(service, session_token), cardholder(service, session_token)]
    const answers = await Promise.all(tabs.map((tab) => tab.registerPasskey().catch(() => null)))
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(1)
    expect(await eventsOf(service, id)).toHaveLength(1)
    expect(await statusOf(merchant, id)).toMatchObject({ status: 'completed', error: null })
  })

  test('cancel and passkey at the same time: one of them is how it ended', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, visitor } = await start(service)
      await visitor.enterCard(CARDS.success)
      await Promise.all([visitor.registerPasskey().catch(() => null), visitor.post('/api/cancel')])
      const { status } = await statusOf(merchant, id)
      expect((await eventsOf(service, id)).map(({ type }) => type)).toEqual([`card_enrollment.${status}`])
      const { count } = await dbRow(
        service,
        `select count(*)::int from passkeys where customer_id = ${OF_SESSION.customer}`,
        [id],
      )
      expect(count).toBe(status === 'completed' ? 1 : 0)
    }
  })
})
