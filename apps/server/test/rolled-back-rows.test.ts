import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { approve, payOnce, visit } from '../src/cards/testing/once.ts'
import { charge, chargeable, reportCharge } from '../src/charges/testing/charge.ts'
import { newOwner } from '../src/mandates/testing/standing.ts'
import { cardholder, newAuthenticator } from './cardholder.ts'
import {
  authorization,
  CARDS,
  createSession,
  expectError,
  newUser,
  paymentResult,
  report,
  waitingSession,
} from './flows.ts'
import { keepLog } from './logged.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from './service.ts'

// Guarantee: whole rows that an editor of the database puts back as they once were, seals included, spend nothing that the network has
// ended, spent or counted. A seal cannot tell old from new: what such rows do without the network is in docs/security/attacks.md.

let service: TestService
let merchant: TestMerchant
const { log, entries, lines } = keepLog('warn')
beforeAll(async () => {
  service = await startTestService({ env: PATIENT, log })
  merchant = service.merchant
  await service.pool.query('create schema old')
})
afterAll(() => service?.close())
beforeEach(() => {
  lines.length = 0
})

const buy = async (item: Record<string, string>) =>
  (await merchant.post('/v1/test_helpers/authorizations', authorization(item))).body.approved
const lineOf = async (session: string) => (await paymentResult(merchant, session)).body.transactions[0].line_items[0]
const codeOf = async (mandateId: string) => {
  const { body } = await charge(merchant, mandateId, { amount: '10.00' })
  return body.errorCode ?? body.status
}

/** All rows of these tables, as they are now. */
async function copy(...tables: string[]): Promise<void> {
  for (const table of tables) {
    await service.pool.query(`drop table if exists old.${table}; create table old.${table} as select * from ${table}`)
  }
}

/** Puts rows of a table back as they were copied, past all keys, as a superuser can. The network's own tables are not the service's. */
async function putBack(table: string, where = 'true', values: unknown[] = []): Promise<void> {
  const client = await service.pool.connect()
  try {
    await client.query('begin; set local session_replication_role = replica')
    await client.query(`delete from ${table} where ${where}`, values)
    await client.query(`insert into ${table} select * from old.${table} where ${where}`, values)
    await client.query('commit')
  } finally {
    client.release(true)
  }
}

test('a mandate that was cancelled mints nothing, and its next change is heard of', async () => {
  const id = await chargeable(service, await newOwner(service))
  await copy('mandates')
  expect((await merchant.post(`/v1/mandates/${id}/pause`)).status).toBe(200)
  await service.runJobs()
  await putBack('mandates', 'id = $1', [id])
  // The network does not know of a pause.
  const { body } = await charge(merchant, id, { amount: '10.00' })
  expect(body.status).toBe('awaiting_result')
  // It knows of a cancellation when the last credential has ended, and not before.
  await reportCharge(merchant, id, body.transactionId)
  await copy('mandates')
  expect((await merchant.post(`/v1/mandates/${id}/cancel`)).status).toBe(200)
  await service.runJobs()
  expect(entries().map(({ alarm }) => alarm)).toContain('event_parked')
  await putBack('mandates', 'id = $1', [id])
  expect(await codeOf(id)).toBe('PAYMENT_FAILED')
  expect(entries().map(({ alarm }) => alarm)).not.toContain('row_tampered')
})

test('a window that is emptied again and again is full at the network', async () => {
  const id = await chargeable(service, await newOwner(service), { approvedMinor: 3_000n })
  await copy('mandates')
  const codes: string[] = []
  for (let count = 0; count < 5; count += 1) {
    codes.push(await codeOf(id))
    await putBack('mandates', 'id = $1', [id])
  }
  expect(codes).toEqual([...Array(3).fill('awaiting_result'), ...Array(2).fill('THRESHOLD_EXCEEDED')])
})

test.each([
  ['APPROVED', true],
  ['APPROVED', false],
  ['DECLINED', true],
  ['DECLINED', false],
])(
  'a charge that was reported %s (spent: %s) shows its credential, which buys nothing',
  async (txn_status, isSpent) => {
    const { id, item } = await waitingSession(merchant)
    await copy('charges', 'mandates')
    if (isSpent) expect(await buy(item)).toBe(true)
    await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status })
    await putBack('charges', 'opened_by = $1', [id])
    const shown = await lineOf(id)
    expect(shown.token).toBe(item.token)
    expect(await buy(shown)).toBe(false)
  },
)

test('an approval that is sent again, with all rows of before it, mints nothing', async () => {
  const { session_id: id, session_token } = await createSession(merchant)
  const authenticator = newAuthenticator(service)
  const visitor = cardholder(service, session_token, authenticator)
  await visitor.enterCard(CARDS.success)
  await visitor.registerPasskey()
  const { body } = await visitor.post('/api/approval-options', { frame: { embedded: false } })
  const response = authenticator.authenticate(body.options)
  const tables = ['sessions', 'charges', 'passkey_challenges', 'passkeys', 'approvals', 'mandates']
  await copy(...tables)
  const send = async () => (await visitor.post('/api/approvals', { response })).status
  expect(await send()).toBe(200)
  expect(await buy(await lineOf(id))).toBe(true)
  expect(await send()).not.toBe(200)
  await putBack('passkey_challenges')
  expect(await send()).not.toBe(200)
  for (const table of tables.filter((name) => name !== 'mandates')) await putBack(table)
  await send()
  expect((await lineOf(id)).token).toBeNull()
})

test.each(['saved', 'used just once'])('a card that was %s and is deleted pays nothing', async (kind) => {
  const user = newUser()
  const authenticator = newAuthenticator(service)
  const first = await visit(service, { user, authenticator })
  if (kind === 'saved') await first.page.pay(CARDS.success)
  else await payOnce(service, first)
  await copy('cards', 'vault_records')
  const { rows } = await service.pool.query(
    'select id from cards where customer_id = (select customer_id from sessions where id = $1)',
    [first.sessionId],
  )
  const [{ id }] = rows
  if (kind === 'saved') await merchant.post('/v1/deleteCard', { customer_id: user, card_id: id, reason: 'LOST' })
  else
    await report(merchant, first.sessionId, {
      txn_ref_id: (await lineOf(first.sessionId)).txn_ref_id,
      txn_status: 'APPROVED',
    })
  await service.runJobs()
  expect((await service.pool.query('select status from cards where id = $1', [id])).rows).toEqual([
    { status: 'deleted' },
  ])
  await putBack('cards', 'id = $1', [id])
  await putBack('vault_records')
  await service.pool.query('update cards set once_sessions = null where id = $1', [id])
  const next = await visit(service, { user, authenticator })
  expect((await next.page.post('/api/cards/select', { card_id: id })).status).toBe(200)
  expect((await approve(next)).body).toMatchObject({ outcome: 'failed', failure: { code: 'CARD_DECLINED' } })
})

test('a card that was begun and left for a day is begun by nobody again', async () => {
  const user = newUser()
  const first = await visit(service, { user })
  await first.enter(CARDS.stepUp, {})
  await copy('cards', 'vault_records', 'sessions')
  await service.clock.advance(24 * 3600 + 1)
  await service.runJobs()
  const whose = `customer_id = (select customer_id from sessions where id = '${first.sessionId}')`
  expect((await service.pool.query(`select status from cards where ${whose}`)).rows).toEqual([{ status: 'deleted' }])
  await putBack('cards', whose)
  await putBack('vault_records')
  const next = await visit(service, { user })
  // Its name at the network has ended, whoever enters it.
  expectError(await next.enter(CARDS.stepUp, {}), 400, 'CARD_REFUSED')
  expect((await next.page.post('/api/cards/verify', { code: '123456' })).status).toBe(400)
  expect((await service.pool.query(`select network_token_ref from cards where ${whose}`)).rows).toEqual([
    { network_token_ref: null },
  ])
})
