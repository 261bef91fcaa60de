import { expect, test } from 'vitest'
import { untilInterrupted } from './terminal.ts'

test('a process that runs many commands listens once to what it writes to, and to no signal afterwards', async () => {
  const counts = () => [
    process.stdout.listenerCount('error'),
    process.listenerCount('SIGINT'),
    process.listenerCount('SIGTERM'),
  ]
  await untilInterrupted(async () => undefined)
  const before = counts()
  await untilInterrupted(async () => undefined)
  await expect(untilInterrupted(() => Promise.reject(new Error('It fails.')))).rejects.toThrow('It fails.')
  expect(counts()).toEqual(before)
})
