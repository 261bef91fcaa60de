// Guarantee: a test helper does what a cardholder could do and no more, through the same checks; none exists in production.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder } from '../../test/cardholder.ts'
import {
  approvedSession,
  atOnce,
  authorization,
  CARDS,
  complete,
  countBy,
  createSession,
  dbRow,
  expectError,
  expectInvalid,
  expectRefusesStrangers,
  newUser,
  paymentResult,
  QUOTE,
  revoke,
} from '../../test/flows.ts'
import { PRODUCTION, sessionBody, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { TEST_CARDS } from '../network/simulator/test-cards.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService()
  merchant = service.merchant
})
afterAll(() => service?.close())

const passkeysOf = async (sessionId: string) =>
  (
    await dbRow(
      service,
      `select count(p.id)::int as count from sessions s left join passkeys p on p.merchant_id = s.merchant_id
       and p.customer_id = s.customer_id where s.id = $1`,
      [sessionId],
    )
  ).count

describe('complete', () => {
  test('does it all, and answers exactly where the session stands', async () => {
    const { session_id } = await createSession(merchant)
    const answer = await complete(merchant, session_id)
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        session_id,
        status: 'awaiting_result',
        card_id: expect.stringMatching(/^card_/),
        next_step: 'done',
        outcome: 'approved',
      },
    ])
  })

  test('needs no body', async () => {
    const { session_id } = await createSession(merchant)
    const answer = await merchant.post(`/v1/test_helpers/sessions/${session_id}/complete`)
    expect(answer.body).toMatchObject({ status: 'awaiting_result' })
  })

  test.for([
    ['card', 'passkey_registration', 0],
    ['card_verification', 'passkey_registration', 0],
    ['passkey', 'approval', 1],
  ] as const)(
    'stop_after %s stands at %s; the next call goes on from there',
    async ([stop_after, next_step, passkeys]) => {
      const { session_id } = await createSession(merchant)
      const stopped = await complete(merchant, session_id, { stop_after })
      expect(stopped.body).toMatchObject({ status: 'pending', next_step, outcome: null })
      expect(await passkeysOf(session_id)).toBe(passkeys)
      expect((await complete(merchant, session_id, { stop_after })).body).toEqual(stopped.body)
      expect((await complete(merchant, session_id)).body).toMatchObject({ status: 'awaiting_result' })
    },
  )

  test.for([
    ['card', 'card_verification'],
    ['card_verification', 'passkey_registration'],
    ['passkey', 'approval'],
  ] as const)('a card with step-up, stop_after %s: stands at %s', async ([stop_after, next_step]) => {
    const { session_id } = await createSession(merchant)
    const stopped = await complete(merchant, session_id, { card_number: CARDS.stepUp, stop_after })
    expect(stopped.body).toMatchObject({ status: 'pending', next_step })
    expect((await complete(merchant, session_id)).body).toMatchObject({ status: 'awaiting_result' })
  })

  test.for(['card', 'card_verification', 'passkey'] as const)(
    'stop_after %s never approves, when card and passkey are there already',
    async (stop_after) => {
      const user_id = newUser()
      const { id } = await approvedSession(merchant, undefined, { user_id })
      const { card_id } = (await paymentResult(merchant, id)).body.transactions[0]
      for (const changes of [{ user_id }, { user_id, card: { card_id } }]) {
        const { session_id } = await createSession(merchant, changes)
        const stopped = await complete(merchant, session_id, { stop_after })
        expect(stopped.body).toMatchObject({ status: 'pending', next_step: 'approval', outcome: null })
      }
    },
  )

  test('a second purchase: the saved card, the passkey that is there', async () => {
    const user_id = newUser()
    const { id } = await approvedSession(merchant, undefined, { user_id })
    const { card_id } = (await paymentResult(merchant, id)).body.transactions[0]
    const { session_id } = await createSession(merchant, { user_id })
    const answer = await complete(merchant, session_id, { card_id })
    expect(answer.body).toMatchObject({ status: 'awaiting_result', card_id })
    expect(await passkeysOf(session_id)).toBe(1)
  })

  test('the same number entered again is the same card', async () => {
    const user_id = newUser()
    const [first, second] = [
      await approvedSession(merchant, '4242 4242 4242 4242', { user_id }),
      await approvedSession(merchant, '4242-4242-4242-4242', { user_id }),
    ]
    const ids = await Promise.all([first, second].map(async ({ id }) => (await paymentResult(merchant, id)).body))
    expect(ids[0].transactions[0].card_id).toBe(ids[1].transactions[0].card_id)
    expect(first.item.token).not.toBe(second.item.token)
  })

  test('another card than the preselected one', async () => {
    const user_id = newUser()
    const { id } = await approvedSession(merchant, undefined, { user_id })
    const { card_id } = (await paymentResult(merchant, id)).body.transactions[0]
    const { session_id } = await createSession(merchant, { user_id, card: { card_id } })
    const answer = await complete(merchant, session_id, { card_number: '5555555555554444' })
    expect(answer.body.status).toBe('awaiting_result')
    expect(answer.body.card_id).not.toBe(card_id)
  })

  test("two merchants' customers of one user_id share nothing", async () => {
    const user_id = newUser()
    const other = await service.addMerchant()
    const { id } = await approvedSession(merchant, undefined, { user_id })
    const { card_id } = (await paymentResult(merchant, id)).body.transactions[0]
    const { session_id } = await createSession(other, { user_id })
    expectError(await complete(other, session_id, { card_id }), 400, 'CARD_NOT_FOUND')
    expect((await complete(other, session_id)).body).toMatchObject({ status: 'awaiting_result' })
    expect(await passkeysOf(session_id)).toBe(1)
  })
})

describe('every test card does what its label says', () => {
  const REFUSED = new Map([
    ['bin_country_refused', 'CARD_DECLINED'],
    ['bin_issuer_refused', 'CARD_DECLINED'],
    ['cvv_mismatch', 'CVV_MISMATCH'],
    ['card_declined', 'CARD_DECLINED'],
    ['device_binding_fails_once', 'DEVICE_BINDING_FAILED'],
  ])
  const UNKNOWN = new Set(['instruction_answer_lost', 'mint_answer_lost', 'mint_request_lost', 'mint_hangs'])
  const ACQUIRER = new Map([
    ['insufficient_funds', '51'],
    ['do_not_honour', '05'],
    ['credential_expired', '54'],
  ])

  test.for(TEST_CARDS.map(({ number, brand, behaviour }) => [number, brand, behaviour] as const))(
    '%s (%s): %s',
    async ([card_number, , behaviour]) => {
      const { session_id } = await createSession(merchant)
      const answer = await complete(merchant, session_id, { card_number })
      const reason = REFUSED.get(behaviour)
      if (reason !== undefined) {
        expectError(answer, 400, 'CARD_REFUSED')
        expect(answer.body.error.details).toEqual({ reason })
        expect((await paymentResult(merchant, session_id)).body.status).toBe('pending')
        // The cardholder takes another card, or this one again where only the first try fails.
        const retry = behaviour === 'device_binding_fails_once' ? { card_number } : {}
        expect((await complete(merchant, session_id, retry)).body).toMatchObject({ status: 'awaiting_result' })
        return
      }
      if (behaviour === 'provision_answer_lost') return expectError(answer, 503, 'NETWORK_UNAVAILABLE')
      if (behaviour === 'mint_declined' || behaviour === 'instruction_refused')
        return expect(answer.body).toMatchObject({ status: 'failed', outcome: 'failed' })
      if (UNKNOWN.has(behaviour)) return expect(answer.body).toMatchObject({ status: 'processing', outcome: null })
      expect(answer.body).toMatchObject({ status: 'awaiting_result' })
      const [item] = (await paymentResult(merchant, session_id)).body.transactions[0].line_items
      const spent = await merchant.post('/v1/test_helpers/authorizations', authorization(item))
      expect(spent.body.response_code).toBe(ACQUIRER.get(behaviour) ?? '00')
    },
  )
})

describe('complete: invalid input', () => {
  test.for([
    [{ card_number: '4242424242424241' }, 'card_number'],
    [{ card_number: '42424242424' }, 'card_number'],
    [{ card_number: 'four' }, 'card_number'],
    [{ card_number: 4242424242424242 }, 'card_number'],
    [{ stop_after: 'approval' }, 'stop_after'],
    [{ card_id: '' }, 'card_id'],
    [{ cvv: '123' }, 'cvv'],
  ] as [object, string][])('%j names %s', async ([body, path]) => {
    const { session_id } = await createSession(merchant)
    expectInvalid(await complete(merchant, session_id, body as Record<string, unknown>), path)
  })
})

describe('complete: not authenticated, not found', () => {
  test('strangers', async () => {
    const { session_id } = await createSession(merchant)
    await expectRefusesStrangers(service, 'POST', `/v1/test_helpers/sessions/${session_id}/complete`)
  })

  test("another merchant's session answers like one that never was", async () => {
    const { session_id } = await createSession(merchant)
    const other = await service.addMerchant()
    const theirs = await complete(other, session_id)
    expectError(theirs, 404, 'NOT_FOUND')
    expect(theirs.body).toEqual((await complete(other, 'sess_00000000000000000000000000')).body)
  })

  test('a card of nobody', async () => {
    const { session_id } = await createSession(merchant)
    expectError(await complete(merchant, session_id, { card_id: 'card_none' }), 400, 'CARD_NOT_FOUND')
  })
})

describe('complete: conflict', () => {
  test("the cardholder's part is over", async () => {
    const { id: approved } = await approvedSession(merchant)
    const { id: processing } = await approvedSession(merchant, CARDS.mintRequestLost)
    const { session_id: revoked } = await createSession(merchant)
    await revoke(merchant, revoked)
    const { session_id: expired } = await createSession(merchant)
    await service.clock.advance(901)
    for (const id of [approved, processing, revoked, expired]) {
      expectError(await complete(merchant, id), 400, 'INVALID_STATE')
    }
  })

  test('a customer with a passkey on a device of their own finishes in a browser', async () => {
    const user_id = newUser()
    const { session_token, session_id } = await createSession(merchant, { user_id })
    const paid = await cardholder(service, session_token).pay(CARDS.success)
    expect(paid.body).toMatchObject({ step: 'done', outcome: 'approved' })
    expect((await paymentResult(merchant, session_id)).body.status).toBe('awaiting_result')
    const { session_id: second } = await createSession(merchant, { user_id })
    const answer = await complete(merchant, second)
    expectError(answer, 400, 'INVALID_STATE')
    expect(answer.body.error.message).toContain('browser')
  })

  test('a passkey that the merchant allowed to replace is replaced, as often as it is, and the new one approves', async () => {
    const user_id = newUser()
    const pays = async () => complete(merchant, (await createSession(merchant, { user_id })).session_id)
    expect((await pays()).body.outcome).toBe('approved')
    for (const _ of ['once', 'again']) {
      expect((await merchant.post(`/v1/customers/${user_id}/passkey-reset`)).status).toBe(201)
      const { session_id } = await createSession(merchant, { user_id })
      const replaced = await complete(merchant, session_id)
      expect([replaced.status, replaced.body.outcome]).toEqual([200, 'approved'])
      expect((await pays()).body.outcome).toBe('approved')
    }
  })

  test('8 at once on one session: one approval, one credential, no other failure than the state', async () => {
    for (const prepared of [false, true]) {
      const { session_id } = await createSession(merchant)
      if (prepared) await complete(merchant, session_id, { stop_after: 'passkey' })
      const answers = await atOnce(8, () => complete(merchant, session_id))
      for (const answer of answers) if (answer.status !== 200) expectError(answer, 400, 'INVALID_STATE')
      expect(countBy(answers, ({ status }) => status)[200]).toBeGreaterThanOrEqual(1)
      const row = await dbRow(
        service,
        `select c.status, i.charge_count, (select count(*)::int from approvals a where a.subject_id = $1) as approvals
         from charges c join simnet.instructions i on i.mandate_id = c.mandate_id where c.opened_by = $1`,
        [session_id],
      )
      expect(row).toEqual({ status: 'awaiting_result', charge_count: 1, approvals: 1 })
      expect(await passkeysOf(session_id)).toBe(1)
    }
  })
})

describe('clock', () => {
  const advance = (body: unknown) => merchant.post('/v1/test_helpers/clock/advance', body)

  test('moves forward, at once', async () => {
    const { session_id, session_token } = await createSession(merchant)
    const before = service.clock.now().getTime()
    const answer = await advance({ seconds: 3600 })
    expect(Object.keys(answer.body)).toEqual(['now'])
    expect(new Date(answer.body.now).getTime() - before).toBeGreaterThanOrEqual(3_600_000)
    expect((await paymentResult(merchant, session_id)).body.error.code).toBe('SESSION_EXPIRED')
    expectError(await cardholder(service, session_token).get('/api/session'), 401, 'AUTH_1003')
  })

  test.for([0, -1, 1.5, '60', null, 315_360_001, 1e300])('never back, never by %j', async (seconds) => {
    expectInvalid(await advance({ seconds }), 'seconds')
  })

  test('never past where dates end, and then it goes on from where it was', async () => {
    const alone = await startTestService()
    try {
      const move = (seconds: number) => alone.merchant.post('/v1/test_helpers/clock/advance', { seconds })
      const left = () => Math.floor((Date.UTC(2200, 0, 1) - alone.clock.now().getTime()) / 1000)
      await alone.clock.advance(left() - 1_000)
      expectInvalid(await move(1_100), 'seconds')
      expectInvalid(await move(315_360_000), 'seconds')
      expect((await move(1)).status).toBe(200)
    } finally {
      await alone.close()
    }
  })

  test('by nothing, by something else', async () => {
    expectInvalid(await advance({}), 'seconds')
    expectInvalid(await advance({ minutes: 1 }), 'seconds', 'minutes')
    await expectRefusesStrangers(service, 'POST', '/v1/test_helpers/clock/advance')
  })
})

describe('acquirer', () => {
  const authorize = (body: Record<string, unknown>) => merchant.post('/v1/test_helpers/authorizations', body)
  const plain = {
    token: '4242424242424242',
    dynamic_cvv: '123',
    expiry_month: '12',
    expiry_year: '2031',
    amount: '40.00',
    currency: 'USD',
    merchant_url: 'https://tea.example',
  }

  test('an unknown number is a decline, not an error', async () => {
    const answer = await authorize(plain)
    expect([answer.status, answer.body]).toEqual([
      200,
      { authorization_id: expect.stringMatching(/^auth_/), approved: false, response_code: '14' },
    ])
  })

  test.for([
    ['token', '12'],
    ['dynamic_cvv', '12'],
    ['expiry_month', '1'],
    ['expiry_year', '31'],
    ['amount', '-1'],
    ['currency', 'usd'],
    ['merchant_url', 'tea'],
  ])('%s: %j', async ([field = '', value]) => {
    expectInvalid(await authorize({ ...plain, [field]: value }), field)
    expectInvalid(await authorize({ ...plain, [field]: undefined }), field)
  })

  test('zero asks whether the card is good, and uses nothing up', async () => {
    const { id, item } = await approvedSession(merchant)
    for (const amount of ['0', '0.00']) {
      const { status, body } = await authorize(authorization(item, { amount }))
      expect([status, body]).toEqual([200, expect.objectContaining({ approved: true, response_code: '00' })])
    }
    expect((await paymentResult(merchant, id)).body).toMatchObject({ status: 'awaiting_result' })
    expect((await authorize(authorization(item))).body).toMatchObject({ approved: true, response_code: '00' })
    expect((await authorize(authorization(item, { amount: '0' }))).body.response_code).toBe('57')
  })

  test('32 at once with one credential: one is approved', async () => {
    const { item } = await approvedSession(merchant)
    const answers = await atOnce(32, () => authorize(authorization(item)))
    expect(countBy(answers, ({ body }) => body.response_code)).toEqual({ '00': 1, '57': 31 })
  })
})

test('in production every helper is an unknown path, and a simulation is refused', async () => {
  const production = await startTestService({
    database: service.database,
    env: { ...PRODUCTION, API_REFERENCE: 'on' },
  })
  try {
    const { merchant: live } = production
    const { session_id } = await createSession(live)
    const unknown = await live.post('/v1/nonsense', {})
    expectError(unknown, 404, 'NOT_FOUND')
    for (const path of [`sessions/${session_id}/complete`, 'clock/advance', 'authorizations']) {
      const answer = await live.post(`/v1/test_helpers/${path}`, { seconds: 60 })
      expectError(answer, 404, 'NOT_FOUND')
      expect(answer.body).toEqual(unknown.body)
    }
    const { body: document } = await live.get('/openapi.json')
    expect(Object.keys(document.paths).filter((path) => path.includes('test_helpers'))).toEqual([])
    const simulated = { purchase_context: QUOTE, sandbox_simulation: { stage: 'payment', outcome: 'success' } }
    expectError(await live.post('/v1/sessions', sessionBody(simulated)), 400, 'SANDBOX_SIMULATION_NOT_ALLOWED')
    const testKey = await fetch(`${production.apiUrl}/v1/sessions/${session_id}/payment-result`, {
      headers: { authorization: `Bearer ${merchant.secretKey}` },
    })
    expect(testKey.status).toBe(401)
  } finally {
    await production.close()
  }
})
