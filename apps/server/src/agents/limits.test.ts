// Guarantee: what an owner allows an agent is what a charge is judged by, to the minor unit, the minute and the host.
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { describe, expect, test } from 'vitest'
import { judging, renewalsAfter } from './limits.ts'

const NONE: AgentLimits = {
  ...{ currency: 'USD', charge: null, day: null, month: null, open: null },
  ...{ merchants: null, hours: null, ask_above: null },
}
const CHARGE = { amountMinor: 1_000n, currency: 'USD', payeeUrl: 'https://tea.example/shop' }
const NOON = new Date('2026-11-24T12:00:00Z')
const brokenBy = (limits: Partial<AgentLimits>, asked: Partial<typeof CHARGE> = {}, now = NOON) =>
  judging({ ...NONE, ...limits }, { ...CHARGE, ...asked }, now).agentLimit

test('nothing is limited where nothing is said', () => {
  expect(judging(NONE, CHARGE, NOON)).toEqual({
    ...{ agentLimit: null, openLimit: null, dayLimit: null, monthLimit: null },
    ...{ asksFirst: false, asksRepeats: false },
  })
})

test.each([
  ['10.00', null],
  ['9.99', 'charge'],
])('a charge of 10.00 where %s is allowed', (charge, broken) => {
  expect(brokenBy({ charge })).toBe(broken)
})

test.each([
  [['tea.example'], null],
  [['coffee.example', 'tea.example'], null],
  [['example'], 'merchants'],
  [['shop.tea.example'], 'merchants'],
  [['tea.example.evil'], 'merchants'],
])('at tea.example where %j is allowed', (merchants, broken) => {
  expect(brokenBy({ merchants })).toBe(broken)
})

test('at a host that is written otherwise', () => {
  expect(brokenBy({ merchants: ['tea.example'] }, { payeeUrl: 'https://TEA.example:8443/' })).toBeNull()
})

describe('hours', () => {
  test.each([
    ['09:00', '17:00', '2026-11-24T08:00:00Z', null],
    ['09:00', '17:00', '2026-11-24T07:59:59Z', 'hours'],
    ['09:00', '17:00', '2026-11-24T15:59:59Z', null],
    ['09:00', '17:00', '2026-11-24T16:00:00Z', 'hours'],
    // Over midnight.
    ['22:00', '06:00', '2026-11-24T22:30:00Z', null],
    ['22:00', '06:00', '2026-11-24T04:59:00Z', null],
    ['22:00', '06:00', '2026-11-24T12:00:00Z', 'hours'],
    ['00:00', '00:00', '2026-11-24T12:00:00Z', null],
    ['00:00', '01:00', '2026-11-23T23:00:00Z', null],
    // In summer.
    ['09:00', '17:00', '2026-07-24T07:00:00Z', null],
    ['09:00', '17:00', '2026-07-24T15:00:00Z', 'hours'],
    // An hour that one night in spring has not, and one in autumn has twice.
    ['02:00', '03:00', '2026-03-29T00:59:59Z', 'hours'],
    ['02:00', '03:00', '2026-03-29T01:00:00Z', 'hours'],
    ['02:00', '03:00', '2026-10-25T00:30:00Z', null],
    ['02:00', '03:00', '2026-10-25T01:30:00Z', null],
    ['02:00', '03:00', '2026-10-25T02:00:00Z', 'hours'],
  ])('%s to %s in Berlin, at %s', (from, to, now, broken) => {
    expect(brokenBy({ hours: { from, to, zone: 'Europe/Berlin' } }, {}, new Date(now))).toBe(broken)
  })
})

test('another currency is none of the agent’s', () => {
  expect(brokenBy({}, { currency: 'EUR' })).toBe('currency')
})

test('it asks above an amount, not at it', () => {
  const asks = (ask_above: string) => judging({ ...NONE, ask_above }, CHARGE, NOON).asksFirst
  expect([asks('10.00'), asks('9.99'), asks('0.00')]).toEqual([false, true, true])
})

test('days and months are of the calendar, UTC', () => {
  expect(renewalsAfter(new Date('2026-12-31T23:59:59.999Z'))).toEqual({
    day: new Date('2027-01-01T00:00:00Z'),
    month: new Date('2027-01-01T00:00:00Z'),
  })
})
