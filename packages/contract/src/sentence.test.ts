// Guarantee: what is asked for is said in one sentence that names who, whom, how much, how often and until when.
import { expect, test } from 'vitest'
import { type MandateAsked, sentenceOf } from './sentence.ts'

const ASKED = { agent: 'Pantry', payee: 'Tea House', amount: '40.00', currency: 'USD' }
const MANDATE: MandateAsked = {
  ...ASKED,
  ...{ type: 'mandate', frequency: 'monthly', merchantScope: 'listed', maxCharges: null, mostTotal: '960.00' },
  validUntil: new Date('2028-11-23T12:00:00Z'),
}

test.each([
  [15, '15 minutes'],
  [60, '1 hour'],
  [10_080, '7 days'],
  [90, '90 minutes'],
])('one purchase, good for %i minutes', (validMinutes, words) => {
  expect(sentenceOf({ ...ASKED, type: 'payment', validMinutes }, 'en')).toBe(
    `Pantry gets a one-time card for up to $40.00, to pay Tea House. It works only there, once, within ${words} of your approval. ` +
      'Your real card stays here.',
  )
})

test('a standing permission', () => {
  expect(sentenceOf(MANDATE, 'en')).toBe(
    'Pantry may pay Tea House, and nobody else, up to $40.00 each month, until November 23, 2028, without asking again. ' +
      'The most this can ever cost you is $960.00. Your real card stays here.',
  )
})

test('one at any shop, so often, in a currency without a fraction', () => {
  const asked: MandateAsked = { ...MANDATE, merchantScope: 'any', frequency: 'weekly', maxCharges: 12, currency: 'JPY' }
  expect(sentenceOf(asked, 'en')).toBe(
    'Pantry may pay any shop up to ¥40 each week, 12 times at most, until November 23, 2028, without asking again. ' +
      'The most this can ever cost you is ¥960. Your real card stays here.',
  )
})

test('one for a single charge', () => {
  const asked: MandateAsked = {
    ...MANDATE,
    ...{ frequency: 'one_time', maxCharges: 1, validUntil: null, mostTotal: '40.00' },
  }
  expect(sentenceOf(asked, 'en')).toBe(
    'Pantry may pay Tea House, and nobody else, up to $40.00, once at most, within 7 days of your approval, without asking again. ' +
      'The most this can ever cost you is $40.00. Your real card stays here.',
  )
})
