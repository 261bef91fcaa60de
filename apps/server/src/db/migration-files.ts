import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { MigrationError } from './errors.ts'

/** `apps/server/migrations`. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../migrations/', import.meta.url))

/** One forward-only SQL file, `NNNN_name.sql`. */
export interface Migration {
  version: number
  name: string
  sql: string
  checksum: string
  /** The previous release cannot run on the schema this file leaves behind. */
  incompatible: boolean
}

const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/
const INCOMPATIBLE = /^-- incompatible-with-previous\b/m

/** Reads the migrations in order. A gap, a number used twice or a stray SQL file is an error. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql') && name !== 'schema.sql').sort()
  const migrations = await Promise.all(names.map((name) => readMigration(directory, name)))
  migrations.forEach(({ version, name }, index) => {
    if (version === index + 1) return
    const problem = version === index ? 'has a number that is used twice' : `follows a gap: ${index + 1} is missing`
    throw new MigrationError(`Migration ${version} (${name}) ${problem}.`)
  })
  return migrations
}

async function readMigration(directory: string, fileName: string): Promise<Migration> {
  const [, number, name] = FILE_NAME.exec(fileName) ?? []
  if (number === undefined || name === undefined) {
    throw new MigrationError(`Migration file ${fileName} is not named like 0001_some_change.sql.`)
  }
  // A checkout with CRLF line ends must not look like another migration.
  const sql = (await readFile(`${directory}/${fileName}`, 'utf8')).replaceAll('\r\n', '\n')
  const checksum = createHash('sha256').update(sql).digest('hex')
  return { version: Number(number), name, sql, checksum, incompatible: INCOMPATIBLE.test(sql) }
}

/**
 * What may hold a semicolon that ends nothing: texts, quoted names, comments and texts between dollars; then all else,
 * a piece at a time.
 */
const PIECE = /'[^']*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|[^'"$;/-]+|[\s\S]/g
const COMMENT = /^(?:--|\/\*)/

/**
 * The statements of a file, without comments: a distributed server refuses a message with two that change keys of a
 * table. Migrations have no text with backslashes that escape, no comment in a comment and no body that is not quoted;
 * `migration-files.test.ts` compares.
 */
export function splitStatements(sql: string): string[] {
  const statements = ['']
  for (const [piece] of sql.matchAll(PIECE)) {
    if (piece === ';') statements.push('')
    else if (!COMMENT.test(piece)) statements.push(`${statements.pop() ?? ''}${piece}`)
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}
