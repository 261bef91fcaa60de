// Guarantee: an agent asks its owner for a purchase in the one sentence that the owner signs, gets the card encrypted to its key and only while
// its result is awaited, and no other caller gets anything of it (faults G3).
import { SENTENCE_VERSION } from '@mintmark/contract/sentence/version'
import { openPayload } from '@mintmark/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askFor, completeFor, type LinkedAgent, linkedAgent, mandateOf, resultOf } from '../../test/agents.ts'
import { dbRow, expectError, expectInvalid, report, revoke } from '../../test/flows.ts'
import { call, jsonRequest, startTestService, type TestService } from '../../test/service.ts'

let service: TestService
let agent: LinkedAgent
beforeAll(async () => {
  service = await startTestService()
  agent = await linkedAgent(service)
})
afterAll(() => service?.close())

const SENTENCE =
  'Pantry gets a one-time card for up to $40.00, to pay Tea House (tea.example). It works only there, once, within 15 minutes of your approval. ' +
  'Your real card stays here.'
const signedTerms = async (sessionId: string) =>
  JSON.parse((await dbRow(service, 'select terms from approvals where subject_id = $1', [sessionId])).terms)
const reportOf = (by: LinkedAgent, sessionId: string, body: object) =>
  by.send('POST', `/v1/sessions/agent/${sessionId}/report-status`, body)

async function approved(by = agent, changes: object = {}) {
  const asked = await askFor(by, changes)
  expect(asked.status).toBe(201)
  const id: string = asked.body.session_id
  expect(await completeFor(service, id)).toMatchObject({ status: 200 })
  return { id, result: await resultOf(by, id) }
}

describe('one purchase', () => {
  test('is asked for, approved, paid and reported', async () => {
    const asked = await askFor(agent)
    const id: string = asked.body.session_id
    expect(asked).toMatchObject({
      status: 201,
      body: {
        session_id: expect.stringMatching(/^sess_/),
        payment_url: expect.stringContaining(`/${id}#`),
        approval: {
          url: asked.body.payment_url,
          expires_at: asked.body.expires_at,
          sentence: SENTENCE,
          merchant: { name: 'Tea House', url: 'https://tea.example', country: 'US' },
          amount: { value: '40.00', currency: 'USD' },
          lines: [{ description: 'Green tea', unit_price: '20.00', quantity: 2 }],
        },
      },
    })
    expect((await resultOf(agent, id)).body).toEqual({
      ...{ session_id: id, status: 'pending', txn_ref_id: expect.stringMatching(/^tli_/) },
    })
    await completeFor(service, id)
    expect(await signedTerms(id)).toMatchObject({
      agent: { id: agent.agentId, name: 'Pantry' },
      sentence: { version: SENTENCE_VERSION, language: 'en', locale: 'en', time_zone: null, text: SENTENCE },
    })

    const { body } = await resultOf(agent, id)
    expect(body).toEqual({
      ...{ session_id: id, status: 'awaiting_result', txn_ref_id: expect.any(String) },
      encrypted_payload: expect.objectContaining({ data: expect.any(String) }),
    })
    const card = openPayload(body.encrypted_payload, agent.privateKey)
    expect(card).toMatchObject({
      mandateId: expect.stringMatching(/^mdt_/),
      transactionId: expect.stringMatching(/^txn_/),
    })
    const spent = await service.merchant.post('/v1/test_helpers/authorizations', {
      ...{
        token: card.token,
        dynamic_cvv: card.dynamicCvv,
        expiry_month: card.expiryMonth,
        expiry_year: card.expiryYear,
      },
      ...{ amount: '40.00', currency: 'USD', merchant_url: 'https://tea.example' },
    })
    expect(spent.body).toMatchObject({ approved: true })

    const outcome = { txn_ref_id: body.txn_ref_id, txn_status: 'APPROVED', authorization_code: '123456' }
    expect(await reportOf(agent, id, outcome)).toMatchObject({ status: 200, body: { status: 'confirmed' } })
    expect((await resultOf(agent, id)).body).toEqual({
      ...{ session_id: id, status: 'completed', txn_ref_id: body.txn_ref_id },
    })
  })

  test('is declined by its cardholder’s bank with a reason and without a payload', async () => {
    const { body } = await askFor(agent)
    await service.clock.advance(16 * 60)
    expect((await resultOf(agent, body.session_id)).body).toEqual({
      ...{ session_id: body.session_id, status: 'failed', txn_ref_id: expect.any(String) },
      error: { code: 'SESSION_EXPIRED', message: expect.any(String) },
    })
  })

  test('is encrypted to the key that the agent has named for it, and to no other', async () => {
    const { generateKeyPairSync } = await import('node:crypto')
    const pair = generateKeyPairSync('x25519')
    const raw = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
    const other = await linkedAgent(service, {}, { encryption_key: raw })
    const { result } = await approved(other)
    expect(openPayload(result.body.encrypted_payload, pair.privateKey)).toMatchObject({ token: expect.any(String) })
    expect(() => openPayload(result.body.encrypted_payload, other.privateKey)).toThrow()
  })
})

describe('a standing mandate', () => {
  test('is the agent’s, and the owner may make it smaller', async () => {
    const setup = { recurring_frequency: 'monthly', valid_until: '2027-06-01T12:00:00.000Z' }
    const asked = await askFor(agent, { mandate_setup: setup })
    expect(asked.body).toMatchObject({
      authorizeOnly: true,
      mandate_id: expect.stringMatching(/^mdt_/),
      approval: {
        sentence: expect.stringMatching(
          /^Pantry may pay Tea House \(tea\.example\), and nobody else, up to \$40\.00 each month, until June 1, 2027/,
        ),
      },
    })
    const { session_id: id, mandate_id: mandateId } = asked.body
    const row = await dbRow(service, 'select agent_id, adjustable from mandates where id = $1', [mandateId])
    expect(row).toEqual({ agent_id: agent.agentId, adjustable: true })
    await completeFor(service, id)
    expect((await signedTerms(id)).sentence.text).toBe(asked.body.approval.sentence)
    expect((await resultOf(agent, id)).body).toEqual({
      ...{ session_id: id, status: 'completed', authorizeOnly: true, mandate_id: mandateId },
    })
  })

  test('is listed and read by its agent alone, which reads no name of its owner that another agent does', async () => {
    const [mine, other] = [await linkedAgent(service), await linkedAgent(service)]
    const [mandate, foreign] = [await mandateOf(service, mine), await mandateOf(service, other)]
    const { owner } = (await mine.send('GET', '/v1/agents/me')).body
    const listed = await mine.send('GET', '/v1/mandates?standing_only=true')
    expect(listed.body.mandates).toMatchObject([
      { id: mandate, agentId: mine.agentId, customerId: owner, externalUserId: owner },
    ])
    expect((await mine.send('GET', `/v1/mandates/${mandate}`)).body).toMatchObject({ id: mandate, customerId: owner })
    expect((await mine.send('GET', `/v1/mandates?customer_id=${owner}`)).body.mandates).toHaveLength(1)
    expect((await mine.send('GET', '/v1/mandates?customer_id=owner-1')).body.mandates).toEqual([])
    expectError(await mine.send('GET', `/v1/mandates/${foreign}`), 403, 'MANDATE_FORBIDDEN')
    expectError(await mine.send('POST', `/v1/mandates/${foreign}/cancel`), 403, 'MANDATE_FORBIDDEN')
    expectError(await mine.send('GET', '/v1/mandates/mdt_00000000000000000000000000'), 404, 'MANDATE_NOT_FOUND')
    expectError(await mine.send('GET', `/v1/mandates?agent_id=${other.agentId}`), 403, 'FORBIDDEN')
    expectError(await service.merchant.get(`/v1/mandates/${mandate}`), 403, 'MANDATE_FORBIDDEN')
  })

  test('is paused, resumed and cancelled by its agent', async () => {
    const id = await mandateOf(service, agent)
    for (const [verb, status] of [
      ['pause', 'paused'],
      ['resume', 'active'],
      ['cancel', 'cancelled'],
    ] as const) {
      expect(await agent.send('POST', `/v1/mandates/${id}/${verb}`)).toMatchObject({ status: 200, body: { status } })
    }
  })

  test('of a checkout is in the list too, as every one', async () => {
    const mine = await linkedAgent(service)
    const { result } = await approved(mine)
    const { mandateId } = openPayload(result.body.encrypted_payload, mine.privateKey)
    expect((await mine.send('GET', '/v1/mandates')).body.mandates).toMatchObject([
      { id: mandateId, agentId: mine.agentId },
    ])
    expect((await mine.send('GET', '/v1/mandates?standing_only=true')).body.mandates).toEqual([])
  })
})

const setAgent = (id: string, { agent_id, agent_name, agent_seal }: Record<string, unknown>) =>
  service.pool.query('update sessions set agent_id = $2, agent_name = $3, agent_seal = $4 where id = $1', [
    ...[id, agent_id, agent_name, agent_seal],
  ])

describe('nobody else', () => {
  test('gets anything of a session: not another agent of the same owner, and no merchant', async () => {
    const { id, result } = await approved()
    const other = await linkedAgent(service)
    expectError(await resultOf(other, id), 404, 'NOT_FOUND')
    expectError(
      await reportOf(other, id, { txn_ref_id: result.body.txn_ref_id, txn_status: 'DECLINED' }),
      404,
      'NOT_FOUND',
    )
    expectError(await service.merchant.get(`/v1/sessions/${id}/payment-result`), 404, 'NOT_FOUND')
    expect((await resultOf(agent, id)).body.encrypted_payload).toBeDefined()
  })

  test('also with a key of the operator’s own account', async () => {
    const { id, result } = await approved()
    const { customer_merchant: merchantId } = await dbRow(
      service,
      'select merchant_id as customer_merchant from agents where id = $1',
      [agent.agentId],
    )
    const { key } = await service.app.merchants.createKey(merchantId, 'secret')
    const headers = `Bearer ${key.reveal()}`
    const merchant = {
      get: (path: string) => call(service.apiUrl + path, { headers: { authorization: headers } }),
      post: (path: string, body: unknown = {}) => call(service.apiUrl + path, jsonRequest(headers, body)),
    } as TestService['merchant']
    const reported = () => report(merchant, id, { txn_ref_id: result.body.txn_ref_id, txn_status: 'APPROVED' })
    expectError(await merchant.get(`/v1/sessions/${id}/payment-result`), 404, 'NOT_FOUND')
    expectError(await revoke(merchant, id), 404, 'NOT_FOUND')
    expectError(await reported(), 404, 'NOT_FOUND')
    // Nor where an editor of the database has taken out of the row whose it is, but for one thing that says so.
    const was = await dbRow(service, 'select agent_id, agent_name, agent_seal from sessions where id = $1', [id])
    for (const left of ['agent_name', 'agent_seal'] as const) {
      const edited = { agent_id: null, agent_name: null, agent_seal: null, [left]: was[left] }
      await setAgent(id, edited)
      expectError(await merchant.get(`/v1/sessions/${id}/payment-result`), 500, 'INTERNAL_ERROR')
      expectError(await revoke(merchant, id), 500, 'INTERNAL_ERROR')
      expectError(await reported(), 500, 'REPORT_STATUS_ERROR')
    }
    await setAgent(id, was)
  })

  test.each([
    ['given to another agent', (other: string) => ['update sessions set agent_id = $2 where id = $1', other]],
    ['given another name', () => ['update sessions set agent_name = $2 where id = $1', 'Your bank']],
    ...['agent_name = null', 'agent_seal = null', 'agent_name = null, agent_seal = null'].map(
      (parts): [string, (other: string) => string[]] => [
        `given to another agent, and ${parts}`,
        (other) => [`update sessions set agent_id = $2, ${parts} where id = $1`, other],
      ],
    ),
    ['given to nobody', () => ['update sessions set agent_id = null, agent_name = $2 where id = $1', 'Your bank']],
  ])('to whom somebody has edited it: %s', async (_, edit) => {
    const other = await linkedAgent(service)
    const { body } = await askFor(agent)
    const [sql = '', value] = edit(other.agentId)
    const was = await dbRow(service, 'select agent_id, agent_name, agent_seal from sessions where id = $1', [
      body.session_id,
    ])
    await service.pool.query(sql, [body.session_id, value])
    expect((await completeFor(service, body.session_id)).status).toBe(500)
    expect(
      (await dbRow(service, 'select count(*)::int as count from approvals where subject_id = $1', [body.session_id]))
        .count,
    ).toBe(0)
    for (const each of [agent, other]) expect([404, 500]).toContain((await resultOf(each, body.session_id)).status)
    await setAgent(body.session_id, was)
    expect((await resultOf(agent, body.session_id)).status).toBe(200)
  })
})

describe('refused', () => {
  test.each([
    ['merchant_url', { merchant_url: 'http://tea.example' }],
    ['products', { products: [] }],
    [
      'products[0].unit_price',
      { currency: 'JPY', total_amount: '40', products: [{ description: 'Tea', unit_price: '1.50' }] },
    ],
    ['total_amount', { currency: 'JPY', total_amount: '40.50' }],
    ['user_id', { user_id: 'somebody' }],
    [
      'mandate_setup.valid_until',
      { mandate_setup: { recurring_frequency: 'weekly', valid_until: '2020-01-01T00:00:00.000Z' } },
    ],
  ])('%s', async (path, changes) => {
    expectInvalid(await askFor(agent, changes), path)
  })

  test('what a merchant asks for, from an agent', async () => {
    const answer = await agent.send('POST', '/v1/sessions', { user_id: 'owner-1' })
    expect(answer.status).toBe(401)
  })
})

describe('an agent that is revoked', () => {
  test('loses what it has asked for within a second, and still reports what it was given', async () => {
    const ended = await linkedAgent(service)
    const { id, result } = await approved(ended)
    const open = (await askFor(ended)).body.session_id
    await service.app.agentOperations.revoke(ended.agentId)
    expectError(await resultOf(ended, id), 401, 'AUTH_REQUIRED')
    expectError(await askFor(ended), 401, 'AUTH_REQUIRED')
    await service.runJobs()
    const row = await dbRow(service, 'select c.failure_code from charges c where opened_by = $1', [open])
    expect(row).toEqual({ failure_code: 'SESSION_REVOKED' })
    const outcome = { txn_ref_id: result.body.txn_ref_id, txn_status: 'DECLINED' }
    expect(await reportOf(ended, id, outcome)).toMatchObject({ status: 200, body: { txn_status: 'DECLINED' } })
  })

  test('while it asks leaves no open session, whoever comes first', async () => {
    const ended = await linkedAgent(service)
    await Promise.all([
      ...Array.from({ length: 12 }, () => askFor(ended)),
      service.app.agentOperations.revoke(ended.agentId),
    ])
    await service.runJobs()
    const row = await dbRow(
      service,
      'select count(*)::int as count from sessions where agent_id = $1 and closed_at is null',
      [ended.agentId],
    )
    expect(row).toEqual({ count: 0 })
  })
})
