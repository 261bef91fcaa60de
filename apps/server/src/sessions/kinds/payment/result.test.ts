// Guarantee: a payment result has one shape in every state, shows a credential only while the merchant may use it, and
// nothing of it stays behind; no other merchant's session is ever shown.
import { PAYMENT_FAILURES, type PaymentFailure } from '@mintmark/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder } from '../../../../test/cardholder.ts'
import { EVENTS } from '../../../../test/events.ts'
import {
  approvedSession,
  atOnce,
  CARDS,
  chargeOf,
  complete,
  createSession,
  dbRow,
  expectError,
  expectRefusesStrangers,
  inCustom,
  paymentResult,
  report,
  revoke,
} from '../../../../test/flows.ts'
import { editPurchase, purchaseRow } from '../../../../test/rows/charges.ts'
import {
  type Answer,
  customPurchase,
  PATIENT,
  startTestService,
  type TestMerchant,
  type TestService,
} from '../../../../test/service.ts'
import { createLog, type Log } from '../../../platform/log.ts'

const alarms: unknown[] = []
const alarmLog: Log = {
  ...createLog({ level: 'silent' }),
  failure: (_message, _error, fields) => alarms.push(fields?.alarm),
}

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ env: PATIENT, log: alarmLog })
  merchant = service.merchant
})
afterAll(() => service?.close())

interface Shown {
  session: string
  transaction: string
  item: string
  card: boolean
  credential?: boolean
  error?: PaymentFailure
}

const ITEM_KEYS = [
  ...['dynamic_cvv', 'expiry_month', 'expiry_year', 'merchant_name', 'merchant_url', 'products', 'status', 'token'],
  ...['total_amount', 'txn_ref_id'],
]
const keysOf = (value: object) => Object.keys(value).sort()

/** The whole answer, key by key: what is not in the contract is not in the answer. */
function expectShape(answer: Answer, shown: Shown): void {
  expect(answer.status).toBe(200)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const error = shown.error === undefined ? [] : ['error']
  const { body } = answer
  expect(keysOf(body)).toEqual([...error, 'order_id', 'session_id', 'status', 'transactions'])
  expect(body.transactions).toHaveLength(1)
  const [transaction] = body.transactions
  expect(keysOf(transaction)).toEqual(['card_id', ...error, 'line_items', 'status', 'txn_id'])
  expect(transaction.line_items).toHaveLength(1)
  const [item] = transaction.line_items
  expect(keysOf(item)).toEqual([...ITEM_KEYS, ...error].sort())
  expect([body.status, transaction.status, item.status]).toEqual([shown.session, shown.transaction, shown.item])
  expect(transaction.card_id).toEqual(shown.card ? expect.stringMatching(/^card_/) : null)
  expect(item).toMatchObject({ merchant_name: 'Tea House', merchant_url: 'https://tea.example', total_amount: '40.00' })
  expect(transaction.txn_id).toMatch(/^txn_/)
  expect(item.txn_ref_id).toMatch(/^tli_/)
  expect(item.products).toEqual([
    {
      product_ref_id: expect.stringMatching(/^prd_/),
      external_product_id: null,
      name: 'Tea',
      unit_price: '40.00',
      quantity: 1,
    },
  ])
  expectCredential(item, shown.credential === true)
  if (shown.error === undefined) return
  const fact = { code: shown.error, message: PAYMENT_FAILURES[shown.error] }
  expect([body.error, transaction.error, item.error]).toEqual([fact, fact, fact])
}

function expectCredential(item: Record<string, unknown>, present: boolean): void {
  const { token, dynamic_cvv, expiry_month, expiry_year } = item
  expect({ token, dynamic_cvv, expiry_month, expiry_year }).toEqual({
    token: present ? expect.stringMatching(/^\d{16}$/) : null,
    dynamic_cvv: present ? expect.stringMatching(/^\d{3}$/) : null,
    expiry_month: present ? expect.stringMatching(/^(0[1-9]|1[0-2])$/) : null,
    expiry_year: present ? expect.stringMatching(/^20\d\d$/) : null,
  })
}

/** What the database holds of the credential. */
async function stored(sessionId: string) {
  const { credential_sealed, credential_key_id } = await purchaseRow(service.pool, sessionId)
  return { credential_sealed, credential_key_id }
}
const ERASED = { credential_sealed: null, credential_key_id: null }

async function expectFailed(id: string, error: PaymentFailure, card: boolean) {
  const answer = await paymentResult(merchant, id)
  expectShape(answer, { session: 'failed', transaction: 'failed', item: 'failed', card, error })
  expect(await stored(id)).toEqual(ERASED)
}

const WAITING = {
  session: 'awaiting_result',
  transaction: 'awaiting_result',
  item: 'credentials_generated',
  card: true,
}

describe('success', () => {
  test('pending: no card, no credential', async () => {
    const { session_id, order_id } = await createSession(merchant)
    const answer = await paymentResult(merchant, session_id)
    expectShape(answer, { session: 'pending', transaction: 'initiated', item: 'pending', card: false })
    expect(answer.body).toMatchObject({ session_id, order_id })
  })

  test('pending with a card chosen', async () => {
    const { session_id } = await createSession(merchant)
    await complete(merchant, session_id, { stop_after: 'card' })
    const shown = { session: 'pending', transaction: 'initiated', item: 'pending', card: true }
    expectShape(await paymentResult(merchant, session_id), shown)
  })

  test('processing: the network has not said', async () => {
    const { id } = await approvedSession(merchant, CARDS.mintRequestLost)
    const shown = { session: 'processing', transaction: 'initiated', item: 'pending', card: true }
    expectShape(await paymentResult(merchant, id), shown)
  })

  test('awaiting_result: the credential, the same on every read, sealed in the database', async () => {
    const { id, item } = await approvedSession(merchant)
    const answer = await paymentResult(merchant, id)
    expectShape(answer, { ...WAITING, credential: true })
    expect(answer.body.transactions[0].line_items[0]).toEqual(item)
    const { credential_sealed, credential_key_id } = await stored(id)
    expect(credential_key_id).toEqual(expect.any(String))
    for (const encoding of ['utf8', 'latin1', 'hex', 'base64'] as const) {
      expect(credential_sealed.toString(encoding)).not.toContain(item.token)
    }
  })

  test('a credential that does not open is an alarm, and is fetched anew from the network', async () => {
    const { id, item } = await approvedSession(merchant)
    const sealed = (await stored(id)).credential_sealed
    const spoiled = 'credential_sealed = set_byte(credential_sealed, 40, 255 - get_byte(credential_sealed, 40))'
    await editPurchase(service.pool, id, spoiled)
    alarms.length = 0
    // Two polls at the same time, as shops do. One may be told to come again.
    const [one, other] = await atOnce(2, () => paymentResult(merchant, id))
    expect([one?.status, other?.status]).toContain(200)
    expect(alarms).toContain('seal_broken')
    alarms.length = 0
    const answer = await paymentResult(merchant, id)
    expect(answer.body.transactions[0].line_items[0]).toEqual(item)
    expect(alarms).toEqual([])
    const again = (await stored(id)).credential_sealed
    expect(again.equals(sealed)).toBe(false)
    expect((await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })).status).toBe(200)
    expect(await stored(id)).toEqual(ERASED)
  })

  test('reported but not confirmed: still awaiting, the credential gone', async () => {
    const { id, item } = await approvedSession(merchant, CARDS.confirmationFailsOnce)
    const answer = await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
    expectError(answer, 502, 'NETWORK_CONFIRMATION_FAILED')
    expectShape(await paymentResult(merchant, id), WAITING)
    expect(await stored(id)).toEqual(ERASED)
  })

  test('completed: the credential gone', async () => {
    const { id, item } = await approvedSession(merchant)
    await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
    const shown = { session: 'completed', transaction: 'completed', item: 'completed', card: true }
    expectShape(await paymentResult(merchant, id), shown)
    expect(await stored(id)).toEqual(ERASED)
  })

  test('failed: reported as declined', async () => {
    const { id, item } = await approvedSession(merchant)
    await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'DECLINED' })
    await expectFailed(id, 'PAYMENT_DECLINED', true)
  })

  test('failed: declined when minting', async () => {
    const { id } = await approvedSession(merchant, CARDS.mintDeclined)
    await expectFailed(id, 'CARD_DECLINED', true)
  })

  test('failed: revoked, before and after a card was chosen', async () => {
    const { session_id } = await createSession(merchant)
    await revoke(merchant, session_id)
    await expectFailed(session_id, 'SESSION_REVOKED', false)
    const { session_id: later } = await createSession(merchant)
    await complete(merchant, later, { stop_after: 'passkey' })
    await revoke(merchant, later)
    await expectFailed(later, 'SESSION_REVOKED', true)
  })

  test('failed: cancelled by the cardholder', async () => {
    const { session_id, session_token } = await createSession(merchant)
    const cancelled = await cardholder(service, session_token).post('/api/cancel')
    expect(cancelled.body).toMatchObject({ step: 'done', outcome: 'cancelled' })
    await expectFailed(session_id, 'CANCELLED', false)
  })

  test('failed: expired before the approval, seen on the first read after it', async () => {
    const { session_id } = await createSession(merchant)
    await service.clock.advance(899)
    expect((await paymentResult(merchant, session_id)).body.status).toBe('pending')
    await service.clock.advance(2)
    await expectFailed(session_id, 'SESSION_EXPIRED', false)
  })

  test('failed: the approval lapsed before a report, however long the session lives', async () => {
    const { id } = await approvedSession(merchant)
    await service.clock.advance(890)
    expectShape(await paymentResult(merchant, id), { ...WAITING, credential: true })
    await service.clock.advance(15)
    await expectFailed(id, 'MANDATE_EXPIRED', true)
  })

  test('an approval outlives its session when it was given for longer', async () => {
    const purchase_context = { custom: { ...customPurchase(), effective_until_minutes: 60 } }
    const { id } = await approvedSession(merchant, undefined, { purchase_context })
    await service.clock.advance(3500)
    expectShape(await paymentResult(merchant, id), { ...WAITING, credential: true })
    await service.clock.advance(200)
    await expectFailed(id, 'MANDATE_EXPIRED', true)
  })
})

test('a query, which the operation does not read, is ignored', async () => {
  const { session_id } = await createSession(merchant)
  expectShape(await merchant.get(`/v1/sessions/${session_id}/payment-result?verbose=1`), {
    ...{ session: 'pending', transaction: 'initiated', item: 'pending', card: false },
  })
})

test('not authenticated', async () => {
  const { session_id } = await createSession(merchant)
  await expectRefusesStrangers(service, 'GET', `/v1/sessions/${session_id}/payment-result`)
})

describe('not found', () => {
  test("another merchant's session answers like one that never was, in every state, byte for byte", async () => {
    const other = await service.addMerchant()
    const nobodys = await paymentResult(other, 'sess_00000000000000000000000000')
    expectError(nobodys, 404, 'NOT_FOUND')
    const theirs = [
      (await createSession(merchant)).session_id,
      (await approvedSession(merchant)).id,
      (await approvedSession(merchant, CARDS.mintDeclined)).id,
    ]
    for (const id of theirs) {
      const answer = await paymentResult(other, id)
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 404, body: nobodys.body })
      const [names, same] = [answer, nobodys].map(({ headers }) =>
        [...headers.keys()].filter((name) => name !== 'x-response-id').sort(),
      )
      expect(names).toEqual(same)
      expect(answer.headers.get('x-response-id')).not.toBe(nobodys.headers.get('x-response-id'))
    }
  })

  test.for([
    'sess_0',
    'x'.repeat(255),
    'x'.repeat(300),
    '%E2%80%AE',
    '%00',
    '%0a',
    '..%2f..',
    '%27%20or%201=1',
    '%F0%9F%AB%96',
  ])('an id of no form at all: %s', async (id) => {
    expectError(await merchant.get(`/v1/sessions/${id}/payment-result`), 404, 'NOT_FOUND')
  })
})

describe('concurrent', () => {
  test('32 reads of a session that has just expired: one change, one event', async () => {
    const { session_id } = await createSession(merchant)
    await service.clock.advance(901)
    const answers = await atOnce(32, () => paymentResult(merchant, session_id))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(answers[0]?.body.error.code).toBe('SESSION_EXPIRED')
    const row = await dbRow(
      service,
      `select c.version, count(e.id)::int as events from charges c
       left join ${EVENTS} e on e.merchant_id = c.merchant_id and e.resource_id = c.id
       where c.opened_by = $1 group by c.version`,
      [session_id],
    )
    expect(row).toEqual({ version: 2, events: 1 })
  })
})

test('a credential is printed for as long as it was asked for', async () => {
  for (const minutes of [15, 60 * 24 * 70, 527_040]) {
    const { session_id } = await createSession(merchant, inCustom({}, {}, { effective_until_minutes: minutes }))
    await complete(merchant, session_id)
    const [item] = (await paymentResult(merchant, session_id)).body.transactions[0].line_items
    const printedEnd = Date.UTC(Number(item.expiry_year), Number(item.expiry_month), 1)
    const { valid_until } = await chargeOf(service, session_id)
    expect(printedEnd).toBeGreaterThan(valid_until.getTime())
    expect(valid_until.getTime() - service.clock.now().getTime()).toBeGreaterThan((minutes - 1) * 60_000)
    const { valid_until: lapses } = await dbRow(
      service,
      'select m.valid_until from simnet.mints m join charges c on c.id = m.charge_id where c.opened_by = $1',
      [session_id],
    )
    expect(lapses).toEqual(valid_until)
  }
})
