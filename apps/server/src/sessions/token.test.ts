import { randomBytes } from 'node:crypto'
import { jwtVerify } from 'jose'
import { beforeEach, expect, test, vi } from 'vitest'
import { secret } from '../platform/secret.ts'
import { READ_AS, type ReadAs } from './rules.ts'
import { createSessionTokens } from './token.ts'

// Guarantee: a token opens the session it was signed for, and no other; what is remembered of one is of that very token.

vi.mock(import('jose'), { spy: true })
beforeEach(() => {
  vi.mocked(jwtVerify).mockClear()
})

const key = secret(randomBytes(32))
/** Another process of the same deployment. */
const signing = createSessionTokens({ key, environment: 'sandbox' })
const tokens = createSessionTokens({ key, environment: 'sandbox' })
const caller = { merchantId: 'ma_one', sessionId: 'cs_one', customerId: 'cus_one', readAs: 'payment' } as const
const times = { issuedAt: new Date('2026-01-01'), expiresAt: new Date('2026-01-02') }
const invalid = { code: 'AUTH_1001', status: 401 }

test('of a token that was good the library is asked once', async () => {
  const token = await signing.sign({ ...caller, orderId: 'ord_one', ...times })
  for (let call = 0; call < 8; call += 1) expect(await tokens.verify(token)).toEqual(caller)
  expect(jwtVerify).toHaveBeenCalledTimes(1)
})

test('of a token that this process has signed for a page the library is asked nothing', async () => {
  const token = await tokens.signLaunched({ ...caller, orderId: 'ord_own', ...times })
  const known = await tokens.verify(token)
  expect(known).toEqual(caller)
  expect(Object.isFrozen(known)).toBe(true)
  expect(jwtVerify).not.toHaveBeenCalled()
  // It is an ordinary token: another process asks, and is told the same.
  expect(await signing.verify(token)).toEqual(caller)
  expect(jwtVerify).toHaveBeenCalledTimes(1)
})

test('of a token that no page was given it is asked', async () => {
  await tokens.verify(await tokens.sign({ ...caller, orderId: 'ord_given', ...times }))
  expect(jwtVerify).toHaveBeenCalledTimes(1)
})

test('another token is looked at anew, and a bad one every time', async () => {
  const token = await signing.sign({ ...caller, orderId: 'ord_two', ...times })
  const other = await signing.sign({ ...caller, sessionId: 'cs_two', orderId: 'ord_two', ...times })
  await tokens.verify(token)
  expect(await tokens.verify(other)).toEqual({ ...caller, sessionId: 'cs_two' })
  const [head = '', claims = '', signature = ''] = token.split('.')
  const [, othersClaims = ''] = other.split('.')
  for (const bad of [`${head}.${othersClaims}.${signature}`, `${head}.${claims}.`, `${head}.${claims}.${signature}A`]) {
    for (let call = 0; call < 2; call += 1) await expect(tokens.verify(bad)).rejects.toMatchObject(invalid)
  }
  expect(jwtVerify).toHaveBeenCalledTimes(2 + 6)
})

test('of another key or environment it opens nothing', async () => {
  const token = await signing.sign({ ...caller, orderId: 'ord_three', ...times })
  await tokens.verify(token)
  const strangers = [
    createSessionTokens({ key: secret(randomBytes(32)), environment: 'sandbox' }),
    createSessionTokens({ key, environment: 'production' }),
  ]
  for (const stranger of strangers) await expect(stranger.verify(token)).rejects.toMatchObject(invalid)
})

test('what is remembered is bounded: the oldest is looked at again', async () => {
  const bounded = createSessionTokens({ key, environment: 'sandbox' })
  const signed = (at: number) => signing.sign({ ...caller, orderId: `ord_${at}`, ...times })
  const first = await signed(0)
  await bounded.verify(first)
  for (let at = 1; at <= 5_000; at += 1) await bounded.verify(await signed(at))
  for (let at = 5_001; at <= 10_000; at += 1) await bounded.signLaunched({ ...caller, orderId: `ord_${at}`, ...times })
  vi.mocked(jwtVerify).mockClear()
  await bounded.verify(first)
  expect(jwtVerify).toHaveBeenCalledTimes(1)
})

test.each(READ_AS)('it says how its session is read: as %s', async (readAs) => {
  const token = await signing.sign({ ...caller, readAs, orderId: readAs === 'enrollment' ? null : 'ord_one', ...times })
  expect(await tokens.verify(token)).toEqual({ ...caller, readAs })
})

test('one of an earlier release does not, and is good all the same', async () => {
  const token = await signing.sign({ ...caller, readAs: 'word of another day' as ReadAs, orderId: 'ord_one', ...times })
  expect(await tokens.verify(token)).toEqual({ ...caller, readAs: undefined })
})
