import { amountOf } from '@mintmark/contract/amounts'
import { CURRENCIES } from '@mintmark/contract/currencies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amountProblem, parseAmount } from './amount-rules.ts'
import { decimalText } from './money-text.ts'

// Guarantee: an amount that a person types is what they meant, to the last digit, or it is asked for again.

const LOCALES = ['en-US', 'de-DE', 'fr-CH', 'ar-EG', 'fa-IR', 'hi-IN', 'ja-JP', 'sv-SE', 'es-MX']

describe('an amount that is typed', () => {
  it.each([
    ['en-US', '25', 2500n],
    ['en-US', '25.5', 2550n],
    ['en-US', ' $25.50 USD ', 2550n],
    ['en-US', '25,50', 2550n],
    ['en-US', '1,234.50', 123450n],
    ['en-US', '1,234', 123400n],
    ['en-US', '40.000', 4000n],
    ['en-US', '0', 0n],
    ['de-DE', '25,50 €', 2550n],
    ['de-DE', '25.50', 2550n],
    ['de-DE', '1.234,50', 123450n],
    ['de-DE', '1.234', 123400n],
    ['fr-FR', '1\u202f234,50', 123450n],
    ['de-CH', '1’234.50', 123450n],
    ['ar-EG', '٢٥٫٥٠', 2550n],
    ['ar-EG', '25.50', 2550n],
  ])('in %s: %s', (locale, entered, minor) => {
    expect(parseAmount(entered, locale)).toBe(minor)
  })

  it.each([
    ['en-US', ''],
    ['en-US', '.'],
    ['en-US', '-5'],
    ['en-US', '1e3'],
    ['en-US', '1.234'],
    ['en-US', '1.2.3'],
    ['en-US', '12,34,567'],
    ['en-US', '1,23'.repeat(2)],
    ['en-US', '1234567890123'],
    ['de-DE', '1,234'],
    ['en-US', 'all of it'],
  ])('in %s is not guessed: %j', (locale, entered) => {
    expect(parseAmount(entered, locale)).toBeNull()
  })

  it('what the page writes into a field is read back as it was, in every currency and format', () => {
    const minor = fc.bigInt({ min: 0n, max: 99_999_999_999_999n })
    fc.assert(
      fc.property(minor, fc.constantFrom(...CURRENCIES), fc.constantFrom(...LOCALES), (amount, currency, locale) => {
        expect(parseAmount(decimalText(amountOf(amount), currency, locale), locale)).toBe(amount)
      }),
    )
  })

  it('must be above zero, no more than the most, and one of its currency', () => {
    const problem = (entered: string, currency = 'USD') => amountProblem(entered, { most: '40.00', currency })
    expect(['', '  ', 'x', '0.00', '40.01', '40', '0.01'].map((entered) => problem(entered))).toEqual([
      'missing',
      'missing',
      'unreadable',
      'zero',
      'above',
      null,
      null,
    ])
    expect([problem('25.5', 'JPY'), problem('25.0', 'JPY')]).toEqual(['unreadable', null])
  })
})
