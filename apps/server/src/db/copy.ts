import { once } from 'node:events'
import { type Client, type ClientBase, escapeIdentifier } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { createClient } from './client.ts'
import { MIGRATIONS_DIRECTORY, readMigrations } from './migration-files.ts'
import type { Connection } from './pool.ts'
import { TABLES } from './tables.ts'

// All rows of a database as a stream, and back into an empty one with the same schema.

/** What comes before the rows. */
export interface Manifest {
  /** Name and checksum of each migration. A restore needs the same. */
  migrations: { name: string; checksum: string }[]
  tables: { name: string; columns: string[] }[]
}

export type Part =
  | { type: 'manifest'; manifest: Manifest }
  | { type: 'table'; name: string }
  | { type: 'rows'; bytes: Buffer }
  | { type: 'end of table'; rows: number }
  | { type: 'end'; tables: number }

/** Not rows of the deployment: the schema makes the first by itself, and the second are processes that run. */
const LEFT_OUT = new Set(['schema_migrations', 'key_nodes'])

/**
 * Runs work on a connection of its own, without the limits of the pool: a copy takes as long as it takes. Times are written and
 * read in one form.
 */
export async function withCopyClient<T>(connection: Connection, work: (client: Client) => Promise<T>): Promise<T> {
  const client = createClient(connection, {
    application_name: 'mintmark-copy',
    options: '-c search_path=public,pg_temp -c TimeZone=UTC -c DateStyle=ISO,MDY',
  })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Every row that was committed when it began, of all tables in one snapshot. Writers are not kept waiting. The transaction ends
 * with the connection: in the middle of a copy there is no other way.
 */
export async function* copyOut(client: ClientBase): AsyncGenerator<Part, void, void> {
  await client.query('begin isolation level repeatable read read only')
  const manifest = { migrations: await appliedMigrations(client), tables: await listTables(client) }
  yield { type: 'manifest', manifest }
  for (const { name, columns } of manifest.tables) {
    yield { type: 'table', name }
    // A query, because a partitioned table itself has no rows to copy.
    const stream = client.query(
      copyTo(`copy (select ${columns.map(escapeIdentifier).join(', ')} from ${quoted(name)}) to stdout`),
    )
    for await (const bytes of stream) yield { type: 'rows', bytes: bytes as Buffer }
    yield { type: 'end of table', rows: stream.rowCount }
  }
  yield { type: 'end', tables: manifest.tables.length }
}

/**
 * Loads what `copyOut` made in one transaction, or nothing: a failure leaves it open, to end with the connection. What foreign keys and
 * checks there are look at every row. Returns rows by table.
 */
export async function copyIn(client: ClientBase, parts: AsyncIterable<Part>): Promise<Map<string, number>> {
  await client.query('begin')
  const tables = await listTables(client)
  await client.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`)
  const loaded = await loadParts(client, parts)
  await client.query('commit')
  return loaded
}

async function loadParts(client: ClientBase, parts: AsyncIterable<Part>): Promise<Map<string, number>> {
  const loaded = new Map<string, number>()
  let columns = new Map<string, string[]>()
  let open: { name: string; stream: ReturnType<typeof copyInto> } | undefined
  for await (const part of checkedParts(parts)) {
    if (part.type === 'manifest') {
      columns = new Map(part.manifest.tables.map((table) => [table.name, table.columns]))
    } else if (part.type === 'table') {
      open = { name: part.name, stream: copyInto(client, part.name, columns.get(part.name) ?? []) }
    } else if (part.type === 'rows' && open !== undefined) {
      await open.stream.write(part.bytes)
    } else if (part.type === 'end of table' && open !== undefined) {
      const rows = await open.stream.end()
      if (rows !== part.rows) throw new Error(`${open.name} has ${part.rows} rows in the backup, and ${rows} came in.`)
      loaded.set(open.name, rows)
    }
  }
  return loaded
}

function copyInto(client: ClientBase, name: string, columns: string[]) {
  const list = columns.map(escapeIdentifier).join(', ')
  const stream = client.query(copyFrom(`copy ${quoted(name)} (${list}) from stdin`))
  const { promise: failed, reject } = Promise.withResolvers<never>()
  // `write` and `end` wait for it below; without this an error between two writes would end the program.
  failed.catch(() => undefined)
  stream.on('error', reject)
  return {
    async write(bytes: Buffer): Promise<void> {
      if (!stream.write(bytes)) await Promise.race([once(stream, 'drain'), failed])
    },
    async end(): Promise<number> {
      const finished = once(stream, 'finish')
      finished.catch(() => undefined)
      stream.end()
      await Promise.race([finished, failed])
      return stream.rowCount
    },
  }
}

/** What makes a backup whole, besides that it opens: every table it names, each to its end, and the end of all. */
export async function* checkedParts(parts: AsyncIterable<Part>): AsyncGenerator<Part, void, void> {
  let awaited: string[] | undefined
  let open: string | undefined
  let isEnded = false
  for await (const part of parts) {
    if (isEnded) throw malformed()
    if (part.type === 'manifest') {
      if (awaited !== undefined) throw malformed()
      awaited = part.manifest.tables.map(({ name }) => name)
    } else if (part.type === 'table') {
      if (open !== undefined || awaited?.shift() !== part.name) throw malformed()
      open = part.name
    } else if (part.type === 'end') {
      if (open !== undefined || awaited?.length !== 0) throw malformed()
      isEnded = true
    } else {
      if (open === undefined) throw malformed()
      if (part.type === 'end of table') open = undefined
    }
    yield part
  }
  if (!isEnded) throw malformed()
}

const malformed = () => new Error('The backup is not one that this program made.')

/** The migrations of this program, as a manifest names them. */
export async function ownMigrations(): Promise<Manifest['migrations']> {
  return (await readMigrations(MIGRATIONS_DIRECTORY)).map(({ name, checksum }) => ({ name, checksum }))
}

async function appliedMigrations(client: ClientBase): Promise<Manifest['migrations']> {
  const { rows } = await client.query<Manifest['migrations'][number]>(
    'select name, checksum from schema_migrations order by version',
  )
  return rows
}

/** In an order in which every row finds what its foreign keys name. */
async function listTables(client: ClientBase): Promise<Manifest['tables']> {
  const { rows: tables } = await client.query<{ name: string; columns: string[]; needs: string[] }>(
    `select n.nspname || '.' || c.relname as name,
       array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
         and attgenerated = '' order by attnum) as columns,
       array(select m.nspname || '.' || t.relname from pg_constraint k join pg_class t on t.oid = k.confrelid
         join pg_namespace m on m.oid = t.relnamespace
         where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as needs
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('public', 'simnet') order by name`,
  )
  const ordered: Manifest['tables'] = []
  const left = new Map(tables.filter(({ name }) => isKept(name)).map((table) => [table.name, table]))
  while (left.size > 0) {
    const next = [...left.values()].find(({ needs }) => !needs.some((name) => left.has(name)))
    if (next === undefined) throw new Error(`Foreign keys lead in a circle: ${[...left.keys()].join(', ')}.`)
    left.delete(next.name)
    ordered.push({ name: next.name, columns: next.columns })
  }
  return ordered
}

function isKept(name: string): boolean {
  const short = name.replace(/^public\./, '')
  return short in TABLES && !LEFT_OUT.has(short)
}

function quoted(name: string): string {
  return name.split('.').map(escapeIdentifier).join('.')
}
