// Guarantee: whatever lets an agent do something that it could not do before is found, in each field and whatever else
// is taken from it; what only takes is not.
import { describe, expect, test } from 'vitest'
import { changedBy, isWithin, widenedBy } from './limits.ts'
import type { AgentLimits } from './wire/agents.ts'

const WAS: AgentLimits = {
  ...{ currency: 'USD', charge: '20.00', day: '50.00', month: '200.00', open: 3 },
  merchants: ['tea.example', 'rail.example'],
  hours: { from: '08:00', to: '20:00', zone: 'Europe/Berlin' },
  ...{ ask_above: '10.00', ask_repeats: true },
}
const NONE: AgentLimits = {
  ...{ currency: 'USD', charge: null, day: null, month: null, open: null },
  ...{ merchants: null, hours: null, ask_above: null },
}
const hours = (from: string, to: string, zone = 'Europe/Berlin') => ({ hours: { from, to, zone } })
const NIGHT = { ...WAS, ...hours('22:00', '06:00') }

describe('in every field', () => {
  test.each<[string, Partial<AgentLimits>, AgentLimits?]>([
    ['currency', { currency: 'EUR' }],
    ...(['charge', 'day', 'month'] as const).flatMap((field): [string, Partial<AgentLimits>][] => [
      [field, { [field]: '200.01' }],
      [field, { [field]: '1000.00' }],
      [field, { [field]: null }],
    ]),
    ['open', { open: 4 }],
    ['open', { open: null }],
    ['merchants', { merchants: null }],
    ['merchants', { merchants: ['tea.example', 'rail.example', 'air.example'] }],
    ['merchants', { merchants: ['air.example'] }],
    ['hours', { hours: null }],
    ['hours', hours('07:59', '20:00')],
    ['hours', hours('08:00', '20:01')],
    ['hours', hours('20:00', '08:00')],
    ['hours', hours('00:00', '00:00')],
    ['hours', hours('09:00', '10:00', 'America/New_York')],
    ['hours', hours('22:00', '06:01'), NIGHT],
    ['hours', hours('21:59', '23:00'), NIGHT],
    ['hours', hours('05:00', '23:00'), NIGHT],
    ['ask_above', { ask_above: '10.01' }],
    ['ask_above', { ask_above: null }],
    ['ask_repeats', { ask_repeats: false }],
  ])('more is found: %s, %j', (field, change, was = WAS) => {
    expect(widenedBy(was, { ...was, ...change })).toEqual([field])
    // Whatever is taken beside it.
    const narrower = { open: 1, ...(field === 'charge' ? {} : { charge: '1.00' }) }
    expect(widenedBy(was, { ...was, ...narrower, ...change })).toEqual([field])
    expect(changedBy(was, { ...was, ...change })).toEqual([field])
  })

  test.each<[string, Partial<AgentLimits>, AgentLimits?]>([
    ...(['charge', 'day', 'month', 'ask_above'] as const).flatMap(
      (field): [string, Partial<AgentLimits>, AgentLimits?][] => [
        [field, { [field]: '9.99' }],
        [field, { [field]: '9.99' }, NONE],
      ],
    ),
    ['ask_above', { ask_above: '0.00' }],
    ['open', { open: 1 }],
    ['open', { open: 1000 }, NONE],
    ['merchants', { merchants: ['rail.example'] }],
    ['merchants', { merchants: ['any.example'] }, NONE],
    ['hours', hours('09:00', '19:59')],
    ['hours', hours('22:30', '05:00'), NIGHT],
    ['hours', hours('23:00', '23:59'), NIGHT],
    ['hours', hours('00:00', '06:00'), NIGHT],
    ['hours', hours('09:00', '10:00', 'Asia/Tokyo'), NONE],
    ['hours', hours('09:00', '10:00', 'Asia/Tokyo'), { ...WAS, ...hours('12:00', '12:00') }],
    ['ask_repeats', { ask_repeats: true }, NONE],
  ])('less is no more: %s, %j', (field, change, was = WAS) => {
    expect(widenedBy(was, { ...was, ...change })).toEqual([])
    expect(changedBy(was, { ...was, ...change })).toEqual([field])
  })

  test.each<[string, Partial<AgentLimits>]>([
    ['nothing', {}],
    ['an amount that is written otherwise', { charge: '20', day: '50.0' }],
    ['shops in another order, and twice', { merchants: ['rail.example', 'tea.example', 'rail.example'] }],
  ])('%s is no change', (_, change) => {
    expect([widenedBy(WAS, { ...WAS, ...change }), changedBy(WAS, { ...WAS, ...change })]).toEqual([[], []])
  })

  test('all at once', () => {
    const all = ['charge', 'day', 'month', 'open', 'merchants', 'hours', 'ask_above', 'ask_repeats']
    expect(widenedBy(WAS, NONE)).toEqual(all)
    expect(widenedBy(NONE, WAS)).toEqual([])
    expect(changedBy(NONE, WAS)).toEqual(all)
    expect(changedBy(NONE, { ...NONE, ask_repeats: false })).toEqual([])
  })
})

test('the largest amounts are told apart to the minor unit', () => {
  const at = (charge: string) => ({ ...NONE, charge })
  expect(widenedBy(at('999999999999.98'), at('999999999999.99'))).toEqual(['charge'])
  expect(widenedBy(at('999999999999.99'), at('999999999999.98'))).toEqual([])
})

/** By another way: a change of hours is no more, exactly where each minute that is in by it was in before. */
test('of any hours of one zone what is found is what the judge of a charge would let through', () => {
  const times = ['00:00', '00:01', '06:00', '12:00', '23:59']
  const minutes = Array.from({ length: 1440 }, (_, at) => new Date(at * 60_000).toISOString().slice(11, 16))
  const pairs = times.flatMap((from) => times.map((to) => ({ from, to, zone: 'UTC' })))
  for (const was of pairs) {
    for (const to of pairs) {
      const isMore = minutes.some((at) => isWithin(to, at) && !isWithin(was, at))
      expect(widenedBy({ ...NONE, hours: was }, { ...NONE, hours: to })).toEqual(isMore ? ['hours'] : [])
    }
  }
})
