import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { HomeInUseError, startEmbedded } from '@mintmark/embedded-postgres'
import { ENDINGS } from '../compose/endings.ts'
import type { Config } from '../config.ts'
import { checkedParts, copyIn, type Manifest, ownMigrations, withCopyClient } from '../db/copy.ts'
import { migrate } from '../db/migrate.ts'
import { emptyNet } from '../db/partitions.ts'
import { closePool, createPool } from '../db/pool.ts'
import { fitsRootKey } from '../db/root-key-check.ts'
import { readArchive } from '../platform/archive.ts'
import { syncFolder } from '../platform/key-file.ts'
import { deriveKeys, loadRootKey, rootKeyCheck } from '../platform/keys.ts'
import { createLog } from '../platform/log.ts'
import type { Secret } from '../platform/secret.ts'
import { afterRestore } from '../restored/epoch.ts'
import { DELIVERY_PARTITIONS } from '../webhooks/delivery/retention.ts'
import { partsOf } from './backup-frames.ts'
import { EMBEDDED_NAME } from './database.ts'
import { readKeyBundle, rootKeyOf, writeKeyFiles } from './key-bundle.ts'

export interface RestoreOptions {
  from: string
  keys: { from: string; passphraseFile: string } | null
}

/**
 * `restore`: makes a home from a backup. The backup is read to its end before anything is made; the home is made under another
 * name and gets its own when all is in it. Wherever it stops, there is a whole home or none.
 */
export async function runRestore(config: Config, { from, keys }: RestoreOptions): Promise<void> {
  await checkTarget(config)
  if (keys !== null && config.rootKeyFile !== null) {
    throw new Error('--keys-from puts the keys into the new home, and ROOT_KEY_FILE is set as well. Use one of them.')
  }
  const draft = `${config.home}.restoring`
  await checkDraft(draft)
  const bundle = keys === null ? null : await readKeyBundle(keys.from, keys.passphraseFile)
  const rootKey = bundle === null ? await givenRootKey(config) : rootKeyOf(bundle)
  await checkArchive(from, rootKey)
  await clearDraft(draft)
  try {
    const loaded = await fillHome(draft, from, rootKey)
    if (bundle !== null) await writeKeyFiles(draft, bundle)
    await rename(draft, config.home)
    await syncFolder(dirname(config.home))
    const rows = [...loaded.values()].reduce((sum, count) => sum + count, 0)
    console.log(`${config.home}: ${rows} rows of ${loaded.size} tables. ${NEXT}`)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

const NEXT =
  'Start the service: it is closed to callers and asks the network about every payment, mandate and card. Then: mintmark restored show, ' +
  'and mintmark restored open. What happened after the backup is not known to it.'

async function checkTarget({ databaseUrl, home }: Config): Promise<void> {
  if (databaseUrl !== null) {
    throw new Error('restore makes an embedded database. Unset DATABASE_URL, or use the tools of your own PostgreSQL.')
  }
  if (await isMountPoint(home)) {
    throw new Error(
      `MINTMARK_HOME ${home} is where something is mounted, and no directory can take its place. Name one below it.`,
    )
  }
  const entries = await readdir(home).catch(() => [])
  if (entries.length === 0) return
  throw new Error(
    `MINTMARK_HOME ${home} is not empty, and restore replaces nothing. Move it away, or name another MINTMARK_HOME.`,
  )
}

async function isMountPoint(directory: string): Promise<boolean> {
  const [own, above] = await Promise.all(
    [directory, dirname(directory)].map((path) => stat(path).catch(() => undefined)),
  )
  return own !== undefined && above !== undefined && own.dev !== above.dev
}

/** Whether the draft can be made: known before a long backup is read. */
async function checkDraft(draft: string): Promise<void> {
  const made = await mkdir(draft, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    throw new Error(
      `The home is made beside its place, and ${draft} cannot be made (${cause.code}). Let this user write to ${dirname(draft)}, or ` +
        'name another MINTMARK_HOME.',
      { cause },
    )
  })
  // Not one that another restore is at work in.
  if (made !== undefined) await rmdir(draft)
}

async function givenRootKey({ rootKeyFile }: Config): Promise<Secret<Buffer>> {
  if (rootKeyFile !== null) return loadRootKey({ file: rootKeyFile, createIfMissing: false })
  throw new Error('Name the keys of the backup: --keys-from and --passphrase-file, or ROOT_KEY_FILE.')
}

/** Reads all of it: right key, nothing missing, made by this release. */
async function checkArchive(from: string, rootKey: Secret<Buffer>): Promise<void> {
  let manifest: Manifest | undefined
  for await (const part of checkedParts(partsOf(readArchive(from, deriveKeys(rootKey).backups)))) {
    if (part.type === 'manifest') manifest = part.manifest
  }
  const [theirs, ours] = [manifest?.migrations ?? [], await ownMigrations()]
  if (JSON.stringify(theirs) === JSON.stringify(ours)) return
  throw new Error(
    `${from} has the schema of another release (${theirs.at(-1)?.name ?? 'none'}; this one has ${ours.at(-1)?.name}). ` +
      'Restore it with the release that made it, then start the newer one. Nothing was changed.',
  )
}

/** What an interrupted restore left, unless another one is at work there. */
async function clearDraft(draft: string): Promise<void> {
  if ((await stat(draft).catch(() => undefined)) === undefined) return
  try {
    await (await startEmbedded({ home: draft, name: EMBEDDED_NAME })).stop()
  } catch (error) {
    if (error instanceof HomeInUseError) throw new Error(`Another restore is at work in ${draft}.`, { cause: error })
  }
  await rm(draft, { recursive: true, force: true })
}

async function fillHome(home: string, from: string, rootKey: Secret<Buffer>): Promise<Map<string, number>> {
  const server = await startEmbedded({ home, name: EMBEDDED_NAME })
  const pool = createPool({ connection: server.connection, max: 2, log: createLog({ level: 'silent' }) })
  try {
    await migrate(pool)
    const loaded = await withCopyClient(server.connection, async (client) => {
      const rows = await copyIn(client, partsOf(readArchive(from, deriveKeys(rootKey).backups)))
      await afterRestore(client, new Date(), ENDINGS)
      for (const partitioned of DELIVERY_PARTITIONS) await emptyNet(client, partitioned)
      await client.query('analyze')
      return rows
    })
    // An embedded database is a sandbox's: production runs on none.
    if (await fitsRootKey(pool, rootKeyCheck(rootKey, 'sandbox'))) return loaded
    throw new Error('The restored database was made with another root key. Nothing was changed.')
  } finally {
    await closePool(pool)
    await server.stop()
  }
}
