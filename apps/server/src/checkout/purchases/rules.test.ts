// Guarantee: what a shop says means one thing at each step; what it does not say means nothing.
import { describe, expect, test } from 'vitest'
import { CHECKOUT_REFUSALS, type ShopPurchaseState } from '../port.ts'
import {
  afterLookingForPayment,
  afterLookingForPrepared,
  afterPay,
  afterPrepare,
  failureOf,
  failureOfMint,
  isReleased,
  merchantStatusOf,
  nextInquiry,
  nextRelease,
  paidOf,
  silentSince,
} from './rules.ts'
import { PURCHASE_STATES } from './states.ts'

const ok = <T>(value: T) => ({ outcome: 'ok', value }) as const
const refused = (reason: (typeof CHECKOUT_REFUSALS)[number]) => ({ outcome: 'refused', reason }) as const
const unknown = { outcome: 'unknown', cause: 'time-out' } as const
const PAID = { state: 'paid', orderId: 'A-1', authorizationCode: '123456' } as const
const IS_PAID = { next: 'paid', orderRef: 'A-1', authorizationCode: '123456' }

describe('prepare', () => {
  test.each([
    ['ok', ok({}), { next: 'prepared' }],
    ['unknown', unknown, { next: 'unknown' }],
  ])('%s', (_, answer, verdict) => expect(afterPrepare(answer)).toEqual(verdict))
  test.each(CHECKOUT_REFUSALS)('refused: %s', (reason) =>
    expect(afterPrepare(refused(reason))).toEqual({ next: 'refused', failure: 'MERCHANT_PREPARE_FAILED' }),
  )
})

const NOT_PREPARED = { next: 'refused', failure: 'MERCHANT_PREPARE_FAILED' }

describe('looked for, after a prepare', () => {
  test.each<[ShopPurchaseState, object]>([
    [{ state: 'not_found' }, { next: 'open' }],
    [{ state: 'open' }, { next: 'prepared' }],
    [{ state: 'in_progress' }, { next: 'wait' }],
    [{ state: 'needs_human' }, { next: 'refused', failure: 'MERCHANT_ACTION_REQUIRED' }],
    [{ state: 'released' }, NOT_PREPARED],
    [{ state: 'declined', reason: 'card_declined' }, NOT_PREPARED],
    [PAID, NOT_PREPARED],
  ])('%o', (state, verdict) => expect(afterLookingForPrepared(ok(state))).toEqual(verdict))
  test('silence', () => expect(afterLookingForPrepared(unknown)).toEqual({ next: 'unknown' }))
  test.each(CHECKOUT_REFUSALS)('refused: %s', (reason) =>
    expect(afterLookingForPrepared(refused(reason))).toEqual(reason === 'not_found' ? { next: 'open' } : NOT_PREPARED),
  )
})

describe('pay', () => {
  test.each([
    ['paid', ok(PAID), IS_PAID],
    ['needs_human', ok({ state: 'needs_human' } as const), { next: 'needs_human' }],
    ['in_progress', ok({ state: 'in_progress' } as const), { next: 'wait' }],
    ['unknown', unknown, { next: 'unknown' }],
  ])('%s', (_, answer, verdict) => expect(afterPay(answer)).toEqual(verdict))
  test.each(CHECKOUT_REFUSALS)('refused: %s', (reason) =>
    expect(afterPay(refused(reason))).toEqual({ next: 'refused', failure: failureOf(reason) }),
  )
  test('a refusal has one of three names', () => {
    expect(Object.fromEntries(CHECKOUT_REFUSALS.map((reason) => [reason, failureOf(reason)]))).toEqual({
      ...Object.fromEntries(CHECKOUT_REFUSALS.map((reason) => [reason, 'PAYMENT_FAILED'])),
      card_declined: 'CARD_DECLINED',
      insufficient_funds: 'INSUFFICIENT_FUNDS',
    })
  })
})

describe('looked for, after a payment', () => {
  test.each<[ShopPurchaseState, object]>([
    [PAID, IS_PAID],
    [{ state: 'open' }, { next: 'open' }],
    [{ state: 'in_progress' }, { next: 'wait' }],
    [
      { state: 'declined', reason: 'insufficient_funds' },
      { next: 'refused', failure: 'INSUFFICIENT_FUNDS' },
    ],
    [{ state: 'released' }, { next: 'refused', failure: 'PAYMENT_FAILED' }],
    [{ state: 'needs_human' }, { next: 'needs_human' }],
    [{ state: 'not_found' }, { next: 'needs_human' }],
  ])('%o', (state, verdict) => expect(afterLookingForPayment(ok(state))).toEqual(verdict))
  test('silence', () => expect(afterLookingForPayment(unknown)).toEqual({ next: 'unknown' }))
  test.each(CHECKOUT_REFUSALS)('refused: %s', (reason) =>
    expect(afterLookingForPayment(refused(reason))).toEqual({
      next: reason === 'not_found' ? 'needs_human' : 'unknown',
    }),
  )
})

test.each([
  ['ok', ok({}), true],
  ['unknown', unknown, false],
  ['released before', refused('released'), true],
  ['not found', refused('not_found'), false],
  ['refused', refused('refused'), false],
])('given back: %s', (_, answer, isBack) => expect(isReleased(answer)).toBe(isBack))

test('a network that refuses to mint has two names', () => {
  expect(failureOfMint('CARD_DECLINED')).toBe('CARD_DECLINED')
  expect(failureOfMint('THRESHOLD_EXCEEDED')).toBe('PAYMENT_FAILED')
  expect(failureOfMint('MANDATE_EXPIRED')).toBe('PAYMENT_FAILED')
})

test.each([
  ['A-10042', 'A-10042'],
  ['a.b_c:d-e', 'a.b_c:d-e'],
  ['x'.repeat(64), 'x'.repeat(64)],
  ['x'.repeat(65), null],
  ['', null],
  ['A 1', null],
  ['A/1', null],
  ['A\n1', null],
  ['A-1\n', null],
  ['Ä1', null],
  [null, null],
])('an order %o is shown as %o', (orderId, orderRef) => {
  expect(paidOf({ orderId, authorizationCode: orderId })).toMatchObject({ orderRef })
})

test('silence is shown where the shop was asked, and nowhere else', () => {
  const since = new Date()
  expect(
    Object.fromEntries(PURCHASE_STATES.map((state) => [state, merchantStatusOf({ state, unknownSince: since })])),
  ).toEqual({
    ...{ pending: 'pending', quote_ready: 'unknown', prepared: 'prepared', paying: 'unknown' },
    ...{ needs_human: 'needs_human', paid: 'paid', prepare_failed: 'prepare_failed', failed: 'failed' },
  })
  expect(
    Object.fromEntries(PURCHASE_STATES.map((state) => [state, merchantStatusOf({ state, unknownSince: null })])),
  ).toEqual({
    ...{ pending: 'pending', quote_ready: 'quote_ready', prepared: 'prepared', paying: 'prepared' },
    ...{ needs_human: 'needs_human', paid: 'paid', prepare_failed: 'prepare_failed', failed: 'failed' },
  })
})

test('a silent shop is asked less often, and for ever', () => {
  const now = new Date('2026-11-22T12:00:00.000Z')
  const secondsUntil = (attempts: number, silentSeconds: number) => {
    const unknownSince = new Date(now.getTime() - silentSeconds * 1000)
    return (nextInquiry({ attempts, unknownSince, state: 'paying' }, now).getTime() - now.getTime()) / 1000
  }
  expect([1, 2, 3, 4, 5].map((attempts) => secondsUntil(attempts, 0))).toEqual([1, 2, 5, 10, 30])
  expect(secondsUntil(1000, 14 * 60)).toBe(30)
  expect(secondsUntil(1000, 15 * 60)).toBe(300)
  expect(secondsUntil(1_000_000, 365 * 24 * 3600)).toBe(300)
})

test('a shop that says nothing of the outcome for a quarter of an hour is as good as silent', () => {
  const now = new Date('2026-11-22T12:00:00.000Z')
  const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
  const paying = { state: 'paying', unknownSince: null, changedAt: ago(14) } as const
  expect(silentSince(paying, true, now)).toEqual(now)
  expect(silentSince({ ...paying, unknownSince: ago(3) }, true, now)).toEqual(ago(3))
  expect(silentSince({ ...paying, unknownSince: ago(3) }, false, now)).toBeNull()
  for (const state of ['quote_ready', 'paying'] as const) {
    expect(silentSince({ ...paying, state, changedAt: ago(15) }, false, now)).toEqual(ago(15))
  }
  // A person is at it.
  expect(silentSince({ ...paying, state: 'needs_human', changedAt: ago(600) }, false, now)).toBeNull()
})

test('a shop that is gone is asked for a week to give back what it held', () => {
  const now = new Date('2026-11-22T12:00:00.000Z')
  const secondsUntil = (attempts: number, sinceSeconds: number) => {
    const next = nextRelease({ attempts, changedAt: new Date(now.getTime() - sinceSeconds * 1000) }, now)
    return next === null ? null : (next.getTime() - now.getTime()) / 1000
  }
  expect([1, 2, 3, 4, 5].map((attempts) => secondsUntil(attempts, 0))).toEqual([1, 2, 5, 10, 30])
  expect(secondsUntil(1000, 15 * 60)).toBe(300)
  expect(secondsUntil(1000, 7 * 24 * 3600 - 1)).toBe(300)
  expect(secondsUntil(1000, 7 * 24 * 3600)).toBeNull()
})
