// Guarantee: what an owner allows an agent is what a charge is judged by, to the minor unit, the minute and the host.
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { describe, expect, test } from 'vitest'
import { judging, limitProblems, renewalsAfter } from './limits.ts'

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
  expect(renewalsAfter(NONE, new Date('2026-12-31T23:59:59.999Z'))).toEqual({
    day: new Date('2027-01-01T00:00:00Z'),
    month: new Date('2027-01-01T00:00:00Z'),
    hours: null,
  })
})

describe('hours begin next', () => {
  test.each([
    // Berlin is an hour ahead of UTC, and two from 29 March to 25 October 2026.
    ['12:00', '13:00', 'Europe/Berlin', '2026-11-24T14:42:10Z', '2026-11-25T11:00:00Z'],
    ['12:00', '13:00', 'Europe/Berlin', '2026-11-24T10:59:59.999Z', '2026-11-24T11:00:00Z'],
    // While they last, the next day.
    ['12:00', '13:00', 'Europe/Berlin', '2026-11-24T11:00:00Z', '2026-11-25T11:00:00Z'],
    ['22:00', '06:00', 'Europe/Berlin', '2026-11-24T23:00:00Z', '2026-11-25T21:00:00Z'],
    ['00:00', '06:00', 'America/New_York', '2026-11-24T12:00:00Z', '2026-11-25T05:00:00Z'],
    // Over a change of the clocks.
    ['12:00', '13:00', 'Europe/Berlin', '2026-03-28T12:30:00Z', '2026-03-29T10:00:00Z'],
    ['12:00', '13:00', 'Europe/Berlin', '2026-10-24T12:30:00Z', '2026-10-25T11:00:00Z'],
    // 02:30 is left out that night: they begin when the clocks have jumped over it.
    ['02:30', '04:00', 'Europe/Berlin', '2026-03-28T22:00:00Z', '2026-03-29T01:00:00Z'],
    // All of them is left out: the day after.
    ['02:10', '02:50', 'Europe/Berlin', '2026-03-28T22:00:00Z', '2026-03-30T00:10:00Z'],
    // It is 02:30 twice that night.
    ['02:30', '02:45', 'Europe/Berlin', '2026-10-25T00:50:00Z', '2026-10-25T01:30:00Z'],
    // A clock that goes by the half hour, and one that is changed by it.
    ['09:15', '10:00', 'Asia/Kolkata', '2026-11-24T12:00:00Z', '2026-11-25T03:45:00Z'],
    ['01:45', '03:00', 'Australia/Lord_Howe', '2026-04-04T15:20:00Z', '2026-04-05T15:15:00Z'],
  ])('%s to %s, %s, after %s: at %s', (from, to, zone, now, begins) => {
    expect(renewalsAfter({ hours: { from, to, zone } }, new Date(now)).hours).toEqual(new Date(begins))
  })

  test('never, where they are the whole day', () => {
    expect(renewalsAfter({ hours: { from: '08:00', to: '08:00', zone: 'UTC' } }, NOON).hours).toBeNull()
  })
})

describe('a zone that is none', () => {
  const hours = { from: '12:00', to: '13:00', zone: 'Mars/Base' }

  test('is named where limits are taken, and so is a host that is none', () => {
    expect(limitProblems({ hours, merchants: ['tea.example', 'Tea'] }, 'limits.')).toEqual({
      'limits.hours.zone': 'must be the name of a time zone, such as Europe/Berlin',
      'limits.merchants.1': 'must be a host such as shop.example, in lower case',
    })
  })

  test('allows nothing, where one was kept before they were looked at', () => {
    expect(brokenBy({ hours })).toBe('hours')
    expect(renewalsAfter({ hours }, NOON).hours).toBeNull()
  })
})
