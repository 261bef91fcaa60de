import { afterEach, expect, test, vi } from 'vitest'
import { readCart } from './catalog.ts'
import type { Authorization, LineItem, Mintmark, PaymentResult } from './mintmark.ts'
import { createOrders } from './orders.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const ITEM: LineItem = {
  txn_ref_id: 'li_1',
  merchant_url: 'https://tea.example',
  total_amount: '14.50',
  token: '4999000011112222',
  dynamic_cvv: '321',
  expiry_month: '12',
  expiry_year: '2030',
}
const APPROVED: Authorization = { approved: true, response_code: '00', authorization_code: '123456' }

test('charges once when the credential is there, reports, and calls the order paid', async () => {
  const { mintmark, place } = shop([result('pending'), result('processing'), result('awaiting_result')])
  const order = await place()
  expect(order.state).toBe('waiting')
  await expect.poll(() => order.state).toBe('paid')
  expect(mintmark.authorize).toHaveBeenCalledExactlyOnceWith(ITEM, 'USD')
  expect(mintmark.report).toHaveBeenCalledExactlyOnceWith('sess_1', ITEM, APPROVED)
})

test('reports again when a report had no answer, and does not charge again', async () => {
  const { mintmark, place } = shop([result('awaiting_result'), result('awaiting_result')])
  mintmark.report.mockRejectedValueOnce(new Error('no answer'))
  const order = await place()
  await expect.poll(() => order.state).toBe('paid')
  expect(mintmark.authorize).toHaveBeenCalledOnce()
  expect(mintmark.report).toHaveBeenCalledTimes(2)
})

test('calls an order paid whose report arrived though its answer was lost', async () => {
  const { mintmark, place } = shop([result('awaiting_result'), result('completed')])
  mintmark.report.mockRejectedValueOnce(new Error('no answer'))
  const order = await place()
  await expect.poll(() => order.state).toBe('paid')
})

test('goes on when the service is away for a moment', async () => {
  const { mintmark, place } = shop([result('awaiting_result')])
  mintmark.paymentResult.mockRejectedValueOnce(new Error('no answer'))
  const order = await place()
  await expect.poll(() => order.state).toBe('paid')
})

test('says that the bank declined, and reports that too', async () => {
  const { mintmark, place } = shop([result('awaiting_result')])
  mintmark.authorize.mockResolvedValue({ approved: false, response_code: '51' })
  const order = await place()
  await expect.poll(() => order.state).toBe('failed')
  expect(order.message).toContain('code 51')
  expect(mintmark.report).toHaveBeenCalledOnce()
})

test('ends an order that was cancelled, and charges nothing', async () => {
  const { mintmark, place } = shop([{ ...result('failed'), error: { code: 'CANCELLED', message: 'Cancelled.' } }])
  const order = await place()
  await expect.poll(() => order.state).toBe('failed')
  expect(order.message).toMatch(/^You cancelled/)
  expect(mintmark.authorize).not.toHaveBeenCalled()
})

test('gives up on an order long after its session ended', async () => {
  const { mintmark, place } = shop([result('pending')])
  mintmark.createSession.mockResolvedValue({ ...SESSION, expires_at: '2020-01-01T00:00:00.000Z' })
  const order = await place()
  await expect.poll(() => order.state).toBe('failed')
})

test('keeps an order paid that was charged, though no report of it was answered in time', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { mintmark, place } = shop([result('awaiting_result')])
  mintmark.report.mockImplementation(async () => {
    vi.setSystemTime(Date.now() + 3_600_000)
    throw new Error('no answer')
  })
  const order = await place()
  // Not `expect.poll`, which would take the jump of the clock for its own time.
  await vi.waitFor(() => expect(order.state).not.toBe('waiting'), { timeout: 120_000 })
  expect(order.state).toBe('paid')
})

test('shows an order only to the customer who placed it', async () => {
  const { mintmark, orders, place } = shop([result('pending')])
  const order = await place()
  expect(orders.find(order.id, 'ann')?.id).toBe(order.id)
  expect(orders.find(order.id, 'bob')).toBeUndefined()
  expect(orders.find('other', 'ann')).toBeUndefined()
  // It is followed until it has ended, also after this test.
  mintmark.paymentResult.mockResolvedValue(result('failed'))
  await expect.poll(() => order.state).toBe('failed')
})

const SESSION = {
  session_id: 'sess_1',
  session_token: 'a.b.c',
  iframe_url: 'http://localhost:4002/s/ma_1/sess_1#secret',
  expires_at: new Date(Date.now() + 900_000).toISOString(),
}

function result(status: PaymentResult['status']): PaymentResult {
  const item = status === 'awaiting_result' ? ITEM : { ...ITEM, token: null, dynamic_cvv: null }
  return { status, transactions: [{ line_items: [item] }] }
}

/** A shop beside a service that gives these results one after the other, the last one again and again. */
function shop(results: PaymentResult[]) {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const last = results.at(-1) ?? result('pending')
  const mintmark = {
    createSession: vi.fn<Mintmark['createSession']>().mockResolvedValue(SESSION),
    paymentResult: vi.fn<Mintmark['paymentResult']>(async () => results.shift() ?? last),
    authorize: vi.fn<Mintmark['authorize']>().mockResolvedValue(APPROVED),
    report: vi.fn<Mintmark['report']>().mockResolvedValue({}),
  }
  const orders = createOrders(mintmark, { pollMillis: 1 })
  const cart = readCart([{ id: 'sencha', quantity: 1 }])
  if (typeof cart === 'string') throw new Error(cart)
  return { mintmark, orders, place: () => orders.place('ann', cart) }
}
