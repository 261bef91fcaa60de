import { expect, test } from 'vitest'
import { CATALOG, dollars, readCart, totalOf } from './catalog.ts'

test.each([
  ['nothing', undefined],
  ['an empty cart', []],
  ['no list', { id: 'sencha', quantity: 1 }],
  ['something the shop does not sell', [{ id: 'coffee', quantity: 1 }]],
  ['no entry', [null]],
  ['none', [{ id: 'sencha', quantity: 0 }]],
  ['a part of one', [{ id: 'sencha', quantity: 0.5 }]],
  ['too many', [{ id: 'sencha', quantity: 21 }]],
  ['a quantity as text', [{ id: 'sencha', quantity: '1' }]],
])('refuses a cart with %s, in words', (_what, cart) => {
  expect(readCart(cart)).toMatch(/^[A-Z].*\.$/)
})

test('prices a cart by the catalogue, whatever the browser says things cost', () => {
  const cart = readCart([
    { id: 'sencha', quantity: 2, price: 1 },
    { id: 'rooibos', quantity: 1 },
  ])
  if (typeof cart === 'string') throw new Error(cart)
  expect(dollars(totalOf(cart))).toBe('38.80')
})

test('sells nothing twice under one name', () => {
  expect(new Set(CATALOG.map(({ id }) => id)).size).toBe(CATALOG.length)
})
