import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { EmbeddedPostgres } from '../db/embedded/index.ts'
import type { Connection } from '../db/pool.ts'
import type { Log } from '../platform/log.ts'

export interface OpenDatabase {
  connection: Connection
  close(): Promise<void>
}

/** `DATABASE_URL`, or the embedded PostgreSQL of this home. */
export async function openDatabase(config: Config, log: Log): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) return { connection: config.databaseUrl, close: async () => undefined }
  const { startEmbedded } = await import('../db/embedded/index.ts')
  const start = () => startEmbedded({ home: config.home })
  const first = await start()
  return { connection: first.connection, close: keepRunning(first, start, log) }
}

/**
 * Starts PostgreSQL again whenever it ended by itself: requests answer 503 until it is back, on the same socket with the
 * same password. Answers how to stop it for good, also in the middle of such a restart.
 */
function keepRunning(first: EmbeddedPostgres, start: () => Promise<EmbeddedPostgres>, log: Log): () => Promise<void> {
  const closing = new AbortController()
  const closed = new Promise<null>((resolve) => closing.signal.addEventListener('abort', () => resolve(null)))
  const restart = async (dead: EmbeddedPostgres): Promise<EmbeddedPostgres | null> => {
    // What it leaves behind is healed by the next start.
    await dead.stop().catch((error: unknown) => log.failure('the embedded database left something behind', error))
    for (let pause = 100; !closing.signal.aborted; pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2)) {
      try {
        return await start()
      } catch (error) {
        log.failure('the embedded database does not start', error)
        await delay(pause, undefined, { signal: closing.signal }).catch(() => undefined)
      }
    }
    return null
  }
  const watching = (async () => {
    let server: EmbeddedPostgres | null = first
    while (server !== null && (await Promise.race([server.exited, closed])) !== null) {
      log.error('the embedded database ended by itself; starting it again')
      server = await restart(server)
    }
    await server?.stop()
  })()
  return () => {
    closing.abort()
    return watching
  }
}

const LONGEST_PAUSE_MILLIS = 2_000

/** The database for an admin verb, also while a service runs on the same home. */
export async function reachDatabase(config: Config, log: Log): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) return openDatabase(config, log)
  const { HomeInUseError, runningConnection } = await import('../db/embedded/index.ts')
  try {
    return await openDatabase(config, log)
  } catch (error) {
    if (!(error instanceof HomeInUseError)) throw error
    const connection = await runningConnection(config.home)
    if (connection === undefined) throw error
    return { connection, close: async () => undefined }
  }
}
