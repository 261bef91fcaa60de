import { describe, expect, test } from 'vitest'
import { mostOf, type Permission, type Spender } from './exposure-rules.ts'

// Guarantee: what agents could still spend at most is what the cleverest agent can charge: all ways to charge are tried
// on small sums, and never come to more; where each permission has as many charges as it likes they come to the same.

const NOW = new Date('2026-11-28T10:00:00Z')
const LIMITS = {
  currency: 'USD',
  charge: null,
  day: null,
  month: null,
  open: null,
  merchants: null,
  hours: null,
} as const

const spender = (limits: object = {}, taken: object = {}): Spender =>
  ({ limits: { ...LIMITS, ask_above: null, ...limits }, todayMinor: 0n, thisMonthMinor: 0n, ...taken }) as Spender

const permission = (changes: Partial<Permission> = {}): Permission => ({
  ...{ id: 'mdt_1', currency: 'USD', frequency: 'monthly', capMinor: 50_00n, leftMinor: 50_00n },
  ...{ activatedAt: new Date('2026-11-10T12:00:00Z'), validUntil: new Date('2027-11-10T12:00:00Z') },
  ...{ chargesLeft: null, host: 'tea.example', isPaused: false, allowed: [], isCarrier: false },
  ...changes,
})
const most = (by: Spender, ...permissions: Permission[]) => mostOf(by, permissions, NOW)

describe('one limit after the other', () => {
  const cases: [string, Spender, Permission[], bigint][] = [
    ['the permission alone', spender(), [permission()], 50_00n],
    ['what is left of it', spender(), [permission({ leftMinor: 12_00n })], 12_00n],
    ['the month', spender({ month: '30' }, { thisMonthMinor: 10_00n }), [permission()], 20_00n],
    [
      'the days: the rest of today and two whole ones',
      spender({ day: '10' }, { todayMinor: 4_00n }),
      [permission()],
      26_00n,
    ],
    [
      'a window that renews',
      spender(),
      [permission({ frequency: 'weekly', activatedAt: new Date('2026-11-22T11:00:00Z') })],
      100_00n,
    ],
    [
      'an end before the month ends',
      spender({ day: '10' }),
      [permission({ validUntil: new Date('2026-11-28T23:00:00Z') })],
      10_00n,
    ],
    ['one charge at a time, one left', spender({ charge: '7' }), [permission({ chargesLeft: 1 })], 7_00n],
    [
      'so many charges in so many days',
      spender({ charge: '40', day: '50' }),
      [permission({ capMinor: 200_00n, leftMinor: 200_00n, chargesLeft: 4 })],
      130_00n,
    ],
    ['every charge asks', spender({ ask_above: '0' }), [permission()], 0n],
    ['another shop', spender({ merchants: ['coffee.example'] }), [permission()], 0n],
    ['any shop is among those', spender({ merchants: ['coffee.example'] }), [permission({ host: null })], 50_00n],
    ['another currency', spender({ currency: 'EUR' }), [permission()], 0n],
    ['paused', spender(), [permission({ isPaused: true })], 0n],
    [
      'hours that are over today',
      spender({ day: '10', hours: { from: '07:00', to: '09:00', zone: 'UTC' } }),
      [permission()],
      20_00n,
    ],
    ['no fraction of a yen', spender({ currency: 'JPY', day: '10.50' }), [permission({ currency: 'JPY' })], 30_00n],
    [
      'allowed beyond the limits',
      spender({ month: '5' }),
      [permission({ allowed: [{ amountMinor: 30_00n, goodUntil: new Date('2026-12-05') }] })],
      35_00n,
    ],
    [
      'allowed, and more than is left',
      spender({ month: '5' }),
      [permission({ leftMinor: 20_00n, allowed: [{ amountMinor: 30_00n, goodUntil: new Date('2026-12-05') }] })],
      5_00n,
    ],
    [
      'made for one charge beyond the limits',
      spender({ month: '5' }),
      [permission({ isCarrier: true, frequency: 'one_time', chargesLeft: 1 })],
      50_00n,
    ],
  ]
  test.each(cases)('%s', (_, by, permissions, expected) => expect(most(by, ...permissions).mostMinor).toBe(expected))
})

test('a permission that ends tomorrow leaves the days after it to the other one', () => {
  const short = permission({
    id: 'mdt_2',
    capMinor: 30_00n,
    leftMinor: 30_00n,
    validUntil: new Date('2026-11-29T00:00:00Z'),
  })
  const long = permission({ capMinor: 15_00n, leftMinor: 15_00n })
  expect(most(spender({ day: '10' }), short, long).mostMinor).toBe(25_00n)
  expect(most(spender({ day: '10' }), long, short).mostMinor).toBe(25_00n)
})

/** All ways to charge whole units, day after day. */
function tryAll(by: Spender, permissions: readonly Permission[]): number {
  const units = (limit: string | null) => (limit === null ? 99 : Number(limit))
  const { charge, day, month } = by.limits
  const ends = permissions.map(({ validUntil }) => (Number(validUntil) - Date.UTC(2026, 9, 31)) / 86_400_000)
  const seen = new Map<string, number>()
  const go = (at: number, today: number, left: number, caps: number[], counts: number[]): number => {
    if (at > 30) return 0
    const key = `${at} ${today} ${left} ${caps} ${counts}`
    const known = seen.get(key)
    if (known !== undefined) return known
    let best = go(at + 1, units(day), left, caps, counts)
    permissions.forEach((_, place) => {
      const [cap = 0, count = 0] = [caps[place], counts[place]]
      if (count === 0 || at >= (ends[place] ?? 0)) return
      for (let amount = 1; amount <= Math.min(units(charge), today, left, cap); amount += 1) {
        const put = (list: number[], value: number) => list.map((old, index) => (index === place ? value : old))
        best = Math.max(
          best,
          amount + go(at, today - amount, left - amount, put(caps, cap - amount), put(counts, count - 1)),
        )
      }
    })
    seen.set(key, best)
    return best
  }
  const taken = Number(by.todayMinor / 100n)
  return go(
    28,
    units(day) - taken,
    units(month) - Number(by.thisMonthMinor / 100n),
    permissions.map(({ leftMinor }) => Number(leftMinor / 100n)),
    permissions.map(({ chargesLeft }) => chargesLeft ?? 99),
  )
}

test('all ways to charge come to no more, and to the same where the number of charges is no limit', () => {
  let seed = 7
  const below = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * most)
  }
  const maybe = (most: number) => (below(3) === 0 ? null : String(1 + below(most)))
  for (let run = 0; run < 150; run += 1) {
    const isFew = run % 3 === 0
    const permissions = Array.from({ length: isFew ? 1 : 1 + below(3) }, (_, place) => {
      const cap = BigInt(1 + below(6)) * 100n
      const validUntil = new Date(Date.UTC(2026, 10, 29 + below(3)))
      const chargesLeft = isFew ? below(4) : null
      return permission({ id: `mdt_${place}`, capMinor: cap, leftMinor: cap, validUntil, chargesLeft })
    })
    const by = spender({ charge: maybe(3), day: maybe(5), month: maybe(12) })
    const tried = BigInt(tryAll(by, permissions)) * 100n
    // A whole unit is the least that is tried, and no limit has less.
    expect({ run, most: most(by, ...permissions).mostMinor }).toEqual({ run, most: tried })
  }
})

test('many permissions with few charges each are never said to come to less than they can', () => {
  const few = (id: string, chargesLeft: number) => permission({ id, capMinor: 9_00n, leftMinor: 9_00n, chargesLeft })
  const by = spender({ charge: '4', day: '5' })
  const permissions = [few('mdt_1', 2), few('mdt_2', 1)]
  expect(most(by, ...permissions).mostMinor).toBeGreaterThanOrEqual(BigInt(tryAll(by, permissions)) * 100n)
})
