// Guarantee: what the cardholder reads as the most that can ever be charged is never less than what the windows allow, whenever
// they approve.
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
  expiresAt: addSeconds(CREATED, 900),
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

  test('looks at both days of a session over midnight: the later one may have a window more', () => {
    const createdAt = at('2027-01-30T23:55:00Z')
    const over = { createdAt, expiresAt: addSeconds(createdAt, 900), validUntil: at('2027-02-28T12:00:00Z') }
    expect(mostTotal(asked(over))).toBe(8000n)
    expect(mostTotal(asked({ ...over, expiresAt: addSeconds(createdAt, 60) }))).toBe(4000n)
  })

  test('is never less than the caps of all windows of any activation', () => {
    const time = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2032, 0, 1) }).map((millis) => new Date(millis))
    const seconds = fc.integer({ min: 0, max: 900 })
    const frequency = fc.constantFrom('weekly', 'monthly', 'yearly')
    const days = fc.integer({ min: 1, max: 1500 })
    fc.assert(
      fc.property(time, seconds, frequency, days, seconds, (createdAt, late, frequency, days, odd) => {
        const expiresAt = addSeconds(createdAt, 900)
        const validUntil = addSeconds(createdAt, days * 86_400 + odd)
        const activatedAt = addSeconds(createdAt, late)
        let windows = 0
        let start: Date | null = activatedAt
        while (start !== null && start < validUntil) {
          windows += 1
          start = windowAt(frequency, activatedAt, start).endsAt
        }
        const most = mostTotal(asked({ frequency, createdAt, expiresAt, validUntil, amountMinor: 1n }))
        expect(most).toBeGreaterThanOrEqual(BigInt(windows))
        // And at most one more: a bound that says too much says nothing.
        expect(most).toBeLessThanOrEqual(BigInt(windows) + 1n)
      }),
    )
  })
})

test('a refusal is of the card or of the mandate', () => {
  const ofTheCard = DECLINE_REASONS.filter((reason) => refusalOf(reason) === 'CARD_DECLINED')
  expect(ofTheCard).toEqual(DECLINE_REASONS.slice(0, DECLINE_REASONS.indexOf('INSTRUCTION_NOT_ACTIVE')))
})
