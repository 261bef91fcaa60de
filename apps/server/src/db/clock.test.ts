// Guarantee: no callers together, at however many nodes, move the sandbox's clock to where dates end. A reading that
// was long on its way does not set the clock back (faults D1), and an answer that was overtaken closes no door that was
// opened.
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { countBy } from '../../test/flows.ts'
import { type DatabaseClock, EndOfTimeError, startDatabaseClock } from './clock.ts'

const TEN_YEARS = 10 * 365 * 24 * 3600
const END = Date.UTC(2200, 0, 1)

let database: TestDatabase
let nodes: DatabaseClock[]
beforeAll(async () => {
  database = await createTestDatabase()
  nodes = [await startDatabaseClock(database.pool), await startDatabaseClock(database.pool)]
})
afterAll(async () => {
  for (const node of nodes) node.stop()
  await database?.close()
})

test('of forty moves of ten years at the same moment those are made that lead no further', async () => {
  const [first] = nodes as [DatabaseClock]
  const room = Math.floor((END - first.now().getTime()) / 1000 / TEN_YEARS)
  const moves = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      (nodes[at % 2] as DatabaseClock).advance(TEN_YEARS).then(
        () => 'moved',
        (error: unknown) => (error instanceof EndOfTimeError ? 'refused' : String(error)),
      ),
    ),
  )
  expect(countBy(moves, (move) => move)).toEqual({ moved: room, refused: 40 - room })
  for (const node of nodes) {
    await node.refresh()
    expect(node.now().getTime()).toBeLessThan(END)
  }
})

test('a reading that a stopped process, or a silent line, kept on its way does not set the clock back', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const begun = Date.UTC(2026, 0, 1)
  const from = performance.now()
  const elapsed = () => performance.now() - from
  const columns = ['database_now', 'offset_seconds'].map((name) => ({ name, parse: String }))
  const reading = (offset: bigint) => ({
    columns,
    rows: [[new Date(begun + elapsed()), offset]],
    rowCount: 1,
    tag: 'SELECT 1',
  })
  let offset = 0n
  let isSilent = false
  const late: (() => void)[] = []
  const query = async () => {
    const answer = reading(offset)
    if (isSilent) await new Promise<void>((resolve) => late.push(resolve))
    return answer
  }
  const clock = await startDatabaseClock({ query } as unknown as Pool)
  try {
    isSilent = true
    await vi.advanceTimersByTimeAsync(1000)
    isSilent = false
    await vi.advanceTimersByTimeAsync(59_500)
    late.shift()?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(clock.now().getTime()).toBe(begun + 60_500)
    // One that is as late and knows that the clock was moved counts for that.
    isSilent = true
    offset = 7200n
    await vi.advanceTimersByTimeAsync(20_000)
    late.shift()?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(clock.now().getTime()).toBe(begun + 80_500 + 7_200_000)
    expect(clock.unmoved?.().getTime()).toBe(begun + 80_500)
  } finally {
    clock.stop()
    vi.useRealTimers()
  }
})

test('readings that take a while set the clock neither back nor ahead', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'performance'] })
  const begun = Date.UTC(2026, 0, 1)
  const from = performance.now()
  const databaseNow = () => begun + performance.now() - from
  const columns = ['database_now', 'offset_seconds'].map((name) => ({ name, parse: String }))
  const pause = async (millis: number) => {
    if (millis > 0) await new Promise<void>((resolve) => setTimeout(resolve, millis))
  }
  const WAYS = [
    [0, 0],
    [0, 900],
    [300, 0],
    [450, 450],
    [0, 20],
  ] as const
  let asked = 0
  const query = async () => {
    const [there, back] = WAYS[asked++ % WAYS.length] ?? [0, 0]
    await pause(there)
    const rows = [[new Date(databaseNow()), 0n]]
    await pause(back)
    return { columns, rows, rowCount: 1, tag: 'SELECT 1' }
  }
  const clock = await startDatabaseClock({ query } as unknown as Pool)
  try {
    for (let step = 0; step < 300; step += 1) {
      await vi.advanceTimersByTimeAsync(37)
      expect(clock.now().getTime() - databaseNow()).toBe(0)
    }
  } finally {
    clock.stop()
    vi.useRealTimers()
  }
})

test('an answer that one to a later question overtook says nothing of the door', async () => {
  const columns = ['database_now', 'offset_seconds', 'closed_since'].map((name) => ({
    name,
    parse: (value: unknown) => value,
  }))
  let closedSince: Date | null = null
  let hold: Promise<void> | undefined
  const query = async () => {
    const answer = { columns, rows: [[new Date(), 0n, closedSince]], rowCount: 1, tag: 'SELECT 1' }
    await hold
    return answer
  }
  const clock = await startDatabaseClock({ query } as unknown as Pool)
  try {
    closedSince = new Date()
    let letGo = () => {}
    hold = new Promise((resolve) => {
      letGo = resolve
    })
    const overtaken = clock.refresh()
    hold = undefined
    closedSince = null
    await clock.refresh()
    letGo()
    await overtaken
    expect(clock.closedSince()).toBeNull()
  } finally {
    clock.stop()
  }
})
