import type { Pool } from 'pg'
import type { Config } from '../config.ts'
import { startDatabaseClock } from '../db/clock.ts'
import { migrate } from '../db/migrate.ts'
import { type Connection, closePool, createPool } from '../db/pool.ts'
import { checkServer } from '../db/server.ts'
import { loadRootKey } from '../platform/keys.ts'
import type { Log } from '../platform/log.ts'
import type { Foundation } from '../wiring.ts'
import { openDatabase } from './database.ts'

export interface OpenFoundation extends Foundation {
  server: string
  close(): Promise<void>
}

/** Database, schema, clock and keys: what every role stands on. `reach` says how to get to the database. */
export async function openFoundation(
  config: Config,
  log: Log,
  reach: (config: Config, log: Log) => Promise<{ connection: Connection; close(): Promise<void> }> = openDatabase,
): Promise<OpenFoundation> {
  const database = await reach(config, log)
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
    const { version } = await checkServer(pool, { production })
    await migrate(pool)
    const rootKey = await loadRootKey({
      ...(config.rootKeyFile === null ? { home: config.home } : { file: config.rootKeyFile }),
      createIfMissing: !production,
    })
    const clock = await startDatabaseClock(pool)
    return {
      config,
      pool,
      connection,
      clock,
      rootKey,
      log,
      server: `PostgreSQL ${version}${config.databaseUrl === null ? ' (embedded)' : ''}`,
      close: async () => {
        clock.stop()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
