// Guarantee: no callers together, at however many nodes, move the sandbox's clock to where dates end.
import { afterAll, beforeAll, expect, test } from 'vitest'
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
