import type { Pool } from 'pg'
import { UnsuitableServerError } from './errors.ts'

/** `server_version_num` of the oldest PostgreSQL we run and test on. */
const OLDEST = 150_000

/** What the server said about itself. */
interface ServerInfo {
  /** For people: `18.4`. */
  version: string
  /** For comparisons: 180004. */
  versionNumber: number
}

/** The facts about a server that decide whether we run on it. */
export interface ServerFacts extends ServerInfo {
  encoding: string
  fsync: string
  synchronousCommit: string
}

/**
 * Refuses a server we cannot keep our promises on: too old, not UTF-8, and in production one that may forget what it
 * has acknowledged (`faults.md` A10).
 */
export async function checkServer(pool: Pool, options: { production?: boolean } = {}): Promise<ServerInfo> {
  const { rows } = await pool.query<ServerFacts>(
    `select split_part(current_setting('server_version'), ' ', 1) as "version",
            current_setting('server_version_num')::int as "versionNumber",
            current_setting('server_encoding') as "encoding",
            current_setting('fsync') as "fsync",
            current_setting('synchronous_commit') as "synchronousCommit"`,
  )
  const server = rows[0]
  if (!server) throw new UnsuitableServerError('The database did not say which server it is.')
  const problem = findProblem(server, options.production ?? false)
  if (problem) throw new UnsuitableServerError(problem)
  return { version: server.version, versionNumber: server.versionNumber }
}

/** The first reason to refuse a server, in words for the operator. */
export function findProblem(server: ServerFacts, production: boolean): string | undefined {
  if (server.versionNumber < OLDEST) {
    return `PostgreSQL ${server.version} is too old: Mintmark needs version 15 or newer.`
  }
  if (server.encoding !== 'UTF8') {
    return `The database has encoding ${server.encoding}: create it again with encoding UTF8.`
  }
  if (!production) return undefined
  if (server.fsync !== 'on') {
    return 'PostgreSQL runs with fsync = off: a crash would lose acknowledged charges. Set fsync = on.'
  }
  if (!['on', 'remote_apply'].includes(server.synchronousCommit)) {
    return (
      `PostgreSQL runs with synchronous_commit = ${server.synchronousCommit}: ` +
      'a crash would lose acknowledged charges. Set synchronous_commit = on.'
    )
  }
  return undefined
}
