// Guarantee: a process whose job does nothing but fail for half a minute says so, and no longer once a run of it was
// good.
import { expect, test } from 'vitest'
import { watchJobs } from './failing.ts'

test('a job that fails for half a minute is named, until a run of it is good, also one that found nothing to do', async () => {
  let now = 1_000
  let isBroken = true
  const run = async () => {
    if (isBroken) throw new Error('broken')
    return { taken: 0, nextDueAt: null }
  }
  const well = { name: 'toys.paint', run: async () => ({ taken: 1, nextDueAt: null }) }
  const watch = watchJobs([{ name: 'toys.break', run }, well], () => now)
  const [breaks, paints] = watch.jobs
  const fail = () => expect(breaks?.run()).rejects.toThrow('broken')
  await fail()
  // One failure is none of half a minute, however long ago it was.
  now += 60_000
  expect(watch.failing()).toEqual([])
  isBroken = false
  await breaks?.run()
  isBroken = true
  for (const seconds of [0, 10, 10, 9.9]) {
    now += seconds * 1000
    await fail()
    await paints?.run()
  }
  expect(watch.failing()).toEqual([])
  now += 100
  await fail()
  expect(watch.failing()).toEqual(['toys.break'])
  expect(watch.failingSeconds()).toEqual([
    { job: 'toys.break', seconds: 30 },
    { job: 'toys.paint', seconds: 0 },
  ])
  isBroken = false
  await breaks?.run()
  expect([watch.failing(), watch.failingSeconds()[0]?.seconds]).toEqual([[], 0])
})
