import { expect, test } from 'vitest'
import { de } from '../text/permissions/de.ts'
import { en } from '../text/permissions/en.ts'
import { STANDINGS, standingOf } from './story.ts'

const LIVE = {
  ...({ state: 'available', status: 'active', is_approved: true, charge_count: 1, max_charges: null } as const),
  ...{ renews_at: '2026-12-01T00:00:00.000Z', valid_until: '2028-01-01T00:00:00.000Z' },
}
const USED_UP = { ...LIVE, state: 'consumed' } as const

test.each([
  [LIVE, 'available'],
  [USED_UP, 'used_up'],
  [{ ...USED_UP, max_charges: 2 }, 'used_up'],
  [{ ...USED_UP, max_charges: 1 }, 'used_up_for_good'],
  [{ ...USED_UP, valid_until: '2026-11-30T00:00:00.000Z' }, 'used_up_for_good'],
  [{ ...USED_UP, renews_at: null }, 'used_up_for_good'],
  [{ ...USED_UP, status: 'consumed' }, 'paid'],
  [{ ...LIVE, state: 'paused', status: 'paused' }, 'paused'],
  [{ ...LIVE, state: 'cancelled', status: 'cancelled' }, 'cancelled'],
  [{ ...LIVE, state: 'expired', status: 'expired' }, 'expired'],
  [{ ...LIVE, state: 'expired', status: 'expired', is_approved: false }, 'not_approved'],
  [{ ...LIVE, state: 'pending', status: 'pending', is_approved: false }, 'pending'],
  [{ ...LIVE, state: 'pending', status: 'pending' }, 'registering'],
] as const)('%j stands as %s', (seen, standing) => {
  expect(standingOf(seen)).toBe(standing)
})

test.each([en, de])('each way to stand has what happened, and what to do', ({ story }) => {
  for (const standing of STANDINGS) {
    expect(story[standing].what).toMatch(/\.$/)
    expect(story[standing].next).toMatch(/\.$/)
  }
})
