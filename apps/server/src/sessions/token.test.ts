import { randomBytes } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { beforeEach, expect, test, vi } from 'vitest'
import { secret } from '../platform/secret.ts'
import { createSessionTokens } from './token.ts'

// Guarantee: a token opens the session it was signed for, and no other; what is remembered of one is of that very
// token.

vi.mock(import('jose'), { spy: true })
beforeEach(() => {
  vi.mocked(jwtVerify).mockClear()
})

const key = secret(randomBytes(32))
/** Asked of tokens of before alone. */
const isPurchase = vi.fn(async () => true)
const tokens = createSessionTokens({ key, environment: 'sandbox', isPurchase })
const caller = { merchantId: 'ma_one', sessionId: 'cs_one', customerId: 'cus_one', enrolls: false, isPurchase: false }
const times = { issuedAt: new Date('2026-01-01'), expiresAt: new Date('2026-01-02') }
const invalid = { code: 'AUTH_1001', status: 401 }

test('of a token that was good the library is asked once', async () => {
  const token = await tokens.sign({ ...caller, orderId: 'ord_one', ...times })
  for (let call = 0; call < 8; call += 1) expect(await tokens.verify(token)).toEqual(caller)
  expect(jwtVerify).toHaveBeenCalledTimes(1)
})

test('another token is looked at anew, and a bad one every time', async () => {
  const token = await tokens.sign({ ...caller, orderId: 'ord_two', ...times })
  const other = await tokens.sign({ ...caller, sessionId: 'cs_two', orderId: 'ord_two', ...times })
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
  const token = await tokens.sign({ ...caller, orderId: 'ord_three', ...times })
  await tokens.verify(token)
  const strangers = [
    createSessionTokens({ key: secret(randomBytes(32)), environment: 'sandbox', isPurchase }),
    createSessionTokens({ key, environment: 'production', isPurchase }),
  ]
  for (const stranger of strangers) await expect(stranger.verify(token)).rejects.toMatchObject(invalid)
})

test('what is remembered is bounded: the oldest is looked at again', async () => {
  const bounded = createSessionTokens({ key, environment: 'sandbox', isPurchase })
  const signed = (at: number) => bounded.sign({ ...caller, orderId: `ord_${at}`, ...times })
  const first = await signed(0)
  await bounded.verify(first)
  for (let at = 1; at <= 10_000; at += 1) await bounded.verify(await signed(at))
  vi.mocked(jwtVerify).mockClear()
  await bounded.verify(first)
  expect(jwtVerify).toHaveBeenCalledTimes(1)
})

test('one that names no order is of a session that enrolls a card', async () => {
  const token = await tokens.sign({ ...caller, orderId: null, ...times })
  expect(await tokens.verify(token)).toEqual({ ...caller, enrolls: true })
})

test('one says whether its session is a purchase; of one of an earlier release it is asked once', async () => {
  const purchase = { ...caller, isPurchase: true }
  for (const each of [purchase, caller]) {
    const token = await tokens.sign({ ...each, orderId: 'ord_one', ...times })
    expect(await tokens.verify(token)).toEqual(each)
  }
  expect(isPurchase).not.toHaveBeenCalled()
  const { merchantId: mid, customerId: cus, sessionId: sub } = caller
  const old = await new SignJWT({ mid, cus, ord: 'ord_one' })
    .setProtectedHeader({ alg: 'HS256', typ: 'mintmark-session+jwt' })
    .setIssuer('mintmark:sandbox')
    .setAudience('mintmark-surface')
    .setSubject(sub)
    .setExpirationTime('1h')
    .sign(new Uint8Array(key.reveal()))
  for (let call = 0; call < 2; call += 1) expect(await tokens.verify(old)).toEqual(purchase)
  expect(isPurchase).toHaveBeenCalledExactlyOnceWith({ merchantId: mid, sessionId: sub })
})
