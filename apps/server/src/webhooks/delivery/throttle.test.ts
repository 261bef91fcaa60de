// Guarantee: at most two requests at a time and five claims in any second, of one merchant (fault E13, invariant I7).
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addSeconds } from '../../platform/clock.ts'
import * as rules from './throttle.ts'

const AT = new Date('2026-11-21T12:00:00.000Z')
const IDLE: rules.Throttle = { lastClaims: [], flights: {}, waiting: [] }
const later = (millis: number) => new Date(AT.getTime() + millis)

describe('requests at a time', () => {
  const two = rules.withClaim(rules.withClaim(IDLE, 'a', AT), 'b', later(10))

  test('a third one waits for the end of the first', () => {
    expect(rules.tooEarlyUntil(IDLE, 'a', AT)).toBeNull()
    expect(rules.tooEarlyUntil(two, 'c', later(20))).toEqual({ until: later(15_000), because: 'flights' })
    expect(rules.tooEarlyUntil(rules.withLanding(two, 'b', later(20)), 'c', later(20))).toBeNull()
  })

  test('of one endpoint there is no second one, though its lease went to another worker', () => {
    expect(rules.tooEarlyUntil(two, 'b', later(20))).toEqual({ until: later(15_010), because: 'own_flight' })
    expect(rules.tooEarlyUntil(two, 'b', later(15_010))).toBeNull()
  })

  test('one whose worker died is forgotten when it must be over', () => {
    expect(rules.tooEarlyUntil(two, 'c', later(15_000))).toBeNull()
    expect(rules.withLanding(two, 'c', later(15_000)).flights).toEqual({ b: later(15_010).getTime() })
  })

  test('one that ends later than any can, after a clock was turned back, is none', () => {
    expect(rules.tooEarlyUntil(two, 'c', addSeconds(AT, -3600))).toBeNull()
  })

  test('an endpoint that waits is remembered once, until a slot is free', () => {
    const waiting = rules.withWaiting(rules.withWaiting(rules.withWaiting(two, 'c'), 'd'), 'c')
    expect(waiting.waiting).toEqual(['d', 'c'])
    expect(rules.withLanding(waiting, 'a', AT).waiting).toEqual([])
    expect(rules.withClaim(waiting, 'd', AT).waiting).toEqual(['c'])
  })
})

describe('claims a second', () => {
  const flown = (throttle: rules.Throttle, millis: number) =>
    rules.withLanding(rules.withClaim(throttle, 'a', later(millis)), 'a', later(millis))

  test('the sixth waits until the first is a second old', () => {
    const five = [0, 10, 20, 30, 40].reduce(flown, IDLE)
    expect(rules.tooEarlyUntil(five, 'a', later(50))).toEqual({ until: later(1_000), because: 'rate' })
    expect(rules.tooEarlyUntil(five, 'a', later(999))).toEqual({ until: later(1_000), because: 'rate' })
    expect(rules.tooEarlyUntil(five, 'a', later(1_000))).toBeNull()
    expect(rules.rateAllowsAt(flown(five, 1_000), later(1_000))).toEqual(later(1_010))
  })

  test('however claims come, no second has six', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400), { minLength: 10, maxLength: 60 }), (steps) => {
        let throttle = IDLE
        let now = 0
        const claims: number[] = []
        for (const step of steps) {
          now += step
          if (rules.tooEarlyUntil(throttle, 'a', later(now)) !== null) continue
          throttle = flown(throttle, now)
          claims.push(now)
        }
        claims.forEach((claim, index) => {
          const sixth = claims[index + 5]
          if (sixth !== undefined) expect(sixth - claim).toBeGreaterThanOrEqual(1_000)
        })
      }),
    )
  })

  test('a clock that is behind waits no longer than the rule, and turns no time back', () => {
    const five = [0, 10, 20, 30, 40].reduce(flown, IDLE)
    const behind = addSeconds(AT, -7200)
    expect(rules.rateAllowsAt(five, behind)).toEqual(addSeconds(behind, 1))
    expect(rules.withClaim(five, 'a', behind).lastClaims[0]).toEqual(later(40))
  })
})

test('an endpoint lets the others go first, in turns that come to five claims a second', () => {
  expect([0, 1, 2, 3, 4].map(rules.turnMillis)).toEqual([0, 400, 600, 800, 1_000])
})
