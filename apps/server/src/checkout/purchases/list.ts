import type { Pool } from 'pg'
import { amountFromMinor } from '../../platform/money.ts'
import { listUnresolved } from './store.ts'

/** More than anyone works through at once; those that wait longest are first. */
const MAX_LISTED = 1_000

/** What `resolve` is for: purchases that need a person, and those whose payment the shop is silent about. */
export async function unresolved({ pool }: { pool: Pool }) {
  const rows = await listUnresolved(pool, { limit: MAX_LISTED })
  return rows.map(({ amountMinor, ...purchase }) => ({ ...purchase, amount: amountFromMinor(amountMinor) }))
}
