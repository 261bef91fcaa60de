// Guarantee: what a process remembers is bounded, and what was kept longest ago makes room.
import { expect, test } from 'vitest'
import { remember } from './remember.ts'

test('the one that was kept longest ago makes room', () => {
  const map = new Map<string, number>()
  const keep = (key: string, value: number) => remember(map, 2, key, value)
  keep('a', 1)
  keep('b', 2)
  keep('a', 3)
  expect([...map]).toEqual([
    ['b', 2],
    ['a', 3],
  ])
  keep('c', 4)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})
