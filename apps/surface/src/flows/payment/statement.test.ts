import { describe, expect, it } from 'vitest'
import { durationText, readStatement, statementLines } from './statement.ts'

// Guarantee: what the cardholder reads before approving is the statement the passkey signs, whole, or there is no button.

const STATEMENT = {
  version: 1,
  type: 'payment',
  session_id: 'ps_1',
  payee: { name: 'Shop', url: 'https://shop.example', country: 'US' },
  amount: '40.00',
  currency: 'USD',
  description: 'Order 7',
  products: [
    { name: 'Mug', unit_price: '14.00', quantity: 2 },
    { name: 'Towel', unit_price: '12.00', quantity: 1 },
  ],
  card: { id: 'card_1', brand: 'visa', last4: '4242' },
  charges: 1,
  valid_minutes: 10_080,
  approve_by: '2026-11-21T12:00:00.000Z',
}

describe('statement', () => {
  it('is read and told whole', () => {
    const statement = readStatement(STATEMENT)
    const lines = statement === null ? [] : statementLines(statement)
    expect(lines.slice(0, 5).map(({ label, value }) => `${label}: ${value.replaceAll('\u00a0', ' ')}`)).toEqual([
      'Paid to: Shop (shop.example)',
      'Amount: 40.00 USD, once',
      'For: Order 7: 2 × Mug, Towel',
      'Card: Visa ending in 4242',
      'Valid: 7 days from your approval',
    ])
    expect(lines[5]?.label).toBe('Approve by')
  })

  it.each([
    [null],
    ['40.00 USD'],
    [[]],
    [{ ...STATEMENT, version: 2 }],
    [{ ...STATEMENT, type: 'mandate' }],
    [{ ...STATEMENT, payee: null }],
    [{ ...STATEMENT, amount: 40 }],
    [{ ...STATEMENT, products: [{ name: 'Mug' }] }],
    [{ ...STATEMENT, card: { last4: 4242, brand: null } }],
    [{ ...STATEMENT, charges: undefined }],
  ])('is not guessed: %j', (value) => {
    expect(readStatement(value)).toBeNull()
  })

  it.each([
    [10_080, '7 days'],
    [1_440, '1 day'],
    [120, '2 hours'],
    [90, '90 minutes'],
    [1, '1 minute'],
  ])('%i minutes are %s', (minutes, text) => {
    expect(durationText(minutes)).toBe(text)
  })
})
