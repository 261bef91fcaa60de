// Guarantee: whoever has many credentials, or writes one in many ways, is one caller at the door once they were good.
import { expect, test } from 'vitest'
import { createCallers } from './callers.ts'

const ADDRESS = '192.0.2.1'

test('credentials of one account are one caller, each from when it was good', () => {
  const callers = createCallers()
  const first = callers.of('Bearer sk_one', ADDRESS)
  expect(first).toMatchObject({ isAnonymous: false, isStranger: true })
  expect(callers.of('Bearer sk_one', '192.0.2.2')).toEqual(first)
  const known = callers.learn(first, 'ma_one')
  expect(known).toEqual({ key: 'account ma_one', isAnonymous: false, isStranger: false })
  expect(callers.of('Bearer sk_one', ADDRESS)).toEqual(known)
  const respelled = callers.of('bearer  sk_one', ADDRESS)
  expect(respelled.isStranger).toBe(true)
  expect(callers.learn(respelled, 'ma_one')).toEqual(known)
  expect(callers.learn(known, 'ma_one')).toBe(known)
})

test('who shows nothing is their address, whatever account it is of; no credential is taken for an address, and none is kept', () => {
  const callers = createCallers()
  const anonymous = callers.of(null, ADDRESS)
  expect(anonymous).toMatchObject({ isAnonymous: true, isStranger: true })
  expect(callers.learn(anonymous, 'ma_one')).toBe(anonymous)
  expect(callers.of(null, ADDRESS)).toEqual(anonymous)
  const shown = callers.of(ADDRESS, '192.0.2.2')
  expect(shown.key).not.toBe(anonymous.key)
  expect(shown.key).not.toContain(ADDRESS)
})

test('the credential that was not shown for longest makes room', () => {
  const callers = createCallers(2)
  const isKnown = (shown: string) => !callers.of(shown, ADDRESS).isStranger
  const learn = (shown: string) => callers.learn(callers.of(shown, ADDRESS), 'ma_one')
  learn('a')
  learn('b')
  expect(isKnown('a')).toBe(true)
  learn('c')
  expect(['a', 'b', 'c'].map(isKnown)).toEqual([true, false, true])
})
