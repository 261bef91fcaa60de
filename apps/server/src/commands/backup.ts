import type { Config } from '../config.ts'
import { copyOut, type Part, withCopyClient } from '../db/copy.ts'
import { closePool, createPool } from '../db/pool.ts'
import { fitsRootKey } from '../db/root-key-check.ts'
import { writeArchive } from '../platform/archive.ts'
import { deriveKeys, loadRootKey, type RootKeyPlace, rootKeyCheck, rootKeyFile } from '../platform/keys.ts'
import { createLog } from '../platform/log.ts'
import { framesOf } from './backup-frames.ts'
import { findDatabase } from './database.ts'
import { checkKeyBundle, collectKeys, writeKeyBundle } from './key-bundle.ts'

export interface BackupOptions {
  to: string
  keys: { to: string; passphraseFile: string } | null
}

/**
 * `backup`: every committed row of the embedded database in one snapshot, encrypted under a key that comes from the
 * root key. Works beside a running service. The schema stays as it is: a backup comes before an upgrade.
 */
export async function runBackup(config: Config, { to, keys }: BackupOptions): Promise<void> {
  if (config.databaseUrl !== null) {
    throw new Error('backup is for the embedded database. Back up your own PostgreSQL with its tools, such as pg_dump.')
  }
  if (keys !== null) await checkKeyBundle(keys.to, keys.passphraseFile)
  const place: RootKeyPlace = config.rootKeyFile === null ? { home: config.home } : { file: config.rootKeyFile }
  const rootKey = await loadRootKey({ ...place, createIfMissing: false })
  const log = createLog({ level: 'silent' })
  const database = await findDatabase(config, log)
  const pool = createPool({ connection: database.connection, max: 1, log })
  try {
    // An embedded database is a sandbox's: production runs on none.
    if (!(await fitsRootKey(pool, rootKeyCheck(rootKey, 'sandbox')))) {
      throw new Error(`${rootKeyFile(place)} is not the root key of this database. Nothing was written.`)
    }
    const count = { rows: 0, tables: 0 }
    const length = await withCopyClient(database.connection, (client) =>
      writeArchive(to, deriveKeys(rootKey).backups, framesOf(counted(copyOut(client), count))),
    )
    console.log(`${to}: ${count.rows} rows of ${count.tables} tables, ${Math.ceil(length / 1024)} KB, encrypted.`)
    if (keys === null) return console.log(KEYS_LEFT_OUT)
    const bundle = await collectKeys(rootKeyFile(place), rootKey)
    await writeKeyBundle(keys.to, keys.passphraseFile, bundle)
    console.log(`${keys.to}: ${bundle.size} keys under the passphrase. Keep it apart from the backup.`)
  } finally {
    await closePool(pool)
    await database.close()
  }
}

const KEYS_LEFT_OUT =
  'The keys are not in it, and nothing opens it without them: back them up apart, with --keys-to or as files.'

async function* counted(parts: AsyncIterable<Part>, count: { rows: number; tables: number }) {
  for await (const part of parts) {
    if (part.type === 'end of table') count.rows += part.rows
    if (part.type === 'end') count.tables = part.tables
    yield part
  }
}
