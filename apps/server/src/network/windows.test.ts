// Guarantee: the windows of a mandate follow one another without a gap and without an overlap, whatever day it began on
// and wherever the process runs (fault D2). The service and the simulated network both ask this one function.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addMonths, chargeLimit, windowAt } from './windows.ts'

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

test.each([
  ['one_time', null, 1],
  ['one_time', 9, 1],
  ['weekly', null, null],
  ['yearly', 9, 9],
] as const)('%s, with %s charges asked for: %s', (frequency, asked, limit) => {
  expect(chargeLimit(frequency, asked)).toBe(limit)
})

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

const DAY_MILLIS = 24 * 60 * 60 * 1000
const lastDayOf = (at: Date) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate()

/** What is wrong with the first windows of a mandate that began at `anchor`; empty when nothing is. */
function problemsOf(frequency: 'weekly' | 'monthly' | 'yearly', anchor: Date, count: number): string[] {
  const problems: string[] = []
  let at = anchor
  for (let index = 0; index < count; index += 1) {
    const { startsAt, endsAt } = windowAt(frequency, anchor, at)
    const place = `${frequency} from ${anchor.toISOString()}, window ${index}`
    if (endsAt === null) return [`${place} has no end`]
    if (startsAt.getTime() !== at.getTime()) problems.push(`${place} starts at ${startsAt.toISOString()}`)
    const last = windowAt(frequency, anchor, new Date(endsAt.getTime() - 1))
    if (last.startsAt.getTime() !== at.getTime()) problems.push(`${place}: its last moment lies in another one`)
    if (endsAt.getTime() % DAY_MILLIS !== anchor.getTime() % DAY_MILLIS) problems.push(`${place}: another time of day`)
    const day = frequency === 'weekly' ? endsAt.getUTCDate() : Math.min(anchor.getUTCDate(), lastDayOf(endsAt))
    if (endsAt.getUTCDate() !== day) problems.push(`${place} ends on day ${endsAt.getUTCDate()}`)
    at = endsAt
  }
  return problems
}

// 2096 is a leap year and 2100 is none.
test.each([2024, 2096])('every start day of four years from %i: no gap, no overlap, the right day', (year) => {
  const problems: string[] = []
  const end = Date.UTC(year + 5, 0, 1)
  for (let start = Date.UTC(year, 0, 1, 23, 59, 59, 999); start < end; start += DAY_MILLIS) {
    for (const frequency of ['weekly', 'monthly', 'yearly'] as const) {
      problems.push(...problemsOf(frequency, new Date(start), 26))
    }
  }
  expect(problems).toEqual([])
})

test('the time zone of the process changes nothing', async () => {
  const script = `
    import { windowAt } from ${JSON.stringify(join(import.meta.dirname, 'windows.ts'))}
    const ends = []
    for (const day of [1, 28, 29, 30, 31]) for (const hour of [0, 1, 2, 12, 23])
      for (const frequency of ['weekly', 'monthly', 'yearly'])
        for (let days = 0; days < 800; days += 13)
          ends.push(windowAt(frequency, new Date(Date.UTC(2027, 11, day, hour)), new Date(Date.UTC(2027, 11, day + days, hour))))
    console.log(new Date(Date.UTC(2027, 5, 1)).getHours(), JSON.stringify(ends))`
  const run = async (TZ: string) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...process.env, TZ },
      maxBuffer: 10_000_000,
    })
    const [hour, windows] = stdout.trim().split(' ')
    return { hour, windows }
  }
  const utc = await run('UTC')
  for (const zone of ['America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati']) {
    const there = await run(zone)
    // The zone was taken over: the local hour is another one.
    expect(there.hour).not.toBe(utc.hour)
    expect(there.windows).toBe(utc.windows)
  }
})
