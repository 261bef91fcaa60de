import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PublicError } from '../platform/errors.ts'
import { parseCard, parseCvv } from './rules.ts'

const NOW = new Date('2026-11-21T12:00:00.000Z')
const VISA = '4242424242424242'

function enter(changes: Partial<Parameters<typeof parseCard>[0]>, now = NOW) {
  return parseCard({ card_number: VISA, expiry_month: '12', expiry_year: '2030', ...changes }, now)
}

/** The details of the `VAL_2001` that `work` throws; fails when it does not. */
function refusal(work: () => unknown): Record<string, string> {
  try {
    work()
  } catch (error) {
    if (error instanceof PublicError && error.code === 'VAL_2001') return error.details ?? {}
    throw error
  }
  throw new Error('Nothing was refused.')
}

describe('parseCard: number', () => {
  test.each([
    ['4242424242424242', 'visa'],
    ['5555555555554444', 'mastercard'],
    ['2223003122003222', 'mastercard'],
    ['378282246310005', 'amex'],
    ['6011111111111117', 'discover'],
    ['30569309025904', 'diners'],
    ['3566002020360505', 'jcb'],
    ['6200000000000005', 'unionpay'],
    ['6759649826438453', 'maestro'],
    ['2200000000000004', 'mir'],
    // The range of no brand: accepted, with no brand to name.
    ['9100000000000000', null],
  ])('%s is %s', (number, brand) => {
    const card = enter({ card_number: number })
    expect(card).toMatchObject({ brand, last4: number.slice(-4), expMonth: 12, expYear: 2030 })
    expect(card.number.reveal()).toBe(number)
  })

  test.each(['4242 4242 4242 4242', '4242-4242-4242-4242', ' 4242  4242 42424242 '])('reads %j as written', (text) => {
    expect(enter({ card_number: text }).number.reveal()).toBe(VISA)
  })

  test.each([
    ['empty', ''],
    ['spaces alone', '                '],
    ['one digit wrong', '4242424242424241'],
    ['two digits swapped', '2442424242424242'],
    ['too short', '42424242424'],
    ['too long', '42424242424242424242'],
    ['a length its brand does not have', '42424242424242'],
    ['letters', '4242424242424a42'],
    ['line break', '42424242\n42424242'],
    ['full-width digits', '\uff14\uff12\uff14\uff12424242424242'],
    ['a megabyte', '4'.repeat(1_000_000)],
    ['zeros', '0000000000000000 x'],
    ['zeros alone, whose check digit is right', '0000000000000000'],
    ['zeros of any length', '000000000000'],
    ['of no industry that issues cards', '0123456789012347'],
    ['nines, whose check digit is right', '9999999999999995'],
    ['of no country', '9990000000000003'],
  ])('refuses %s', (_name, text) => {
    expect(Object.keys(refusal(() => enter({ card_number: text })))).toEqual(['card_number'])
  })

  test('any single wrong digit is refused', () => {
    fc.assert(
      fc.property(fc.nat(15), fc.integer({ min: 1, max: 9 }), (place, step) => {
        const digits = [...VISA].map(Number)
        digits[place] = ((digits[place] ?? 0) + step) % 10
        expect(refusal(() => enter({ card_number: digits.join('') }))).toHaveProperty('card_number')
      }),
    )
  })
})

describe('parseCard: expiry', () => {
  test.each([
    ['11', '2026', { expMonth: 11, expYear: 2026 }],
    ['1', '27', { expMonth: 1, expYear: 2027 }],
    ['01', '27', { expMonth: 1, expYear: 2027 }],
    ['12', '2046', { expMonth: 12, expYear: 2046 }],
  ])('takes %s/%s', (expiry_month, expiry_year, expected) => {
    expect(enter({ expiry_month, expiry_year })).toMatchObject(expected)
  })

  test.each([
    ['10', '2026', 'expiry_month', 'the card has expired'],
    ['12', '25', 'expiry_year', 'the card has expired'],
    ['12', '2047', 'expiry_year', 'is too far ahead'],
    ['00', '2030', 'expiry_month', 'must be a month'],
    ['13', '2030', 'expiry_month', 'must be a month'],
    ['1.', '2030', 'expiry_month', 'must be a month'],
    ['', '2030', 'expiry_month', 'must be a month'],
    ['012', '2030', 'expiry_month', 'must be a month'],
    ['12', '', 'expiry_year', 'must be a year'],
    ['12', '203', 'expiry_year', 'must be a year'],
    ['12', '20300', 'expiry_year', 'must be a year'],
    ['12', '0030', 'expiry_year', 'the card has expired'],
    ['12', '3e1', 'expiry_year', 'must be a year'],
  ])('refuses %s/%s', (expiry_month, expiry_year, field, problem) => {
    const details = refusal(() => enter({ expiry_month, expiry_year }))
    expect(Object.keys(details)).toEqual([field])
    expect(details[field]).toContain(problem)
  })

  test('a card is good through the last moment of its month in UTC', () => {
    const last = { expiry_month: '11', expiry_year: '26' }
    expect(enter(last, new Date('2026-11-30T23:59:59.999Z')).expMonth).toBe(11)
    expect(refusal(() => enter(last, new Date('2026-12-01T00:00:00.000Z')))).toHaveProperty('expiry_month')
  })
})

test('parseCard names every failing field together and quotes none of the input', () => {
  const details = refusal(() => enter({ card_number: '4242424242424241', expiry_month: '99', expiry_year: 'abcd' }))
  expect(Object.keys(details).sort()).toEqual(['card_number', 'expiry_month', 'expiry_year'])
  expect(JSON.stringify(details)).not.toMatch(/4242|99|abcd/)
})

describe('parseCvv', () => {
  test.each([
    ['123', 'visa'],
    ['000', 'maestro'],
    ['123', 'diners'],
    ['1234', 'amex'],
    ['123', null],
    ['1234', null],
    ['1234', 'an unknown brand'],
  ])('takes %s for %s', (cvv, brand) => {
    expect(parseCvv(cvv, brand).reveal()).toBe(cvv)
  })

  test.each([
    ['1234', 'visa'],
    ['123', 'amex'],
    ['12', null],
    ['12345', null],
    ['', 'visa'],
    ['12a', 'visa'],
    [' 123', 'visa'],
    ['\uff11\uff12\uff13', 'visa'],
  ])('refuses %j for %s', (cvv, brand) => {
    expect(Object.keys(refusal(() => parseCvv(cvv, brand)))).toEqual(['cvv'])
  })
})
