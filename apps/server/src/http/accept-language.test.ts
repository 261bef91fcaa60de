// Guarantee: of the languages there are a reader gets the one they want most, and never an error.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePoint } from '../../test/code-point.ts'
import { preferredLanguage } from './accept-language.ts'

const LANGUAGES = ['en', 'de', 'ja'] as const

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['DE-at', 'de'],
  ['fr, ja;q=0.5', 'ja'],
  ['fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', 'en'],
  ['de;q=0.3, ja;q=0.8', 'ja'],
  ['de;q=0.8, ja;q=0.8', 'de'],
  ['de;q=0, ja;q=0.000', 'en'],
  ['de ; q=1.0 , ja', 'de'],
  ['ja;q=high, de;q=0.1', 'de'],
  ['*', 'en'],
  ['deu, jam, en-x-de', 'en'],
])('%j is read in %s', (header, language) => {
  expect(preferredLanguage(header, LANGUAGES)).toBe(language)
})

test('whatever it says', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (header) => LANGUAGES.includes(preferredLanguage(header, LANGUAGES))),
  )
})
