import { setTimeout as delay } from 'node:timers/promises'
import type { EmbeddedPostgres } from '@mintmark/embedded-postgres'
import type { Config } from '../config.ts'
import type { Connection } from '../db/pool.ts'
import type { Log } from '../platform/log.ts'

export interface OpenDatabase {
  connection: Connection
  /** True: the home lock is ours, so no other process works on this database, and those before are dead. */
  isAlone: boolean
  close(): Promise<void>
}

const MAX_PAUSE_MILLIS = 2_000

/** The role, cluster and database of the embedded server. Existing homes have it: it must not change. */
export const EMBEDDED_NAME = 'mintmark'

/** `DATABASE_URL`, or the embedded PostgreSQL of this home, which this process then starts and owns. */
export async function openDatabase(config: Config, log: Log): Promise<OpenDatabase> {
  return openUrl(config) ?? startEmbeddedDatabase(config, log).catch(explainSettings)
}

/** The database for an admin verb. While a service runs on the same home, its embedded server is used. */
export async function reachDatabase(config: Config, log: Log): Promise<OpenDatabase> {
  return openUrl(config) ?? shareEmbeddedDatabase(config, log).catch(explainSettings)
}

/**
 * The same for verbs that are about a deployment which is there. In a wrong directory, or without the service's environment, they would
 * make another one and answer for it: that its books are right, or that an epoch of its feed has begun.
 */
export async function findDatabase(config: Config, log: Log): Promise<OpenDatabase> {
  const { hasDatabase } = await import('@mintmark/embedded-postgres')
  if (config.databaseUrl !== null || (await hasDatabase(config.home))) return reachDatabase(config, log)
  throw new Error(
    `There is no database in MINTMARK_HOME ${config.home}: no service was started there. ` +
      "Give this command the service's environment: its MINTMARK_HOME, or its DATABASE_URL. Nothing was changed.",
  )
}

function openUrl({ databaseUrl }: Config): OpenDatabase | undefined {
  return databaseUrl === null ? undefined : { connection: databaseUrl, isAlone: false, close: async () => undefined }
}

async function startEmbeddedDatabase(config: Config, log: Log): Promise<OpenDatabase> {
  const { startEmbedded } = await import('@mintmark/embedded-postgres')
  const start = () => startEmbedded({ home: config.home, name: EMBEDDED_NAME })
  const first = await start()
  return { connection: first.connection, isAlone: true, close: keepRunning(first, start, log) }
}

async function shareEmbeddedDatabase(config: Config, log: Log): Promise<OpenDatabase> {
  const { HomeInUseError, runningConnection } = await import('@mintmark/embedded-postgres')
  try {
    return await startEmbeddedDatabase(config, log)
  } catch (error) {
    if (!(error instanceof HomeInUseError)) throw error
    const connection = await runningConnection(config.home, EMBEDDED_NAME)
    if (connection === undefined) throw error
    return { connection, isAlone: false, close: async () => undefined }
  }
}

/** The package knows no settings of ours: its message says what to do, and this adds which variables do it. */
async function explainSettings(error: unknown): Promise<never> {
  const { EmbeddedPostgresError, HomeInUseError } = await import('@mintmark/embedded-postgres')
  if (error instanceof HomeInUseError) {
    const holder = error.holderPid === undefined ? 'another process' : `process ${error.holderPid}`
    throw new Error(
      `MINTMARK_HOME ${error.home} is in use by ${holder}: stop that process, or set another MINTMARK_HOME ` +
        '(several nodes share one database through DATABASE_URL).',
      { cause: error },
    )
  }
  if (!(error instanceof EmbeddedPostgresError)) throw error
  throw new Error(`${error.message} MINTMARK_HOME names the home, DATABASE_URL your own PostgreSQL.`, { cause: error })
}

/**
 * Starts PostgreSQL again each time it ends by itself: requests get a 503 until it is back, on the same socket with the
 * same password. Returns the function that stops it for good, also in the middle of such a restart.
 */
function keepRunning(first: EmbeddedPostgres, start: () => Promise<EmbeddedPostgres>, log: Log): () => Promise<void> {
  const closing = new AbortController()
  const closed = new Promise<null>((resolve) => closing.signal.addEventListener('abort', () => resolve(null)))
  const restart = async (dead: EmbeddedPostgres): Promise<EmbeddedPostgres | null> => {
    // The next start cleans up what it leaves behind.
    await dead.stop().catch((error: unknown) => log.failure('the embedded database left something behind', error))
    for (let pause = 100; !closing.signal.aborted; pause = Math.min(MAX_PAUSE_MILLIS, pause * 2)) {
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
