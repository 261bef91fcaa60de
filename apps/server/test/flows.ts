import { expect } from 'vitest'
import { bodyOf, type StoredEvent } from '../src/events/service.ts'
import { createSimulatedNetwork } from '../src/network/simulator/simulator.ts'
import { deriveKeys } from '../src/platform/keys.ts'
import { EVENTS } from './events.ts'
import {
  type Answer,
  call,
  customPurchase,
  jsonRequest,
  sessionBody,
  TEST_ROOT_KEY,
  type TestMerchant,
  type TestService,
} from './service.ts'

// What tests of sessions do over and over, as a merchant's backend would: through the API, by HTTP.

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Test cards by what they make the simulated network do; the first is any card that works. */
export const CARDS = {
  success: '4242424242424242',
  amex: '378282246310005',
  stepUp: '4000000000003220',
  refused: '4000000000000002',
  binCountryRefused: '4000000000000010',
  binIssuerRefused: '4000000000000028',
  cvvMismatch: '4000000000000127',
  deviceBindingFailsOnce: '4000000000000044',
  provisionAnswerLost: '4000000000000036',
  instructionRefused: '4000000000000358',
  instructionAnswerLost: '4000000000000366',
  mintDeclined: '4000000000000341',
  mintAnswerLost: '4000000000000077',
  mintRequestLost: '4000000000000085',
  mintHangs: '4000000000000093',
  confirmationFailsOnce: '4000000000000101',
  confirmationRefused: '4000000000000135',
} as const

/** A custom purchase with parts replaced. */
export function custom(merchantChanges: object = {}, productChanges: object = {}, changes: object = {}) {
  const { merchant_details, product_details } = customPurchase() as {
    merchant_details: object
    product_details: [object]
  }
  return {
    merchant_details: { ...merchant_details, ...merchantChanges },
    product_details: [{ ...product_details[0], ...productChanges }],
    ...changes,
  }
}
export const inCustom = (merchantChanges: object = {}, productChanges: object = {}, changes: object = {}) => ({
  purchase_context: { custom: custom(merchantChanges, productChanges, changes) },
})
/** A quote that does not exist. */
export const QUOTE = { quote: true, quote_id: 'qte_0123456789abcdef' }

let users = 0

/** A new `user_id`. */
export function newUser(): string {
  users += 1
  return `user-${process.pid}-${users}`
}

/** Creates a session of a new user, unless told otherwise; returns the body of the response. */
export async function createSession(merchant: TestMerchant, changes: Record<string, unknown> = {}) {
  const created = await merchant.post('/v1/sessions', sessionBody({ user_id: newUser(), ...changes }))
  expect(created.body).toMatchObject({ session_id: expect.any(String) })
  return created.body as Record<'session_id' | 'session_token' | 'iframe_url' | 'order_id' | 'expires_at', string>
}

export function complete(merchant: TestMerchant, sessionId: string, body: Record<string, unknown> = {}) {
  return merchant.post(`/v1/test_helpers/sessions/${sessionId}/complete`, body)
}

export function paymentResult(merchant: TestMerchant, sessionId: string) {
  return merchant.get(`/v1/sessions/${sessionId}/payment-result`)
}

export function report(merchant: TestMerchant, sessionId: string, body: Record<string, unknown>) {
  return merchant.post(`/v1/sessions/${sessionId}/report-status`, body)
}

export function revoke(merchant: TestMerchant, sessionId: string) {
  return merchant.post(`/v1/sessions/${sessionId}/revoke`)
}

/** A new session, approved with this card: its id, and its one line item as the payment result shows it. */
export async function approvedSession(
  merchant: TestMerchant,
  card: string = CARDS.success,
  changes: Record<string, unknown> = {},
) {
  const { session_id: id } = await createSession(merchant, changes)
  const completed = await complete(merchant, id, { card_number: card })
  expect(completed.status, JSON.stringify(completed.body)).toBe(200)
  const result = await paymentResult(merchant, id)
  return { id, status: result.body.status as string, item: result.body.transactions[0].line_items[0] }
}

/** A session that waits for its report: its id, its line item, and the required fields of either report. */
export async function waitingSession(merchant: TestMerchant, card?: string, changes?: Record<string, unknown>) {
  const { id, item } = await approvedSession(merchant, card, changes)
  const approved = { txn_ref_id: item.txn_ref_id as string, txn_status: 'APPROVED' }
  return { id, item, approved, declined: { ...approved, txn_status: 'DECLINED' } }
}

/** A purchase of two products, one of them twice. */
const PRODUCTS = [
  { description: 'Tea', unit_price: '30.00', product_id: 'sku-tea' },
  { description: 'Cup', unit_price: '10.00', product_id: 'sku-cup', quantity: 2 },
]
export const withProducts = { purchase_context: { custom: custom({}, {}, { product_details: PRODUCTS }) } }

/** The body of an authorization at the sandbox's acquirer with what a line item holds. */
export function authorization(item: Record<string, string>, changes: Record<string, unknown> = {}) {
  return {
    token: item.token,
    dynamic_cvv: item.dynamic_cvv,
    expiry_month: item.expiry_month,
    expiry_year: item.expiry_year,
    amount: item.total_amount,
    currency: 'USD',
    merchant_url: item.merchant_url,
    ...changes,
  }
}

/** The envelope of an error, with nothing else in it, under a status and a response id. */
export function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, error: answer.body?.error }).toMatchObject({
    status,
    error: { code, message: expect.stringMatching(/\S.*[.!?]$/) },
  })
  expect(Object.keys(answer.body)).toEqual(['error'])
  expect(Object.keys(answer.body.error).filter((key) => !['code', 'message', 'details'].includes(key))).toEqual([])
  expect(answer.headers.get('x-response-id')).toMatch(UUID)
}

/** `VAL_2001` that names exactly these fields. */
export function expectInvalid(answer: Answer, ...paths: string[]): void {
  expectError(answer, 400, 'VAL_2001')
  expect(Object.keys(answer.body.error.details).sort()).toEqual(paths.sort())
}

/** The four ways not to be authenticated; every one must be refused before anything else is looked at. */
export async function expectRefusesStrangers(service: TestService, method: 'GET' | 'POST', path: string) {
  const { merchant } = service
  const other = merchant.secretKey.replace('sk_test_', 'sk_live_')
  const cases: [string | undefined, string][] = [
    [undefined, 'AUTH_1002'],
    ['Basic dXNlcjpwYXNz', 'AUTH_1002'],
    [`Bearer ${merchant.secretKey.slice(0, -1)}${merchant.secretKey.endsWith('0') ? '1' : '0'}`, 'AUTH_1001'],
    [`Bearer ${other}`, 'AUTH_1001'],
    [`Bearer ${merchant.publishableKey}`, 'AUTH_1001'],
  ]
  for (const [authorization, code] of cases) {
    const init =
      method === 'POST' ? jsonRequest(authorization ?? '', {}) : { headers: { authorization: authorization ?? '' } }
    if (authorization === undefined) delete (init.headers as Record<string, string>).authorization
    expectError(await call(service.apiUrl + path, init), 401, code)
  }
}

/** `count` calls started together. */
export function atOnce<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)))
}

export function countBy<T>(values: readonly T[], keyOf: (value: T) => string | number): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[keyOf(value)] = (counts[keyOf(value)] ?? 0) + 1
  return counts
}

/** A vault record of the card that works, put there by the merchant. */
export async function vaultRecord(merchant: TestMerchant, changes: Record<string, unknown> = {}): Promise<string> {
  const card = { card_number: CARDS.success, expiry_month: '12', expiry_year: '2040', ...changes }
  const added = await merchant.post('/v1/vault/records', card)
  expectCreated(added)
  return added.body.vault_ref_id
}

export function enroll(merchant: TestMerchant, body: Record<string, unknown> = {}) {
  return merchant.post('/v1/sessions/enroll-card', { user_id: newUser(), user_email: 'ann@example.com', ...body })
}

/** Begins an enrollment at the page; returns the body of the response. */
export async function createEnrollment(merchant: TestMerchant, body: Record<string, unknown> = {}) {
  const created = await enroll(merchant, { enrollment_mode: 'full_enrollment', ...body })
  expectCreated(created)
  return created.body as { session_id: string; session_token: string; iframe_url: string; expires_at: string }
}

export function enrollmentStatus(merchant: TestMerchant, sessionId: string) {
  return merchant.get(`/v1/sessions/${sessionId}/status`)
}

/** The simulated network's other side: what only the network itself can see. */
export function networkOf(service: TestService) {
  const key = deriveKeys(TEST_ROOT_KEY).simulatedNetwork
  return createSimulatedNetwork({
    pool: service.pool,
    clock: service.clock,
    key,
    timeoutMillis: 10_000,
    lostMillis: 1_000,
  })
}

/** The charge of a session, its mandate, the open work on both, and what the network holds of both. */
export function chargeOf(service: TestService, sessionId: string) {
  return dbRow(
    service,
    `select c.*, m.status as mandate_status, m.valid_until,
       v.due_at as mandate_due_at, v.attempts as mandate_attempts, n.state as mint_state, n.decline_reason, n.credential_state, n.confirmed_outcome, i.state as instruction_state, i.charge_count
     from charges c left join mandates m on m.merchant_id = c.merchant_id and m.id = c.mandate_id
     left join open_work v on v.merchant_id = c.merchant_id and v.kind = 'mandate' and v.id = c.mandate_id
     left join simnet.mints n on n.charge_id = c.id left join simnet.instructions i on i.mandate_id = c.mandate_id
     where c.opened_by = $1`,
    [sessionId],
  )
}

/** The events of a session and of its payment, in the order of their versions: `version type`. */
export async function eventsOf(service: TestService, sessionId: string): Promise<string[]> {
  const { rows } = await service.pool.query<{ event: string }>(
    `select resource_version || ' ' || type as event from ${EVENTS} events
     where (resource_type, resource_id) in (
       select 'session', $1 union all select 'payment', id from charges where opened_by = $1)
     order by resource_version`,
    [sessionId],
  )
  return rows.map(({ event }) => event)
}

/** The bodies of the events about one resource, as their readers get them, in the order of their versions. */
export async function eventBodies(service: TestService, resourceId: string): Promise<string[]> {
  const { rows } = await service.pool.query<StoredEvent>(
    `select merchant_id as "merchantId", id as "eventId", type as "eventType", resource_type as "resourceType",
       resource_id as "resourceId", resource_version as "resourceVersion", schema_version as "schemaVersion", environment,
       data as "eventData", occurred_at as "occurredAt"
     from ${EVENTS} events where resource_id = $1 order by resource_version`,
    [resourceId],
  )
  return rows.map(bodyOf)
}

/** One row, as the driver reads it. */
export async function dbRow(service: TestService, sql: string, values: unknown[] = []) {
  // biome-ignore lint/suspicious/noExplicitAny: tests look at columns without types.
  const { rows } = await service.pool.query<any>(sql, values)
  expect(rows, sql).toHaveLength(1)
  return rows[0]
}

/** How often the acquirer was paid with what was minted for a session. */
export async function paidAtTheAcquirer(service: TestService, sessionId: string): Promise<number> {
  const { n } = await dbRow(
    service,
    `select count(*)::int as n from simnet.authorizations a join charges c on c.id = a.charge_id
     where c.opened_by = $1 and a.response_code = '00'`,
    [sessionId],
  )
  return n
}

export function expectCreated(answer: Answer): void {
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
}

/** How many statements wait for a lock. Asked on the pool: a transaction would see the list of its first look for ever. */
export async function blocked({ pool }: Pick<TestService, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
  )
  return rows[0]?.count ?? 0
}
