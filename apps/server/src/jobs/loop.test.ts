import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepLog } from '../../test/logged.ts'
import { addSeconds } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { type Job, type JobResult, type RunningLoop, startLoop } from './loop.ts'

// Guarantee: work is asked for again immediately while there is some, and else when it falls due, when woken, or after
// the rest; a failure is logged and tried again; stopping waits for the work in hand and leaves no timer.

const IDLE: JobResult = { taken: 0, nextDueAt: null }
const BUSY: JobResult = { taken: 2, nextDueAt: null }

const { log, lines, entries } = keepLog('error')
let clock: ManualClock
let running: RunningLoop | undefined
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  clock = new ManualClock()
  lines.length = 0
})
afterEach(async () => {
  await running?.stop()
  running = undefined
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** A loop over a job that returns these results one after the other, then rests for ever. */
function start(results: (JobResult | Error)[], restMillis = 60_000) {
  const run = vi.fn(async () => {
    const result = results.shift() ?? IDLE
    if (result instanceof Error) throw result
    return result
  })
  const job: Job = { name: 'toys.paint', restMillis, run }
  running = startLoop(job, { log, clock })
  return run
}

const pass = (millis: number) => vi.advanceTimersByTimeAsync(millis)

test('asks again at once while there is work', async () => {
  const run = start([BUSY, BUSY, IDLE])
  await pass(0)
  expect(run).toHaveBeenCalledTimes(3)
})

test('rests, and asks again after the rest', async () => {
  const run = start([], 1000)
  await pass(899)
  expect(run).toHaveBeenCalledTimes(1)
  await pass(101)
  expect(run).toHaveBeenCalledTimes(2)
})

test('asks every five seconds unless the job says otherwise', async () => {
  const run = vi.fn(async () => IDLE)
  running = startLoop({ name: 'toys.paint', run }, { log: createLog({ level: 'silent' }), clock })
  await pass(4_499)
  expect(run).toHaveBeenCalledTimes(1)
  await pass(501)
  expect(run).toHaveBeenCalledTimes(2)
})

test('sleeps until the next item is due, if that is before the end of the rest', async () => {
  const run = start([{ taken: 0, nextDueAt: addSeconds(clock.now(), 0.25) }])
  await pass(250)
  expect(run).toHaveBeenCalledTimes(1)
  await pass(1)
  expect(run).toHaveBeenCalledTimes(2)
})

test('with a pace runs once for all wakes of that time, and tells nobody else of them', async () => {
  const run = vi.fn(async () => IDLE)
  running = startLoop({ name: 'toys.paint', paceMillis: 10_000, run }, { log: createLog({ level: 'silent' }), clock })
  await pass(0)
  expect(run).toHaveBeenCalledTimes(1)
  // The first wake ends the rest. The pace is not over, so the loop waits for its end, and says that it will look.
  expect(running.wake()).toBe(true)
  await pass(0)
  for (let wakes = 0; wakes < 5; wakes += 1) expect(running.wake()).toBe(true)
  await pass(5_000)
  expect(run).toHaveBeenCalledTimes(1)
  await pass(5_000)
  expect(run).toHaveBeenCalledTimes(2)
})

test('does not spin on a due time that is past', async () => {
  const past = { taken: 0, nextDueAt: addSeconds(clock.now(), -5) }
  const run = start([past, past, past, past])
  await pass(1)
  expect(run).toHaveBeenCalledTimes(1)
  await pass(5)
  expect(run.mock.calls.length).toBeLessThan(5)
})

test('a wake ends the rest', async () => {
  const run = start([])
  await pass(10)
  running?.wake()
  await pass(0)
  expect(run).toHaveBeenCalledTimes(2)
  await pass(10_000)
  expect(run).toHaveBeenCalledTimes(2)
})

test('a wake during the work is not lost, and many count once', async () => {
  const { promise, resolve } = Promise.withResolvers<JobResult>()
  const run = vi.fn().mockReturnValueOnce(promise).mockResolvedValue(IDLE)
  running = startLoop({ name: 'toys.paint', restMillis: 60_000, run }, { log: createLog({ level: 'silent' }), clock })
  for (let wakes = 0; wakes < 5; wakes += 1) running.wake()
  resolve(IDLE)
  await pass(0)
  expect(run).toHaveBeenCalledTimes(2)
})

test('a failure is logged with its job and attempt, and tried again after 1, 2, 4 and 4 seconds', async () => {
  const run = start(Array.from({ length: 5 }, () => new Error('The database is away.')))
  for (const [index, seconds] of [1, 2, 4, 4].entries()) {
    await pass(seconds * 1000 - 1)
    expect(run).toHaveBeenCalledTimes(index + 1)
    await pass(1)
    expect(run).toHaveBeenCalledTimes(index + 2)
  }
  expect(entries()[0]).toMatchObject({ level: 'error', message: 'job failed', job: 'toys.paint', attempt: 1 })
  expect(entries()[4]).toMatchObject({ attempt: 5 })
})

test('a success ends the count of failures', async () => {
  const run = start([new Error('once'), BUSY, new Error('twice')], 60_000)
  await pass(1000)
  expect(run).toHaveBeenCalledTimes(3)
  expect(entries().map(({ attempt }) => attempt)).toEqual([1, 1])
})

test('wakes do not make a failing job fail faster', async () => {
  const run = start([new Error('The database is away.')])
  await pass(10)
  for (let wakes = 0; wakes < 5; wakes += 1) running?.wake()
  await pass(900)
  expect(run).toHaveBeenCalledTimes(1)
  await pass(100)
  expect(run).toHaveBeenCalledTimes(2)
})

test('stopping ends a rest at once, also one after a failure', async () => {
  start([])
  await pass(10)
  await running?.stop()
  start([new Error('The database is away.')])
  await pass(10)
  await running?.stop()
})

test('stopping says so before it waits for the work in hand', async () => {
  const said: string[] = []
  const job: Job = {
    name: 'toys.paint',
    run: async () => IDLE,
    stop: () => void said.push('stop'),
    settled: async () => void said.push('settled'),
  }
  await startLoop(job, { log: createLog({ level: 'silent' }), clock }).stop()
  expect(said).toEqual(['stop', 'settled'])
})

test('stopping waits for the work in hand and starts no other', async () => {
  const { promise, resolve } = Promise.withResolvers<JobResult>()
  const run = vi.fn().mockReturnValue(promise)
  const loop = startLoop({ name: 'toys.paint', run }, { log: createLog({ level: 'silent' }), clock })
  let stopped = false
  const stopping = loop.stop().then(() => {
    stopped = true
  })
  await pass(20)
  expect(stopped).toBe(false)
  resolve({ taken: 5, nextDueAt: null })
  await stopping
  expect(run).toHaveBeenCalledTimes(1)
})
