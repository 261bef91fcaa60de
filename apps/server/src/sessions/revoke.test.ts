// Guarantee: a session is revoked or it has a live credential, never both; what a revoked session left at the network is
// ended there, and its token opens nothing any more.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, launch } from '../../test/cardholder.ts'
import {
  approvedSession,
  atOnce,
  authorization,
  CARDS,
  chargeOf,
  complete,
  countBy,
  createSession,
  eventsOf,
  expectError,
  expectInvalid,
  expectRefusesStrangers,
  networkOf,
  paymentResult,
  report,
  revoke,
} from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'

/** What the service logs. */
const { log, lines } = keepLog('error')
let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ isForCrowds: true, log })
  merchant = service.merchant
})
afterAll(() => service?.close())

const resultOf = async (id: string) => (await paymentResult(merchant, id)).body

async function expectRevoked(id: string): Promise<void> {
  const answer = await revoke(merchant, id)
  expect([answer.status, answer.body]).toEqual([200, { success: true }])
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(await resultOf(id)).toMatchObject({ status: 'failed', error: { code: 'SESSION_REVOKED' } })
  expect((await eventsOf(service, id)).at(-1)).toMatch(/ session\.revoked$/)
}

/** What the network has for a session, which no caller was given. */
async function mintedFor(sessionId: string) {
  const inquiry = await networkOf(service).inquire({ chargeId: (await chargeOf(service, sessionId)).id })
  if (inquiry.outcome !== 'ok' || inquiry.value.state !== 'minted') throw new Error('The network lost the charge.')
  return inquiry.value.credential
}

describe('success', () => {
  test('pending: at any step of the cardholder', async () => {
    for (const stop_after of [undefined, 'card', 'passkey']) {
      const { session_id } = await createSession(merchant)
      if (stop_after !== undefined) await complete(merchant, session_id, { stop_after })
      await expectRevoked(session_id)
      expect(await eventsOf(service, session_id)).toEqual(['2 session.revoked'])
    }
  })

  test('an empty object is no body', async () => {
    const { session_id } = await createSession(merchant)
    const answer = await merchant.post(`/v1/sessions/${session_id}/revoke`, {})
    expect(answer.body).toEqual({ success: true })
  })

  test('processing, the answer lost: the minted credential is closed at the network', async () => {
    const { id, status } = await approvedSession(merchant, CARDS.mintAnswerLost)
    expect(status).toBe('processing')
    const credential = await mintedFor(id)
    await expectRevoked(id)
    const before = await chargeOf(service, id)
    expect(before).toMatchObject({ status: 'failed', mandate_status: 'cancelled', credential_state: 'open' })
    await service.runJobs()
    const after = await chargeOf(service, id)
    expect(after).toMatchObject({ credential_state: 'closed', instruction_state: 'cancelled', mandate_due_at: null })
    expect(after).toMatchObject({ mint_state: 'released', charge_count: 0 })
    expect(after).toMatchObject({ status: 'failed', credential_sealed: null })

    const { token, dynamicCvv, expiryMonth, expiryYear } = credential
    const spent = await merchant.post('/v1/test_helpers/authorizations', {
      ...authorization({}, { token: token.reveal(), dynamic_cvv: dynamicCvv.reveal() }),
      ...{ expiry_month: expiryMonth, expiry_year: expiryYear, amount: '40.00', merchant_url: 'https://tea.example' },
    })
    expect(spent.body).toMatchObject({ approved: false, response_code: '62' })
  })

  test('processing, and spent by somebody nobody gave it to: an alarm says so', async () => {
    const { id } = await approvedSession(merchant, CARDS.mintAnswerLost)
    const { token, dynamicCvv, expiryMonth, expiryYear } = await mintedFor(id)
    const stolen = {
      ...authorization({}, { token: token.reveal(), dynamic_cvv: dynamicCvv.reveal() }),
      ...{ expiry_month: expiryMonth, expiry_year: expiryYear, amount: '40.00', merchant_url: 'https://tea.example' },
    }
    await expectRevoked(id)
    expect((await merchant.post('/v1/test_helpers/authorizations', stolen)).body).toMatchObject({ approved: true })
    await service.runJobs()
    expect(await chargeOf(service, id)).toMatchObject({ mint_state: 'minted', mandate_due_at: null })
    expect(lines.filter((line) => line.includes('revoked_credential_used'))).toHaveLength(1)
  })

  test('processing, the network hangs: what it mints too late is refused there', async () => {
    const { id, status } = await approvedSession(merchant, CARDS.mintHangs)
    expect(status).toBe('processing')
    await expectRevoked(id)
    await service.runJobs()
    const { id: chargeId, mandate_id: mandateId, ...charge } = await chargeOf(service, id)
    expect(charge).toMatchObject({ mint_state: 'released', credential_state: null, instruction_state: 'cancelled' })
    const amount = { minor: 4_000n, currency: 'USD' as const }
    const late = {
      chargeId,
      mandateId,
      instructionRef: 'ins_1',
      amount,
      merchantUrl: charge.payee_url,
      lifeMinutes: null,
    }
    expect(await networkOf(service).mint(late)).toEqual({ outcome: 'declined', reason: 'NOT_FOUND' })
  })

  test('processing, the request lost: nobody asks again', async () => {
    const { id } = await approvedSession(merchant, CARDS.mintRequestLost)
    expect(await chargeOf(service, id)).toMatchObject({ attempts: 1 })
    await expectRevoked(id)
    await service.clock.advance(300)
    await service.runJobs()
    expect(await chargeOf(service, id)).toMatchObject({
      status: 'failed',
      mint_state: 'released',
      credential_state: null,
      work_due_at: null,
    })
    expect(await resultOf(id)).toMatchObject({ status: 'failed', error: { code: 'SESSION_REVOKED' } })
  })
})

test('invalid input: a body', async () => {
  const { session_id } = await createSession(merchant)
  expectInvalid(await merchant.post(`/v1/sessions/${session_id}/revoke`, { reason: 'x' }), 'body')
  expect(await resultOf(session_id)).toMatchObject({ status: 'pending' })
})

test('not authenticated', async () => {
  const { session_id } = await createSession(merchant)
  await expectRefusesStrangers(service, 'POST', `/v1/sessions/${session_id}/revoke`)
  expect(await resultOf(session_id)).toMatchObject({ status: 'pending' })
})

test("not found: another merchant's session answers like one that never was", async () => {
  const { session_id } = await createSession(merchant)
  const other = await service.addMerchant()
  const [theirs, nobodys] = [await revoke(other, session_id), await revoke(other, 'sess_00000000000000000000000000')]
  expectError(theirs, 404, 'NOT_FOUND')
  expect(theirs.body).toEqual(nobodys.body)
  expect(await resultOf(session_id)).toMatchObject({ status: 'pending' })
})

describe('conflict', () => {
  const REFUSED: [string, () => Promise<string>][] = [
    ['a credential exists', async () => (await approvedSession(merchant)).id],
    ['the network declined', async () => (await approvedSession(merchant, CARDS.mintDeclined)).id],
    [
      'completed',
      async () => {
        const { id, item } = await approvedSession(merchant)
        await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
        return id
      },
    ],
    [
      'revoked already',
      async () => {
        const { session_id } = await createSession(merchant)
        await revoke(merchant, session_id)
        return session_id
      },
    ],
    [
      'cancelled',
      async () => {
        const { session_id, session_token } = await createSession(merchant)
        await cardholder(service, session_token).post('/api/cancel')
        return session_id
      },
    ],
    [
      'expired',
      async () => {
        const { session_id } = await createSession(merchant)
        await service.clock.advance(901)
        return session_id
      },
    ],
  ]
  test.for(REFUSED)('%s', async ([, make]) => {
    const id = await make()
    const before = [await resultOf(id), await eventsOf(service, id)]
    expectError(await revoke(merchant, id), 400, 'INVALID_STATE')
    expect([await resultOf(id), await eventsOf(service, id)]).toEqual(before)
  })
})

describe('the token afterwards', () => {
  const CALLS: [string, unknown][] = [
    ['/api/cards', { card_number: CARDS.success, expiry_month: '12', expiry_year: '2030', cvv: '123' }],
    ['/api/cards/select', { card_id: 'card_1' }],
    ['/api/cards/verify', { code: '123456' }],
    ['/api/passkeys/registration-options', { frame: { embedded: false } }],
    ['/api/passkeys/registrations', { response: {} }],
    ['/api/approval-options', { frame: { embedded: false } }],
    ['/api/approvals', { response: {} }],
    ['/api/cancel', undefined],
  ]

  async function expectUseless(code: string, end: (sessionId: string) => Promise<unknown>) {
    const { session_id, session_token, iframe_url } = await createSession(merchant, {
      callback_url: 'https://tea.example/done',
    })
    const visitor = cardholder(service, session_token)
    expect((await visitor.get('/api/session')).status).toBe(200)
    await end(session_id)
    const read = await visitor.get('/api/session')
    expectError(read, 401, code)
    expect(read.body.error.details).toBeUndefined()
    for (const [path, body] of CALLS) expectError(await visitor.post(path, body), 401, code)
    const launched = await launch(service, iframe_url)
    expectError(launched, 401, code)
    // A visitor with the whole link is told whose payment it was; one that guesses the secret is not.
    const return_url = `https://tea.example/done?session_id=${session_id}`
    expect(launched.body.error.details).toEqual({ merchant_name: 'Tea House', return_url })
    const guessed = await launch(service, `${iframe_url}0`)
    expectError(guessed, 404, 'NOT_FOUND')
    expect(guessed.body.error.details).toBeUndefined()
  }

  test('revoked: AUTH_1004 on every call of the surface', () =>
    expectUseless('AUTH_1004', (id) => revoke(merchant, id)))
  test('expired: AUTH_1003 on every call of the surface', () =>
    expectUseless('AUTH_1003', () => service.clock.advance(901)))

  test('revoked stays revoked, also when its time has long been over', async () => {
    const { session_id, session_token, iframe_url } = await createSession(merchant)
    await revoke(merchant, session_id)
    await service.clock.advance(24 * 3600)
    expectError(await cardholder(service, session_token).get('/api/session'), 401, 'AUTH_1004')
    expectError(await launch(service, iframe_url), 401, 'AUTH_1004')
  })
})

describe('concurrent', () => {
  test('16 revokes at once: one succeeds, one event', async () => {
    const { session_id } = await createSession(merchant)
    const answers = await atOnce(16, () => revoke(merchant, session_id))
    expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 1, 400: 15 })
    expect(await eventsOf(service, session_id)).toEqual(['2 session.revoked'])
  })

  test('a revoke anywhere in the approval: revoked, or a credential that lives', async () => {
    const ready = async () => {
      const { session_id } = await createSession(merchant)
      await complete(merchant, session_id, { stop_after: 'passkey' })
      return session_id
    }
    // Spread over a bit more than one approval takes on this machine. What is true of each round holds wherever the two meet.
    const id = await ready()
    const started = performance.now()
    await complete(merchant, id)
    const span = (performance.now() - started) * 1.5
    for (let round = 0; round < 40; round += 1) {
      const id = await ready()
      const [completed, revoked] = await Promise.all([
        complete(merchant, id),
        delay((span * (round % 20)) / 20).then(() => revoke(merchant, id)),
      ])
      if (completed.status !== 200) expectError(completed, 400, 'INVALID_STATE')
      await service.runJobs()
      const result = await resultOf(id)
      const charge = await chargeOf(service, id)
      if (revoked.status === 200) {
        expect(result).toMatchObject({ status: 'failed', error: { code: 'SESSION_REVOKED' } })
        expect(charge).toMatchObject({ status: 'failed', credential_sealed: null })
        expect(charge.credential_state).not.toBe('open')
        expect(await eventsOf(service, id)).toEqual(['2 session.revoked'])
      } else {
        expectError(revoked, 400, 'INVALID_STATE')
        expect(result).toMatchObject({ status: 'awaiting_result' })
        expect(charge).toMatchObject({ credential_state: 'open', mandate_status: 'active' })
        expect(await eventsOf(service, id)).toEqual(['2 payment.credentials_ready'])
      }
    }
  })
})
