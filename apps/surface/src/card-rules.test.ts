import { CARD_BRAND_NAMES, CARD_BRANDS } from '@mintmark/contract/card-brands'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cardKind, codeProblem, numberProblem, plainCode, verificationCodeProblem } from './card-rules.ts'
import { brandName, codeLengthOf, knownBrand } from './card-text.ts'

describe('cards', () => {
  it.each([
    ['4242 4242 4242 4242', 'visa', 3],
    ['5555 5555 5555 4444', 'mastercard', 3],
    ['3782 822463 10005', 'amex', 4],
    ['6011 1111 1111 1117', 'discover', 3],
    ['3056 930009 020004', 'diners', 3],
    ['6200 0000 0000 0005', 'unionpay', 3],
    ['3566 0020 2036 0505', 'jcb', 3],
  ])('%s is a right number of %s with a code of %i digits', (number, brand, codeLength) => {
    expect(numberProblem(number)).toBeNull()
    expect(cardKind(number)).toMatchObject({ brand, codeLength })
    expect(codeLengthOf(brand)).toBe(codeLength)
  })

  it.each([
    ['', /Enter/],
    ['4242', /too short/],
    ['4242 4242 4242 4241', /not right/],
    ['0000 0000 0000 0000', /not right/],
  ])('%j: %s', (number, words) => {
    expect(numberProblem(number)).toMatch(words)
  })

  it('one wrong digit is always noticed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 15 }), fc.integer({ min: 1, max: 9 }), (place, change) => {
        const digits = [...'4242424242424242']
        digits[place] = String((Number(digits[place]) + change) % 10)
        expect(numberProblem(digits.join(''))).not.toBeNull()
      }),
    )
  })

  it('knows American Express in every spelling', () => {
    for (const brand of ['amex', 'american-express', 'American Express', 'AMERICAN_EXPRESS']) {
      expect(codeLengthOf(brand)).toBe(4)
    }
    expect(codeLengthOf(null)).toBe(3)
  })

  it.each(CARD_BRAND_NAMES)('names %s, as the wire and as the library spell it', (brand) => {
    expect(brandName(brand)).toBe(CARD_BRANDS[brand].name)
    expect(knownBrand(CARD_BRANDS[brand].libraryName)).toBe(brand)
  })

  it.each([null, '', 'mir', 'toString'])('has no name for %j', (brand) => {
    expect(knownBrand(brand)).toBeNull()
    expect(brandName(brand)).toBe('Card')
  })

  it('codes have the length of their network', () => {
    expect(codeProblem('123', 3)).toBeNull()
    expect(codeProblem('1234', 3)).toMatch(/3 digits/)
    expect(codeProblem('12a', 3)).toMatch(/3 digits/)
    expect(codeProblem('', 3)).toMatch(/Enter/)
  })

  it.each(['123 456', '123-456', '123–456.', '\u2068123456\u2069', '123\u200b456', '１２３ ４５６', '١٢٣٤٥٦'])(
    'a one-time code is taken as a message writes it: %j',
    (written) => {
      expect(verificationCodeProblem(written)).toBeNull()
      expect(plainCode(written)).toBe('123456')
    },
  )

  it('a one-time code may have letters, which some banks send', () => {
    expect(verificationCodeProblem('A7K-2Qx')).toBeNull()
    expect(plainCode('A7K-2Qx')).toBe('A7K2Qx')
  })

  it.each(['12', '12345678901', '123é56', '123+456'])('%j is no one-time code, and the words say what is', (code) => {
    expect(verificationCodeProblem(code)).toMatch(/digits or letters/)
  })
})
