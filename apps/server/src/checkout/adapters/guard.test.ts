import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { remainingMillis } from '../../platform/bounds.ts'
import type { MerchantCheckout } from '../port.ts'
import { guardCheckout } from './guard.ts'
import { NoAnswer } from './no-answer.ts'
import { PURCHASE } from './testing/requests.ts'

// The guarantee: in every failure of an adapter the caller gets an answer of the port, in time, and nothing foreign in
// it.

const TIMEOUT_MILLIS = 50

function guarded(inquire: () => Promise<unknown>): MerchantCheckout {
  const refuse = () => Promise.reject(new Error('Not part of this test.'))
  const checkout = { search: refuse, product: refuse, quote: refuse, prepare: refuse, pay: refuse, release: refuse }
  return guardCheckout(
    { ...checkout, inquire: inquire as MerchantCheckout['inquire'] },
    { callMillis: TIMEOUT_MILLIS, payMillis: TIMEOUT_MILLIS },
  )
}

const paid = (change: object = {}) => ({
  outcome: 'ok',
  value: { state: 'paid', orderId: 'SO-1', authorizationCode: null, ...change },
})

test('a good answer passes unchanged', async () => {
  const answer = paid()
  expect(await guarded(async () => answer).inquire(PURCHASE)).toBe(answer)
})

test('a slow answer is unknown when the time is over', async () => {
  const started = performance.now()
  const answer = await guarded(() => new Promise(() => {})).inquire(PURCHASE)
  expect(answer).toEqual({ outcome: 'unknown', cause: 'timeout' })
  expect(performance.now() - started).toBeGreaterThanOrEqual(TIMEOUT_MILLIS - 5)
})

test('the adapter knows how long it has, so that it begins nothing after its time', async () => {
  const seen: number[] = []
  const checkout = guarded(async () => {
    seen.push(remainingMillis())
    await delay(TIMEOUT_MILLIS * 2)
    seen.push(remainingMillis())
  })
  await checkout.inquire(PURCHASE)
  await delay(TIMEOUT_MILLIS * 3)
  expect(seen[0]).toBeGreaterThan(0)
  expect(seen[0]).toBeLessThanOrEqual(TIMEOUT_MILLIS)
  expect(seen[1]).toBe(0)
})

test('an answer that fails after the time-out disturbs no caller', async () => {
  const checkout = guarded(async () => {
    await delay(TIMEOUT_MILLIS * 2)
    throw new Error('late')
  })
  expect(await checkout.inquire(PURCHASE)).toEqual({ outcome: 'unknown', cause: 'timeout' })
  await delay(TIMEOUT_MILLIS * 2)
})

test.for([
  ['an answer that did not come', new NoAnswer('HTTP 503'), 'HTTP 503'],
  ['an error with a code', Object.assign(new Error('card 4242'), { code: 'ECONNRESET' }), 'failed: ECONNRESET'],
  ['an error without', new Error('card 4242424242424242'), 'failed'],
  ['an error whose code is not one', Object.assign(new Error('no'), { code: '4242 4242' }), 'failed'],
  ['something that is no error', '4242424242424242', 'failed'],
] as const)('%s is unknown, and its message is not told', async ([, thrown, cause]) => {
  const answer = await guarded(() => Promise.reject(thrown)).inquire(PURCHASE)
  expect(answer).toEqual({ outcome: 'unknown', cause })
})

test('an adapter that throws before it returns a promise is no different', async () => {
  const checkout = guarded(() => {
    throw new Error('at once')
  })
  expect(await checkout.inquire(PURCHASE)).toEqual({ outcome: 'unknown', cause: 'failed' })
})

describe('nonsense is unknown', () => {
  test.for([
    ['nothing', undefined],
    ['an outcome of its own', { outcome: 'approved' }],
    ['ok without a value', { outcome: 'ok' }],
    ['an unknown reason', { outcome: 'refused', reason: 'bad_mood' }],
    ['unknown without a cause', { outcome: 'unknown' }],
    ['a cause with more lines', { outcome: 'unknown', cause: 'a\nb' }],
    ['a cause that goes on and on', { outcome: 'unknown', cause: 'x'.repeat(121) }],
    ['an unknown state', { outcome: 'ok', value: { state: 'perhaps' } }],
    ['a decline without a reason', { outcome: 'ok', value: { state: 'declined' } }],
    ['paid without an order id, not even null', paid({ orderId: undefined })],
    ['an order id with control characters', paid({ orderId: 'a\u0007' })],
    ['an order id too long', paid({ orderId: 'x'.repeat(201) })],
  ] as const)('%s', async ([, answer]) => {
    const given = await guarded(async () => answer).inquire(PURCHASE)
    expect(given).toEqual({ outcome: 'unknown', cause: 'malformed answer' })
  })
})
