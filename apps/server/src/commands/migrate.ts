import type { Config } from '../config.ts'
import { createLog } from '../platform/log.ts'
import { reachDatabase } from './database.ts'
import { openFoundation } from './foundation.ts'

/** `migrate`: opening the database brings its schema up to date. */
export async function runMigrate(config: Config): Promise<void> {
  const log = createLog({ level: config.logLevel })
  const foundation = await openFoundation(config, log, { open: reachDatabase, waitForDatabase: true })
  await foundation.close()
  console.log('The schema is up to date.')
}
