// Guarantee: a burst waits, what lasts is refused after a short wait, what goes on is not, and a caller who sends many keeps no other out.
import { expect, test } from 'vitest'
import { createLine, type Waiting } from './line.ts'

let now = 0
const lineOf = (most = 1_000) =>
  createLine<Waiting>({
    most,
    strangersShare: 0.5,
    monotonicMillis: () => now,
    burstMillis: 2_000,
    goesOnMillis: 5_000,
  })
const entry = (key = 'a', rank = 3, isAnonymous = false, isStranger = isAnonymous): Waiting => ({
  ...{ key, rank, goesOn: false },
  ...{ isAnonymous, isStranger },
})
const whole = (key = 'a') => entry(key, 1)
const onward = (key = 'a'): Waiting => ({ ...whole(key), goesOn: true })
const all = () => true
const holdsNone = { by: () => 0, holdsLittle: () => false }

test('a burst waits for two seconds', () => {
  const line = lineOf()
  for (let count = 0; count < 200; count += 1) line.add(entry())
  for (let passed = 0; passed < 1_950; passed += 50) {
    now += 50
    expect(line.takeLate()).toEqual([])
    for (let served = 0; served < 4; served += 1) line.next(all, holdsNone)
  }
  expect(line.length()).toBe(44)
  now += 50
  expect(line.takeLate()).toHaveLength(44)
})

test.each([
  ['what begins', () => entry()],
  ['what is whole in one request', () => whole()],
])('where more comes than can be done waits are short after two seconds, until the line has passed: %s', (_, make) => {
  const line = lineOf()
  const waits: number[] = []
  const came = new Map<Waiting, number>()
  const step = (arrivals: number) => {
    now += 10
    for (let count = 0; count < arrivals; count += 1) {
      const waiting = make()
      came.set(waiting, now)
      line.add(waiting)
    }
    const next = line.next(all, holdsNone)
    if (next !== undefined) waits.push(now - (came.get(next) ?? 0))
    return line.takeLate().length
  }
  for (let count = 0; count < 250; count += 1) step(5)
  waits.length = 0
  let refused = 0
  for (let count = 0; count < 500; count += 1) refused += step(5)
  expect(Math.max(...waits)).toBeLessThanOrEqual(250)
  // One in five is served, still.
  expect(waits).toHaveLength(500)
  expect(refused).toBeGreaterThan(1_900)
  // The load is over; a second later a burst is one again.
  while (line.length() > 0) step(0)
  now += 1_100
  for (let count = 0; count < 100; count += 1) line.add(make())
  now += 1_000
  expect(line.takeLate()).toEqual([])
})

test('what goes on waits where others are refused, and not for ever', () => {
  const line = lineOf()
  const later = onward()
  const crowd = () => {
    now += 50
    line.add(entry())
    line.add(whole())
    return line.takeLate()
  }
  for (let passed = 0; passed < 3_000; passed += 50) crowd()
  line.add(later)
  for (let passed = 0; passed < 4_950; passed += 50) {
    // Each of the others has waited for 250 ms and no longer.
    expect(crowd().some((late) => late.goesOn)).toBe(false)
    expect(line.length()).toBeLessThanOrEqual(11)
  }
  expect(crowd()).toContain(later)
})

test('a full line sends away what would come last, of those of whom the most wait', () => {
  const line = lineOf(4)
  const [first, second, third] = [onward(), entry(), whole()]
  for (const waiting of [entry('b'), first, second, third]) expect(line.add(waiting)).toBeUndefined()
  // It came last, and goes on: a beginning of the same caller goes.
  expect(line.add(onward())).toBe(second)
  // There is no other beginning of that caller. The one of another caller stays.
  const more = onward()
  expect(line.add(more)).toBe(more)
})

test('first what was begun, then who holds least, then who came first', () => {
  const line = lineOf()
  const [one, two, other, on] = [entry('a', 3), entry('a', 3), entry('b', 3), onward()]
  for (const waiting of [one, two, other, on]) line.add(waiting)
  const held = { by: (key: string) => (key === 'a' ? 7 : 0), holdsLittle: () => false }
  const next = () => line.next(all, held)
  expect([next(), next(), next(), next(), next()]).toEqual([on, other, one, two, undefined])
})

test('who holds far less than another comes first, also with what begins', () => {
  const line = lineOf()
  const [on, whole1, begins] = [onward('a'), whole('a'), entry('b', 3)]
  for (const waiting of [whole1, begins, on]) line.add(waiting)
  const held = { by: (key: string) => (key === 'a' ? 7 : 3), holdsLittle: ({ key }: Waiting) => key === 'b' }
  expect([line.next(all, held), line.next(all, held), line.next(all, held)]).toEqual([begins, whole1, on])
})

test('what does not fit waits on, and a full line sends away the last of those of whom the most wait', () => {
  const line = lineOf(3)
  const [one, two, three, four] = [entry('a', 3), entry('a', 3), entry('a', 3), entry('b', 3)]
  for (const waiting of [one, two, three]) expect(line.add(waiting)).toBeUndefined()
  expect(line.add(four)).toBe(three)
  const late = entry('a', 3)
  expect(line.add(late)).toBe(late)
  expect(line.next(() => false, holdsNone)).toBeUndefined()
  expect([line.remove(two), line.remove(two), line.length()]).toEqual([true, false, 2])
})

test('of strangers in a full line the anonymous ones go first, then those of the highest rank', () => {
  const line = lineOf(4)
  const onward = (key: string) => entry(key, 1, false, true)
  const [begins, ...others] = [entry('x', 3, false, true), onward('y'), onward('z'), onward('w')]
  for (const waiting of [begins, ...others]) line.add(waiting)
  const known = ['m', 'n', 'o'].map((key) => entry(key, 3))
  expect(known.map((waiting) => line.add(waiting))).toEqual([begins, others[2], known[2]])
  const strangers = lineOf(4)
  const anonymous = ['a', 'b', 'c'].map((key) => entry(key, 1, true))
  for (const waiting of [...anonymous, onward('y')]) strangers.add(waiting)
  expect(strangers.add(onward('z'))).toBe(anonymous[2])
})

test('where strangers are more than their share of a full line, the last of those of whom the most wait goes', () => {
  const line = lineOf(4)
  const strangers = ['a', 'b', 'b'].map((key) => entry(key, 1, true))
  const known = ['m', 'n', 'o'].map((key) => entry(key, 1))
  for (const waiting of [...strangers, known[0] as Waiting]) line.add(waiting)
  expect(line.add(known[1] as Waiting)).toBe(strangers[2])
  // What is left of them is their share.
  expect(line.add(known[2] as Waiting)).toBe(known[2])
  const late = entry('c', 1, true)
  expect(line.add(late)).toBe(late)
})
