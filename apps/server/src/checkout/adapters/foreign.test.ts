import { expect, test } from 'vitest'
import { PUBLIC_ONLY } from '../../platform/egress/policy.ts'
import { cleanText, cleanTitle, imageUrl } from './foreign.ts'

const picture = (text: string) => imageUrl(text, PUBLIC_ONLY, 'https://shop.example')

test.each([
  ['https://cdn.example/tee.png', 'https://cdn.example/tee.png'],
  ['/große-tasse.png', 'https://shop.example/gro%C3%9Fe-tasse.png'],
  [`/tee.png?${'a'.repeat(1000)}`, `https://shop.example/tee.png?${'a'.repeat(1000)}`],
  [`/tee.png?${'a'.repeat(2048)}`, null],
  [`/${'ß'.repeat(300)}.png`, null],
])('the picture at %j is at %j', (text, expected) => expect(picture(text)).toBe(expected))

test.each([
  ['Green tea', 'Green tea'],
  ['', ''],
  [' ', ''],
  [' Green  tea\n', 'Green tea'],
  ['Grüner Tee', 'Grüner Tee'],
  ['tea \u200b', 'tea'],
  ['1234567890', '1234567890'],
  ['1234567890+', '1234567890'],
  ['123456789 +', '123456789'],
  // Ten characters of two units each, and one more.
  ['🍵'.repeat(10), '🍵'.repeat(10)],
  ['🍵'.repeat(11), '🍵'.repeat(10)],
  ['tea\ud83c', 'tea\ufffd'],
])('%j is shown in ten characters as %j', (text, expected) => expect(cleanText(text, 10)).toBe(expected))

test.each([
  [['Green tea', 'tea-1'], 'Green tea'],
  [['\u200d\u00ad', 'tea-1'], 'tea-1'],
  [[undefined, null, '\u2800', ' Red\u200b '], 'Red'],
  [['\u0301', ''], ''],
])('what is called one of %j is called %j', (texts, title) => expect(cleanTitle(...texts)).toBe(title))

test('a mebibyte from a hostile shop is read in linear time', () => {
  // Different letters, of which a host is spelt in ASCII one after the other.
  const letters = Array.from({ length: 5_000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_900))).join(
    '',
  )
  // Quadratic work would take minutes, and a test has seconds.
  for (let at = 0; at < 70; at += 1) picture(`https://${letters}.example/${at}.png`)
  cleanText(`\u{1f3f4}${'\u{e0041}'.repeat(250_000)}`, 200)
})
