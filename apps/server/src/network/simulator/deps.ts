import type { Pool } from 'pg'
import type { Queryable } from '../../db/statement.ts'
import type { Clock } from '../../platform/clock.ts'
import type { NetworkCipher } from './cipher.ts'

/** What every part of the simulated network works with. */
export interface SimulatorDeps {
  pool: Pool
  clock: Clock
  cipher: NetworkCipher
  /** How long the adapter waits for an answer; scripted hangs last longer. */
  timeoutMillis: number
  /** How long it waits for what the script says is lost, if less: only in tests. */
  lostMillis?: number | undefined
}

/**
 * For a change that is one statement and needs no transaction. This is another system: the service's commands, with
 * their events and idempotency keys, are not for it.
 */
export function single({ pool }: Pick<SimulatorDeps, 'pool'>): Queryable {
  return { query: pool.query.bind(pool) } as Queryable
}
