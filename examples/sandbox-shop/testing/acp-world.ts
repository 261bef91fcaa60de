import { expect } from 'vitest'
import { problemsOf, type Shape } from './acp-schemas.ts'
import { type CARD, fresh, freshCard, KEY, type TestShop } from './world.ts'

export const MUG = 'stoneware-mug.oat'
export const ADDRESS = {
  ...{ name: 'Ada Lovelace', line_one: '12 Main Street', line_two: '', city: 'San Francisco' },
  ...{ state: 'CA', country: 'US', postal_code: '94131' },
}
export const SESSIONS = '/acp/checkout_sessions'
/** Later than any clock of a test, and than the real one that the program has. */
const NEVER = '9999-12-31T00:00:00Z'
const HEADERS = { authorization: `Bearer ${KEY}`, 'api-version': '2026-04-17', 'content-type': 'application/json' }

function shapeOf(path: string, { status }: { status?: string }): Shape {
  if (path.endsWith('product_feed')) return 'feed'
  if (path.endsWith('delegate_payment')) return 'delegated'
  return status === 'completed' ? 'completed' : 'session'
}

export function createBody(variantIds: string[], address: unknown = ADDRESS) {
  return {
    currency: 'usd',
    line_items: variantIds.map((id) => ({ id })),
    capabilities: { interventions: { supported: [] } },
    buyer: { email: 'ada@example.com' },
    ...(address === null ? {} : { fulfillment_details: { name: 'Ada Lovelace', address } }),
  }
}

export const totalOf = (session: { totals: { type: string; amount: number }[] }, type = 'total') =>
  session.totals.find((total) => total.type === type)?.amount ?? 0

interface DelegationOptions {
  most?: number
  card?: typeof CARD
  checkout_session_id?: string
  expires_at?: string
}

export function delegation(
  session: { id: string },
  { most = 1_000_00, card = freshCard(), ...changes }: DelegationOptions = {},
) {
  return {
    payment_method: {
      ...{ type: 'card', card_number_type: 'fpan', virtual: true, number: card.number, cvc: card.cvv, metadata: {} },
      ...{ exp_month: card.expiry_month, exp_year: card.expiry_year, display_card_funding_type: 'credit' },
    },
    allowance: {
      ...{ reason: 'one_time', max_amount: most, currency: 'usd', checkout_session_id: session.id },
      ...{ merchant_id: 'sandbox-shop', expires_at: NEVER },
      ...changes,
    },
    risk_signals: [],
    metadata: { source: 'test' },
  }
}

const paymentOf = (token: string) => ({
  payment_data: { handler_id: 'card_tokenized', instrument: { type: 'card', credential: { type: 'spt', token } } },
})
/** A client of the protocol, of the shop that a test has at the moment. */
export function acpClient(shop: () => Pick<TestShop, 'url'>) {
  /** Every answer has the shape of what it is, in our words and, where they are at hand, in those of the specification. */
  async function call(path: string, body?: unknown, headers: Record<string, string> = {}) {
    const isPost = body !== undefined
    const response = await fetch(shop().url + path, {
      method: isPost ? 'POST' : 'GET',
      headers: { ...HEADERS, ...(isPost ? { 'idempotency-key': fresh('key') } : {}), ...headers },
      ...(isPost ? { body: JSON.stringify(body) } : {}),
    })
    const answer = { status: response.status, headers: response.headers, body: await response.json() }
    const [shape]: Shape[] = response.ok ? [shapeOf(path, answer.body)] : ['error']
    expect(problemsOf(shape ?? 'error', answer.body)).toEqual([])
    return answer
  }

  async function created(variantIds: string[] = [MUG], address: unknown = ADDRESS) {
    const { status, body } = await call(SESSIONS, createBody(variantIds, address))
    expect(status).toBe(201)
    return body
  }

  async function tokenFor(session: { id: string }, options: DelegationOptions = {}): Promise<string> {
    const { status, body } = await call('/acp/agentic_commerce/delegate_payment', delegation(session, options))
    expect(status).toBe(201)
    return body.id
  }

  async function complete(session: { id: string }, token?: string, headers: Record<string, string> = {}) {
    return call(`${SESSIONS}/${session.id}/complete`, paymentOf(token ?? (await tokenFor(session))), headers)
  }
  const retrieve = async (session: { id: string }) => (await call(`${SESSIONS}/${session.id}`)).body

  return { call, created, tokenFor, complete, retrieve }
}
