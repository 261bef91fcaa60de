import { setTimeout as delay } from 'node:timers/promises'
import { ENVIRONMENTS, type Environment } from '@mintmark/contract'
import type { Pool } from 'pg'
import type { Ground } from '../compose/ground.ts'
import { openKeys } from '../compose/keys.ts'
import { loadOperatorLogo } from '../compose/operator.ts'
import type { Config } from '../config.ts'
import { startDatabaseClock } from '../db/clock.ts'
import { isDatabaseUnavailable, isLoginRefused, ReadOnlyDatabaseError } from '../db/errors.ts'
import { checkMigrated, migrate } from '../db/migrate.ts'
import { closePool, createPool } from '../db/pool.ts'
import { refusePooler } from '../db/pooler.ts'
import { fitsRootKey, keepRootKeyCheck, needsRootKey } from '../db/root-key-check.ts'
import { checkServer } from '../db/server.ts'
import { loadRootKey, type RootKeyPlace, rootKeyCheck, rootKeyFile } from '../platform/keys.ts'
import type { Log } from '../platform/log.ts'
import type { Secret } from '../platform/secret.ts'
import { type OpenDatabase, openDatabase } from './database.ts'
import { explainDatabaseError } from './database-words.ts'

interface OpenFoundation extends Ground {
  server: string
  /** True: no other process works on the database. */
  isAlone: boolean
  close(): Promise<void>
}

interface FoundationOptions {
  open?: (config: Config, log: Log) => Promise<OpenDatabase>
  /** Waits for a database that cannot be reached yet: started together with the service, it may be ready later. */
  waitForDatabase?: boolean
  /** False: the schema has to be there. An operator who looks something up must not change it under the services that run. */
  mayMigrate?: boolean
}

/** Shorter than the start time-out of common supervisors. */
const MAX_WAIT_MILLIS = 30_000
const PAUSE_MILLIS = 500

/** Database, schema, clock and keys: what every role stands on. `open` opens the database. */
export async function openFoundation(
  config: Config,
  log: Log,
  { open = openDatabase, waitForDatabase = false, mayMigrate = true }: FoundationOptions = {},
): Promise<OpenFoundation> {
  const database = await open(config, log)
  const { connection } = database
  const pool: Pool = createPool({
    connection,
    max: config.databasePoolSize,
    log,
  })
  const close = async () => {
    await closePool(pool)
    await database.close()
  }
  try {
    const production = config.environment === 'production'
    const waitMillis = waitForDatabase ? MAX_WAIT_MILLIS : 0
    const look = async () => {
      // The embedded server is spoken to directly.
      if (config.databaseUrl !== null) await refusePooler(pool)
      return checkServer(pool, { production })
    }
    const { version } = await whenReachable(look, log, waitMillis)
    const rootKey = await openRootKey(config, pool, mayMigrate ? migrate : checkMigrated)
    const keys = await openKeys({ config, pool, log, rootKey, rootKeyFile: rootKeyFile(placeOf(config)) })
    const clock = await startDatabaseClock(pool)
    return {
      config,
      pool,
      connection,
      clock,
      rootKey,
      operatorLogo: await loadOperatorLogo(config),
      keys,
      log,
      isAlone: database.isAlone,
      server: `PostgreSQL ${version}${config.databaseUrl === null ? ' (embedded)' : ''}`,
      close: async () => {
        clock.stop()
        await close()
      },
    }
  } catch (error) {
    await close()
    const words = config.databaseUrl === null ? undefined : explainDatabaseError(error)
    throw words === undefined ? error : new Error(words, { cause: error })
  }
}

type RootKeyConfig = Pick<Config, 'environment' | 'home' | 'rootKeyFile'>

function placeOf(config: RootKeyConfig): RootKeyPlace {
  return config.rootKeyFile === null ? { home: config.home } : { file: config.rootKeyFile }
}

/**
 * Before anything is changed, the schema included, the root key must be the one the database was made with, and the environment the
 * same: a sandbox would make its demo account in a production database, and move the clock of all its processes, which never goes back.
 */
export async function openRootKey(
  config: RootKeyConfig,
  pool: Pool,
  prepareSchema: (pool: Pool) => Promise<unknown> = migrate,
): Promise<Secret<Buffer>> {
  const { environment } = config
  const place = placeOf(config)
  const createIfMissing = environment !== 'production' && !(await needsRootKey(pool))
  const rootKey = await loadRootKey({ ...place, createIfMissing })
  const check = rootKeyCheck(rootKey, environment)
  if (await fitsRootKey(pool, check)) {
    await prepareSchema(pool)
    if (await keepRootKeyCheck(pool, check)) return rootKey
  }
  for (const other of ENVIRONMENTS) {
    if (await fitsRootKey(pool, rootKeyCheck(rootKey, other))) throw new Error(otherEnvironment(environment, other))
  }
  const setting = config.rootKeyFile === null ? 'in MINTMARK_HOME' : 'of ROOT_KEY_FILE'
  throw new Error(
    `The root key ${setting} (${rootKeyFile(place)}) is not the one this database was made with, and opens nothing in it. ` +
      'Restore the right file, or name it with ROOT_KEY_FILE. Nothing was changed.',
  )
}

/** A database is one or the other for life: what a sandbox has done to its clock and its accounts cannot be taken back. */
function otherEnvironment(ours: Environment, theirs: Environment): string {
  return (
    `MINTMARK_ENVIRONMENT is ${ours}, and the database was made in ${theirs}. Set MINTMARK_ENVIRONMENT=${theirs}, or name another ` +
    'database: none ever changes over. Nothing was changed.'
  )
}

async function whenReachable<T>(work: () => Promise<T>, log: Log, waitMillis: number): Promise<T> {
  const deadline = performance.now() + waitMillis
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      // A process that is not let in at the start will not be by waiting.
      if (!isDatabaseUnavailable(error) || isLoginRefused(error)) throw error
      if (performance.now() > deadline) {
        // It answers, and will not take writes: not a silent server.
        if (error instanceof ReadOnlyDatabaseError) throw error
        const reason = error instanceof Error ? error.message : String(error)
        throw new Error(`The database does not answer (${reason}). Is DATABASE_URL right, and PostgreSQL running?`)
      }
      if (attempt === 1) log.warn('the database does not answer yet')
      await delay(PAUSE_MILLIS)
    }
  }
}
