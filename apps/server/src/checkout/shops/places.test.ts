// Guarantee: a shop that does not answer holds a bounded number of those who buy, for a bounded time, and is asked often enough to be
// found well again; a shop that answers keeps none of them out.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CheckoutAnswer } from '../port.ts'
import { createPlaces, type Places } from './places.ts'

const USUAL = 2_000
const OK = { outcome: 'ok', value: {} } as const

let places: Places
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  places = createPlaces()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Questions to one shop, each of which is answered when the test says so. */
function questions(shopId: string) {
  const open: ((answer: CheckoutAnswer<object>) => void)[] = []
  const answers: CheckoutAnswer<object>[] = []
  const ask = async () => {
    answers.push(
      await places.ask<object>(shopId, USUAL, () => {
        const { promise, resolve } = Promise.withResolvers<CheckoutAnswer<object>>()
        open.push(resolve)
        return promise
      }),
    )
  }
  const answer = async (count = 1) => {
    for (const resolve of open.splice(0, count)) resolve(OK)
    await vi.advanceTimersByTimeAsync(0)
  }
  return {
    /** Asks so many at once. */
    async ask(count: number) {
      for (let index = 0; index < count; index += 1) void ask()
      await vi.advanceTimersByTimeAsync(0)
    },
    answer,
    atShop: () => open.length,
    told: () => answers.map(({ outcome }) => outcome),
  }
}

test('of one shop sixteen are asked at a time, and the others follow in their order', async () => {
  const shop = questions('shop_1')
  await shop.ask(20)
  expect(shop.atShop()).toBe(16)
  await shop.answer(3)
  expect(shop.atShop()).toBe(16)
  await shop.answer(16)
  await shop.answer(1)
  expect(shop.told()).toEqual(Array(20).fill('ok'))
})

test('one shop takes no place of another', async () => {
  const [dead, alive] = [questions('shop_1'), questions('shop_2')]
  await dead.ask(40)
  await alive.ask(16)
  expect(alive.atShop()).toBe(16)
})

test('it is slow as soon as one question lasts too long: who waits is told, and two are let through from then on', async () => {
  const shop = questions('shop_1')
  await shop.ask(15)
  await vi.advanceTimersByTimeAsync(1_500)
  await shop.ask(6)
  expect(shop.told()).toEqual([])
  await vi.advanceTimersByTimeAsync(500)
  expect(shop.told()).toEqual(Array(5).fill('unknown'))
  await shop.ask(3)
  expect(shop.told()).toEqual(Array(8).fill('unknown'))
  // Those at the shop come back in the end, too late.
  await shop.answer(15)
  await vi.advanceTimersByTimeAsync(2_000)
  await shop.answer(1)
  await shop.ask(5)
  expect(shop.atShop()).toBe(2)
})

test('nobody waits longer than two seconds, also where a question may take its time', async () => {
  const hang = () => new Promise<CheckoutAnswer<object>>(() => {})
  for (let index = 0; index < 16; index += 1) void places.ask('shop_1', 10_000, hang)
  const waiting = places.ask('shop_1', USUAL, async () => OK)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await waiting).toEqual({ outcome: 'unknown', cause: 'slow' })
})

test('one answer in time, and it is well again', async () => {
  const shop = questions('shop_1')
  await shop.ask(1)
  await vi.advanceTimersByTimeAsync(5_000)
  await shop.answer(1)
  await shop.ask(3)
  expect(shop.atShop()).toBe(2)
  await shop.answer(1)
  await shop.ask(20)
  expect(shop.atShop()).toBe(16)
})

test('a question that fails gives its place back', async () => {
  for (let index = 0; index < 40; index += 1) {
    const failing = places.ask('shop_1', USUAL, () => Promise.reject(new Error('scripted')))
    await expect(failing).rejects.toThrow('scripted')
  }
})
