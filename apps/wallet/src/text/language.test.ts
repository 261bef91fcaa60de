// Guarantee: words, amounts and the sentence that is signed are in one language, the first of the reader's that is
// there.
import { expect, test } from 'vitest'
import { readsOf } from './language.ts'

test.each([
  [['de-AT', 'en'], 'de', 'de-AT'],
  [['fr', 'de'], 'de', 'de'],
  [['EN-us', 'de'], 'en', 'EN-us'],
  [['fr', 'ja'], 'en', 'en'],
  [[], 'en', 'en'],
])('%j reads %s, and writes amounts as %s', (asked, language, locale) => {
  expect(readsOf(asked)).toEqual({ language, locale })
})
