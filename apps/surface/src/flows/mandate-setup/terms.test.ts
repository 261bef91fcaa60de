import { SENTENCE_VERSION } from '@mintmark/contract/sentence/version'
import { describe, expect, it } from 'vitest'
import { foreign, plainText } from '../../phrase.ts'
import { paymentTerms } from '../payment/terms.ts'
import { mandateTerms } from './terms.ts'

// Guarantee: what the cardholder reads before allowing is the terms the passkey signs, whole, or there is no button.

const TERMS = {
  version: 1,
  sentence: { version: SENTENCE_VERSION, language: 'en', text: 'All of it.' },
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

const ONCE = { frequency: 'one_time', valid_until: null, most_total: '40.00' }

describe('the terms of a permission', () => {
  it('give the page what is signed: the sentence word for word, and the card', () => {
    const { sentence, card, title } = mandateTerms(TERMS) ?? {}
    expect({ sentence, card }).toEqual({ sentence: TERMS.sentence, card: TERMS.card })
    expect(title).toEqual(['Allow ', foreign('Tea House'), ' to charge your card'])
  })

  it('name the agent as the one that is allowed to charge', () => {
    const agent = { id: 'aa_1', name: 'Atlas' }
    expect(mandateTerms({ ...TERMS, agent })?.title).toEqual(['Allow ', foreign('Atlas'), ' to charge your card'])
  })

  it.each([
    [{}, 'Allow up to <$40.00 USD> each month'],
    [ONCE, 'Allow up to <$40.00 USD>, once'],
    [{ amount: '25.00', frequency: 'weekly' }, 'Allow up to <$25.00 USD> each week'],
  ])('say on the button how much: %o', (changes, words) => {
    const action = plainText(mandateTerms({ ...TERMS, ...changes })?.action ?? '')
    expect(action.replaceAll('\u2068', '<').replaceAll('\u2069', '>').replaceAll('\u00a0', ' ')).toBe(words)
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
