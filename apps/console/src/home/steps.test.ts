import { FIRST_STEPS } from '@mintmark/contract/console'
import { expect, test } from 'vitest'
import { isFirstRun, stepsOf } from './steps.ts'

const AT = '2026-11-28T14:00:00.000Z'
const done = (...names: string[]) => FIRST_STEPS.map((step) => ({ step, at: names.includes(step) ? AT : null }))
const states = (...names: string[]) => stepsOf(done(...names)).map(({ state }) => state)

test('the first that is not done is next', () => {
  expect(states()).toEqual(['next', 'later', 'later', 'later'])
  expect(states('key_used')).toEqual(['done', 'next', 'later', 'later'])
  expect(states('key_used', 'session_made', 'event_received')).toEqual(['done', 'done', 'next', 'done'])
  expect(states(...FIRST_STEPS)).toEqual(['done', 'done', 'done', 'done'])
})

test('what was done without the key being noted was done with it', () => {
  expect(states('session_made')).toEqual(['done', 'done', 'next', 'later'])
  expect(isFirstRun({ steps: done('session_made', 'approved', 'event_received') })).toBe(false)
  expect(isFirstRun({ steps: done('session_made') })).toBe(true)
})
