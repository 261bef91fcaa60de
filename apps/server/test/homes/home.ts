import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Pool } from 'pg'
import { migrate } from '../../src/db/migrate.ts'
import { MIGRATIONS_DIRECTORY, readMigrations } from '../../src/db/migration-files.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import type { Told } from './questions.ts'

/** All rows of a deployment, as some release left them, and what it answered to those who asked. */
export interface Home {
  /** The last migration of that release. */
  version: number
  /** Its own time, which the sandbox had moved far ahead: there the clock can be set again, for it never goes back. */
  at: string
  /** The rows of each table, as the server itself wrote them: JavaScript would round what is large. */
  rows: Record<string, string>
  told: Told[]
}

/** Those that hold rows; a partition's are its table's. */
const TABLES = `
  select quote_ident(n.nspname) || '.' || quote_ident(c.relname) as name,
    (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
     where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'simnet', 'issuing') and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'schema_migrations'
  order by 1`

export async function takeHome(pool: Pool, at: Date, told: Told[]): Promise<Home> {
  const rows: Home['rows'] = {}
  const { rows: tables } = await pool.query<{ name: string }>(TABLES)
  for (const { name } of tables) {
    const { rows: found } = await pool.query<{ rows: string | null }>(`select json_agg(t)::text as rows from ${name} t`)
    if (found[0]?.rows) rows[name] = found[0].rows
  }
  const applied = await pool.query<{ version: number }>('select max(version) as version from schema_migrations')
  return { version: applied.rows[0]?.version ?? 0, at: at.toISOString(), rows, told }
}

/** The same rows under the schema of their release, and then under today's. */
export async function bringHome(home: Home): Promise<TestDatabase> {
  const database = await createTestDatabase({ template: 'template0', max: 16 })
  try {
    await migrateTo(database.pool, home.version)
    await fill(database.pool, home)
    await migrate(database.pool)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

async function migrateTo(pool: Pool, version: number): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'mintmark-migrations-'))
  try {
    for (const { version: own, name } of await readMigrations(MIGRATIONS_DIRECTORY)) {
      const file = `${String(own).padStart(4, '0')}_${name}.sql`
      if (own <= version) await copyFile(join(MIGRATIONS_DIRECTORY, file), join(directory, file))
    }
    await migrate(pool, { directory })
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function fill(pool: Pool, home: Home): Promise<void> {
  const client = await pool.connect()
  try {
    const { rows: tables } = await client.query<{ name: string; columns: string }>(TABLES)
    await client.query('begin')
    // No order of tables suits all foreign keys.
    await client.query('set local session_replication_role = replica')
    await client.query(`truncate ${tables.map(({ name }) => name).join(', ')}`)
    for (const { name, columns } of tables) {
      const select = `select ${columns} from json_populate_recordset(null::${name}, $1::json)`
      await client.query(`insert into ${name} (${columns}) ${select}`, [home.rows[name] ?? '[]'])
    }
    await client.query('update sandbox_clock set offset_seconds = extract(epoch from $1 - clock_timestamp())::bigint', [
      new Date(home.at),
    ])
    await client.query('commit')
  } finally {
    client.release()
  }
}

export async function writeHome(file: URL, home: Home): Promise<void> {
  await writeFile(file, gzipSync(JSON.stringify(home), { level: 9 }))
}

export async function readHome(file: URL): Promise<Home> {
  return JSON.parse(gunzipSync(await readFile(file)).toString())
}
