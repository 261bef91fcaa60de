import { expect, test } from 'vitest'
import { secondsPast } from './steps.ts'

const NOW = Date.parse('2026-11-28T12:00:00.000Z')

test.each([
  ['2026-11-28T12:00:10.000Z', 11],
  ['2026-11-28T12:00:10.500Z', 11],
  ['2026-11-28T12:00:00.000Z', 1],
  ['2026-11-28T11:59:50.000Z', undefined],
  ['2126-11-28T12:00:00.000Z', undefined],
])('%s is past in %s seconds', (at, seconds) => {
  expect(secondsPast(at, NOW)).toBe(seconds)
})
