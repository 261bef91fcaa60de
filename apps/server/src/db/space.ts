import type { ClientBase, Pool } from 'pg'
import { isOutOfSpace } from './errors.ts'

// A server whose disk is full still reads, and still changes rows where their page has room. So a write that succeeds
// proves nothing, and a process that lacks space says so until a write that needs new space has succeeded.

const lacking = new WeakSet<Pool>()

/** Called with every error of a write. */
export function noteWriteError(pool: Pool, error: unknown): void {
  if (isOutOfSpace(error)) lacking.add(pool)
}

/** True after a write failed because the server has no space, memory or working disk, until one succeeds again. */
export function lacksSpace(pool: Pool): boolean {
  return lacking.has(pool)
}

/** Larger than one page, and not to be compressed, so that the server must take new space for it. */
const PROBE = `begin;
  set local statement_timeout = '900ms';
  create temporary table space_probe on commit drop as
    select md5(n::text) as filling from generate_series(1, 2000) as n;
  commit`

/** Tries a write that needs new space, on a connection that nothing else uses. Throws when it fails. */
export async function tryWrite(pool: Pool, client: ClientBase): Promise<void> {
  try {
    await client.query(PROBE)
  } catch (error) {
    await client.query('rollback')
    throw error
  }
  lacking.delete(pool)
}
