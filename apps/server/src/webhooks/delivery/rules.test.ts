// Guarantee: nine attempts in 72 hours, each when the contract says; a receiver that asks for more time gets it, up to
// six hours and the end of the window, whatever it writes (faults E8, E19, E20).
import { EGRESS_FAILURES } from '@mintmark/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addSeconds } from '../../platform/clock.ts'
import { circuitAfter } from './circuit.ts'
import * as rules from './rules.ts'

const AT = new Date('2026-11-21T12:00:00.000Z')
const HOUR = 3600
const answered = (status: number, retryAfter: string | null = null) =>
  rules.verdictOf({ kind: 'answered', status, headers: { retryAfter } })

describe('the schedule', () => {
  const wait = (attempts: number, random: number, more: Partial<Parameters<typeof rules.nextTry>[0]> = {}) => {
    const windowEndsAt = addSeconds(AT, 72 * HOUR)
    const next = rules.nextTry({ attempts, windowEndsAt, at: AT, retryAfterSeconds: 0, random, ...more })
    return next === null ? null : (next.getTime() - AT.getTime()) / 1000
  }

  test.each([
    [1, 5],
    [2, 300],
    [3, 1_800],
    [4, 2 * HOUR],
    [5, 5 * HOUR],
    [6, 10 * HOUR],
    [7, 20 * HOUR],
    [8, 26 * HOUR],
  ])('after attempt %i about %i seconds, ten percent up or down', (attempts, seconds) => {
    expect(wait(attempts, 0.5)).toBeCloseTo(seconds, 2)
    expect(wait(attempts, 0)).toBeCloseTo(seconds * 0.9, 2)
    expect(wait(attempts, 1)).toBeCloseTo(seconds * 1.1, 2)
  })

  test('no tenth attempt', () => {
    expect(wait(9, 0.5)).toBeNull()
    expect(wait(12, 0.5)).toBeNull()
  })

  test('all nine fit into the window, though each waits as long as it can', () => {
    let at = AT
    const windowEndsAt = addSeconds(AT, rules.WINDOW_SECONDS)
    for (let attempts = 1; attempts < 9; attempts += 1) {
      const next = rules.nextTry({ attempts, windowEndsAt, at, retryAfterSeconds: 0, random: 1 })
      expect(next).not.toBeNull()
      at = next ?? at
    }
    expect(at.getTime()).toBeLessThan(windowEndsAt.getTime())
  })

  test('a receiver may ask for more time, not for less', () => {
    expect(wait(1, 0.5, { retryAfterSeconds: 120 })).toBe(120)
    expect(wait(2, 0.5, { retryAfterSeconds: 120 })).toBe(300)
    expect(wait(1, 0.5, { retryAfterSeconds: 7 * HOUR })).toBe(6 * HOUR)
    expect(wait(1, 0.5, { retryAfterSeconds: Number.MAX_VALUE })).toBe(6 * HOUR)
  })

  test('what would be tried after the window is tried a minute before its end, and never after it', () => {
    const windowEndsAt = addSeconds(AT, HOUR)
    expect(wait(7, 0.5, { windowEndsAt })).toBe(HOUR - 60)
    expect(wait(1, 0.5, { windowEndsAt, retryAfterSeconds: 6 * HOUR })).toBe(HOUR - 60)
    expect(wait(1, 0.5, { windowEndsAt: addSeconds(AT, 60) })).toBeNull()
    fc.assert(
      fc.property(
        fc.nat(8),
        fc.nat(300_000),
        fc.double({ min: 0, noNaN: true }),
        (attempts, left, retryAfterSeconds) => {
          const end = addSeconds(AT, left)
          const next = rules.nextTry({
            attempts: attempts + 1,
            windowEndsAt: end,
            at: AT,
            retryAfterSeconds,
            random: 0.3,
          })
          expect(next === null || (next > AT && next < end)).toBe(true)
        },
      ),
    )
  })
})

test.each([
  [null, 0],
  ['', 0],
  ['120', 120],
  [' 120 ', 120],
  ['0', 0],
  ['-5', 0],
  ['+5', 0],
  ['1.5', 0],
  ['1e3', 0],
  ['soon', 0],
  ['99999999999999999999999', 0],
  ['999999999999999', 999_999_999_999_999],
  ['Sat, 21 Nov 2026 12:05:00 GMT', 300],
  ['Sat, 21 Nov 2026 11:55:00 GMT', 0],
  ['Sat, 21 Nov 9999 11:55:00 GMT', (Date.parse('9999-11-21T11:55:00Z') - AT.getTime()) / 1000],
  ['Xxx, 99 Abc 2026 12:05:00 GMT', 0],
  ['2026-11-21T12:05:00Z', 0],
])('Retry-After %j is %d seconds', (header, seconds) => {
  expect(rules.retryAfterSeconds(header, AT)).toBe(seconds)
})

describe('what an answer means', () => {
  test.each([200, 201, 202, 204, 299])('%i is an acknowledgement', (status) => {
    expect(answered(status)).toEqual({ httpStatus: status, category: null, disables: null, retryAfter: null })
  })

  test.each([
    [301, 'redirect', null],
    [304, 'redirect', null],
    [308, 'redirect', null],
    [400, 'status', null],
    [404, 'status', null],
    [410, 'gone', 'gone'],
    [429, 'status', null],
    [500, 'status', null],
    [599, 'status', null],
  ] as const)('%i is %s', (status, category, disables) => {
    expect(answered(status, '5')).toEqual({ httpStatus: status, category, disables, retryAfter: '5' })
  })

  test.each(EGRESS_FAILURES)('%s is no acknowledgement, and forbidden ones disable', (category) => {
    const disables = category.startsWith('forbidden') ? 'forbidden_address' : null
    const verdict = { httpStatus: null, category, disables, retryAfter: null }
    expect(rules.verdictOf({ kind: 'failed', category })).toEqual(verdict)
  })
})

describe('the circuit', () => {
  const after = (failures: number, isAcknowledged: boolean) =>
    circuitAfter({ failures, circuitUntil: null }, isAcknowledged, AT)

  test.each([0, 1, 2, 3])('%i failures and one more: it is sent to', (failures) => {
    expect(after(failures, false)).toEqual({ failures: failures + 1, circuitUntil: null })
  })

  test.each([4, 5, 60])('%i failures and one more: it rests for five minutes', (failures) => {
    expect(after(failures, false)).toEqual({ failures: failures + 1, circuitUntil: addSeconds(AT, 300) })
  })

  test.each([0, 4, 5, 60])('%i failures and an acknowledgement: as if nothing had been', (failures) => {
    expect(after(failures, true)).toEqual({ failures: 0, circuitUntil: null })
  })
})
