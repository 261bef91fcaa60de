import { expect, test } from 'vitest'
import { languageFor } from './language.ts'

test.each([
  [['de-AT', 'en'], 'de'],
  [['fr', 'de'], 'de'],
  [['EN-us', 'de'], 'en'],
  [['fr', 'ja'], 'en'],
  [[], 'en'],
])('%j reads %s', (asked, language) => {
  expect(languageFor(asked)).toBe(language)
})
