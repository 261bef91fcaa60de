import { bound } from '../../platform/bound.ts'
import { type DepositDeps, deposit } from './deposit.ts'
import { find, list } from './find.ts'

export type { Wallet } from './find.ts'
export { openWallet } from './open.ts'
export type { WalletRef } from './ref.ts'

/** What customers have to spend. */
export const createWalletService = (deps: DepositDeps) => bound(deps, { list, find, deposit })
export type WalletService = ReturnType<typeof createWalletService>
