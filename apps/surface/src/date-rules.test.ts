import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayOf, endOfDay, lastDayProblem } from './date-rules.ts'

describe('a day', () => {
  it('is that of the reader, and until it is until it is over', () => {
    expect(dayOf(new Date(2027, 0, 5, 23, 59))).toBe('2027-01-05')
    expect(endOfDay('2027-01-05')).toEqual(new Date(2027, 0, 5, 23, 59, 59, 999))
    const days = fc.date({ min: new Date(2000, 0, 1), max: new Date(2100, 0, 1), noInvalidDate: true })
    fc.assert(
      fc.property(days, (moment) => {
        expect(dayOf(endOfDay(dayOf(moment)))).toBe(dayOf(moment))
        expect(endOfDay(dayOf(moment)).getTime()).toBeGreaterThanOrEqual(moment.getTime())
      }),
    )
  })

  it('as an end is after today and not after the last', () => {
    const now = new Date(2026, 10, 21, 12)
    const last = new Date(2027, 10, 20, 12)
    const problem = (day: string) => lastDayProblem(day, { now, last })
    expect(['', 'soon', '20265-01-01'].map(problem)).toEqual(Array(3).fill('missing'))
    expect(['2026-11-21', '2026-11-22', '2027-11-20', '2027-11-21'].map(problem)).toEqual(['past', null, null, 'late'])
  })
})
