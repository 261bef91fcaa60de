import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diff } from 'node:util'
import { startEmbedded } from '@mintmark/embedded-postgres'
import { migrate } from '../apps/server/src/db/migrate.ts'
import { MIGRATIONS_DIRECTORY } from '../apps/server/src/db/migration-files.ts'
import { closePool, createPool } from '../apps/server/src/db/pool.ts'
import { dumpSchema } from './schema-dump.ts'

// npm run schema             writes apps/server/migrations/schema.sql
// npm run schema -- --check  compares only; exits with 1 and shows the difference

const file = join(MIGRATIONS_DIRECTORY, 'schema.sql')
const dumped = await dumpMigrated()
if (process.argv.includes('--check')) {
  const committed = await readFile(file, 'utf8').catch(() => '')
  if (committed !== dumped) {
    console.error(
      `schema.sql differs from what the migrations make. Run npm run schema.\n${changes(committed, dumped)}`,
    )
    process.exitCode = 1
  }
} else {
  await writeFile(file, dumped)
}

/** Migrates an empty database on a server of its own. */
async function dumpMigrated(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'mintmark-schema-'))
  const server = await startEmbedded({ home, settings: { fsync: 'off' } })
  const pool = createPool({ connection: server.connection, log: { warn: console.warn } })
  try {
    await migrate(pool)
    return await dumpSchema(pool)
  } finally {
    await closePool(pool)
    await server.stop()
    await rm(home, { recursive: true, force: true })
  }
}

/** The lines that differ: `-` stands in the file, `+` is what the migrations make. */
function changes(committed: string, made: string): string {
  // `diff` describes how its second argument becomes its first.
  return diff(committed.split('\n'), made.split('\n'))
    .filter(([operation]) => operation !== 0)
    .map(([operation, line]) => `${operation < 0 ? '+' : '-'} ${line}`)
    .join('\n')
}
