// Guarantee: a shop is called silent for what it did, and not for what its callers had no time for.
import { expect, test } from 'vitest'
import { bounded } from '../../platform/bounds.ts'
import type { CheckoutAnswer } from '../port.ts'
import { createAsker } from './ask.ts'

const TIMEOUT = { outcome: 'unknown', cause: 'timeout' }
const hang = () => new Promise<CheckoutAnswer<object>>(() => {})
const answer = async () => ({ outcome: 'ok', value: {} }) as const

/** A caller whose request has so long left. */
function callerWith<T>(millis: number, work: () => T): T {
  return bounded({ endsAtMillis: performance.now() + millis, isGone: false, awayMillis: 0 }, work)
}

test('a shop is silent when it took the whole time of a question, until it answers', async () => {
  const { ask, isSilent } = createAsker(30)
  expect(await callerWith(10_000, () => ask('shop_1', hang))).toEqual(TIMEOUT)
  expect(isSilent('shop_1')).toBe(true)
  expect(isSilent('shop_2')).toBe(false)
  expect(await ask('shop_1', answer)).toMatchObject({ outcome: 'ok' })
  expect(isSilent('shop_1')).toBe(false)
})

test('a caller who came late is told in time, and makes no shop silent nor well', async () => {
  const { ask, isSilent } = createAsker(10_000)
  expect(await callerWith(20, () => ask('shop_1', hang))).toEqual(TIMEOUT)
  expect(isSilent('shop_1')).toBe(false)
  const known = createAsker(30)
  await known.ask('shop_1', hang)
  await callerWith(5, () => known.ask('shop_1', hang))
  expect(known.isSilent('shop_1')).toBe(true)
})

test('of a shop that is silent only a few callers wait, and the others are told immediately', async () => {
  const { ask } = createAsker(30)
  await ask('shop_1', hang)
  let asked = 0
  const counted = () => {
    asked += 1
    return hang()
  }
  // All in one turn: time passes for none of them.
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask('shop_1', counted)))
  expect(asked).toBe(4)
  expect(answers.filter((one) => one.outcome === 'unknown' && one.cause === 'silent')).toHaveLength(16)
})
