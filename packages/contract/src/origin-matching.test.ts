import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { originMatches } from './origin-matching.ts'

// Guarantee: the page and the service agree on who may embed the page, because both read this table's function.

const SHOP = 'https://shop.example'
const LOCAL = 'http://localhost:*'

test.each([
  [SHOP, SHOP],
  ['https://shop.example:8443', 'https://shop.example:8443'],
  ['http://localhost:3000', LOCAL],
  ['http://localhost:8080', LOCAL],
  ['http://localhost', LOCAL],
  ['http://127.0.0.1:5173', 'http://127.0.0.1:*'],
])('%s is %s', (origin, pattern) => {
  expect(originMatches(origin, pattern)).toBe(true)
})

test.each([
  ['null', 'null'],
  ['', ''],
  ['*', '*'],
  [SHOP, '*'],
  [SHOP, 'https://*'],
  [SHOP, 'https://*.example'],
  ['http://shop.example', SHOP],
  ['https://SHOP.example', SHOP],
  ['https://shop.example.evil.test', SHOP],
  ['https://evil.test#https://shop.example', SHOP],
  ['https://shop.example:8443', SHOP],
  ['https://shop.example/', SHOP],
  ['https://shop.example:443', 'https://shop.example:443'],
  ['https://localhost:3000', LOCAL],
  ['https://localhost:8080', LOCAL],
  ['http://localhost.evil.test:3000', LOCAL],
  ['http://localhost.evil.example', LOCAL],
  ['http://localhost:80@evil.example', LOCAL],
  ['http://user@localhost:3000', LOCAL],
  ['http://localhost:3000:80', LOCAL],
  ['http://localhost:', LOCAL],
  ['http://localhost:*', LOCAL],
  // The default port is never written in an origin; a text that has it comes from no browser.
  ['http://localhost:80', LOCAL],
  ['http://localhost:99999', LOCAL],
  ['file://', 'file://'],
  ['javascript:alert(1)', 'javascript:alert(1)'],
])('%s is not %s', (origin, pattern) => {
  expect(originMatches(origin, pattern)).toBe(false)
})

test('never throws, and matches nothing but the registered origin', () => {
  fc.assert(fc.property(fc.string(), (origin) => originMatches(origin, SHOP) === (origin === SHOP)))
  fc.assert(fc.property(fc.webUrl(), (origin) => originMatches(origin, SHOP) === (origin === SHOP)))
})

test('reads nothing in a text that is not written as the registered one, however many there are to compare it with', () => {
  const canParse = vi.spyOn(URL, 'canParse')
  for (const origin of [`https://${'\u4e00\u4e01'.repeat(600)}.example`, `http://localhost:${'1'.repeat(4000)}`]) {
    for (const pattern of [SHOP, LOCAL, 'https://shop.example:8443']) expect(originMatches(origin, pattern)).toBe(false)
  }
  expect(canParse).not.toHaveBeenCalled()
  expect(originMatches(SHOP, SHOP)).toBe(true)
  expect(canParse).toHaveBeenCalledOnce()
  canParse.mockRestore()
})
