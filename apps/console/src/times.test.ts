import { expect, test } from 'vitest'
import { duration, shortly, since } from './times.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

test.each([
  [0, '0ms'],
  [31.4, '31ms'],
  [999, '999ms'],
  [4_240, '4.2s'],
  [31_000, '31s'],
  [59_400, '59s'],
  [MINUTE, '1m'],
  [2 * MINUTE + 5 * SECOND, '2m 5s'],
  [3 * HOUR + 20 * MINUTE + SECOND, '3h 20m'],
  [96 * HOUR, '4d'],
  [97 * HOUR, '4d 1h'],
])('%d milliseconds are %s', (millis, shown) => {
  expect(duration(millis, 'en-US')).toBe(shown)
})

test('the reader’s language writes them', () => {
  expect(duration(4_240, 'de-DE')).toMatch(/^4,2\s?(s|Sek\.)$/)
})

test('what a clock says was earlier is not before the start', () => {
  expect(since('2026-11-28T14:00:00Z', '2026-11-28T14:00:04.200Z', 'en-US')).toBe('+ 4.2s')
  expect(since('2026-11-28T14:00:00Z', '2026-11-28T13:59:59Z', 'en-US')).toBe('+ 0ms')
})

test('the day is said of other days alone, and the year of other years', () => {
  const now = new Date(2026, 10, 28, 14, 0, 0)
  expect(shortly(new Date(2026, 10, 28, 9, 5, 7).toISOString(), now, 'en-GB')).toBe('9:05:07')
  expect(shortly(new Date(2026, 10, 27, 9, 5, 7).toISOString(), now, 'en-GB')).toMatch(/^27 Nov, /)
  expect(shortly(new Date(2028, 10, 27, 9, 5, 7).toISOString(), now, 'en-GB')).toMatch(/27 Nov 2028/)
})
