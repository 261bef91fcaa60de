import type { Pool } from 'pg'
import { createRowService } from '../src/rows/service.ts'

/** What `mintmark rows verify` would say. Every test database is looked at when it is closed. */
export async function expectRowsInOrder(pool: Pool): Promise<void> {
  // Tests of the migrations make databases without them.
  const { rows } = await pool.query<{ table: string | null }>(`select to_regclass('vault_records')::text as table`)
  if (rows[0]?.table == null) return
  const { contradictions } = await createRowService({ pool }).verify()
  if (contradictions.length === 0) return
  const lines = contradictions.map(
    ({ merchantId, table, row, rule, what }) => `${merchantId}: ${table} ${row}, ${rule}: ${what}`,
  )
  throw new Error(`Rows contradict themselves:\n${lines.join('\n')}`)
}
