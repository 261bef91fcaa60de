// Guarantee: what the cardholder reads as the most that can ever be charged is never less than what the windows allow,
// whenever they approve, and however late the network registers what they approved.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DECLINE_REASONS } from '../network/port.ts'
import { windowAt } from '../network/windows.ts'
import { addSeconds } from '../platform/clock.ts'
import { type AskedLimits, endOf, mostTotal, oneTimeEnd, refusalOf } from './setup-rules.ts'

const at = (text: string) => new Date(text)
const CREATED = at('2026-11-21T12:00:00Z')
const asked = (changes: Partial<AskedLimits> = {}): AskedLimits => ({
  frequency: 'monthly',
  amountMinor: 4000n,
  maxCharges: null,
  validUntil: at('2027-11-21T12:00:00Z'),
  createdAt: CREATED,
  ...changes,
})

describe('the end', () => {
  test.each([
    ['weekly', '2027-11-21T12:00:00Z'],
    ['monthly', '2028-11-21T12:00:00Z'],
    ['yearly', '2031-11-21T12:00:00Z'],
  ] as const)('of a %s mandate is cut to %s', (frequency, horizon) => {
    expect(endOf(frequency, null, CREATED)).toEqual(at(horizon))
    expect(endOf(frequency, addSeconds(at(horizon), 1), CREATED)).toEqual(at(horizon))
    expect(endOf(frequency, at(horizon), CREATED)).toEqual(at(horizon))
    const near = addSeconds(CREATED, 1)
    expect(endOf(frequency, near, CREATED)).toEqual(near)
  })

  test('on a day that its year lacks is the last one of the month', () => {
    expect(endOf('weekly', null, at('2028-02-29T08:00:00Z'))).toEqual(at('2029-02-28T08:00:00Z'))
  })

  test('of a one-time mandate is seven days away', () => {
    expect(oneTimeEnd(CREATED)).toEqual(at('2026-11-28T12:00:00Z'))
  })
})

describe('the most of it', () => {
  test.each([
    ['twelve months', {}, 48_000n],
    ['a second more is a window more', { validUntil: at('2027-11-21T12:00:01Z') }, 52_000n],
    ['fewer charges than windows', { maxCharges: 5 }, 20_000n],
    ['more charges than windows', { maxCharges: 100 }, 48_000n],
    ['one window', { validUntil: addSeconds(CREATED, 1) }, 4000n],
    ['once', { frequency: 'one_time', maxCharges: 9 }, 4000n],
    ['a year of weeks', { frequency: 'weekly' }, 53n * 4000n],
    ['a year', { frequency: 'yearly' }, 4000n],
  ] as const)('%s', (_name, changes, most) => {
    expect(mostTotal(asked(changes))).toBe(most)
  })

  test.each([
    ['monthly', '2027-01-30T23:40:00Z', '2027-02-28T12:00:00Z'],
    ['monthly', '2027-01-28T23:40:00Z', '2027-02-28T12:00:00Z'],
    ['monthly', '2027-03-30T12:00:00Z', '2027-04-30T06:00:00Z'],
    ['yearly', '2028-02-28T12:00:00Z', '2029-02-28T06:00:00Z'],
  ] as const)('%s from %s to %s: one that is registered on a later day has a window more', (frequency, from, to) => {
    const limits = asked({ frequency, createdAt: at(from), validUntil: at(to) })
    expect(windowsOf(frequency, at(from), at(to))).toBe(1n)
    expect(mostTotal(limits)).toBe(8000n)
  })

  test('where no such day is to come there is none', () => {
    const limits = { createdAt: at('2027-02-27T12:00:00Z'), validUntil: at('2027-03-27T12:00:00Z') }
    expect(mostTotal(asked(limits))).toBe(4000n)
  })

  test('is never less than the caps of all windows of any activation', () => {
    // Most days are of no interest: those at the ends of months are drawn as often as all others.
    const day = fc.oneof(fc.integer({ min: 1, max: 28 }), fc.integer({ min: 28, max: 31 }))
    const month = fc.integer({ min: 0, max: 71 })
    const second = fc.integer({ min: 0, max: 86_399 })
    const time = fc
      .tuple(month, day, second)
      .map(([month, day, second]) => addSeconds(new Date(Date.UTC(2026, month, day)), second))
    const frequency = fc.constantFrom('weekly', 'monthly', 'yearly')
    const late = fc.oneof(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 5 * 86_400 }))
    fc.assert(
      fc.property(time, time, late, frequency, (one, other, late, frequency) => {
        const [createdAt, validUntil] = one < other ? [one, other] : [other, one]
        fc.pre(createdAt < validUntil)
        const windows = windowsOf(frequency, addSeconds(createdAt, late), validUntil)
        const most = mostTotal(asked({ frequency, createdAt, validUntil, amountMinor: 1n }))
        expect(most).toBeGreaterThanOrEqual(windows)
        // And at most one more than there are at once: a bound that says too much says nothing.
        expect(most).toBeLessThanOrEqual(windowsOf(frequency, createdAt, validUntil) + 1n)
      }),
      { numRuns: 2_000 },
    )
  })
})

/** How many windows begin before the end of a mandate that is active since then. */
function windowsOf(frequency: 'weekly' | 'monthly' | 'yearly', activatedAt: Date, validUntil: Date): bigint {
  let windows = 0n
  let start: Date | null = activatedAt
  while (start !== null && start < validUntil) {
    windows += 1n
    start = windowAt(frequency, activatedAt, start).endsAt
  }
  return windows
}

test('a refusal is of the card or of the mandate', () => {
  const ofTheCard = DECLINE_REASONS.filter((reason) => refusalOf(reason) === 'CARD_DECLINED')
  expect(ofTheCard).toEqual(DECLINE_REASONS.slice(0, DECLINE_REASONS.indexOf('INSTRUCTION_NOT_ACTIVE')))
})
