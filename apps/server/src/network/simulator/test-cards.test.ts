import { expect, test } from 'vitest'
import { luhnDigit } from '../../platform/luhn.ts'
import { secret } from '../../platform/secret.ts'
import { brandOf, newDynamicCvv, newVirtualNumber, readCard, VIRTUAL_BIN } from './card-number.ts'
import { behaviourOf, TEST_CARDS } from './test-cards.ts'

test.for(TEST_CARDS)('$number: $label', ({ number, brand, behaviour }) => {
  const cvv = secret(brand === 'amex' ? '1234' : '123')
  const read = readCard(secret(number), cvv)
  expect(read).toEqual({ valid: true, last4: number.slice(-4), brand, behaviour, cvvAccepted: true })
  expect(brandOf(number)).toBe(brand)
})

test('each number is listed once, and each script but success has one card', () => {
  expect(new Set(TEST_CARDS.map((card) => card.number)).size).toBe(TEST_CARDS.length)
  const scripts = TEST_CARDS.map((card) => card.behaviour).filter((behaviour) => behaviour !== 'success')
  expect(new Set(scripts).size).toBe(scripts.length)
})

test('any other number behaves as success', () => {
  expect(behaviourOf('4111111111111111')).toBe('success')
})

test('the check digit of ISO/IEC 7812-1', () => {
  expect(luhnDigit('7992739871')).toBe('3')
})

test('minted numbers are valid Visa-like numbers that no test card can be', () => {
  for (let index = 0; index < 1_000; index += 1) {
    const number = newVirtualNumber().reveal()
    expect(number).toMatch(/^489537\d{10}$/)
    expect(luhnDigit(number.slice(0, -1))).toBe(number.slice(-1))
    expect(newDynamicCvv().reveal()).toMatch(/^\d{3}$/)
  }
  expect(TEST_CARDS.filter((card) => card.number.startsWith(VIRTUAL_BIN))).toEqual([])
})
