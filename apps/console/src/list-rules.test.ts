import { expect, test } from 'vitest'
import { addedTo, countNew, freshened } from './list-rules.ts'

const idOf = ({ id }: { id: string }) => id
const item = (id: string, state = 'old') => ({ id, state })

test('what is new is counted, and moves nothing', () => {
  const shown = [item('b'), item('a')]
  const came = [item('d'), item('c'), item('b', 'changed')]
  expect(countNew(shown, came, idOf)).toBe(2)
  expect(freshened(shown, came, idOf)).toEqual([item('b', 'changed'), item('a')])
})

test('a parameter more', () => {
  expect(addedTo('events', 'before', '1_evt')).toBe('events?before=1_evt')
  expect(addedTo('payments?status=failed', 'before', 'a b')).toBe('payments?status=failed&before=a+b')
})
