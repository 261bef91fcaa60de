import { expect, test } from 'vitest'
import { luhnDigit, luhnSum, passesLuhn } from './luhn.ts'

test.each([
  ['4242424242424242', true],
  ['4242424242424241', false],
  ['378282246310005', true],
  ['79927398713', true],
  ['2424242424242424', false],
])('%s: %s', (number, passes) => {
  expect(passesLuhn(number)).toBe(passes)
  expect(luhnDigit(number.slice(0, -1)) === number.slice(-1)).toBe(passes)
})

test('a part of a run of digits is summed like a number of its own', () => {
  const digits = Array.from('9942424242424242427', Number)
  expect(luhnSum(digits, 2, 16)).toBe(luhnSum(Array.from('4242424242424242', Number)))
})
