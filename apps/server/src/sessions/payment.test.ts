// Guarantee: every end of a payment has one meaning for the cardholder, and what they approve is all of its terms.
import { PAYMENT_FAILURE_CODES, type PaymentFailure } from '@mintmark/contract'
import { describe, expect, test } from 'vitest'
import { payment } from './payment.ts'
import { tellingOf } from './sentence.ts'
import type { PaymentSession } from './store.ts'

const APPROVE_BY = new Date('2026-11-21T12:00:00.000Z')

/** A session with what a rule looks at; the rest is not there to be looked at. */
function session(changes: Partial<PaymentSession>): PaymentSession {
  return { ...({} as PaymentSession), expiresAt: APPROVE_BY, quoteId: null, simulated: false, ...changes }
}

describe('the status', () => {
  test.each([
    ['initiated', 'pending'],
    ['minting', 'processing'],
    ['awaiting_result', 'awaiting_result'],
    ['completed', 'completed'],
    ['failed', 'failed'],
  ] as const)('of a charge %s is %s', (chargeStatus, status) => {
    expect(payment.statusOf(session({ chargeStatus }))).toBe(status)
  })
})

describe('the outcome', () => {
  test.each([
    ['initiated', null],
    ['minting', null],
    ['awaiting_result', 'approved'],
    ['completed', 'approved'],
  ] as const)('%s: %s', (chargeStatus, outcome) => {
    expect(payment.outcomeOf(session({ chargeStatus, failure: null }))).toBe(outcome)
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
    AGENT_LIMIT_EXCEEDED: 'failed',
    OWNER_DENIED: 'failed',
    OWNER_TIMEOUT: 'failed',
    DELIVERY_REFUSED: 'failed',
    REPORT_TIMEOUT: 'failed',
    CREDENTIAL_LAPSED: 'failed',
    INSUFFICIENT_FUNDS: 'failed',
    MERCHANT_PREPARE_FAILED: 'failed',
    MERCHANT_ACTION_REQUIRED: 'failed',
    PAYMENT_FAILED: 'failed',
  }
  test.each(PAYMENT_FAILURE_CODES)('failed by %s', (failure) => {
    expect(payment.outcomeOf(session({ chargeStatus: 'failed', failure }))).toBe(OUTCOMES[failure])
  })
})

test('what the cardholder wishes otherwise is for standing permissions only', () => {
  expect(payment.adjustmentProblems(session({}), {})).toEqual({})
  expect(payment.adjustmentProblems(session({}), { amount: '1.00' })).toEqual({ adjust: expect.any(String) })
})

describe('the terms', () => {
  const row = session({
    ...{ id: 'sess_1', merchantId: 'ma_1', customerId: 'cus_1', amountMinor: 4000n, currency: 'USD' },
    ...{ payeeName: 'Tea House', payeeUrl: 'https://tea.example', payeeCountry: 'US', description: null },
    ...{
      effectiveMinutes: 15,
      payeeNetworkName: 'TEA HOUSE',
      summary: null,
      agentId: null,
      agentName: null,
      quoteId: null,
      locale: null,
    },
    products: [{ ref: 'prd_1', externalId: 'sku', name: 'Tea', unitPrice: '40.00', quantity: 1, status: 'FAILED' }],
  })
  const card = { id: 'card_1', brand: 'visa', last4: '4242' }
  const told = tellingOf({ operatorName: 'Northpay' }, row, { locale: 'en-GB', time_zone: 'Europe/London' })

  test('holds all terms and nothing else', () => {
    expect(payment.termsOf(row, card, {}, told)).toEqual({
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
      summary: null,
      card,
      charges: 1,
      valid_minutes: 15,
      quote_id: null,
      operator: 'Northpay',
      sentence: {
        ...{ version: 4, language: 'en', locale: 'en-GB', time_zone: 'Europe/London' },
        text: 'Tea House (tea.example) gets a one-time card for up to US$40.00. It works only there, once, within 15 minutes of your approval. Your real card stays here.',
      },
      approve_by: '2026-11-21T12:00:00.000Z',
    })
  })

  test('names the agent that asks, and says all of it in a sentence', () => {
    const asked = payment.termsOf({ ...row, agentId: 'aa_1', agentName: 'Pantry' }, card, {}, told)
    expect(asked).toEqual({
      ...payment.termsOf(row, card, {}, told),
      agent: { id: 'aa_1', name: 'Pantry' },
      sentence: {
        ...{ version: 4, language: 'en', locale: 'en-GB', time_zone: 'Europe/London' },
        text: expect.stringMatching(
          /^Pantry gets a one-time card for up to US\$40\.00.* within 15 minutes of your approval/,
        ),
      },
    })
  })

  test('every term changes it', () => {
    const plain = JSON.stringify(payment.termsOf(row, card, {}, told))
    const changed = [
      { amountMinor: 4001n },
      { currency: 'EUR' },
      { payeeUrl: 'https://tea.example.evil' },
      { payeeName: 'Other' },
      { payeeCountry: 'DE' },
      { effectiveMinutes: 16 },
      { description: '' },
      { products: [] },
      { agentId: 'aa_1', agentName: 'Pantry' },
      { agentId: 'aa_1', agentName: 'Your bank' },
      { summary: { subtotal: null, shipping: '5.00', tax: null, discount: null } },
      { expiresAt: new Date(APPROVE_BY.getTime() - 1) },
    ].map((changes) => JSON.stringify(payment.termsOf({ ...row, ...changes }, card, {}, told)))
    changed.push(JSON.stringify(payment.termsOf(row, { ...card, id: 'card_2' }, {}, told)))
    expect(new Set([plain, ...changed]).size).toBe(changed.length + 1)
  })
})
