import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleaned, isCleanText, showsName, showsSomething } from './text.ts'

test.each([
  ['a\u202eb\u0000c', 'abc'],
  ['\u3164\uffa0', ''],
  [
    '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  ],
  ['Tea\u{e0041}', 'Tea'],
  [`\u{1f3f4}${'\u{e0041}'.repeat(100)}`, `\u{1f3f4}${'\u{e0041}'.repeat(7)}`],
  [`e${'\u0301'.repeat(20)}`, `e${'\u0301'.repeat(8)}`],
])('%j is %j without what a text may not have', (text, expected) => expect(cleaned(text)).toBe(expected))

test('what is cleaned is clean', () => {
  const odd = fc.constantFrom('a', '\u202e', '\u0301', '\u{e0067}', '\u{1f3f4}', '\u3164', '\u200d', '\u0007')
  const texts = fc.array(odd, { maxLength: 30 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(texts, (text) => isCleanText(cleaned(text))),
    { numRuns: 2_000 },
  )
})

/** All characters that there may be, less the halves of pairs. */
const EVERY = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))

test('of no character that Unicode ignores, hides, leaves unassigned or to others anything is seen', () => {
  const unseen = /[\p{Default_Ignorable_Code_Point}\p{C}\p{Z}\p{M}]/u
  const hidden = EVERY.filter((each) => unseen.test(each))
  expect(hidden.length).toBeGreaterThan(900_000)
  expect(hidden.filter(showsSomething)).toEqual([])
  // Nor of many of them after one another.
  expect(showsSomething(hidden.join(''))).toBe(false)
})

test.each(['\u2800', '\ufffc', '\u{1d159}', '\u{13441}', '\u{13442}'])('nothing is seen of %j, a symbol', (blank) => {
  expect([showsSomething(blank), showsName(`${blank}${blank}`)]).toEqual([false, false])
})

test('of every other letter, digit and symbol something is', () => {
  const seen = EVERY.filter(
    (each) => /[\p{L}\p{N}\p{S}]/u.test(each) && !/\p{Default_Ignorable_Code_Point}/u.test(each),
  )
  expect(seen.length).toBeGreaterThan(130_000)
  expect(seen.filter((each) => !showsName(each)).map((each) => each.codePointAt(0)?.toString(16))).toEqual([
    ...['2800', 'fffc', '13441', '13442', '1d159'],
  ])
})

test.each(['متجر', 'בית התה', 'श्री', '👨‍👩‍👧‍👦', '🇹🇷', 'Cafe\u0301', '7', '★', '€', '\u200dx'])(
  '%j is a name',
  (name) => {
    expect([showsName(name), showsSomething(name)]).toEqual([true, true])
  },
)

test.each(['—', '...', '(?)', '„“'])('%j can be seen, and is no name', (text) => {
  expect([showsName(text), showsSomething(text)]).toEqual([false, true])
})

test('a mebibyte of anything is judged, and cleaned, in linear time', () => {
  const size = 250_000
  const hostile = [
    `\u{1f3f4}${'\u{e0041}'.repeat(size)}`,
    '\u{1f3f4}\u{e0041}'.repeat(size),
    `e${'\u0301'.repeat(size)}`,
  ]
  // Quadratic work would take minutes, and a test has seconds.
  for (const text of hostile) {
    isCleanText(text)
    cleaned(text)
  }
})
