// Guarantee: an account with many credentials is one caller at the door once they were good, and no caller can claim to be another.
import { expect, test } from 'vitest'
import { createCallers } from './callers.ts'

const ADDRESS = '192.0.2.1'
const key = (value: string) => ({ name: 'secret_key', value })

test('credentials of one account are one caller, each from when it was good', () => {
  const callers = createCallers()
  const first = callers.of(key('sk_one'), ADDRESS)
  expect(first).toMatchObject({ isAnonymous: false, isStranger: true })
  expect(callers.of(key('sk_one'), '192.0.2.2')).toEqual(first)
  const known = callers.learn(first, 'ma_one')
  expect(known).toEqual({ key: 'account ma_one', isAnonymous: false, isStranger: false })
  expect(callers.of(key('sk_one'), ADDRESS)).toEqual(known)
  const other = callers.of(key('sk_two'), ADDRESS)
  expect(other.isStranger).toBe(true)
  expect(callers.learn(other, 'ma_one')).toEqual(known)
  expect(callers.learn(known, 'ma_one')).toBe(known)
  // The same text as another credential is another one.
  expect(callers.of({ name: 'session_token', value: 'sk_one' }, ADDRESS).isStranger).toBe(true)
})

test('who shows nothing is their address, whatever account it is of; no credential is taken for an address, and none is kept', () => {
  const callers = createCallers()
  const anonymous = callers.of(null, ADDRESS)
  expect(anonymous).toMatchObject({ isAnonymous: true, isStranger: true })
  expect(callers.learn(anonymous, 'ma_one')).toBe(anonymous)
  expect(callers.of(null, ADDRESS)).toEqual(anonymous)
  const shown = callers.of(key(ADDRESS), '192.0.2.2')
  expect(shown.key).not.toBe(anonymous.key)
  expect(shown.key).not.toContain(ADDRESS)
})

test('of a kind the credential that was not shown for longest makes room, and none of another kind', () => {
  const callers = createCallers(2)
  const isKnown = (value: string) => !callers.of(key(value), ADDRESS).isStranger
  const learn = (shown: { name: string; value: string }) => callers.learn(callers.of(shown, ADDRESS), 'ma_one')
  learn(key('a'))
  learn(key('b'))
  expect(isKnown('a')).toBe(true)
  learn(key('c'))
  for (const value of ['1', '2', '3']) learn({ name: 'session_token', value })
  expect(['a', 'b', 'c'].map(isKnown)).toEqual([true, false, true])
})
