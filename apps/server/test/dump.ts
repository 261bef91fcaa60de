import { execFile } from 'node:child_process'
import { access, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTestDatabase, type TestDatabase, withAdmin } from './database.ts'

const run = promisify(execFile)

const DEBIAN = '/usr/lib/postgresql'

/**
 * Another database with the rows of this one, on which nothing is connected any more: by `pg_dump` and `pg_restore`
 * where those of the server's version are here (Debian's), as the guide says. The embedded server brings none; there it
 * is a copy of the files, which has the same rows.
 */
export async function restoredCopy(of: TestDatabase): Promise<{ copy: TestDatabase; by: string }> {
  const tools = await toolsFor(of)
  if (tools === undefined) {
    return { copy: await createTestDatabase({ template: of.connection.database }), by: 'a copy of the files' }
  }
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-dump-'))
  try {
    const file = join(folder, 'dump')
    await run(join(tools, 'pg_dump'), ['--format=custom', `--file=${file}`, of.url])
    const copy = await createTestDatabase({ template: 'template0' })
    await run(join(tools, 'pg_restore'), ['--exit-on-error', '--no-owner', `--dbname=${copy.url}`, file])
    await copy.pool.query('analyze')
    return { copy, by: tools }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The directory of a `pg_dump` that can read this server: none that is older can. */
async function toolsFor({ connection }: TestDatabase): Promise<string | undefined> {
  const version = await withAdmin(connection, async (client) => {
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::integer / 10000 as version`,
    )
    return rows[0]?.version ?? Number.POSITIVE_INFINITY
  })
  const installed = await readdir(DEBIAN).catch(() => [])
  for (const major of installed.filter((name) => Number(name) >= version)) {
    const bin = join(DEBIAN, major, 'bin')
    const isThere = await access(join(bin, 'pg_dump')).then(
      () => true,
      () => false,
    )
    if (isThere) return bin
  }
  return undefined
}
