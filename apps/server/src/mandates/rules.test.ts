// Guarantee: how a mandate stands is a function of its row and the moment; the first thing that is true of it decides.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { windowAt } from '../network/windows.ts'
import { standingOf } from './rules.ts'
import type { MandateRow } from './store.ts'

const NOW = new Date('2026-11-21T12:00:00.000Z')
const before = (seconds: number) => new Date(NOW.getTime() - seconds * 1000)
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)

/** A monthly mandate of 100.00 in its first window, half spent by two charges. */
const ROW = {
  perCheckout: false,
  status: 'active',
  frequency: 'monthly',
  approvedMinor: 10_000n,
  maxCharges: null,
  approveBy: null,
  validUntil: after(90 * 86_400),
  windowEndsAt: after(1),
  windowSpentMinor: 5_000n,
  chargeCount: 2,
  activatedAt: new Date('2026-10-21T12:00:01.000Z'),
  endedAt: null,
  lastChargeStatus: 'completed',
  lastChargeMinor: 2_500n,
  lastChargeReported: 'APPROVED',
} as unknown as MandateRow

const OF_CHECKOUT: Partial<MandateRow> = {
  perCheckout: true,
  frequency: 'one_time',
  maxCharges: 1,
  windowEndsAt: null,
  windowSpentMinor: 0n,
  chargeCount: 0,
  lastChargeStatus: 'awaiting_result',
  lastChargeMinor: 10_000n,
  lastChargeReported: null,
}

describe('standingOf', () => {
  test.each<[string, Partial<MandateRow>, string, string, bigint, number]>([
    // what, changes, status, state, remaining, count
    ['half spent', {}, 'active', 'available', 5_000n, 2],
    ['all spent', { windowSpentMinor: 10_000n }, 'active', 'consumed', 0n, 2],
    ['no charge left', { maxCharges: 2 }, 'active', 'consumed', 5_000n, 2],
    ['its window just over', { windowEndsAt: NOW }, 'active', 'available', 10_000n, 2],
    ['its window just over, no charge left', { windowEndsAt: NOW, maxCharges: 2 }, 'active', 'consumed', 10_000n, 2],
    ['its time just over', { validUntil: NOW }, 'expired', 'expired', 5_000n, 2],
    ['over before its window was', { validUntil: before(9), windowEndsAt: before(1) }, 'expired', 'expired', 5_000n, 2],
    ['paused, its time over', { status: 'paused', validUntil: NOW }, 'expired', 'expired', 5_000n, 2],
    ['paused, all spent', { status: 'paused', windowSpentMinor: 10_000n }, 'paused', 'paused', 0n, 2],
    ['to be approved', { status: 'pending', approveBy: after(1) }, 'pending', 'pending', 5_000n, 2],
    ['to be approved, its session over', { status: 'pending', approveBy: NOW }, 'expired', 'expired', 5_000n, 2],
    ['pending, its time over', { status: 'pending', validUntil: NOW }, 'pending', 'pending', 5_000n, 2],
    ['consumed, its time over', { status: 'consumed', validUntil: NOW }, 'consumed', 'consumed', 5_000n, 2],
    [
      'cancelled in an earlier window',
      { status: 'cancelled', endedAt: before(9), windowEndsAt: before(1) },
      'cancelled',
      'cancelled',
      5_000n,
      2,
    ],
    ['a clock that went back', { windowEndsAt: after(99), activatedAt: after(9) }, 'active', 'available', 5_000n, 2],
    ['of a checkout', OF_CHECKOUT, 'active', 'consumed', 0n, 1],
    ['of a checkout, in flight', { ...OF_CHECKOUT, lastChargeStatus: 'minting' }, 'active', 'consumed', 0n, 1],
    ['of a checkout, failed', { ...OF_CHECKOUT, lastChargeStatus: 'failed' }, 'active', 'available', 10_000n, 0],
    ['of a checkout, lapsed', { ...OF_CHECKOUT, validUntil: NOW }, 'expired', 'expired', 0n, 1],
    [
      'of a checkout, reported in time',
      { ...OF_CHECKOUT, validUntil: NOW, lastChargeReported: 'APPROVED' },
      'active',
      'consumed',
      0n,
      1,
    ],
  ])('%s', (_what, changes, status, state, remainingMinor, chargeCount) => {
    const standing = standingOf({ ...ROW, ...changes }, NOW)
    expect(standing).toMatchObject({ status, state, remainingMinor, chargeCount })
    expect(standing.spentMinor + standing.remainingMinor).toBe(10_000n)
  })

  test.each<[Partial<MandateRow>, string | null]>([
    [{}, '2026-11-21T12:00:01.000Z'],
    [{ status: 'paused' }, '2026-11-21T12:00:01.000Z'],
    [{ frequency: 'weekly' }, '2026-11-25T12:00:01.000Z'],
    [{ frequency: 'one_time' }, null],
    [{ status: 'pending', activatedAt: null }, null],
    [{ status: 'cancelled' }, null],
    [{ validUntil: NOW }, null],
    // The boundary of its windows is told as it is, also where the mandate ends before it.
    [{ frequency: 'weekly', validUntil: after(86_400) }, '2026-11-25T12:00:01.000Z'],
  ])('%j renews at %s', (changes, renewsAt) => {
    expect(standingOf({ ...ROW, ...changes }, NOW).renewsAt?.toISOString() ?? null).toBe(renewsAt)
  })

  test('renews at the end of the window that the moment lies in, whichever it is', () => {
    const moments = fc.date({ min: ROW.activatedAt ?? NOW, max: new Date('2040-01-01Z'), noInvalidDate: true })
    fc.assert(
      fc.property(
        fc.constantFrom('weekly' as const, 'monthly' as const, 'yearly' as const),
        moments,
        (frequency, at) => {
          const row = { ...ROW, frequency, validUntil: new Date('2050-01-01Z') }
          const { renewsAt } = standingOf(row, at)
          expect(renewsAt).toEqual(windowAt(frequency, row.activatedAt ?? NOW, at).endsAt)
          expect(renewsAt !== null && renewsAt > at).toBe(true)
        },
      ),
    )
  })
})
