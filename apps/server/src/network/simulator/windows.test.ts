import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addMonths, windowAt } from './windows.ts'

describe('boundaries', () => {
  test.for([
    // frequency, anchor, at, start, end
    ['weekly', '2026-01-01T10:00:00Z', '2026-01-08T09:59:59.999Z', '2026-01-01T10:00:00Z', '2026-01-08T10:00:00Z'],
    ['weekly', '2026-01-01T10:00:00Z', '2026-01-08T10:00:00Z', '2026-01-08T10:00:00Z', '2026-01-15T10:00:00Z'],
    ['monthly', '2026-01-31T10:00:00Z', '2026-02-28T09:59:59.999Z', '2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z'],
    ['monthly', '2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z', '2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z'],
    ['monthly', '2026-01-31T10:00:00Z', '2026-03-30T10:00:00Z', '2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z'],
    [
      'monthly',
      '2027-12-31T23:59:59.999Z',
      '2028-02-29T23:59:59.999Z',
      '2028-02-29T23:59:59.999Z',
      '2028-03-31T23:59:59.999Z',
    ],
    ['yearly', '2028-02-29T00:00:00Z', '2029-02-28T00:00:00Z', '2029-02-28T00:00:00Z', '2030-02-28T00:00:00Z'],
    ['yearly', '2028-02-29T00:00:00Z', '2032-02-28T23:59:59Z', '2031-02-28T00:00:00Z', '2032-02-29T00:00:00Z'],
    // The clock went backwards: still the first window.
    ['monthly', '2026-05-10T00:00:00Z', '2026-04-01T00:00:00Z', '2026-05-10T00:00:00Z', '2026-06-10T00:00:00Z'],
  ] as const)('%s from %s: %s lies in %s … %s', ([frequency, anchor, at, start, end]) => {
    expect(windowAt(frequency, new Date(anchor), new Date(at))).toEqual({
      startsAt: new Date(start),
      endsAt: new Date(end),
    })
  })

  test('one_time is one window without an end', () => {
    const anchor = new Date('2026-01-01T00:00:00Z')
    expect(windowAt('one_time', anchor, new Date('2099-01-01T00:00:00Z'))).toEqual({ startsAt: anchor, endsAt: null })
  })

  test('years below 100 are years, not the 1900s', () => {
    expect(addMonths(new Date('0099-12-31T00:00:00Z'), 1).toISOString()).toBe('0100-01-31T00:00:00.000Z')
  })
})

const anchors = fc.date({
  min: new Date('2020-01-01T00:00:00Z'),
  max: new Date('2040-01-01T00:00:00Z'),
  noInvalidDate: true,
})
const spans = fc.integer({ min: 0, max: 20 * 366 * 24 * 60 * 60 * 1000 })
const recurring = fc.constantFrom('weekly' as const, 'monthly' as const, 'yearly' as const)

test('every moment lies in its window', () => {
  fc.assert(
    fc.property(recurring, anchors, spans, (frequency, anchor, span) => {
      const at = new Date(anchor.getTime() + span)
      const { startsAt, endsAt } = windowAt(frequency, anchor, at)
      expect(startsAt <= at).toBe(true)
      expect(endsAt !== null && at < endsAt).toBe(true)
    }),
  )
})

test('windows never gap nor overlap', () => {
  fc.assert(
    fc.property(recurring, anchors, fc.integer({ min: 1, max: 60 }), (frequency, anchor, count) => {
      let window = windowAt(frequency, anchor, anchor)
      expect(window.startsAt).toEqual(anchor)
      for (let index = 0; index < count; index += 1) {
        const { endsAt } = window
        if (endsAt === null) throw new Error('A recurring window has an end.')
        expect(windowAt(frequency, anchor, new Date(endsAt.getTime() - 1))).toEqual(window)
        window = windowAt(frequency, anchor, endsAt)
        expect(window.startsAt).toEqual(endsAt)
      }
    }),
  )
})
