import { expect, test, vi } from 'vitest'
import { remembered } from './remembered.ts'

test('one call serves all who ask while it runs and for a time after it; then there is another one', async () => {
  let now = 0
  const gate = Promise.withResolvers<string>()
  const work = vi.fn(async () => 'later').mockReturnValueOnce(gate.promise)
  const ask = remembered(1_000, work, () => now)
  const early = [ask(), ask()]
  now = 60_000
  early.push(ask())
  gate.resolve('first')
  expect(await Promise.all(early)).toEqual(['first', 'first', 'first'])
  now += 1_000
  expect(await ask()).toBe('first')
  expect(work).toHaveBeenCalledTimes(1)
  now += 1
  expect(await ask()).toBe('later')
})

test('a failure is remembered, too: what is down is not asked by each', async () => {
  let now = 0
  const work = vi.fn(async () => 'well').mockRejectedValueOnce(new Error('down'))
  const ask = remembered(1_000, work, () => now)
  await expect(ask()).rejects.toThrow('down')
  await expect(ask()).rejects.toThrow('down')
  now = 1_001
  expect(await ask()).toBe('well')
  expect(work).toHaveBeenCalledTimes(2)
})
