import { expect, test } from 'vitest'
import { categoryOf } from './rules.ts'

// Guarantee: a shop calls its categories what it likes, and each of them is one of ours.

test.each([
  ['Kitchen', 'kitchen'],
  [' groceries ', 'food'],
  ['maps', 'other'],
  // A word that every object knows.
  ['constructor', 'other'],
  [null, 'other'],
])('%j is %s', (words, code) => {
  expect(categoryOf(words)).toBe(code)
})
