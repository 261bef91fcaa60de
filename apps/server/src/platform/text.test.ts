import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleaned, isCleanText } from './text.ts'

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
