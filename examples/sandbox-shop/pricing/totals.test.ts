// Guarantee: items + shipping + tax − discount is the total, to the cent, for every basket and address.
import { array, assert, bigInt, constantFrom, integer, property, record } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, mayLackUnit } from './address.ts'
import { fromText, shareHalfUp, toText } from './money.ts'
import { totalsOf } from './totals.ts'

const at = (country: string, state = ''): Address => ({
  ...{ name: 'Ada', address: '1 Main St', city: 'Somewhere', postal_code: '1', country, state },
})
const one = (unitPrice: bigint, grams = 0, quantity = 1) => [{ unitPrice, grams, quantity }]

test('totals add up, and nothing in them is below zero', () => {
  const items = array(
    record({
      unitPrice: bigInt(1n, 10_000_00n),
      quantity: integer({ min: 1, max: 1_000 }),
      grams: integer({ min: 0, max: 5_000 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  const address = constantFrom(
    null,
    at('US', 'CA'),
    at('us', 'missouri'),
    at('US', 'OR'),
    at('DE'),
    at('FI'),
    at('CA'),
    at('JP'),
  )
  assert(
    property(items, address, (basket, where) => {
      const totals = totalsOf(basket, where)
      if (totals === 'address_refused') throw new Error('It sends there.')
      const { items, shipping, tax, discount, total } = totals
      expect(items + shipping + tax - discount).toBe(total)
      for (const part of [items, shipping, tax, discount]) expect(part >= 0n).toBe(true)
      expect(discount <= items).toBe(true)
      expect(fromText(toText(total))).toBe(total)
    }),
  )
})

describe('what a basket costs', () => {
  test.each([
    ['in Oregon: no tax', one(20_00n, 300), at('US', 'OR'), { shipping: 4_95n, tax: 0n, discount: 0n, total: 24_95n }],
    [
      'in California: tax on the items only',
      one(20_00n, 300),
      at('US', 'CA'),
      { shipping: 4_95n, tax: 1_45n, discount: 0n, total: 26_40n },
    ],
    [
      'a further 500 g that is begun',
      one(20_00n, 501),
      at('US', 'OR'),
      { shipping: 6_45n, tax: 0n, discount: 0n, total: 26_45n },
    ],
    [
      'free on the way from 75.00',
      one(75_00n, 9_000),
      at('US', 'OR'),
      { shipping: 0n, tax: 0n, discount: 0n, total: 75_00n },
    ],
    [
      'ten per cent off from 150.00, before tax',
      one(150_00n, 100),
      at('US', 'CA'),
      { shipping: 0n, tax: 9_79n, discount: 15_00n, total: 144_79n },
    ],
    [
      'in Germany: tax on the way, too',
      one(20_00n, 300),
      at('DE'),
      { shipping: 12_95n, tax: 6_26n, discount: 0n, total: 39_21n },
    ],
    ['a file is not sent', one(9_99n, 0), at('US', 'TX'), { shipping: 0n, tax: 62n, discount: 0n, total: 10_61n }],
    ['collected at the shop', one(20_00n, 300), null, { shipping: 0n, tax: 0n, discount: 0n, total: 20_00n }],
  ] as const)('%s', (_what, basket, address, expected) => {
    expect(totalsOf(basket, address)).toMatchObject(expected)
  })

  test.each([at('AQ'), at('XX'), at('US', 'ZZ'), at('US', ''), at('US', 'toString')])(
    'it sends not to %j',
    (address) => {
      expect(totalsOf(one(1_00n, 1), address)).toBe('address_refused')
    },
  )
})

test.each([
  ['', undefined],
  ['1', 1_00n],
  ['1.5', 1_50n],
  ['0.07', 7n],
  ['1.234', undefined],
  ['-1', undefined],
  ['1e3', undefined],
])('the amount %j is %s', (text, minor) => {
  expect(fromText(text)).toBe(minor)
})

test('a half is rounded up', () => {
  expect([shareHalfUp(10n, 50_000n), shareHalfUp(9n, 50_000n)]).toEqual([1n, 0n])
})

test.each([
  ['12 Main Street', false],
  ['500 Harbor Towers', true],
  ['500 Harbor Towers, Apt 4B', false],
  ['500 Harbor Towers #12', false],
  ['500 Harbor Towers, Unit B', false],
  ['500 Harbor Towers PH 2', false],
  ['Riverside Apartments', true],
  ['77 Mill Lofts, Suite 300', false],
  ['1 Towering Oak Road', false],
])('a unit may be missing in %j: %s', (address, expected) => {
  expect(mayLackUnit({ country: 'US', address })).toBe(expected)
  expect(mayLackUnit({ country: 'DE', address })).toBe(false)
})
