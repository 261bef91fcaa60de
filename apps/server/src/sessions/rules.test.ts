// Guarantee: time ends a session in two ways only, and every status has one meaning for the merchant and one for the
// cardholder.
import { CHARGE_STATUSES, PAYMENT_FAILURES, type PaymentFailure } from '@mintmark/contract'
import { describe, expect, test } from 'vitest'
import {
  approvalStatement,
  dueEnd,
  LINE_ITEM_STATUS_OF,
  outcomeFor,
  returnUrl,
  TRANSACTION_STATUS_OF,
} from './rules.ts'
import type { SessionRow } from './store.ts'

const NOW = new Date('2026-11-21T12:00:00.000Z')
const before = (millis: number) => new Date(NOW.getTime() - millis)

/** A session with what a rule looks at; the rest is not there to be looked at. */
function session(changes: Partial<SessionRow>): SessionRow {
  return { ...({} as SessionRow), reported_outcome: null, mandate_valid_until: null, expires_at: NOW, ...changes }
}

describe('dueEnd', () => {
  const past = before(0)
  const ahead = new Date(NOW.getTime() + 1)
  test.each([
    ['pending', { expires_at: ahead }, null],
    ['pending', { expires_at: past }, 'expire'],
    ['pending', { expires_at: past, mandate_valid_until: past }, 'expire'],
    ['processing', { expires_at: past, mandate_valid_until: past }, null],
    ['awaiting_result', { expires_at: past, mandate_valid_until: ahead }, null],
    ['awaiting_result', { expires_at: past, mandate_valid_until: past }, 'lapse'],
    ['awaiting_result', { mandate_valid_until: past, reported_outcome: 'APPROVED' }, null],
    ['awaiting_result', { mandate_valid_until: past, reported_outcome: 'DECLINED' }, null],
    ['awaiting_result', { mandate_valid_until: null }, null],
    ['completed', { expires_at: past, mandate_valid_until: past }, null],
    ['failed', { expires_at: past, mandate_valid_until: past }, null],
  ] as const)('%s %j: %s', (status, changes, end) => {
    expect(dueEnd(session({ status, ...changes }), NOW)).toBe(end)
  })
})

test('transaction and line item follow the charge', () => {
  expect(CHARGE_STATUSES.map((status) => [status, TRANSACTION_STATUS_OF[status], LINE_ITEM_STATUS_OF[status]])).toEqual(
    [
      ['initiated', 'initiated', 'pending'],
      ['minting', 'initiated', 'pending'],
      ['awaiting_result', 'awaiting_result', 'credentials_generated'],
      ['completed', 'completed', 'completed'],
      ['failed', 'failed', 'failed'],
    ],
  )
})

describe('outcomeFor', () => {
  test.each([
    ['pending', null],
    ['processing', null],
    ['awaiting_result', 'approved'],
    ['completed', 'approved'],
  ] as const)('%s: %s', (status, outcome) => {
    expect(outcomeFor(session({ status, failure_code: null }))).toBe(outcome)
  })

  const OUTCOMES: Record<PaymentFailure, string> = {
    SESSION_EXPIRED: 'expired',
    SESSION_REVOKED: 'revoked',
    CANCELLED: 'cancelled',
    MANDATE_EXPIRED: 'approved',
    PAYMENT_DECLINED: 'approved',
    CARD_DECLINED: 'failed',
    THRESHOLD_EXCEEDED: 'failed',
    MAX_CHARGES_EXCEEDED: 'failed',
    PAYMENT_FAILED: 'failed',
  }
  test.each(Object.keys(PAYMENT_FAILURES) as PaymentFailure[])('failed by %s', (failure_code) => {
    expect(outcomeFor(session({ status: 'failed', failure_code }))).toBe(OUTCOMES[failure_code])
  })
})

describe('returnUrl', () => {
  test.each([
    [null, 'full_checkout', null],
    ['https://shop.example/done', 'embedding', null],
    ['https://shop.example/done', 'full_checkout', 'https://shop.example/done?session_id=sess_1'],
    ['https://shop.example?a=1&b=2', 'full_checkout', 'https://shop.example/?a=1&b=2&session_id=sess_1'],
    ['https://shop.example/?session_id=x', 'full_checkout', 'https://shop.example/?session_id=sess_1'],
    ['https://shop.example/#/done', 'full_checkout', 'https://shop.example/?session_id=sess_1#/done'],
  ] as const)('%s, %s: %s', (callback_url, integration_type, url) => {
    expect(returnUrl({ id: 'sess_1', callback_url, integration_type })).toBe(url)
  })
})

describe('approvalStatement', () => {
  const row = session({
    ...{ id: 'sess_1', merchant_id: 'ma_1', customer_id: 'cus_1', amount_minor: 4000n, currency: 'USD' },
    ...{ payee_name: 'Tea House', payee_url: 'https://tea.example', payee_country: 'US', description: null },
    ...{ effective_minutes: 15 },
    products: [{ ref: 'prd_1', externalId: 'sku', name: 'Tea', unitPrice: '40.00', quantity: 1, status: 'FAILED' }],
  })
  const card = { id: 'card_1', brand: 'visa', last4: '4242' }

  test('holds all terms and nothing else', () => {
    expect(approvalStatement(row, card)).toEqual({
      version: 1,
      type: 'payment',
      session_id: 'sess_1',
      account_id: 'ma_1',
      customer_id: 'cus_1',
      payee: { name: 'Tea House', url: 'https://tea.example', country: 'US' },
      amount: '40.00',
      currency: 'USD',
      description: null,
      products: [{ name: 'Tea', unit_price: '40.00', quantity: 1 }],
      card,
      charges: 1,
      valid_minutes: 15,
      approve_by: '2026-11-21T12:00:00.000Z',
    })
  })

  test('every term changes it', () => {
    const plain = JSON.stringify(approvalStatement(row, card))
    const changed = [
      { amount_minor: 4001n },
      { currency: 'EUR' },
      { payee_url: 'https://tea.example.evil' },
      { payee_name: 'Other' },
      { payee_country: 'DE' },
      { effective_minutes: 16 },
      { description: '' },
      { products: [] },
      { expires_at: before(1) },
    ].map((changes) => JSON.stringify(approvalStatement({ ...row, ...changes }, card)))
    changed.push(JSON.stringify(approvalStatement(row, { ...card, id: 'card_2' })))
    expect(new Set([plain, ...changed]).size).toBe(changed.length + 1)
  })
})
