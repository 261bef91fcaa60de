import { expect, test } from 'vitest'
import { shares } from './shares.ts'

test('bars are as long as their part of the longest, in a fixed order', () => {
  const sums = [
    { money: 'held', count: 1, amount: '25.00' },
    { money: 'charged', count: 3, amount: '100.00' },
    { money: 'not_known', count: 0, amount: '0.00' },
  ] as const
  const drawn = shares(sums, ['charged', 'held', 'not_known'])
  expect(drawn.map(({ money, part }) => [money, part])).toEqual([
    ['charged', 100],
    ['held', 25],
  ])
  expect(shares([{ money: 'charged', count: 1, amount: '0.00' }], ['charged'])).toMatchObject([{ part: 0 }])
})
