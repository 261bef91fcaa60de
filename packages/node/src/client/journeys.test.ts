// Guarantee: a merchant and an agent do all that they may with the package alone, against the service as it is.
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { startTestService, type TestService } from '../../../../apps/server/test/service.ts'
import {
  type Charge,
  type CreateSessionRequest,
  type MandateChargeResult,
  Mintmark,
  MintmarkAgent,
  type MintmarkApiError,
  type PaymentResult,
} from '../index.ts'

let service: TestService
let mintmark: Mintmark
beforeAll(async () => {
  service = await startTestService()
  mintmark = new Mintmark({ apiUrl: service.apiUrl, secretKey: service.merchant.secretKey })
})
afterAll(() => service.close())

const TEA: CreateSessionRequest = {
  ...{ user_id: 'ann', user_email: 'ann@example.com', total_amount: '40.00', currency: 'USD' },
  purchase_context: {
    custom: {
      merchant_details: { name: 'Tea House', url: 'https://tea.example', country_code_iso2: 'US' },
      product_details: [{ description: 'Tea', unit_price: '40.00' }],
    },
  },
}
const QUICK = { pollMillis: 20, waitMillis: 240_000 }

async function everything<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** As `fetch`, but the first answer that says that something was made is lost on its way back. */
function losing(): { fetch: typeof fetch; lost: unknown[] } {
  const lost: unknown[] = []
  return {
    lost,
    async fetch(...request) {
      const response = await fetch(...request)
      if (response.status !== 201 || lost.length > 0) return response
      lost.push(await response.json())
      throw new TypeError('fetch failed')
    },
  }
}

test('whose answer was lost finds what it has made: a session, an enrollment, and what an agent asks for', async () => {
  const agent = { apiUrl: service.apiUrl, key: generateKeyPairSync('ed25519').privateKey }
  const { link_id } = await new MintmarkAgent(agent).links.create({ name: 'Pantry' })
  await mintmark.testHelpers.approveAgentLink(link_id)
  const merchant = { apiUrl: service.apiUrl, secretKey: service.merchant.secretKey, backoffMillis: 1 }
  const makes = [
    (fetch: typeof globalThis.fetch) => new Mintmark({ ...merchant, fetch }).sessions.create(TEA),
    (fetch: typeof globalThis.fetch) =>
      new Mintmark({ ...merchant, fetch }).enrollments.create({
        ...{ enrollment_mode: 'full_enrollment', user_id: 'ann', user_email: 'ann@example.com' },
      }),
    (fetch: typeof globalThis.fetch) =>
      new MintmarkAgent({ ...agent, backoffMillis: 1, fetch }).sessions.create({
        ...{ total_amount: '40.00', currency: 'USD', merchant_name: 'Tea House', merchant_url: 'https://tea.example' },
        ...{ merchant_country: 'US', products: [{ description: 'Tea', unit_price: '40.00' }] },
      }),
  ]
  const sessions = async () => (await service.pool.query('select count(*)::int from sessions')).rows[0].count
  for (const make of makes) {
    const [{ fetch: ask, lost }, before] = [losing(), await sessions()]
    expect([await make(ask)]).toEqual(lost)
    expect(await sessions()).toBe(before + 1)
  }
})

describe('a merchant', () => {
  test('asks for a purchase, pays with the card, and reports', async () => {
    const { session_id } = await mintmark.sessions.create(TEA)
    expect(await mintmark.sessions.waitForResult(session_id, { pollMillis: 5, waitMillis: 20 })).toMatchObject({
      status: 'pending',
    })
    await mintmark.testHelpers.completeSession(session_id)
    const result = await mintmark.sessions.waitForResult(session_id, QUICK)
    expectTypeOf(result).toEqualTypeOf<PaymentResult>()
    const [item] = result.transactions[0]?.line_items ?? []
    expect(result.status).toBe('awaiting_result')
    expect(item?.token).toMatch(/^\d{16}$/)
    const report = { txn_ref_id: item?.txn_ref_id ?? '', txn_status: 'APPROVED' as const }
    const reported = await mintmark.sessions.report(session_id, report)
    expect(reported.status).toBe('confirmed')
    expect(reported.network_confirmation).toBe('SUCCESS')
    const { cards } = await mintmark.cards.list({ customer_id: 'ann', include_card_art: true })
    expect(cards[0]?.card_art_url).toContain('/v1/card-art/')
  })

  test('charges a mandate, and is told the reference that finds the charge again', async () => {
    const setup = { ...TEA, mandate_setup: { recurring_frequency: 'monthly' as const } }
    const { session_id, mandate_id = '' } = await mintmark.sessions.create(setup)
    await mintmark.testHelpers.completeSession(session_id)
    expect(await mintmark.charges.check(mandate_id, { amount: '41.00' })).toMatchObject({
      dryRun: true,
      status: 'failed',
    })
    const charge = await mintmark.charges.create(mandate_id, { amount: '25.00' })
    expectTypeOf(charge).toEqualTypeOf<Charge>()
    expectTypeOf(charge).toExtend<MandateChargeResult>()
    expect(charge).toMatchObject({ status: 'awaiting_result', deduplicated: false })
    const again = await mintmark.charges.create(mandate_id, { amount: '25.00', reference: charge.reference })
    expect(again).toMatchObject({ transactionId: charge.transactionId, deduplicated: true })
    const report = { txn_status: 'APPROVED', txn_type: 'PURCHASE' } as const
    const reported = await mintmark.charges.report(mandate_id, charge.transactionId ?? '', report)
    expect(reported).toMatchObject({ status: 'completed', networkConfirmation: 'SUCCESS' })
    expect((await mintmark.mandates.get(mandate_id)).charges[0]?.reference).toBe(charge.reference)
    expect((await mintmark.mandates.pause(mandate_id)).status).toBe('paused')
  })

  test('reads lists to their end, page by page', async () => {
    for (const at of [1, 2]) {
      const { session_id } = await mintmark.sessions.create({ ...TEA, user_id: `page-${at}` })
      await mintmark.testHelpers.completeSession(session_id)
    }
    const all = await everything(mintmark.mandates.all())
    expect(all.length).toBeGreaterThan(2)
    expect(await everything(mintmark.mandates.all({ limit: 1 }))).toEqual(all)
    await service.runJobs()
    const events = await everything(mintmark.events.feed({ limit: 2 }))
    const kinds = events.flatMap((page) => page.events.map(({ type }) => type))
    expect(kinds).toContain('payment.succeeded')
    const [first] = events[0]?.events ?? []
    expect(await mintmark.events.get(first?.id ?? '')).toEqual(first)
  })

  test('makes a webhook endpoint once, however often the call comes', async () => {
    const endpoint = { name: 'Ours', url: 'https://hooks.example/a', events: ['payment.succeeded' as const] }
    const made = await mintmark.webhookEndpoints.create(endpoint, { idempotencyKey: 'endpoint-1' })
    expect(made.signing_secret).toMatch(/^whsec_/)
    const again = await mintmark.webhookEndpoints.create(endpoint, { idempotencyKey: 'endpoint-1' })
    expect(again.endpoint.id).toBe(made.endpoint.id)
    expect((await mintmark.webhookEndpoints.update(made.endpoint.id, { name: 'Mine' })).name).toBe('Mine')
    expect(await everything(mintmark.webhookDeliveries.all(made.endpoint.id))).toEqual([])
    expect(await mintmark.webhookEndpoints.delete(made.endpoint.id)).toMatchObject({ deleted: true })
  })

  test('is told what is wrong, field by field, and by which response', async () => {
    const wrong = mintmark.sessions.create({ ...TEA, total_amount: '0' })
    const error: MintmarkApiError = await wrong.then(
      () => expect.unreachable(),
      (thrown) => thrown,
    )
    expect(error).toMatchObject({ name: 'MintmarkApiError', status: 400, code: 'VAL_2001' })
    expect(error.details.total_amount).toContain('greater than zero')
    expect(error.responseId).toMatch(/^[0-9a-f-]{36}$/)
    await expect(mintmark.mandates.get('..')).rejects.toThrow(TypeError)
    await expect(mintmark.mandates.get('a/b?c')).rejects.toMatchObject({ code: 'MANDATE_NOT_FOUND' })
  })
})

describe('an agent', () => {
  const pair = () => generateKeyPairSync('ed25519').privateKey
  const PURCHASE = {
    ...{ total_amount: '40.00', currency: 'USD' as const },
    ...{ merchant_name: 'Tea House', merchant_url: 'https://tea.example', merchant_country: 'US' },
    products: [{ description: 'Green tea', unit_price: '20.00', quantity: 2 }],
  }

  async function linked(key = pair(), encryptionKey?: ReturnType<typeof pair>) {
    const agent = new MintmarkAgent({ apiUrl: service.apiUrl, key, encryptionKey })
    const { link_id } = await agent.links.create({ name: 'Pantry' })
    await mintmark.testHelpers.approveAgentLink(link_id)
    const { status, agent_id } = await agent.links.wait(link_id, QUICK)
    expect(status).toBe('approved')
    return { agent, agentId: agent_id ?? '' }
  }

  test('is linked, asks its owner, opens the card with its key, and reports', async () => {
    const { agent, agentId } = await linked(pair(), generateKeyPairSync('x25519').privateKey)
    expect(await agent.me.get()).toMatchObject({ agent_id: agentId, key_thumbprint: agent.thumbprint })
    expect((await agent.me.change({ name: 'The pantry' })).name).toBe('The pantry')
    const session = await agent.sessions.create(PURCHASE)
    expect(session.approval.sentence).toContain('Tea House')
    await mintmark.testHelpers.completeSession(session.session_id)
    const result = await agent.sessions.waitForResult(session.session_id, QUICK)
    if (result.encrypted_payload === undefined) throw new Error(`It is ${result.status}.`)
    expect(agent.open(result.encrypted_payload).token).toMatch(/^\d{16}$/)
    const report = { txn_ref_id: result.txn_ref_id ?? '', txn_status: 'APPROVED' as const }
    expect((await agent.sessions.report(session.session_id, report)).status).toBe('confirmed')
  })

  test('charges a mandate within its limits, and is asked about beyond them', async () => {
    const { agent, agentId } = await linked()
    const asked = await agent.sessions.create({ ...PURCHASE, mandate_setup: { recurring_frequency: 'monthly' } })
    await mintmark.testHelpers.completeSession(asked.session_id)
    const [mandate] = await everything(agent.mandates.all())
    expect(mandate).toMatchObject({ id: asked.mandate_id, agentId })
    const id = mandate?.id ?? ''
    const charge = await agent.charges.create(id, { amount: '15.00' })
    if (charge.encrypted_payload === undefined) throw new Error(`It is ${charge.status}.`)
    expect(agent.open(charge.encrypted_payload)).toMatchObject({ mandateId: id, transactionId: charge.transactionId })
    const report = { txn_status: 'APPROVED', txn_type: 'PURCHASE' } as const
    expect(await agent.charges.report(id, charge.transactionId ?? '', report)).toMatchObject({ status: 'completed' })
    const over = await agent.charges.create(id, { amount: '30.00' })
    expect(over).toMatchObject({ status: 'failed', escalation: { status: 'pending' } })
    await mintmark.testHelpers.decideEscalation(over.escalation?.id ?? '', { decision: 'allow' })
    const allowed = await agent.charges.create(id, { amount: '30.00', reference: over.reference })
    expect(allowed.status).toBe('awaiting_result')
  })

  test('changes its key, and goes on with the new one', async () => {
    const [key, next] = [pair(), pair()]
    const { agent, agentId } = await linked(key)
    await agent.me.changeKey({ key: next, oldKeySeconds: 0 })
    await expect(agent.me.get()).rejects.toMatchObject({ status: 401, details: { reason: 'key_unknown' } })
    const renewed = new MintmarkAgent({ apiUrl: service.apiUrl, key: next, keyId: agentId })
    expect(await renewed.me.get()).toMatchObject({ agent_id: agentId, key_thumbprint: renewed.thumbprint })
  })
})
