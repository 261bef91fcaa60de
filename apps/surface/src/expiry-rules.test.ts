import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  completeExpiryText,
  expiryProblem,
  expiryText,
  formatExpiryDigits,
  isExpired,
  parseExpiry,
} from './expiry-rules.ts'

const NOW = new Date('2026-11-21T12:00:00Z')

describe('parseExpiry', () => {
  it.each(['09 / 30', '09/30', '9/30', '09/2030', '2030-09', '0930', '092030', '09-30', '9 / 2030'])(
    'reads %s',
    (text) => {
      expect(parseExpiry(text)).toEqual({ month: 9, year: 2030 })
    },
  )

  it.each(['', '13 / 30', '00 / 30', '09', '09 / 3', '09 / 203', 'soon', '2030'])('refuses %j', (text) => {
    expect(parseExpiry(text)).toBeNull()
  })

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 2000, max: 2099 }), (month, year) => {
        expect(parseExpiry(expiryText({ month, year }))).toEqual({ month, year })
        expect(parseExpiry(`${year}-${month}`)).toEqual({ month, year })
      }),
    )
  })
})

describe('typing', () => {
  it.each([
    ['1', '1'],
    ['9', '09 / '],
    ['12', '12 / '],
    ['123', '12 / 3'],
    ['0930', '09 / 30'],
    ['09203', '09 / 203'],
    ['092030', '09 / 30'],
    ['09309', '09 / 30'],
  ])('%s shows %j', (digits, text) => {
    expect(formatExpiryDigits(digits)).toBe(text)
  })

  it('takes a whole date in one step, as autofill brings it', () => {
    expect(completeExpiryText('2030-09')).toBe('09 / 30')
    expect(completeExpiryText('09/2030')).toBe('09 / 30')
    expect(completeExpiryText('092030')).toBe('09 / 30')
    expect(completeExpiryText('09')).toBeNull()
  })
})

describe('expiry', () => {
  it('a card is good to the end of its month', () => {
    expect(isExpired({ month: 11, year: 2026 }, NOW)).toBe(false)
    expect(isExpired({ month: 10, year: 2026 }, NOW)).toBe(true)
    expect(isExpired({ month: 12, year: 2025 }, NOW)).toBe(true)
    expect(isExpired({ month: 1, year: 2027 }, NOW)).toBe(false)
  })

  it('says what is wrong', () => {
    expect(expiryProblem('09 / 30', NOW)).toBeNull()
    expect(expiryProblem('', NOW)).toMatch(/Enter the expiry/)
    expect(expiryProblem('13 / 30', NOW)).toMatch(/month and the year/)
    expect(expiryProblem('10 / 26', NOW)).toMatch(/expired/)
    expect(expiryProblem('10 / 69', NOW)).toMatch(/year/)
  })
})
