// Guarantee: no caller moves the sandbox's clock to where dates end.
import { expect, test } from 'vitest'
import { rejectFarFuture } from './rules.ts'

test.each([
  ['2026-11-21T00:00:00Z', 1, true],
  ['2199-12-31T23:59:59Z', 1, true],
  ['2199-12-31T23:59:59Z', 2, false],
  ['2195-01-01T00:00:00Z', 315_360_000, false],
  ['2300-01-01T00:00:00Z', 1, false],
] as const)('%s + %i s: %s', (now, seconds, allowed) => {
  const check = () => rejectFarFuture(new Date(now), seconds)
  if (allowed) expect(check).not.toThrow()
  else expect(check).toThrow(/seconds/)
})
