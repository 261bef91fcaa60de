import { bound } from '../platform/bound.ts'
import { type VerifyDeps, verify } from './verify.ts'

export { type AccountDeps, openAccount } from './accounts.ts'
export { type NewTransfer, type TransferDeps, type Transferred, transfer } from './transfer.ts'
export type { Check, Problem, Read, Report } from './verify.ts'

/** A double-entry ledger: every amount leaves one account and arrives at another. */
export const createLedgerService = (deps: VerifyDeps) => bound(deps, { verify })
