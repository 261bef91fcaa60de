import type { Pool } from 'pg'
import { bound } from '../platform/bound.ts'
import { listAccounts } from './accounts.ts'

export { type Account, openAccount } from './accounts.ts'
export { type NewTransfer, type Transferred, transfer } from './transfer.ts'

/** A double-entry ledger: every amount leaves one account and arrives at another. */
export const createLedgerService = (deps: { pool: Pool }) => bound(deps, { listAccounts })
export type LedgerService = ReturnType<typeof createLedgerService>
