import { readFile } from 'node:fs/promises'
import { deserialize } from 'node:v8'
import type { PoolClient } from 'pg'
import { type Connection, createPool } from '../../apps/server/src/db/pool.ts'
import { createReplay, emptied, type RecordedStatement, sentTogether } from '../replay.ts'
import { serveTasks } from './tasks.ts'

export interface BareJourneysTask {
  /** A database that is as the recorded one was before its first journey. */
  readonly connection: Connection
  /** Where `record-statements.ts` left the journeys. */
  readonly file: string
  readonly connections: number
}

/** The ceiling of whole journeys: the same statements with the same values, one journey a client. No HTTP, no logic. */
serveTasks<BareJourneysTask, { perSecond: number; cpuMicros: number }>(async ({ connection, file, connections }) => {
  const journeys = deserialize(await readFile(file)) as RecordedStatement[][]
  const pool = createPool({ connection, max: connections, log: { warn: () => undefined } })
  try {
    const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()))
    // What a journey leaves is not there before it: tables that were empty become empty again.
    await clients[0]?.query(await emptied(clients[0]))
    // Not timed: every client plans every statement once. The service did so long ago.
    const first = clients.map(() => journeys.shift() ?? [])
    await Promise.all(clients.map((client, place) => play(client, first[place] ?? [])))
    const timed = journeys.length
    const startedAt = performance.now()
    const cpu = process.cpuUsage()
    await Promise.all(
      clients.map(async (client) => {
        for (let journey = journeys.shift(); journey !== undefined; journey = journeys.shift())
          await play(client, journey)
      }),
    )
    const perSecond = timed / ((performance.now() - startedAt) / 1000)
    const { user, system } = process.cpuUsage(cpu)
    for (const client of clients) client.release()
    return { perSecond, cpuMicros: (user + system) / timed }
  } finally {
    await pool.end()
  }
})

async function play(client: PoolClient, journey: readonly RecordedStatement[]): Promise<void> {
  const replay = createReplay(client)
  for (const sent of sentTogether(journey)) await replay(sent)
}
