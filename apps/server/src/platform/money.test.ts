import { AMOUNT_PATTERN, ZERO_DECIMAL_CURRENCIES } from '@mintmark/contract'
import { Amount, AmountOrZero } from '@mintmark/contract/wire/common'
import fc from 'fast-check'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../../test/code-point.ts'
import { amountFromMinor, fractionProblemOfText, minorFromAmount } from './money.ts'

const fits = (text: string) => Value.Check(Amount, text)
const fitsOrZero = (text: string) => Value.Check(AmountOrZero, text)
const GRAMMAR = false
const ZERO = true

test('the example that a refusal shows is no price of nothing', () => {
  for (const schema of [Amount, AmountOrZero]) expect(schema).toMatchObject({ examples: ['40.00'] })
})

describe('the grammar', () => {
  test.each(['0.01', '1', '1.5', '40.00', '007', '000000000001', '999999999999.99'])('takes %j', (text) => {
    expect([fits(text), fitsOrZero(text)]).toEqual([true, true])
  })

  test.each([
    ['empty', '', GRAMMAR],
    ['exponent', '1e3', GRAMMAR],
    ['leading space', ' 1', GRAMMAR],
    ['trailing space', '1 ', GRAMMAR],
    ['trailing newline', '1\n', GRAMMAR],
    ['NUL', '1\u0000', GRAMMAR],
    ['plus', '+1', GRAMMAR],
    ['minus', '-1', GRAMMAR],
    ['minus zero', '-0', GRAMMAR],
    ['no decimals after the point', '1.', GRAMMAR],
    ['no integer part', '.5', GRAMMAR],
    ['point alone', '.', GRAMMAR],
    ['three decimals', '1.234', GRAMMAR],
    ['two points', '1.2.3', GRAMMAR],
    ['comma', '1,50', GRAMMAR],
    ['thousands', '1,000.00', GRAMMAR],
    ['underscore', '1_000', GRAMMAR],
    ['hexadecimal', '0x10', GRAMMAR],
    ['13 integer digits', '1000000000000', GRAMMAR],
    ['40 digits', '9'.repeat(40), GRAMMAR],
    ['Arabic digits', '\u0661\u0662', GRAMMAR],
    ['full-width digits', '\uff11\uff12', GRAMMAR],
    ['mathematical digits', '\u{1d7cf}', GRAMMAR],
    ['NaN', 'NaN', GRAMMAR],
    ['Infinity', 'Infinity', GRAMMAR],
    ['currency sign', '$1', GRAMMAR],
    ['zero', '0', ZERO],
    ['zero with decimals', '0.00', ZERO],
    // The grammar allows leading zeros; the value is what is refused.
    ['two zeros', '00', ZERO],
  ])('refuses %s, unless it is zero where zero is allowed', (_name, text, isZero) => {
    expect([fits(text), fitsOrZero(text)]).toEqual([false, isZero])
  })

  test.each([...ZERO_DECIMAL_CURRENCIES])('%s has no fraction', (currency) => {
    expect(fractionProblemOfText('100', currency)).toBeNull()
    expect(fractionProblemOfText('100.00', currency)).toBeNull()
    expect(fractionProblemOfText('100.50', currency)).toContain('must have no fraction')
    expect(fractionProblemOfText('100.5', currency)).toContain('must have no fraction')
  })

  test('a fraction is fine in other currencies', () => {
    expect(fractionProblemOfText('100.50', 'USD')).toBeNull()
  })

  test.each([100.5, null, undefined, {}, 'x', '1.2.3'])('%j is for the schema to refuse', (value) => {
    expect(fractionProblemOfText(value, 'JPY')).toBeNull()
    expect(fractionProblemOfText('1.50', value)).toBeNull()
  })

  test('no text at all is accepted unless it is in the grammar and above zero', () => {
    const grammar = new RegExp(AMOUNT_PATTERN)
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: codePoint }), fc.string({ unit: fc.constantFrom(...'0123456789.-+e ') })),
        (text) => {
          expect(fits(text)).toBe(grammar.test(text) && /[1-9]/.test(text))
          expect(fitsOrZero(text)).toBe(grammar.test(text))
        },
      ),
    )
  })
})

describe('minor units', () => {
  test.each([
    ['40', 4000n, '40.00'],
    ['40.5', 4050n, '40.50'],
    ['40.05', 4005n, '40.05'],
    ['0.01', 1n, '0.01'],
    ['0.1', 10n, '0.10'],
    ['007.10', 710n, '7.10'],
    // The largest amount there is.
    ['999999999999.99', 99_999_999_999_999n, '999999999999.99'],
  ])('%s is %d hundredths and shows as %s', (text, minor, shown) => {
    expect(minorFromAmount(text)).toBe(minor)
    expect(amountFromMinor(minor)).toBe(shown)
  })

  test('every amount survives the way out and back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 99_999_999_999_999n }), (minor) => {
        const text = amountFromMinor(minor)
        expect(fits(text)).toBe(true)
        expect(minorFromAmount(text)).toBe(minor)
      }),
    )
  })
})
