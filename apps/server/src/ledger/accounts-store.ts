import { execute } from '../db/statement.ts'
import { type SealedRow, sealOver } from '../platform/row-seals.ts'

/** What an account is, and whose. What is in it follows from the transfers. */
export interface SealedAccount {
  merchantId: string
  accountId: string
  kind: string
  holderId: string | null
  part: number
  currency: string
  mayBeNegative: boolean
}
const sealed = sealOver<SealedAccount>('ledger_accounts', ({ kind, holderId, part, currency, mayBeNegative }) => [
  ...[kind, holderId?.toLowerCase() ?? null, part, currency, Number(mayBeNegative)],
])
export const sealedAccount = (account: SealedAccount): SealedRow =>
  sealed({ ...account, id: account.accountId.toLowerCase() })

/** 0: there is one of this holder, kind, currency and part already. */
export const insertAccount = execute(
  'ledger.insert_account',
  `insert into ledger_accounts
     (merchant_id, id, kind, holder_id, part, currency, balance_minor, may_be_negative, created_at, updated_at, seal)
   values ($merchantId, $accountId, $kind, $holderId, $part, $currency, 0, $mayBeNegative, $at, $at, $seal)
   on conflict do nothing`,
)
