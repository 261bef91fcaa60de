// Guarantee: a silent network is asked again soon, then less and less often, and never less than twice a minute.
import { expect, test } from 'vitest'
import { backoffSeconds } from './backoff.ts'

test.each([
  [1, 1],
  [2, 2],
  [3, 5],
  [4, 10],
  [5, 30],
  [6, 30],
  [1_000_000, 30],
  [0, 30],
])('after try %i: %i s', (attempt, seconds) => expect(backoffSeconds(attempt)).toBe(seconds))
