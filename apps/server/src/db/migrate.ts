import type { Pool, QueryConfig } from 'pg'
import { LOCK_NOT_AVAILABLE, MigrationError, sqlState, UNDEFINED_TABLE } from './errors.ts'
import { MIGRATIONS_DIRECTORY, type Migration, readMigrations, splitStatements } from './migration-files.ts'
import type { Queryable } from './statement.ts'
import { assumeOneMerchant } from './statistics.ts'
import { type Tx, transaction } from './transaction.ts'

// Our own runner instead of node-pg-migrate: that one serialises nodes with a session-level advisory lock, which a
// transaction pooler breaks, and it knows no checksums, no marker of incompatibility and no check that costs one query.

interface Applied {
  version: number
  name: string
  checksum: string
  incompatible: boolean
}

const FIND_APPLIED = `
  select version, name, checksum, incompatible_with_previous as incompatible
  from schema_migrations
  order by version`

// Its schema is named. A user without USAGE on it would pass over it in the search path, and all tables be made as
// temporary ones.
const CREATE_TABLE = `
  create table if not exists public.schema_migrations (
    version integer not null,
    name text not null,
    checksum text not null,
    incompatible_with_previous boolean not null,
    applied_at timestamptz not null,
    constraint schema_migrations_pkey primary key (version)
  )`

const INSERT_APPLIED = `
  insert into schema_migrations (version, name, checksum, incompatible_with_previous, applied_at)
  values ($1, $2, $3, $4, clock_timestamp())`

/** Any fixed number: what matters is that every node asks for the same one. */
const LOCK_KEY = 5_274_613_002n
/** Overrides the pool's own timer for a statement that may rewrite a table (24 days, the most a timer can hold). */
const NO_QUERY_TIMEOUT = 2 ** 31 - 1

/**
 * Brings the schema up to date, one transaction a file, and returns the names applied. Nodes that start together are
 * safe: they queue on a transaction-level lock and look again. When there is nothing to do it is one query.
 */
export async function migrate(pool: Pool, options: { directory?: string } = {}): Promise<string[]> {
  const migrations = await readMigrations(options.directory ?? MIGRATIONS_DIRECTORY)
  const applied = await findApplied(pool)
  checkApplied(applied, migrations)
  const names: string[] = []
  for (const migration of migrations.slice(applied.length)) {
    if (await apply(pool, migration, migrations)) names.push(migration.name)
  }
  return names
}

/** Throws where something is to be brought up to date, and changes nothing: one query. */
export async function checkMigrated(pool: Pool, options: { directory?: string } = {}): Promise<void> {
  const migrations = await readMigrations(options.directory ?? MIGRATIONS_DIRECTORY)
  const applied = await findApplied(pool)
  checkApplied(applied, migrations)
  const missing = migrations[applied.length]
  if (missing === undefined) return
  const what = applied.length === 0 ? 'has no schema yet' : 'has the schema of an earlier release'
  throw new MigrationError(
    `The database ${what}: migration ${missing.version} (${missing.name}) was not applied. Run "mintmark migrate", or the mintmark of ` +
      'the release that the service is on. Nothing was changed.',
  )
}

/** False when another node applied it first. */
async function apply(pool: Pool, migration: Migration, migrations: Migration[]): Promise<boolean> {
  return await transaction(pool, async (tx) => {
    await lockMigrations(tx)
    const applied = await findApplied(tx)
    checkApplied(applied, migrations)
    if (applied.length >= migration.version) return false
    await runFile(tx, migration)
    await assumeOneMerchant(tx)
    await tx.query(INSERT_APPLIED, [migration.version, migration.name, migration.checksum, migration.incompatible])
    return true
  })
}

/**
 * Waits for other nodes as long as their migrations take, but sets a lock timeout for the migration itself: one that
 * queues behind a long transaction would hold up all traffic behind it.
 */
export async function lockMigrations(tx: Tx): Promise<void> {
  const lock = `
    set local statement_timeout = 0;
    set local lock_timeout = 0;
    select pg_advisory_xact_lock(${LOCK_KEY});
    set local lock_timeout = '5s'`
  await tx.query(untimed(lock))
  await tx.query(CREATE_TABLE)
}

const LOCK_HELD =
  'A long transaction has held one of its tables for five seconds. Nothing of this step was done: run "mintmark migrate" again.'

async function runFile(tx: Tx, { sql, version, name }: Migration): Promise<void> {
  try {
    for (const statement of splitStatements(sql)) await tx.query(untimed(statement))
  } catch (cause) {
    // Still retried by `transaction` when it was a deadlock: the SQLSTATE goes with the new error.
    const said = cause instanceof Error ? cause.message : String(cause)
    const message = sqlState(cause) === LOCK_NOT_AVAILABLE ? `${said}. ${LOCK_HELD}` : said
    throw Object.assign(new MigrationError(`Migration ${version} (${name}) failed: ${message}`, { cause }), {
      code: sqlState(cause),
    })
  }
}

function untimed(text: string): QueryConfig & { query_timeout: number } {
  return { text, query_timeout: NO_QUERY_TIMEOUT }
}

/** What the database says was applied, in order; nothing for an empty database. */
async function findApplied(on: Queryable): Promise<Applied[]> {
  try {
    return (await on.query<Applied>(FIND_APPLIED)).rows
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return []
    throw error
  }
}

/**
 * The two lists must be equal up to the end of the shorter one. A database that is ahead is fine unless a marker
 * forbids it.
 */
function checkApplied(applied: Applied[], migrations: Migration[]): void {
  applied.forEach(({ version, name, checksum, incompatible }, index) => {
    if (version !== index + 1) throw new MigrationError(`The database lacks migration ${index + 1} but has ${version}.`)
    const ours = migrations[index]
    if (ours && (ours.name !== name || ours.checksum !== checksum)) {
      throw new MigrationError(
        `Migration ${version} (${ours.name}) was changed after it was applied to this database as ${name}: ` +
          'restore the file and put the change into a new migration.',
      )
    }
    if (!ours && incompatible) {
      throw new MigrationError(
        `The database is newer than this program: migration ${version} (${name}) does not work with it. ` +
          'Start a newer release.',
      )
    }
  })
}
