import type { Pool } from 'pg'
import { type Check, createLedgerService } from '../src/ledger/service.ts'
import { verifyOrders } from '../src/wallets/orders/service.ts'

/** What features know of transfers, as the program has it. */
export const CHECKS: readonly Check[] = [verifyOrders]

/** What `mintmark ledger verify` would say. Every test database is looked at when it is closed. */
export async function expectBooksInOrder(pool: Pool, checks: readonly Check[] = CHECKS): Promise<void> {
  // Tests of the migrations make databases without them.
  const { rows } = await pool.query<{ table: string | null }>(`select to_regclass('ledger_entries')::text as table`)
  if (rows[0]?.table == null) return
  const { problems } = await createLedgerService({ pool, seals: null, checks }).verify()
  if (problems.length === 0) return
  const lines = problems.map(({ merchantId, where, what }) => `${merchantId}: ${where} ${what}`)
  throw new Error(`The books are not in order:\n${lines.join('\n')}`)
}
