import { SENTENCE_VERSION } from '@mintmark/contract/sentence/version'
import { describe, expect, it } from 'vitest'
import { momentText } from '../../locale.ts'
import { plainText } from '../../phrase.ts'
import { paymentTerms, readTerms } from './terms.ts'

// Guarantee: what the cardholder reads before approving is the terms the passkey signs, whole, or there is no button.

const TERMS = {
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
  summary: null,
  charges: 1,
  valid_minutes: 10_080,
  approve_by: '2026-11-21T12:00:00.000Z',
  quote_id: null,
  sentence: { version: SENTENCE_VERSION, language: 'en', text: 'Shop gets a one-time card.' },
}

describe('terms', () => {
  it('puts the amount that is signed on the button, which may be all that a frame shows', () => {
    const shown = paymentTerms({ ...TERMS, amount: '57.80' })?.action ?? ''
    expect(
      plainText(shown)
        .replaceAll(/[\u2068\u2069]/g, '')
        .replaceAll('\u00a0', ' '),
    ).toBe('Approve $57.80 USD')
  })

  it('gives the page what is signed: the sentence word for word, and the card', () => {
    const { sentence, card } = paymentTerms(TERMS) ?? {}
    expect({ sentence, card }).toEqual({ sentence: TERMS.sentence, card: TERMS.card })
  })

  it('says when in the format and the zone of the reader', () => {
    const moment = new Date('2026-11-21T15:40:00.000Z')
    expect(momentText(moment, 'en-US').replaceAll('\u202f', ' ')).toMatch(/^Nov 2[12], \d\d:\d\d [AP]M /)
    expect(momentText(moment, 'de-DE')).toMatch(/^2[12]\. Nov\., \d\d:\d\d /)
  })

  it.each([
    [null],
    ['40.00 USD'],
    [[]],
    [{ ...TERMS, version: 3 }],
    [{ ...TERMS, type: 'mandate' }],
    [{ ...TERMS, payee: null }],
    [{ ...TERMS, amount: 40 }],
    [{ ...TERMS, products: [{ name: 'Mug' }] }],
    [{ ...TERMS, summary: undefined }],
    [{ ...TERMS, summary: { subtotal: 4, shipping: null, tax: null, discount: null } }],
    [{ ...TERMS, card: { last4: 4242, brand: null } }],
    [{ ...TERMS, card: undefined }],
    [{ ...TERMS, charges: undefined }],
    [{ ...TERMS, quote_id: undefined }],
    [{ ...TERMS, quote_id: 7 }],
  ])('is not guessed: %j', (value) => {
    expect(readTerms(value)).toBeNull()
  })
})

describe('what an agent asks for', () => {
  const asked = {
    ...TERMS,
    agent: { id: 'aa_1', name: 'Pantry' },
    sentence: { version: SENTENCE_VERSION, language: 'en', text: 'Pantry gets a one-time card.' },
  }

  it('is read', () => {
    expect(readTerms(asked)?.agent).toEqual(asked.agent)
  })

  it.each([
    ['no sentence', { sentence: undefined }],
    ['no sentence, where a shop asks', { agent: undefined, sentence: undefined }],
    ['a sentence without words', { sentence: { ...asked.sentence, text: undefined } }],
    ['a sentence of the version before', { sentence: { ...asked.sentence, version: SENTENCE_VERSION - 1 } }],
    ['a sentence of another version', { sentence: { ...asked.sentence, version: SENTENCE_VERSION + 1 } }],
  ])('is not approved here with %s', (_, changes) => {
    expect(readTerms({ ...asked, ...changes })).toBeNull()
  })
})
