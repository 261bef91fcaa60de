import { bound } from '../platform/bound.ts'
import { listAccounts } from './accounts.ts'
import { type VerifyDeps, verify } from './verify.ts'

export { type Account, openAccount } from './accounts.ts'
export { type NewTransfer, type Transferred, transfer } from './transfer.ts'
export type { Check, Problem, Report } from './verify.ts'

/** A double-entry ledger: every amount leaves one account and arrives at another. */
export const createLedgerService = (deps: VerifyDeps) => bound(deps, { listAccounts, verify })
export type LedgerService = ReturnType<typeof createLedgerService>
