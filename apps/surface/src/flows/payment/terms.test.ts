import { describe, expect, it } from 'vitest'
import { momentText } from '../../locale.ts'
import { foreign, plainText } from '../../phrase.ts'
import type { TermLine } from '../flow.ts'
import { durationText, paymentTerms, readTerms, termLines } from './terms.ts'

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
  sentence: { version: 3, language: 'en', text: 'Shop gets a one-time card.' },
}

/** Other people's words and amounts between angles. */
const lineText = ({ label, value, items = [] }: TermLine) =>
  `${label}: ${[value, ...items].map(plainText).join(' • ')}`
    .replaceAll('\u2068', '<')
    .replaceAll('\u2069', '>')
    .replaceAll('\u00a0', ' ')

describe('terms', () => {
  it('is read and told whole', () => {
    const terms = readTerms(TERMS)
    const lines = terms === null ? [] : termLines(terms)
    expect(lines.slice(0, 5).map(lineText)).toEqual([
      'Paid to: <Shop> (<shop.example>)',
      'Amount: <$40.00 USD>, once',
      'For: <Order 7> • 2 × <Mug> • <Towel>',
      'Card: Visa ending in 4242',
      'Valid: 7 days from your approval',
    ])
    expect(lines[5]?.label).toBe('Approve by')
  })

  it('puts the amount that is signed on the button, which may be all that a frame shows', () => {
    const shown = paymentTerms({ ...TERMS, amount: '57.80' })?.action ?? ''
    expect(
      plainText(shown)
        .replaceAll(/[\u2068\u2069]/g, '')
        .replaceAll('\u00a0', ' '),
    ).toBe('Approve $57.80 USD with passkey')
  })

  it('tells what the total is made of, where the lines do not', () => {
    const summary = { subtotal: null, shipping: '9.90', tax: null, discount: null }
    const terms = readTerms({ ...TERMS, amount: '57.80', summary })
    const lines = terms === null ? [] : termLines(terms)
    expect(lines[3] && lineText(lines[3])).toBe(
      'Of which:  • Delivery: <$9.90 USD> • Other charges, not listed by the merchant: <$7.90 USD>',
    )
  })

  it('tells that it is bought right after the approval, where the service buys', () => {
    const terms = readTerms({
      ...TERMS,
      quote_id: 'qte_1',
      summary: { subtotal: '40.00', shipping: '0.00', tax: '0.00', discount: '0.00' },
    })
    const lines = terms === null ? [] : termLines(terms)
    expect(lines.map(lineText)).toContain(
      'Of which:  • Subtotal: <$40.00 USD> • Delivery: <$0.00 USD> • Tax: <$0.00 USD>',
    )
    expect(lines.map(lineText)).toContain('Ordered: for you, right after you approve')
  })

  it('keeps names as they are written, each apart, in the order of what is signed', () => {
    const names = ['شاي أخضر 100g', 'ACME® Tea™, 100g × 2', '<b>ブレンド</b>']
    const terms = readTerms({
      ...TERMS,
      payee: { ...TERMS.payee, name: 'Café Müller · بيت الشاي' },
      description: 'طلب 7 (Москва)',
      products: names.map((name, index) => ({ name, unit_price: '1.00', quantity: index + 1 })),
    })
    const [payee, , purpose] = terms === null ? [] : termLines(terms)
    const address = { together: ['(', foreign('shop.example'), ')'] }
    expect(payee?.value).toEqual([foreign('Café Müller · بيت الشاي'), ' ', address])
    expect(purpose?.value).toEqual([foreign('طلب 7 (Москва)')])
    expect(purpose?.items).toEqual([
      [foreign(names[0] ?? '')],
      ['2 × ', foreign(names[1] ?? '')],
      ['3 × ', foreign(names[2] ?? '')],
    ])
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
    [{ ...TERMS, charges: undefined }],
    [{ ...TERMS, quote_id: undefined }],
    [{ ...TERMS, quote_id: 7 }],
  ])('is not guessed: %j', (value) => {
    expect(readTerms(value)).toBeNull()
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

describe('what an agent asks for', () => {
  const asked = {
    ...TERMS,
    agent: { id: 'aa_1', name: 'Pantry' },
    sentence: { version: 3, language: 'en', text: 'Pantry gets a one-time card.' },
  }

  it('says who asks beside who is paid', () => {
    const terms = readTerms(asked)
    expect((terms === null ? [] : termLines(terms)).slice(0, 2).map(lineText)).toEqual([
      'Asked for by: <Pantry>',
      'Paid to: <Shop> (<shop.example>)',
    ])
  })

  it.each([
    ['no sentence', { sentence: undefined }],
    ['no sentence, where a shop asks', { agent: undefined, sentence: undefined }],
    ['a sentence without words', { sentence: { ...asked.sentence, text: undefined } }],
    ['a sentence of the version before', { sentence: { ...asked.sentence, version: 2 } }],
    ['a sentence of another version', { sentence: { ...asked.sentence, version: 4 } }],
  ])('is not approved here with %s', (_, changes) => {
    expect(readTerms({ ...asked, ...changes })).toBeNull()
  })
})
