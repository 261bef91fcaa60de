import { describe, expect, it } from 'vitest'
import { foreign, plainText } from '../../phrase.ts'
import type { TermLine } from '../flow.ts'
import { paymentTerms } from '../payment/terms.ts'
import { mandateTerms } from './terms.ts'

// Guarantee: what the cardholder reads before allowing is the terms the passkey signs, whole, or there is no button.

const TERMS = {
  version: 1,
  sentence: { version: 3, language: 'en', text: 'All of it.' },
  type: 'mandate',
  session_id: 'sess_1',
  account_id: 'ma_1',
  customer_id: 'cus_1',
  mandate_id: 'mdt_1',
  payee: { name: 'Tea House', url: 'https://tea.example/shop', country: 'US' },
  merchant_scope: 'listed',
  amount: '40.00',
  currency: 'USD',
  frequency: 'monthly',
  max_charges: null,
  valid_until: '2028-11-20T12:00:00.000Z',
  most_total: '960.00',
  description: null,
  card: { id: 'card_1', brand: 'visa', last4: '4242' },
  approve_by: '2026-11-21T12:00:00.000Z',
}

const linesOf = (changes: object = {}) => mandateTerms({ ...TERMS, ...changes })?.lines ?? []
/** Other people's words and amounts between angles. */
const told = (changes: object = {}) =>
  linesOf(changes).map(({ label, value }: TermLine) =>
    `${label}: ${plainText(value)}`
      .replaceAll('\u2068', '<')
      .replaceAll('\u2069', '>')
      .replaceAll(/[\u00a0\u202f]/g, ' '),
  )
const ONCE = { frequency: 'one_time', valid_until: null, most_total: '40.00' }

describe('the terms of a permission', () => {
  it('are told whole: who, how much, how often, where, until when, and the most of it', () => {
    expect(told()).toEqual([
      'Who may charge: <Tea House> (<tea.example>)',
      'How much: Up to <$40.00 USD> each month, in one charge or in several',
      'How often: Each month anew, counted from the day you allow it',
      'Where: At <tea.example> only',
      expect.stringMatching(/^Until: <November (?:19|20|21), 2028 at \d\d:\d\d [AP]M \S+>$/),
      'In all: At most <$960.00 USD> (24 × <$40.00 USD>)',
      'Card: Visa ending in 4242',
      expect.stringMatching(/^Allow by: Nov 2[012], \d\d:\d\d [AP]M \S+$/),
    ])
    expect(mandateTerms(TERMS)?.title).toEqual(['Allow ', foreign('Tea House'), ' to charge your card'])
  })

  it.each([
    [{}, 'Allow up to <$40.00 USD> each month'],
    [ONCE, 'Allow up to <$40.00 USD>, once'],
    [{ amount: '25.00', frequency: 'weekly' }, 'Allow up to <$25.00 USD> each week'],
  ])('say on the button how much: %o', (changes, words) => {
    const action = plainText(mandateTerms({ ...TERMS, ...changes })?.action ?? '')
    expect(action.replaceAll('\u2068', '<').replaceAll('\u2069', '>').replaceAll('\u00a0', ' ')).toBe(words)
  })

  it('say of once that it is once, and for how long', () => {
    const lines = told({ ...ONCE, max_charges: 3 })
    expect(lines.slice(1, 6)).toEqual([
      'How much: Up to <$40.00 USD>',
      'How often: Once',
      'Where: At <tea.example> only',
      'Until: 7 days from your permission',
      'In all: At most <$40.00 USD>',
    ])
  })

  it.each([
    ['weekly', 12, 'Each week anew, counted from the day you allow it; at most 12 times in all'],
    ['yearly', 1, 'Each year anew, counted from the day you allow it; at most once in all'],
  ])('count the charges: %s, %i', (frequency, max_charges, words) => {
    expect(told({ frequency, max_charges })[2]).toBe(`How often: ${words}`)
  })

  it('promise several charges only where there may be several', () => {
    expect(told({ max_charges: 1 })[1]).toBe('How much: Up to <$40.00 USD> each month')
  })

  it('say where any shop may charge', () => {
    expect(told({ merchant_scope: 'any' })[3]).toBe('Where: At any shop')
  })

  it('explain the most of it only where it is a whole number of times', () => {
    expect(told({ most_total: '950.00' })[5]).toBe('In all: At most <$950.00 USD>')
    expect(told({ currency: 'JPY', amount: '4000.00', most_total: '8000.00' })[5]).toBe(
      'In all: At most <¥8,000 JPY> (2 × <¥4,000 JPY>)',
    )
  })

  it('keep names as they are written, each apart', () => {
    const name = 'بيت الشاي 24'
    const lines = linesOf({ payee: { ...TERMS.payee, name }, description: 'شاي (Москва)' })
    expect(lines[0]?.value).toEqual([foreign(name), ' ', { together: ['(', foreign('tea.example'), ')'] }])
    expect(lines[6]).toEqual({ label: 'For', value: [foreign('شاي (Москва)')] })
  })

  it.each([
    [null],
    [[]],
    ['40.00 USD'],
    [{ ...TERMS, version: 2 }],
    [{ ...TERMS, type: 'payment' }],
    [{ ...TERMS, payee: null }],
    [{ ...TERMS, payee: { name: 'Tea House' } }],
    [{ ...TERMS, card: { last4: 4242, brand: null } }],
    [{ ...TERMS, amount: 40 }],
    [{ ...TERMS, amount: '0.00' }],
    [{ ...TERMS, amount: '1e3' }],
    [{ ...TERMS, most_total: undefined }],
    [{ ...TERMS, currency: null }],
    [{ ...TERMS, approve_by: null }],
    [{ ...TERMS, description: undefined }],
    [{ ...TERMS, frequency: 'daily' }],
    [{ ...TERMS, merchant_scope: 'category' }],
    [{ ...TERMS, max_charges: 0 }],
    [{ ...TERMS, max_charges: 1.5 }],
    [{ ...TERMS, max_charges: undefined }],
    [{ ...TERMS, valid_until: null }],
    [{ ...TERMS, valid_until: 'soon' }],
    [{ ...TERMS, ...ONCE, valid_until: TERMS.valid_until }],
  ])('are not guessed: %j', (value) => {
    expect(mandateTerms(value)).toBeNull()
  })

  it('are not those of a payment', () => {
    expect(paymentTerms(TERMS)).toBeNull()
  })
})
