import type { ClientBase } from 'pg'
import { LOCK_NOT_AVAILABLE, sqlState } from '../db/errors.ts'
import { transaction } from '../db/transaction.ts'
import { unmoved } from '../platform/clock.ts'
import type { AgentDeps } from './deps.ts'
import { pastSlots } from './nonces.ts'

/** What waits behind this waits as long: the requests of agents, for which the parent is looked up. */
const LOCK_TIMEOUT = `set local lock_timeout = '200ms'`

/**
 * Empties the slots in which no nonce is good any more. Any number of workers. Returns how many had something in them.
 */
export async function emptyPastSlots({ pool, clock }: AgentDeps): Promise<number> {
  let emptied = 0
  for (const slot of pastSlots(unmoved(clock))) {
    const table = `agent_nonces_${slot}`
    const { rows } = await pool.query<{ some: boolean }>(`select exists (select 1 from ${table}) as some`)
    if (rows[0]?.some === true && (await empty((work) => transaction(pool, work), table))) emptied += 1
  }
  return emptied
}

async function empty(
  inTransaction: (work: (tx: ClientBase) => Promise<boolean>) => Promise<unknown>,
  table: string,
): Promise<boolean> {
  try {
    await inTransaction(async (tx) => {
      await tx.query(LOCK_TIMEOUT)
      await tx.query(`truncate ${table}`)
      return true
    })
    return true
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error
    return false
  }
}
